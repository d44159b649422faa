//! Status, patches, delete: codes, reasons, messages, finalizers.

crate::contract!(
    status_apart,
    merge_patches,
    json_patches,
    deleting,
    finalizers,
    delete_preconditions,
);

mod cases {
    use http::Method;
    use serde_json::{Value, json};

    use crate::harness::{GROUP, Target, widget};

    const NOT_CHECKED: &str = "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

    pub async fn status_apart(t: &Target) {
        t.define_widgets().await;
        let made = t.widget("st", json!({"lo": 1})).await;
        let path = format!("{}/st", t.widgets());
        let ignored = t.merge(&path, &json!({"status": {"phase": "a"}})).await;
        assert_eq!(ignored.revision(), made["metadata"]["resourceVersion"]);
        let status = format!("{path}/status");
        let body = json!({"status": {"phase": "a"}, "spec": {"lo": 5}, "metadata": {"labels": {"x": "y"}}});
        let written = t.merge(&status, &body).await;
        assert_eq!((written.code, written.generation()), (200, 1));
        assert_eq!(written.body["status"], json!({"phase": "a"}));
        assert_eq!(written.body["spec"]["lo"], 1);
        assert!(written.body["metadata"].get("labels").is_none());
        let mut body = written.body.clone();
        body["spec"]["lo"] = 9.into();
        body["status"]["phase"] = "b".into();
        let put = t.put(&status, &body).await;
        assert_eq!(
            (&put.body["spec"]["lo"], &put.body["status"]["phase"]),
            (&json!(1), &json!("b"))
        );
        let wrong = t.merge(&status, &json!({"status": {"phase": 3}})).await;
        wrong.refused(
            422,
            "Invalid",
            &format!("Widget.example.fleetdeck.io \"st\" is invalid: [status.phase: Invalid value: \"integer\": phase in body must be of type string: \"integer\", {}]", NOT_CHECKED),
        );
        let none = t.delete(&status).await;
        none.refused(
            405,
            "MethodNotAllowed",
            "delete is not supported on resources of kind \"widgets.example.fleetdeck.io\"",
        );
        t.get(&format!("{path}/nope")).await.refused(
            404,
            "NotFound",
            "widgets.example.fleetdeck.io \"st\" not found",
        );
    }

    pub async fn merge_patches(t: &Target) {
        t.define_widgets().await;
        let made = t.widget("mp", json!({"lo": 1, "hi": 2})).await;
        let path = format!("{}/mp", t.widgets());
        for nothing in [
            json!({}),
            json!({"spec": {"lo": 1}}),
            json!({"metadata": {"managedFields": null}}),
        ] {
            assert_eq!(
                t.merge(&path, &nothing).await.revision(),
                made["metadata"]["resourceVersion"]
            );
        }
        let gone = t
            .merge(&path, &json!({"spec": {"hi": null, "mode": null}}))
            .await;
        assert_eq!(gone.body["spec"], json!({"lo": 1, "mode": "auto"}));
        assert_eq!(gone.generation(), 2);
        let stale = json!({"metadata": {"resourceVersion": made["metadata"]["resourceVersion"]}, "spec": {"lo": 3}});
        assert_eq!(t.merge(&path, &stale).await.code, 409);
        t.merge(&path, &json!([])).await.refused(
            400,
            "BadRequest",
            "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
        );
        let broken = t
            .raw(Method::PATCH, &path, "application/merge-patch+json", b"")
            .await;
        broken.refused(
            400,
            "BadRequest",
            "error decoding patch: unexpected end of JSON input",
        );
        t.merge(&path, &json!({"kind": "Zed"})).await.refused(
            422,
            "Invalid",
            "Zed.example.fleetdeck.io \"mp\" is invalid: kind: Invalid value: \"Zed\": must be Widget",
        );
        let missing = t.merge(&format!("{}/none", t.widgets()), &json!({})).await;
        assert_eq!(missing.code, 404);
        let forced = t.merge(&format!("{path}?force=true"), &json!({})).await;
        forced.refused(
            422,
            "Invalid",
            "PatchOptions.meta.k8s.io \"\" is invalid: force: Forbidden: may not be specified for non-apply patch",
        );
    }

    pub async fn json_patches(t: &Target) {
        t.define_widgets().await;
        let made = t.widget("jp", json!({"lo": 1, "listAtomic": [1]})).await;
        let path = format!("{}/jp", t.widgets());
        assert_eq!(
            t.json_patch(&path, &json!([])).await.revision(),
            made["metadata"]["resourceVersion"]
        );
        for impossible in [
            json!([{"op": "test", "path": "/spec/lo", "value": 2}]),
            json!([{"op": "remove", "path": "/spec/nope"}]),
            json!([{"op": "add", "path": "/nope/a", "value": 1}]),
            json!([{"op": "replace", "path": "/spec/listAtomic/7", "value": 1}]),
            json!([{"op": "add", "path": "/spec/lo", "value": 9}, {"op": "test", "path": "/spec/lo", "value": 1}]),
        ] {
            let refused = t.json_patch(&path, &impossible).await;
            refused.refused(
                422,
                "Invalid",
                "the server rejected our request due to an error in our request",
            );
            assert_eq!(refused.body["details"], json!({}));
        }
        let added = t
            .json_patch(
                &path,
                &json!([{"op": "replace", "path": "/spec/hi", "value": 4}]),
            )
            .await;
        assert_eq!((added.code, &added.body["spec"]["hi"]), (200, &json!(4)));
        t.json_patch(&path, &json!({})).await.refused(
            400,
            "BadRequest",
            "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
        );
    }

    pub async fn deleting(t: &Target) {
        t.define_widgets().await;
        let made = t.widget("gone", json!({})).await;
        let path = format!("{}/gone", t.widgets());
        let gone = t.delete(&path).await;
        assert_eq!(gone.code, 200);
        assert_eq!(
            gone.body,
            json!({
                "kind": "Status",
                "apiVersion": "v1",
                "metadata": {},
                "status": "Success",
                "details": {"name": "gone", "group": GROUP, "kind": "widgets", "uid": made["metadata"]["uid"]},
            })
        );
        assert_eq!(t.delete(&path).await.code, 404);
        let odd = t
            .raw(
                Method::DELETE,
                &format!("{path}?propagationPolicy=Sideways"),
                "",
                b"",
            )
            .await;
        odd.refused(
            422,
            "Invalid",
            "DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Unsupported value: \"Sideways\": supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\"",
        );
        for name in ["a", "b", "c"] {
            let mut body = widget(name, json!({}));
            body["metadata"]["labels"] = json!({"keep": if name == "b" { "yes" } else { "no" }});
            assert_eq!(t.post(&t.widgets(), &body).await.code, 201);
        }
        let all = t
            .delete(&format!("{}?labelSelector=keep%3Dno", t.widgets()))
            .await;
        assert_eq!((all.code, &all.body["kind"]), (200, &json!("WidgetList")));
        assert_eq!(all.body["items"].as_array().unwrap().len(), 2);
        assert!(
            all.body["items"][0]["metadata"]
                .get("deletionTimestamp")
                .is_none()
        );
        let left = t.get(&t.widgets()).await;
        assert_eq!(left.body["items"].as_array().unwrap().len(), 1);
    }

    pub async fn finalizers(t: &Target) {
        t.define_widgets().await;
        let mut body = widget("held", json!({}));
        body["metadata"]["finalizers"] = json!(["hold"]);
        let made = t.post(&t.widgets(), &body).await;
        assert_eq!(made.code, 201);
        assert_eq!(made.warnings().len(), 1);
        let path = format!("{}/held", t.widgets());
        let deleted = t.delete(&path).await;
        assert_eq!((deleted.code, deleted.generation()), (200, 2));
        assert!(deleted.body["metadata"]["deletionTimestamp"].is_string());
        assert_eq!(deleted.body["metadata"]["deletionGracePeriodSeconds"], 0);
        assert_eq!(t.delete(&path).await.revision(), deleted.revision());
        let exists = t.post(&t.widgets(), &body).await;
        exists.refused(
            409,
            "AlreadyExists",
            "object is being deleted: widgets.example.fleetdeck.io \"held\" already exists",
        );
        let more = t
            .merge(
                &path,
                &json!({"metadata": {"finalizers": ["hold", "x.io/more"]}}),
            )
            .await;
        assert_eq!(more.code, 422);
        assert!(more.message().contains("metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{\"x.io/more\"}"));
        let written = t.merge(&path, &json!({"spec": {"lo": 1}})).await;
        assert_eq!(written.generation(), 3);
        let freed = t
            .merge(&path, &json!({"metadata": {"finalizers": null}}))
            .await;
        assert_eq!((freed.code, freed.revision()), (200, written.revision()));
        assert_eq!(t.get(&path).await.code, 404);
    }

    pub async fn delete_preconditions(t: &Target) {
        t.define_widgets().await;
        let made = t.widget("pre", json!({})).await;
        let path = format!("{}/pre", t.widgets());
        let delete = async |preconditions: Value| {
            let body = json!({"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": preconditions});
            t.raw(
                Method::DELETE,
                &path,
                "application/json",
                body.to_string().as_bytes(),
            )
            .await
        };
        let (uid, revision) = (
            &made["metadata"]["uid"],
            &made["metadata"]["resourceVersion"],
        );
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        delete(json!({"uid": "other"})).await.refused(
            409,
            "Conflict",
            &format!("Operation cannot be fulfilled on Widget.example.fleetdeck.io \"pre\": the UID in the precondition (other) does not match the UID in record ({}). The object might have been deleted and then recreated", text(uid)),
        );
        delete(json!({"resourceVersion": "3"})).await.refused(
            409,
            "Conflict",
            &format!("Operation cannot be fulfilled on Widget.example.fleetdeck.io \"pre\": the ResourceVersion in the precondition (3) does not match the ResourceVersion in record ({}). The object might have been modified", text(revision)),
        );
        assert_eq!(
            delete(json!({"uid": uid, "resourceVersion": revision}))
                .await
                .code,
            200
        );
    }
}
