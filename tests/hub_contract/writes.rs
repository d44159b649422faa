//! Create and update: codes, reasons, messages, generation and resourceVersion.

crate::contract!(
    creating,
    creating_wrongly,
    dry_run,
    generated_names,
    field_validation,
    updating,
    updating_wrongly,
    names_and_labels,
);

mod cases {
    use http::Method;
    use serde_json::{Value, json};

    use crate::harness::{GROUP, Target, widget};

    const RFC1123: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

    const NOT_CHECKED: &str = "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

    pub async fn creating(t: &Target) {
        t.define_widgets().await;
        let mut body = widget("one", json!({"size": "small", "zz": 1}));
        body["metadata"]["uid"] = "mine".into();
        body["metadata"]["generation"] = 7.into();
        body["metadata"]["selfLink"] = "x".into();
        body["metadata"]["labels"] = json!({"a": null});
        body["status"] = json!({"phase": "x"});
        let made = t.post(&t.widgets(), &body).await;
        assert_eq!(made.code, 201);
        assert_eq!(made.body["spec"], json!({"size": "small", "mode": "auto"}));
        assert_eq!(made.body["metadata"]["labels"], json!({"a": ""}));
        assert!(made.body.get("status").is_none());
        assert_eq!(made.generation(), 1);
        assert_ne!(made.body["metadata"]["uid"], "mine");
        assert!(made.body["metadata"].get("selfLink").is_none());
        let created = made.body["metadata"]["creationTimestamp"].as_str().unwrap();
        assert!(created.ends_with('Z') && created.len() == 20, "{created}");
        assert_eq!(made.warnings(), ["299 - \"unknown field \\\"spec.zz\\\"\""]);
        let again = t.post(&t.widgets(), &body).await;
        again.refused(
            409,
            "AlreadyExists",
            "widgets.example.fleetdeck.io \"one\" already exists",
        );
        assert_eq!(
            again.body["details"],
            json!({"name": "one", "group": GROUP, "kind": "widgets"})
        );
        let read = t.get(&format!("{}/one", t.widgets())).await;
        assert_eq!((read.code, read.revision()), (200, made.revision()));
        let missing = t.get(&format!("{}/x", t.widgets())).await;
        missing.refused(
            404,
            "NotFound",
            "widgets.example.fleetdeck.io \"x\" not found",
        );
    }

    pub async fn creating_wrongly(t: &Target) {
        t.define_widgets().await;
        let post = async |change: fn(&mut Value)| {
            let mut body = widget("x", json!({}));
            change(&mut body);
            t.post(&t.widgets(), &body).await
        };
        post(|b| b["metadata"]["resourceVersion"] = "5".into())
            .await
            .refused(
                500,
                "",
                "resourceVersion should not be set on objects to be created",
            );
        post(|b| b["metadata"]["namespace"] = "other".into()).await.refused(
            400,
            "BadRequest",
            "the namespace of the provided object does not match the namespace sent on the request",
        );
        post(|b| b["kind"] = "Gadget".into()).await.refused(
            422,
            "Invalid",
            "Gadget.example.fleetdeck.io \"x\" is invalid: kind: Invalid value: \"Gadget\": must be Widget",
        );
        post(|b| b["apiVersion"] = "v1".into()).await.refused(
            400,
            "BadRequest",
            "the API version in the data (v1) does not match the expected API version (example.fleetdeck.io/v1)",
        );
        let bare = post(|b| {
            b.as_object_mut().unwrap().remove("kind");
        })
        .await;
        assert_eq!(bare.code, 400);
        let start = "the object provided is unrecognized (must be of type Widget): ";
        assert!(bare.message().starts_with(start), "{}", bare.message());
        assert!(
            bare.message().contains("Object 'Kind' is missing in '"),
            "{}",
            bare.message()
        );
        let number = post(|b| b["metadata"]["name"] = 5.into()).await;
        number.refused(
            400,
            "BadRequest",
            "Widget in version \"v1\" cannot be handled as a Widget: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string",
        );
        let empty = t
            .raw(Method::POST, &t.widgets(), "application/json", b"")
            .await;
        empty.refused(
            400,
            "BadRequest",
            "the object provided is unrecognized (must be of type Widget): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)",
        );
        let nowhere = format!("/apis/{GROUP}/v1/namespaces/nowhere/widgets");
        let nowhere = t.post(&nowhere, &widget("x", json!({}))).await;
        nowhere.refused(404, "NotFound", "namespaces \"nowhere\" not found");
        assert_eq!(
            nowhere.body["details"],
            json!({"name": "nowhere", "kind": "namespaces"})
        );
    }

    pub async fn dry_run(t: &Target) {
        t.define_widgets().await;
        let path = format!("{}?dryRun=All", t.widgets());
        let made = t.post(&path, &widget("dry", json!({}))).await;
        assert_eq!((made.code, made.revision()), (201, ""));
        assert!(made.body["metadata"]["uid"].is_string());
        assert_eq!(t.get(&format!("{}/dry", t.widgets())).await.code, 404);
        let path = format!("{}?dryRun=Some", t.widgets());
        t.post(&path, &widget("dry", json!({}))).await.refused(
            422,
            "Invalid",
            "CreateOptions.meta.k8s.io \"\" is invalid: dryRun: Unsupported value: [\"Some\"]: supported values: \"All\"",
        );
        let real = t.widget("wet", json!({"lo": 1})).await;
        let path = format!("{}/wet?dryRun=All", t.widgets());
        let patched = t.merge(&path, &json!({"spec": {"lo": 2}})).await;
        assert_eq!(patched.code, 200);
        assert_eq!(patched.revision(), real["metadata"]["resourceVersion"]);
        assert_eq!(patched.generation(), 2);
        assert_eq!(
            t.get(&format!("{}/wet", t.widgets())).await.body["spec"]["lo"],
            1
        );
        let gone = t.delete(&path).await;
        assert_eq!((gone.code, &gone.body["status"]), (200, &json!("Success")));
        assert_eq!(t.get(&format!("{}/wet", t.widgets())).await.code, 200);
    }

    pub async fn generated_names(t: &Target) {
        t.define_widgets().await;
        let mut body = widget("", json!({}));
        body["metadata"] = json!({"generateName": "gen-"});
        let made = t.post(&t.widgets(), &body).await;
        let name = made.body["metadata"]["name"].as_str().unwrap();
        assert!(name.starts_with("gen-") && name.len() == 9, "{name}");
        body["metadata"] = json!({});
        let none = t.post(&t.widgets(), &body).await;
        assert_eq!((none.code, none.reason()), (422, "Invalid"));
        assert!(
            none.causes().contains(
                &"FieldValueRequired metadata.name: Required value: name or generateName is required".to_owned()
            ),
            "{:?}",
            none.causes()
        );
    }

    pub async fn field_validation(t: &Target) {
        t.define_widgets().await;
        let body = widget(
            "s",
            json!({"size": "no", "yy": 1, "listMap": [{"name": "a", "qq": 1}]}),
        );
        let strict = t
            .post(&format!("{}?fieldValidation=Strict", t.widgets()), &body)
            .await;
        strict.refused(
            400,
            "BadRequest",
            "Widget in version \"v1\" cannot be handled as a Widget: strict decoding error: unknown field \"spec.listMap[0].qq\", unknown field \"spec.yy\"",
        );
        let body = widget("s", json!({"zz": 1}));
        let ignored = t
            .post(&format!("{}?fieldValidation=Ignore", t.widgets()), &body)
            .await;
        assert_eq!((ignored.code, ignored.warnings().len()), (201, 0));
        let other = t
            .post(&format!("{}?fieldValidation=Nope", t.widgets()), &body)
            .await;
        other.refused(
            422,
            "Invalid",
            "CreateOptions.meta.k8s.io \"\" is invalid: fieldValidation: Unsupported value: \"Nope\": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"",
        );
        let twice = format!(
            "{{\"apiVersion\":\"{GROUP}/v1\",\"kind\":\"Widget\",\"metadata\":{{\"name\":\"twice\"}},\"spec\":{{\"lo\":1,\"lo\":2}}}}"
        );
        let twice = t
            .raw(
                Method::POST,
                &t.widgets(),
                "application/json",
                twice.as_bytes(),
            )
            .await;
        assert_eq!((twice.code, &twice.body["spec"]["lo"]), (201, &json!(2)));
        assert_eq!(
            twice.warnings(),
            ["299 - \"duplicate field \\\"spec.lo\\\"\""]
        );
        let path = format!("{}/twice?fieldValidation=Strict", t.widgets());
        let patched = t.merge(&path, &json!({"spec": {"zz": 1}})).await;
        assert_eq!((patched.code, patched.reason()), (422, "Invalid"));
        assert!(
            patched
                .message()
                .starts_with(" \"\" is invalid: patch: Invalid value: \"{")
        );
        assert!(
            patched
                .message()
                .ends_with("strict decoding error: unknown field \"spec.zz\"")
        );
    }

    pub async fn updating(t: &Target) {
        t.define_widgets().await;
        let made = t.widget("up", json!({"lo": 1, "listAtomic": [1, 2]})).await;
        let path = format!("{}/up", t.widgets());
        let same = t.put(&path, &made).await;
        assert_eq!(same.revision(), made["metadata"]["resourceVersion"]);
        let mut body = made.clone();
        body["spec"]["mode"].take();
        body["spec"].as_object_mut().unwrap().remove("mode");
        assert_eq!(t.put(&path, &body).await.revision(), same.revision());
        body["metadata"]["labels"] = json!({"a": "b"});
        body["metadata"]["generation"] = 99.into();
        let labelled = t.put(&path, &body).await;
        assert_eq!((labelled.code, labelled.generation()), (200, 1));
        assert_ne!(labelled.revision(), same.revision());
        let old = t.put(&path, &body).await;
        old.refused(
            409,
            "Conflict",
            "Operation cannot be fulfilled on widgets.example.fleetdeck.io \"up\": the object has been modified; please apply your changes to the latest version and try again",
        );
        assert_eq!(
            old.body["details"],
            json!({"name": "up", "group": GROUP, "kind": "widgets"})
        );
        let mut body = labelled.body.clone();
        body["spec"]["listAtomic"] = json!([2, 1]);
        assert_eq!(t.put(&path, &body).await.generation(), 2);
    }

    pub async fn updating_wrongly(t: &Target) {
        t.define_widgets().await;
        let made = t.widget("up", json!({"lo": 1})).await;
        let path = format!("{}/up", t.widgets());
        let put = async |change: fn(&mut Value)| {
            let mut body = made.clone();
            change(&mut body);
            t.put(&path, &body).await
        };
        put(|b| {
            b["metadata"].as_object_mut().unwrap().remove("resourceVersion");
        })
        .await
        .refused(
            422,
            "Invalid",
            "widgets.example.fleetdeck.io \"up\" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update",
        );
        let word = put(|b| b["metadata"]["resourceVersion"] = "abc".into()).await;
        word.refused(
            500,
            "",
            "strconv.ParseUint: parsing \"abc\": invalid syntax",
        );
        put(|b| b["metadata"]["name"] = "other".into())
            .await
            .refused(
                400,
                "BadRequest",
                "the name of the object (other) does not match the name on the URL (up)",
            );
        put(|b| {
            b["metadata"].as_object_mut().unwrap().remove("name");
        })
        .await
        .refused(
            400,
            "BadRequest",
            "the name of the object (up based on URL) was undeterminable: name must be provided",
        );
        let uid =
            put(|b| b["metadata"]["uid"] = "00000000-0000-0000-0000-000000000000".into()).await;
        assert_eq!((uid.code, uid.reason()), (409, "Conflict"));
        assert!(uid.message().contains("Precondition failed: UID in precondition: 00000000-0000-0000-0000-000000000000, UID in object meta: "));
        let mut body = made.clone();
        body["metadata"]["name"] = "zip".into();
        body["metadata"].as_object_mut().unwrap().remove("uid");
        let missing = t.put(&format!("{}/zip", t.widgets()), &body).await;
        assert_eq!(missing.code, 404);
        let uid = t.merge(&path, &json!({"metadata": {"uid": "x"}})).await;
        assert_eq!((uid.code, uid.reason()), (422, "Invalid"));
        assert!(
            uid.message()
                .contains("metadata.uid: Invalid value: \"x\": field is immutable")
        );
    }

    pub async fn names_and_labels(t: &Target) {
        t.define_widgets().await;
        t.post(&t.widgets(), &widget("Upper", json!({}))).await.refused(
            422,
            "Invalid",
            &format!("Widget.example.fleetdeck.io \"Upper\" is invalid: metadata.name: Invalid value: \"Upper\": {RFC1123}"),
        );
        assert_eq!(
            t.post(&t.widgets(), &widget(&"a".repeat(253), json!({})))
                .await
                .code,
            201
        );
        let long = t
            .post(&t.widgets(), &widget(&"a".repeat(254), json!({})))
            .await;
        assert!(
            long.message()
                .ends_with("must be no more than 253 characters"),
            "{}",
            long.message()
        );
        let with = async |labels: Value, annotations: Value| {
            let mut body = widget("lb", json!({}));
            body["metadata"]["labels"] = labels;
            body["metadata"]["annotations"] = annotations;
            t.post(&t.widgets(), &body).await
        };
        let key = with(json!({"a b": "c"}), json!({})).await;
        assert!(
            key.message()
                .contains("metadata.labels: Invalid value: \"a b\": name part must consist of"),
            "{}",
            key.message()
        );
        let value = with(json!({"a": "-"}), json!({})).await;
        assert!(
            value.message().contains(
                "metadata.labels: Invalid value: \"-\": a valid label must be an empty string"
            ),
            "{}",
            value.message()
        );
        let long = with(json!({"a": "v".repeat(64)}), json!({})).await;
        assert!(
            long.message().ends_with("must be no more than 63 bytes"),
            "{}",
            long.message()
        );
        let big = with(json!({}), json!({"a": "v".repeat(262_144)})).await;
        big.refused(
            422,
            "Invalid",
            &format!("Widget.example.fleetdeck.io \"lb\" is invalid: [metadata.annotations: Too long: may not be more than 262144 bytes, {NOT_CHECKED}]"),
        );
        let owners = async |owners: Value| {
            let mut body = widget("ow", json!({}));
            body["metadata"]["ownerReferences"] = owners;
            t.post(&t.widgets(), &body).await
        };
        let owner = |name: &str| json!({"apiVersion": "v1", "kind": "Pod", "name": name, "uid": name, "controller": true});
        let two = owners(json!([owner("p"), owner("q")])).await;
        assert!(two.message().contains("Only one reference can have Controller set to true. Found \"true\" in references for Pod/p and Pod/q"), "{}", two.message());
        let empty = owners(json!([{"apiVersion": "", "kind": "", "name": "", "uid": ""}])).await;
        for (field, text) in [
            ("apiVersion", "version must not be empty"),
            ("kind", "must not be empty"),
            ("name", "must not be empty"),
            ("uid", "must not be empty"),
        ] {
            let expected = format!(
                "FieldValueInvalid metadata.ownerReferences.{field}: Invalid value: \"\": {text}"
            );
            assert!(
                empty
                    .causes()
                    .iter()
                    .any(|c| *c == expected || c.starts_with(&expected)),
                "{:?}",
                empty.causes()
            );
        }
    }
}
