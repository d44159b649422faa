//! Namespaces, configmaps, secrets, leases, events, reviews, discovery.

crate::contract!(
    namespaces,
    configmaps,
    secrets,
    too_much_data,
    leases,
    events_in_both_forms,
    strategic_patches,
    reviews,
    discovery,
    health,
);

mod cases {
    use http::Method;
    use serde_json::{Value, json};

    use crate::harness::{GROUP, Target};

    pub async fn namespaces(t: &Target) {
        let own = t.get(&format!("/api/v1/namespaces/{}", t.namespace)).await;
        assert_eq!(own.body["status"]["phase"], "Active");
        assert_eq!(own.body["spec"]["finalizers"], json!(["kubernetes"]));
        assert_eq!(
            own.body["metadata"]["labels"]["kubernetes.io/metadata.name"],
            t.namespace.as_str()
        );
        assert!(own.body["metadata"].get("generation").is_none());
        let body = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a.b"}});
        let dotted = t.post("/api/v1/namespaces", &body).await;
        assert_eq!(dotted.code, 422);
        assert!(
            dotted
                .message()
                .contains("metadata.name: Invalid value: \"a.b\": "),
            "{}",
            dotted.message()
        );
        let default = t.delete("/api/v1/namespaces/default").await;
        default.refused(
            403,
            "Forbidden",
            "namespaces \"default\" is forbidden: this namespace may not be deleted",
        );
        let name = format!("{}-going", t.namespace);
        let body = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "finalizers": ["x.io/hold"]}});
        assert_eq!(t.post("/api/v1/namespaces", &body).await.code, 201);
        let gone = t.delete(&format!("/api/v1/namespaces/{name}")).await;
        assert_eq!(
            (gone.code, &gone.body["status"]["phase"]),
            (200, &json!("Terminating"))
        );
        let inside = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "y"}});
        let inside = t
            .post(&format!("/api/v1/namespaces/{name}/configmaps"), &inside)
            .await;
        inside.refused(
            403,
            "Forbidden",
            &format!("configmaps \"y\" is forbidden: unable to create new content in namespace {name} because it is being terminated"),
        );
        assert_eq!(
            inside.causes(),
            [format!(
                "NamespaceTerminating metadata.namespace: namespace {name} is being terminated"
            )]
        );
    }

    pub async fn too_much_data(t: &Target) {
        use base64::Engine as _;
        let encoded = |bytes: usize| {
            let engine = base64::engine::general_purpose::STANDARD;
            engine.encode(vec![7; bytes])
        };
        let most = 1 << 20;
        let text = |bytes: usize| "x".repeat(bytes);
        let maps = format!("/api/v1/namespaces/{}/configmaps", t.namespace);
        let secrets = format!("/api/v1/namespaces/{}/secrets", t.namespace);
        let map = |name: &str, text: String, binary: String| json!({"metadata": {"name": name}, "data": {"a": text}, "binaryData": {"b": binary}});
        let secret =
            |name: &str, data: String| json!({"metadata": {"name": name}, "data": {"a": data}});
        let fits = t
            .post(&maps, &map("fits", text(most - 4), encoded(4)))
            .await;
        assert_eq!(fits.code, 201, "{}", fits.message());
        let fits = t.post(&secrets, &secret("fits", encoded(most))).await;
        assert_eq!(fits.code, 201, "{}", fits.message());
        let over = t
            .post(&maps, &map("over", text(most - 4), encoded(5)))
            .await;
        over.refused(
            422,
            "Invalid",
            "ConfigMap \"over\" is invalid: []: Too long: may not be more than 1048576 bytes",
        );
        let over = t.post(&secrets, &secret("over", encoded(most + 1))).await;
        over.refused(
            422,
            "Invalid",
            "Secret \"over\" is invalid: data: Too long: may not be more than 1048576 bytes",
        );
    }

    pub async fn configmaps(t: &Target) {
        let maps = format!("/api/v1/namespaces/{}/configmaps", t.namespace);
        let body = json!({"metadata": {"name": "m"}, "data": {"a": "1"}, "nope": 1});
        let made = t.post(&maps, &body).await;
        assert_eq!((made.code, &made.body["data"]), (201, &json!({"a": "1"})));
        assert!(made.body.get("nope").is_none());
        assert_eq!(made.warnings(), ["299 - \"unknown field \\\"nope\\\"\""]);
        let wrong = t
            .post(
                &maps,
                &json!({"metadata": {"name": "w"}, "data": {"a b": "1"}}),
            )
            .await;
        assert_eq!((wrong.code, wrong.reason()), (422, "Invalid"));
        assert!(wrong.message().starts_with(
            "ConfigMap \"w\" is invalid: data[a b]: Invalid value: \"a b\": a valid config key must"
        ));
        let other = t
            .post(
                &maps,
                &json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "w"}}),
            )
            .await;
        assert_eq!(other.code, 400);
        let mut body = made.body.clone();
        body["metadata"]
            .as_object_mut()
            .unwrap()
            .remove("resourceVersion");
        body["data"]["a"] = "2".into();
        let put = t.put(&format!("{maps}/m"), &body).await;
        assert_eq!((put.code, &put.body["data"]["a"]), (200, &json!("2")));
        assert_eq!(t.get(&format!("{maps}/m/status")).await.code, 404);
        t.merge(&format!("{maps}/m"), &json!({"immutable": true}))
            .await;
        let frozen = t
            .merge(&format!("{maps}/m"), &json!({"data": {"a": "3"}}))
            .await;
        frozen.refused(
            422,
            "Invalid",
            "ConfigMap \"m\" is invalid: data: Forbidden: field is immutable when `immutable` is set",
        );
    }

    pub async fn secrets(t: &Target) {
        let secrets = format!("/api/v1/namespaces/{}/secrets", t.namespace);
        let body = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"k": "v"}});
        let made = t.post(&secrets, &body).await;
        assert_eq!(
            (&made.body["type"], &made.body["data"]),
            (&json!("Opaque"), &json!({"k": "dg=="}))
        );
        assert!(made.body.get("stringData").is_none());
        let typed = t
            .get(&format!("{secrets}?fieldSelector=type%3DOpaque"))
            .await;
        assert_eq!(typed.body["items"].as_array().unwrap().len(), 1);
        let other = t
            .merge(&format!("{secrets}/s"), &json!({"type": "x"}))
            .await;
        assert_eq!(other.code, 422);
    }

    pub async fn leases(t: &Target) {
        let leases = format!(
            "/apis/coordination.k8s.io/v1/namespaces/{}/leases",
            t.namespace
        );
        let lease = |name: &str, seconds: i64| {
            json!({
                "apiVersion": "coordination.k8s.io/v1",
                "kind": "Lease",
                "metadata": {"name": name},
                "spec": {"holderIdentity": "a", "leaseDurationSeconds": seconds, "renewTime": "2026-03-02T09:00:00.000000Z"},
            })
        };
        let wrong = t.post(&leases, &lease("l", 0)).await;
        assert_eq!((wrong.code, wrong.reason()), (422, "Invalid"));
        assert!(
            wrong
                .message()
                .contains("spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0")
        );
        let put = t.put(&format!("{leases}/l"), &lease("l", 15)).await;
        assert_eq!(
            (put.code, &put.body["spec"]["renewTime"]),
            (201, &json!("2026-03-02T09:00:00.000000Z"))
        );
        let blind = t.put(&format!("{leases}/l"), &lease("l", 16)).await;
        assert_eq!(blind.code, 422);
        assert!(blind.message().contains(
            "metadata.resourceVersion: Invalid value: 0: must be specified for an update"
        ));
    }

    pub async fn events_in_both_forms(t: &Target) {
        let new = format!("/apis/events.k8s.io/v1/namespaces/{}/events", t.namespace);
        let old = format!("/api/v1/namespaces/{}/events", t.namespace);
        let body = json!({
            "apiVersion": "events.k8s.io/v1",
            "kind": "Event",
            "metadata": {"name": "e"},
            "eventTime": "2026-03-02T09:00:00.000000Z",
            "reportingController": "c",
            "reportingInstance": "i",
            "action": "Act",
            "reason": "Because",
            "regarding": {"kind": "ConfigMap", "namespace": t.namespace, "name": "m", "apiVersion": "v1"},
            "note": "hello",
            "type": "Normal",
        });
        assert_eq!(t.post(&new, &body).await.code, 201);
        let read = t.get(&format!("{old}/e")).await;
        assert_eq!(read.body["message"], "hello");
        assert_eq!(read.body["involvedObject"]["name"], "m");
        assert_eq!(read.body["reportingComponent"], "c");
        assert_eq!(read.body["kind"], "Event");
        let series =
            json!({"series": {"count": 2, "lastObservedTime": "2026-03-02T09:01:00.000000Z"}});
        let patched = t.merge(&format!("{new}/e"), &series).await;
        assert_eq!(
            (patched.code, &patched.body["note"]),
            (200, &json!("hello"))
        );
        assert_eq!(patched.body["apiVersion"], "events.k8s.io/v1");
        let about = t
            .get(&format!("{old}?fieldSelector=involvedObject.name%3Dm"))
            .await;
        assert_eq!(about.body["items"].as_array().unwrap().len(), 1);
        let about = t
            .get(&format!("{old}?fieldSelector=involvedObject.name%3Dz"))
            .await;
        assert_eq!(about.body["items"], json!([]));
        let table = t
            .get_as(&old, "application/json;as=Table;v=v1;g=meta.k8s.io")
            .await;
        let heads: Vec<&Value> = table.body["columnDefinitions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|c| &c["name"])
            .collect();
        assert_eq!(
            heads,
            [
                "Last Seen",
                "Type",
                "Reason",
                "Object",
                "Subobject",
                "Source",
                "Message",
                "First Seen",
                "Count",
                "Name"
            ]
        );
        let cells = &table.body["rows"][0]["cells"];
        assert_eq!(
            (&cells[2], &cells[3], &cells[6]),
            (&json!("Because"), &json!("configmap/m"), &json!("hello"))
        );
        let mut wrong = body.clone();
        wrong["metadata"]["name"] = "w".into();
        wrong.as_object_mut().unwrap().remove("eventTime");
        assert_eq!(t.post(&new, &wrong).await.code, 422);
    }

    pub async fn strategic_patches(t: &Target) {
        let maps = format!("/api/v1/namespaces/{}/configmaps", t.namespace);
        let body = json!({"metadata": {"name": "m", "finalizers": ["x.io/a"]}, "data": {"a": "1", "b": "2"}});
        assert_eq!(t.post(&maps, &body).await.code, 201);
        let patch = json!({
            "metadata": {"labels": {"l": "v"}, "finalizers": ["x.io/b"], "$setElementOrder/finalizers": ["x.io/a", "x.io/b"]},
            "data": {"b": null, "c": "3"},
        });
        let kind = "application/strategic-merge-patch+json";
        let patched = t
            .raw(
                Method::PATCH,
                &format!("{maps}/m"),
                kind,
                patch.to_string().as_bytes(),
            )
            .await;
        assert_eq!(patched.code, 200, "{}", patched.text);
        assert_eq!(patched.body["data"], json!({"a": "1", "c": "3"}));
        assert_eq!(
            patched.body["metadata"]["finalizers"],
            json!(["x.io/a", "x.io/b"])
        );
        let patch = json!({"metadata": {"$deleteFromPrimitiveList/finalizers": ["x.io/a"]}});
        let patched = t
            .raw(
                Method::PATCH,
                &format!("{maps}/m"),
                kind,
                patch.to_string().as_bytes(),
            )
            .await;
        assert_eq!(patched.body["metadata"]["finalizers"], json!(["x.io/b"]));
    }

    pub async fn reviews(t: &Target) {
        let review = json!({
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": {"verb": "get", "resource": "widgets", "group": GROUP}},
        });
        let answer = t
            .post(
                "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                &review,
            )
            .await;
        assert_eq!(
            (answer.code, &answer.body["status"]["allowed"]),
            (201, &json!(true))
        );
        let review = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"});
        let answer = t
            .post("/apis/authentication.k8s.io/v1/selfsubjectreviews", &review)
            .await;
        assert!(answer.body["status"]["userInfo"]["username"].is_string());
    }

    pub async fn discovery(t: &Target) {
        t.define_widgets().await;
        let core = t.get("/api").await;
        assert_eq!(
            (&core.body["kind"], &core.body["versions"]),
            (&json!("APIVersions"), &json!(["v1"]))
        );
        let group = t.get(&format!("/apis/{GROUP}")).await;
        assert_eq!(
            group.body["preferredVersion"]["groupVersion"],
            format!("{GROUP}/v1")
        );
        let list = t.get(&format!("/apis/{GROUP}/v1")).await;
        let widgets = list.body["resources"]
            .as_array()
            .unwrap()
            .iter()
            .find(|r| r["name"] == "widgets")
            .unwrap()
            .clone();
        assert_eq!(
            widgets["verbs"],
            json!([
                "delete",
                "deletecollection",
                "get",
                "list",
                "patch",
                "create",
                "update",
                "watch"
            ])
        );
        assert_eq!(widgets["shortNames"], json!(["wd"]));
        assert_eq!(widgets["singularName"], "widget");
        let status = list.body["resources"]
            .as_array()
            .unwrap()
            .iter()
            .find(|r| r["name"] == "widgets/status")
            .unwrap()
            .clone();
        assert_eq!(
            (&status["verbs"], &status["singularName"]),
            (&json!(["get", "patch", "update"]), &json!(""))
        );
        let v2 = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
        let all = t.get_as("/apis", v2).await;
        assert_eq!(all.headers["content-type"], v2);
        assert_eq!(all.body["kind"], "APIGroupDiscoveryList");
        let own = all.body["items"]
            .as_array()
            .unwrap()
            .iter()
            .find(|g| g["metadata"]["name"] == GROUP)
            .unwrap()
            .clone();
        let resource = &own["versions"][0]["resources"][0];
        assert_eq!(resource["resource"], "widgets");
        assert_eq!(
            resource["responseKind"],
            json!({"group": GROUP, "version": "v1", "kind": "Widget"})
        );
        assert_eq!(resource["scope"], "Namespaced");
        assert_eq!(resource["subresources"][0]["subresource"], "status");
        assert_eq!(own["versions"][0]["freshness"], "Current");
        let old = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";
        assert_eq!(t.get_as("/apis", old).await.code, 406);
        let mut place = Value::Null;
        for _ in 0..200 {
            let index = t.get("/openapi/v3").await;
            place = index.body["paths"][format!("apis/{GROUP}/v1")]["serverRelativeURL"].clone();
            if place.is_string() {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        let document = t.get(place.as_str().unwrap()).await;
        let schema = &document.body["components"]["schemas"]["io.fleetdeck.example.v1.Widget"];
        assert_eq!(
            schema["x-kubernetes-group-version-kind"],
            json!([{"group": GROUP, "version": "v1", "kind": "Widget"}])
        );
        assert!(schema["properties"]["spec"]["properties"]["size"].is_object());
    }

    pub async fn health(t: &Target) {
        for path in ["/healthz", "/livez", "/readyz"] {
            let answer = t.get(path).await;
            assert_eq!((answer.code, answer.text.as_str()), (200, "ok"));
        }
        assert_eq!(t.get("/readyz/nope").await.code, 404);
        let version = t.get("/version").await;
        assert_eq!(
            (&version.body["major"], &version.body["minor"]),
            (&json!("1"), &json!("36"))
        );
    }
}
