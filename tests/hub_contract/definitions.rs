//! Definitions of custom resources: made, served, changed, refused, deleted.

crate::contract!(made_and_changed, refused);

mod cases {
    use serde_json::{Value, json};

    use crate::harness::Target;

    const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

    fn definition(group: &str, schema: Value) -> Value {
        json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("things.{group}")},
            "spec": {
                "group": group,
                "scope": "Cluster",
                "names": {"kind": "Thing", "plural": "things"},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
            }
        })
    }

    async fn served(t: &Target, path: &str, code: u16) {
        for _ in 0..400 {
            if t.get(path).await.code == code {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(25)).await;
        }
        panic!("{path} does not become {code}");
    }

    pub async fn made_and_changed(t: &Target) {
        let group = format!("{}.made.io", t.namespace);
        let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"a": {"type": "string"}}}, "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}});
        let mut body = definition(&group, schema);
        let made = t.post(DEFINITIONS, &body).await;
        assert_eq!(
            (made.code, &made.body["spec"]["conversion"]),
            (201, &json!({"strategy": "None"}))
        );
        assert_eq!(made.body["status"]["storedVersions"], json!(["v1"]));
        let things = format!("/apis/{group}/v1/things");
        served(t, &things, 200).await;
        let one = format!("{DEFINITIONS}/things.{group}");
        let read = t.get(&one).await;
        let condition = |body: &Value, kind: &str| {
            let all = body["status"]["conditions"].as_array().unwrap().clone();
            all.into_iter().find(|c| c["type"] == kind).unwrap()
        };
        let names = condition(&read.body, "NamesAccepted");
        assert_eq!(
            (&names["status"], &names["reason"], &names["message"]),
            (
                &json!("True"),
                &json!("NoConflicts"),
                &json!("no conflicts found")
            )
        );
        let established = condition(&read.body, "Established");
        assert_eq!(
            (&established["reason"], &established["message"]),
            (
                &json!("InitialNamesAccepted"),
                &json!("the initial names have been accepted")
            )
        );
        assert_eq!(
            read.body["status"]["acceptedNames"]["listKind"],
            "ThingList"
        );
        // Without the subresource, status is ordinary data.
        let thing = json!({"apiVersion": format!("{group}/v1"), "kind": "Thing", "metadata": {"name": "x"}, "spec": {"a": "1", "b": 2}, "status": {"s": 1}});
        let thing = t.post(&things, &thing).await;
        assert_eq!(
            (&thing.body["spec"], &thing.body["status"]),
            (&json!({"a": "1"}), &json!({"s": 1}))
        );
        assert_eq!(t.get(&format!("{things}/x/status")).await.code, 404);
        let changed = t
            .merge(&format!("{things}/x"), &json!({"status": {"s": 2}}))
            .await;
        assert_eq!(changed.generation(), 2);
        // A field more, a moment later.
        let path = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/b";
        let more = t
            .json_patch(
                &one,
                &json!([{"op": "add", "path": path, "value": {"type": "integer"}}]),
            )
            .await;
        assert_eq!((more.code, more.generation()), (200, 2));
        for _ in 0..100 {
            let written = t
                .merge(&format!("{things}/x"), &json!({"spec": {"b": 5}}))
                .await;
            if written.body["spec"]["b"] == 5 {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        assert_eq!(t.get(&format!("{things}/x")).await.body["spec"]["b"], 5);
        body["spec"]["scope"] = "Namespaced".into();
        let scope = t
            .merge(&one, &json!({"spec": {"scope": "Namespaced"}}))
            .await;
        assert_eq!(scope.code, 422);
        assert!(
            scope
                .message()
                .contains("spec.scope: Invalid value: \"Namespaced\": field is immutable"),
            "{}",
            scope.message()
        );
        let gone = t.delete(&one).await;
        assert_eq!(gone.code, 200);
        served(t, &one, 404).await;
        served(t, &things, 404).await;
    }

    pub async fn refused(t: &Target) {
        let group = format!("{}.refused.io", t.namespace);
        let refused = async |change: fn(&mut Value)| {
            let mut body = definition(&group, json!({"type": "object"}));
            change(&mut body);
            let answer = t.post(DEFINITIONS, &body).await;
            assert_eq!(
                (answer.code, answer.reason()),
                (422, "Invalid"),
                "{}",
                answer.text
            );
            answer
        };
        fn schema(body: &mut Value) -> &mut Value {
            &mut body["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
        }
        let name = refused(|b| b["metadata"]["name"] = "x.y".into()).await;
        assert!(
            name.message().contains(
                "metadata.name: Invalid value: \"x.y\": must be spec.names.plural+\".\"+spec.group"
            ),
            "{}",
            name.message()
        );
        for (change, text) in [
            (
                (|b| schema(b)["properties"] = json!({"spec": {"properties": {"a": {}}}}))
                    as fn(&mut Value),
                "must not be empty for specified object fields",
            ),
            (
                |b| *schema(b) = json!({"properties": {"spec": {"type": "object"}}}),
                "must not be empty at the root",
            ),
            (
                |b| *schema(b) = json!({"type": "string"}),
                "must be object at the root",
            ),
            (
                |b| schema(b)["properties"] = json!({"spec": {"type": "array"}}),
                "must be specified",
            ),
            (
                |b| schema(b)["properties"] = json!({"spec": {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "string"}}}),
                "additionalProperties and properties are mutual exclusive",
            ),
            (
                |b| schema(b)["properties"] = json!({"spec": {"type": "string", "pattern": "("}}),
                "must be a valid regular expression, but isn't",
            ),
            (
                |b| b["spec"]["versions"][0]["storage"] = false.into(),
                "must have exactly one version marked as storage version",
            ),
            (
                |b| schema(b)["properties"] = json!({"spec": {"type": "object", "x-kubernetes-validations": [{"rule": "self.("}]}}),
                "compilation failed",
            ),
        ] {
            let answer = refused(change).await;
            assert!(
                answer.message().contains(text),
                "{text}: {}",
                answer.message()
            );
        }
    }
}
