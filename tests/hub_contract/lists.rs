//! Lists: order, revisions, pages, selectors, tables, metadata alone.

crate::contract!(
    order_and_revision,
    revisions,
    wrong_revisions,
    pages,
    label_selectors,
    field_selectors,
    tables,
    metadata_alone,
);

mod cases {
    use serde_json::{Value, json};

    use crate::harness::{Target, widget};

    const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";

    fn names(list: &Value) -> Vec<&str> {
        let items = list["items"].as_array().unwrap();
        items
            .iter()
            .map(|item| item["metadata"]["name"].as_str().unwrap())
            .collect()
    }

    async fn three(t: &Target) {
        t.define_widgets().await;
        for (name, size, n) in [
            ("b", "small", "1"),
            ("a", "large", "2"),
            ("c", "small", "3"),
        ] {
            let mut body = widget(
                name,
                json!({"size": size, "lo": n.parse::<i64>().unwrap(), "listSet": [name]}),
            );
            body["metadata"]["labels"] = json!({"n": n, "x": ""});
            assert_eq!(t.post(&t.widgets(), &body).await.code, 201);
        }
    }

    pub async fn order_and_revision(t: &Target) {
        three(t).await;
        let list = t.get(&t.widgets()).await;
        assert_eq!(names(&list.body), ["a", "b", "c"]);
        assert_eq!(list.body["kind"], "WidgetList");
        assert_eq!(list.body["apiVersion"], "example.fleetdeck.io/v1");
        assert_eq!(list.body["metadata"]["continue"], "");
        assert_eq!(list.body["items"][0]["kind"], "Widget");
        let newest = t.get(&format!("{}/c", t.widgets())).await;
        let number = |text: &str| text.parse::<u64>().unwrap();
        assert!(number(list.revision()) >= number(newest.revision()));
        let maps = format!("/api/v1/namespaces/{}/configmaps", t.namespace);
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}});
        assert_eq!(t.post(&maps, &map).await.code, 201);
        let maps = t.get(&maps).await;
        assert!(maps.body["metadata"].get("continue").is_none());
        assert!(maps.body["items"][0].get("kind").is_none());
    }

    pub async fn revisions(t: &Target) {
        three(t).await;
        let before = t.get(&t.widgets()).await.revision().to_owned();
        assert_eq!(t.delete(&format!("{}/a", t.widgets())).await.code, 200);
        assert_eq!(
            t.merge(&format!("{}/b", t.widgets()), &json!({"spec": {"lo": 9}}))
                .await
                .code,
            200
        );
        let exact = t
            .get(&format!(
                "{}?resourceVersion={before}&resourceVersionMatch=Exact",
                t.widgets()
            ))
            .await;
        assert_eq!(
            (names(&exact.body), exact.revision()),
            (vec!["a", "b", "c"], before.as_str())
        );
        assert_eq!(exact.body["items"][1]["spec"]["lo"], 1);
        for newest in [
            "?resourceVersion=0",
            &format!("?resourceVersion={before}"),
            &format!("?resourceVersion={before}&resourceVersionMatch=NotOlderThan"),
        ] {
            let list = t.get(&format!("{}{newest}", t.widgets())).await;
            assert_eq!(names(&list.body), ["b", "c"], "{newest}");
        }
        let all = t
            .get(&format!("{}?resourceVersion=0&limit=1", t.widgets()))
            .await;
        assert_eq!(names(&all.body).len(), 2);
    }

    pub async fn wrong_revisions(t: &Target) {
        t.define_widgets().await;
        for (query, code, message) in [
            (
                "resourceVersion=0&resourceVersionMatch=Exact",
                422,
                "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
            ),
            (
                "resourceVersionMatch=Exact",
                422,
                "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided",
            ),
            (
                "resourceVersion=1&resourceVersionMatch=Foo",
                422,
                "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Unsupported value: \"Foo\": supported values: \"Exact\", \"NotOlderThan\", \"\"",
            ),
            (
                "resourceVersion=abc",
                400,
                "invalid resource version: resourceVersion: Invalid value: \"abc\": strconv.ParseUint: parsing \"abc\": invalid syntax",
            ),
            (
                "limit=x",
                400,
                "strconv.ParseInt: parsing \"x\": invalid syntax",
            ),
            (
                "sendInitialEvents=true",
                422,
                "ListOptions.meta.k8s.io \"\" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list",
            ),
        ] {
            let answer = t.get(&format!("{}?{query}", t.widgets())).await;
            assert_eq!((answer.code, answer.message()), (code, message), "{query}");
        }
        t.widget("one", json!({})).await;
        let one = format!("{}/one?resourceVersion=abc", t.widgets());
        t.get(&one).await.refused(
            500,
            "",
            "resourceVersion: Invalid value: \"abc\": strconv.ParseUint: parsing \"abc\": invalid syntax",
        );
        let future = t
            .get(&format!("{}?resourceVersion=99999999", t.widgets()))
            .await;
        assert_eq!((future.code, future.reason()), (504, "Timeout"));
        assert!(
            future
                .message()
                .starts_with("Timeout: Too large resource version: 99999999, current: ")
        );
    }

    pub async fn pages(t: &Target) {
        three(t).await;
        let first = t.get(&format!("{}?limit=1", t.widgets())).await;
        assert_eq!(names(&first.body), ["a"]);
        assert_eq!(first.body["metadata"]["remainingItemCount"], 2);
        let token = first.body["metadata"]["continue"]
            .as_str()
            .unwrap()
            .to_owned();
        // What happens meanwhile is not on the later pages.
        assert_eq!(t.delete(&format!("{}/c", t.widgets())).await.code, 200);
        assert_eq!(
            t.post(&t.widgets(), &widget("bb", json!({}))).await.code,
            201
        );
        let second = t
            .get(&format!("{}?limit=1&continue={token}", t.widgets()))
            .await;
        assert_eq!(
            (names(&second.body), second.revision()),
            (vec!["b"], first.revision())
        );
        let token = second.body["metadata"]["continue"].as_str().unwrap();
        let third = t
            .get(&format!("{}?limit=5&continue={token}", t.widgets()))
            .await;
        assert_eq!(
            (names(&third.body), third.revision()),
            (vec!["c"], first.revision())
        );
        assert_eq!(third.body["metadata"]["continue"], "");
        let both = t
            .get(&format!(
                "{}?limit=5&continue={token}&resourceVersion=5",
                t.widgets()
            ))
            .await;
        both.refused(
            400,
            "BadRequest",
            "specifying resource version is not allowed when using continue",
        );
        let bad = t.get(&format!("{}?continue=nonsense!", t.widgets())).await;
        assert_eq!(bad.code, 400);
        assert!(
            bad.message().contains("continue key is not valid"),
            "{}",
            bad.message()
        );
        let selected = t
            .get(&format!("{}?limit=1&labelSelector=x", t.widgets()))
            .await;
        assert!(
            selected.body["metadata"]
                .get("remainingItemCount")
                .is_none()
        );
    }

    pub async fn label_selectors(t: &Target) {
        three(t).await;
        for (selector, expected) in [
            ("n in (1,3)", vec!["b", "c"]),
            ("n notin (1)", vec!["a", "c"]),
            ("n!=2", vec!["b", "c"]),
            ("n>1", vec!["a", "c"]),
            ("x=", vec!["a", "b", "c"]),
            ("!n", vec![]),
            ("n in ()", vec![]),
            ("y!=1", vec!["a", "b", "c"]),
            ("", vec!["a", "b", "c"]),
        ] {
            let query: String = form(selector);
            let list = t
                .get(&format!("{}?labelSelector={query}", t.widgets()))
                .await;
            assert_eq!(names(&list.body), expected, "{selector}");
        }
        for (selector, message) in [
            (
                "n in 0",
                "unable to parse requirement: found '0' expected: '('",
            ),
            (
                "n in (0",
                "unable to parse requirement: found '', expected: ',' or ')'",
            ),
            ("n=1=2", "found '=', expected: ',' or 'end of string'"),
            (
                "=",
                "found '=', expected: !, identifier, or 'end of string'",
            ),
            (
                "a b",
                "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
            ),
            (
                "!",
                "unable to parse requirement: found '', expected: identifier",
            ),
            ("a,", "found '', expected: identifier after ','"),
            (
                "n>x",
                "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
            ),
        ] {
            let answer = t
                .get(&format!("{}?labelSelector={}", t.widgets(), form(selector)))
                .await;
            answer.refused(400, "BadRequest", message);
        }
    }

    /// Percent-encodes everything but letters and digits.
    fn form(text: &str) -> String {
        text.bytes()
            .map(|b| {
                if b.is_ascii_alphanumeric() {
                    char::from(b).to_string()
                } else {
                    format!("%{b:02X}")
                }
            })
            .collect()
    }

    pub async fn field_selectors(t: &Target) {
        three(t).await;
        for (selector, expected) in [
            ("metadata.name=a", vec!["a"]),
            ("metadata.name!=a,metadata.namespace==NS", vec!["b", "c"]),
            ("spec.size=small", vec!["b", "c"]),
            ("spec.lo=2", vec!["a"]),
            ("spec.lo=02", vec![]),
            (",", vec!["a", "b", "c"]),
        ] {
            let query = form(&selector.replace("NS", &t.namespace));
            let list = t
                .get(&format!("{}?fieldSelector={query}", t.widgets()))
                .await;
            assert_eq!(list.code, 200, "{selector}: {}", list.text);
            assert_eq!(names(&list.body), expected, "{selector}");
        }
        let answer = t
            .get(&format!("{}?fieldSelector=spec.code%3D1", t.widgets()))
            .await;
        answer.refused(400, "BadRequest", "field label not supported: spec.code");
        let answer = t
            .get(&format!("{}?fieldSelector=nonsense", t.widgets()))
            .await;
        answer.refused(
            400,
            "BadRequest",
            "invalid selector: 'nonsense'; can't understand 'nonsense'",
        );
    }

    pub async fn tables(t: &Target) {
        three(t).await;
        let table = t.get_as(&t.widgets(), TABLE).await;
        assert_eq!(table.body["kind"], "Table");
        assert_eq!(table.body["apiVersion"], "meta.k8s.io/v1");
        let columns = table.body["columnDefinitions"].as_array().unwrap();
        let heads: Vec<(&str, &str, &str, i64)> = columns
            .iter()
            .map(|c| {
                let text = |name: &str| c[name].as_str().unwrap();
                (
                    text("name"),
                    text("type"),
                    text("format"),
                    c["priority"].as_i64().unwrap(),
                )
            })
            .collect();
        assert_eq!(
            heads,
            [
                ("Name", "string", "name", 0),
                ("Size", "string", "", 0),
                ("Lo", "integer", "", 0),
                ("Set", "string", "", 1),
                ("First", "string", "", 0),
            ]
        );
        assert_eq!(
            columns[1]["description"],
            "Custom resource definition column (in JSONPath format): .spec.size"
        );
        assert_eq!(
            table.body["rows"][0]["cells"],
            json!(["a", "large", 2, "[\"a\"]", null])
        );
        assert_eq!(
            table.body["rows"][0]["object"]["kind"],
            "PartialObjectMetadata"
        );
        let path = format!("{}?includeObject=None", t.widgets());
        assert!(t.get_as(&path, TABLE).await.body["rows"][0]["object"].is_null());
        let path = format!("{}?includeObject=Everything", t.widgets());
        t.get_as(&path, TABLE).await.refused(
            400,
            "BadRequest",
            "Unable to convert to Table as requested: includeObject: Invalid value: \"Everything\": must be 'Metadata', 'Object', 'None', or empty",
        );
        let spaces = t
            .get_as(&format!("/api/v1/namespaces/{}", t.namespace), TABLE)
            .await;
        let heads: Vec<&Value> = spaces.body["columnDefinitions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|c| &c["name"])
            .collect();
        assert_eq!(heads, ["Name", "Status", "Age"]);
        assert_eq!(spaces.body["rows"][0]["cells"][1], "Active");
    }

    pub async fn metadata_alone(t: &Target) {
        three(t).await;
        let list = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
        let list = t.get_as(&t.widgets(), list).await;
        assert_eq!(list.body["kind"], "PartialObjectMetadataList");
        assert_eq!(list.body["items"][0]["metadata"]["name"], "a");
        assert!(list.body["items"][0].get("spec").is_none());
        let one = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
        t.get_as(&t.widgets(), one).await.refused(
            406,
            "NotAcceptable",
            "you requested PartialObjectMetadata, but the requested object is a list (*unstructured.UnstructuredList)",
        );
    }
}
