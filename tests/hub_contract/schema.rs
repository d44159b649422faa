//! Schemas: defaults, pruning, violations, rules, and what an update may leave as it was.

crate::contract!(
    violations,
    several_at_once,
    nulls,
    rules_on_create,
    rules_on_update,
    unchanged_values_pass,
);

mod cases {
    use serde_json::{Value, json};

    use crate::harness::{Target, definition, widget};

    const NC: &str = "FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

    async fn causes(t: &Target, spec: Value) -> Vec<String> {
        let answer = t.post(&t.widgets(), &widget("v", spec)).await;
        assert_eq!(
            (answer.code, answer.reason()),
            (422, "Invalid"),
            "{}",
            answer.text
        );
        assert_eq!(answer.body["details"]["kind"], "Widget");
        answer.causes()
    }

    pub async fn violations(t: &Target) {
        t.define_widgets().await;
        for (spec, expected, blocking) in [
            (
                json!({"size": "huge"}),
                "FieldValueNotSupported spec.size: Unsupported value: \"huge\": supported values: \"small\", \"medium\", \"large\"",
                true,
            ),
            (
                json!({"count": "x"}),
                "FieldValueTypeInvalid spec.count: Invalid value: \"string\": spec.count in body must be of type integer: \"string\"",
                true,
            ),
            (
                json!({"count": {}}),
                "FieldValueTypeInvalid spec.count: Invalid value: \"object\": spec.count in body must be of type integer: \"object\"",
                true,
            ),
            (
                json!({"when": "yesterday"}),
                "FieldValueTypeInvalid spec.when: Invalid value: \"yesterday\": spec.when in body must be of type date-time: \"yesterday\"",
                true,
            ),
            (
                json!({"need": {}}),
                "FieldValueRequired spec.need.code: Required value",
                true,
            ),
            (
                json!({"listMap": [{"value": 1}]}),
                "FieldValueRequired spec.listMap[0].name: Required value",
                true,
            ),
            (
                json!({"code": "ab01234567890"}),
                "FieldValueTooLong spec.code: Too long: may not be more than 10 bytes",
                true,
            ),
            (
                json!({"listSet": ["a", "b", "c", "d"]}),
                "FieldValueTooMany spec.listSet: Too many: 4: must have at most 3 items",
                true,
            ),
            (
                json!({"code": "a"}),
                "FieldValueInvalid spec.code: Invalid value: \"a\": spec.code in body should be at least 3 chars long",
                false,
            ),
            (
                json!({"code": "ABC"}),
                "FieldValueInvalid spec.code: Invalid value: \"ABC\": spec.code in body should match '^[a-z]{2}[0-9]+$'",
                false,
            ),
            (
                json!({"count": 101}),
                "FieldValueInvalid spec.count: Invalid value: 101: spec.count in body should be less than or equal to 100",
                false,
            ),
            (
                json!({"count": -1}),
                "FieldValueInvalid spec.count: Invalid value: -1: spec.count in body should be greater than or equal to 0",
                false,
            ),
            (
                json!({"ratio": 0.3}),
                "FieldValueInvalid spec.ratio: Invalid value: 0.3: spec.ratio in body should be a multiple of 0.25",
                false,
            ),
            (
                json!({"listAtomic": []}),
                "FieldValueInvalid spec.listAtomic: Invalid value: 0: spec.listAtomic in body should have at least 1 items",
                false,
            ),
            (
                json!({"listSet": ["a", "b", "a"]}),
                "FieldValueDuplicate spec.listSet[2]: Duplicate value: \"a\"",
                false,
            ),
            (
                json!({"listMap": [{"name": "a"}, {"name": "a", "proto": "TCP"}]}),
                "FieldValueDuplicate spec.listMap[1]: Duplicate value: {\"name\":\"a\",\"proto\":\"TCP\"}",
                false,
            ),
            (
                json!({"oneof": {"a": "x", "b": "y"}}),
                "FieldValueInvalid <nil>: Invalid value: \"\": \"spec.oneof\" must validate one and only one schema (oneOf). Found 2 valid alternatives",
                false,
            ),
            (
                json!({"small32": 3_000_000_000_i64}),
                "FieldValueInvalid <nil>: Invalid value: \"\": Checked value must be of type integer with format int32 in spec.small32",
                false,
            ),
        ] {
            let mut expected = vec![expected.to_owned()];
            if blocking {
                expected.push(NC.to_owned());
            }
            expected.sort();
            assert_eq!(causes(t, spec).await, expected);
        }
        let mut port = vec![
            "FieldValueInvalid <nil>: Invalid value: \"\": \"spec.port\" must validate at least one schema (anyOf)",
            "FieldValueTypeInvalid spec.port: Invalid value: \"boolean\": spec.port in body must be of type integer,string: \"boolean\"",
            "FieldValueTypeInvalid spec.port: Invalid value: \"boolean\": spec.port in body must be of type integer: \"boolean\"",
            NC,
        ];
        port.sort_unstable();
        assert_eq!(causes(t, json!({"port": true})).await, port);
        let none = causes(t, json!({"oneof": {}})).await;
        assert!(none.contains(&"FieldValueInvalid <nil>: Invalid value: \"\": \"spec.oneof\" must validate one and only one schema (oneOf). Found none valid".to_owned()), "{none:?}");
        assert!(
            none.contains(&"FieldValueRequired spec.oneof.a: Required value".to_owned()),
            "{none:?}"
        );
        let none = causes(t, json!({"anyof": {}})).await;
        assert!(none.contains(&"FieldValueInvalid <nil>: Invalid value: \"\": \"spec.anyof\" must validate at least one schema (anyOf)".to_owned()), "{none:?}");
    }

    pub async fn several_at_once(t: &Target) {
        t.define_widgets().await;
        let answer = t
            .post(&t.widgets(), &widget("V", json!({"count": 101, "even": 3})))
            .await;
        let start =
            "Widget.example.fleetdeck.io \"V\" is invalid: [metadata.name: Invalid value: \"V\": ";
        assert!(answer.message().starts_with(start), "{}", answer.message());
        let causes = answer.causes();
        assert_eq!(causes.len(), 3, "{causes:?}");
        assert!(
            causes.contains(
                &"FieldValueInvalid spec.even: Invalid value: 3: failed rule: self % 2 == 0"
                    .to_owned()
            ),
            "{causes:?}"
        );
    }

    pub async fn nulls(t: &Target) {
        t.define_widgets().await;
        let spec = json!({"mode": null, "maybe": null, "lo": null, "free": {"x": {"y": null}}, "unknown": 1, "tags": {"a": "b"}});
        let made = t.widget("nulls", spec).await;
        assert_eq!(
            made["spec"],
            json!({"mode": "auto", "maybe": null, "free": {"x": {"y": null}}, "tags": {"a": "b"}})
        );
        let inside = causes(t, json!({"listSet": [null]})).await;
        assert!(
            inside
                .iter()
                .any(|c| c.contains("spec.listSet[0] in body must be of type string: \"null\"")),
            "{inside:?}"
        );
        let needed = causes(t, json!({"need": {"code": null}})).await;
        assert!(
            needed.contains(&"FieldValueRequired spec.need.code: Required value".to_owned()),
            "{needed:?}"
        );
        let made = t.widget("inner", json!({"listMap": [{"name": "a"}]})).await;
        assert_eq!(
            made["spec"]["listMap"],
            json!([{"name": "a", "proto": "TCP"}])
        );
    }

    pub async fn rules_on_create(t: &Target) {
        t.define_widgets().await;
        for (spec, expected) in [
            (
                json!({"lo": 2, "hi": 1}),
                "FieldValueInvalid spec: Invalid value: lo is above hi",
            ),
            (
                json!({"lo": -1}),
                "FieldValueInvalid spec.lo: Invalid value: lo is negative",
            ),
            (
                json!({"even": 3}),
                "FieldValueInvalid spec.even: Invalid value: 3: failed rule: self % 2 == 0",
            ),
            (
                json!({"ten": 10}),
                "FieldValueForbidden spec.ten: Forbidden: ten or more",
            ),
        ] {
            assert_eq!(causes(t, spec).await, [expected]);
        }
    }

    pub async fn rules_on_update(t: &Target) {
        t.define_widgets().await;
        let spec = json!({"immut": "a", "listMap": [{"name": "a", "value": 5}, {"name": "b", "value": 7}]});
        t.widget("ru", spec).await;
        let path = format!("{}/ru", t.widgets());
        let answer = t.merge(&path, &json!({"spec": {"immut": "b"}})).await;
        assert_eq!(
            answer.causes(),
            ["FieldValueInvalid spec.immut: Invalid value: \"b\": immut is immutable"]
        );
        // Items of map lists are compared by key, wherever they stand.
        let turned =
            json!({"spec": {"listMap": [{"name": "b", "value": 7}, {"name": "a", "value": 6}]}});
        assert_eq!(t.merge(&path, &turned).await.code, 200);
        let lower =
            json!({"spec": {"listMap": [{"name": "b", "value": 6}, {"name": "a", "value": 6}]}});
        let answer = t.merge(&path, &lower).await;
        assert_eq!(
            answer.causes(),
            ["FieldValueInvalid spec.listMap[0].value: Invalid value: 6: value only rises"]
        );
        let new = json!({"spec": {"listMap": [{"name": "c", "value": 1}]}});
        assert_eq!(t.merge(&path, &new).await.code, 200);
    }

    pub async fn unchanged_values_pass(t: &Target) {
        // A definition of its own, since it is tightened.
        let mut tight = definition();
        let name = format!("gears.{}.io", t.namespace);
        tight["metadata"]["name"] = name.as_str().into();
        tight["spec"]["group"] = format!("{}.io", t.namespace).into();
        tight["spec"]["names"] = json!({"kind": "Gear", "plural": "gears"});
        const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        assert_eq!(t.post(DEFINITIONS, &tight).await.code, 201);
        let gears = format!(
            "/apis/{}.io/v1/namespaces/{}/gears",
            t.namespace, t.namespace
        );
        for _ in 0..200 {
            if t.get(&gears).await.code == 200 {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        let gear = json!({
            "apiVersion": format!("{}.io/v1", t.namespace),
            "kind": "Gear",
            "metadata": {"name": "g"},
            "spec": {"count": 50, "lo": 4, "listMap": [{"name": "a", "value": 90}]},
        });
        assert_eq!(t.post(&gears, &gear).await.code, 201);
        let schema = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties";
        let tighten = json!([
            {"op": "replace", "path": format!("{schema}/count/maximum"), "value": 10},
            {"op": "add", "path": format!("{schema}/listMap/items/properties/value/maximum"), "value": 10},
        ]);
        assert_eq!(
            t.json_patch(&format!("{DEFINITIONS}/{name}"), &tighten)
                .await
                .code,
            200
        );
        let path = format!("{gears}/g");
        // The new schema is in force a moment later.
        let mut refused = t.merge(&path, &json!({"spec": {"count": 51}})).await;
        for _ in 0..100 {
            if refused.code == 422 {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            t.merge(&path, &json!({"spec": {"count": 50}})).await;
            refused = t.merge(&path, &json!({"spec": {"count": 52}})).await;
        }
        assert_eq!(refused.code, 422, "{}", refused.text);
        let spec = t.get(&path).await.body["spec"]["count"].clone();
        let moved = json!({"spec": {"lo": 5, "count": spec, "listMap": [{"name": "b"}, {"name": "a", "value": 90}]}});
        let passed = t.merge(&path, &moved).await;
        assert_eq!(passed.code, 200, "{}", passed.text);
        let changed = json!({"spec": {"listMap": [{"name": "a", "value": 91}]}});
        assert_eq!(t.merge(&path, &changed).await.code, 422);
        assert_eq!(t.delete(&format!("{DEFINITIONS}/{name}")).await.code, 200);
    }
}
