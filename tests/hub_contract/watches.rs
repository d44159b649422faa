//! Watches: initial state, changes, selectors, resume, streaming lists.

crate::contract!(
    from_the_start,
    resumed,
    with_a_selector,
    streaming_list,
    refused_options,
    too_old,
    tables_and_metadata,
    ends_in_time,
);

mod cases {
    use serde_json::{Value, json};

    use crate::harness::{Target, widget};

    fn seen(events: &[Value]) -> Vec<(String, String)> {
        events
            .iter()
            .map(|event| {
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                (
                    text(&event["type"]),
                    text(&event["object"]["metadata"]["name"]),
                )
            })
            .collect()
    }

    fn pair(kind: &str, name: &str) -> (String, String) {
        (kind.to_owned(), name.to_owned())
    }

    pub async fn from_the_start(t: &Target) {
        t.define_widgets().await;
        t.widget("b", json!({})).await;
        t.widget("a", json!({})).await;
        let path = format!("{}?watch=1", t.widgets());
        let change = async {
            tokio::time::sleep(std::time::Duration::from_millis(300)).await;
            t.merge(&format!("{}/a", t.widgets()), &json!({})).await;
            t.merge(&format!("{}/a", t.widgets()), &json!({"spec": {"lo": 1}}))
                .await;
            t.delete(&format!("{}/b", t.widgets())).await;
        };
        let (events, ()) = tokio::join!(t.watch(&path, 4), change);
        assert_eq!(
            seen(&events),
            [
                pair("ADDED", "a"),
                pair("ADDED", "b"),
                pair("MODIFIED", "a"),
                pair("DELETED", "b")
            ]
        );
        let revision = |event: &Value| {
            event["object"]["metadata"]["resourceVersion"]
                .as_str()
                .unwrap()
                .parse::<u64>()
                .unwrap()
        };
        assert!(revision(&events[3]) > revision(&events[2]));
        assert_eq!(events[2]["object"]["kind"], "Widget");
    }

    pub async fn resumed(t: &Target) {
        t.define_widgets().await;
        let first = t.widget("a", json!({})).await;
        t.widget("b", json!({})).await;
        t.merge(&format!("{}/a", t.widgets()), &json!({"spec": {"lo": 1}}))
            .await;
        let revision = first["metadata"]["resourceVersion"].as_str().unwrap();
        let path = format!("{}?watch=1&resourceVersion={revision}", t.widgets());
        let events = t.watch(&path, 2).await;
        assert_eq!(seen(&events), [pair("ADDED", "b"), pair("MODIFIED", "a")]);
        let old = format!(
            "/apis/example.fleetdeck.io/v1/watch/namespaces/{}/widgets/a?resourceVersion={revision}",
            t.namespace
        );
        assert_eq!(seen(&t.watch(&old, 1).await), [pair("MODIFIED", "a")]);
    }

    pub async fn with_a_selector(t: &Target) {
        t.define_widgets().await;
        let first = t.widget("a", json!({"size": "small"})).await;
        let revision = first["metadata"]["resourceVersion"].as_str().unwrap();
        let one = format!("{}/a", t.widgets());
        t.merge(&one, &json!({"metadata": {"labels": {"x": "1"}}}))
            .await;
        let leaving = t
            .merge(
                &one,
                &json!({"metadata": {"labels": {"x": "2"}}, "spec": {"lo": 7}}),
            )
            .await;
        t.delete(&one).await;
        let path = format!(
            "{}?watch=1&resourceVersion={revision}&labelSelector=x%3D1&timeoutSeconds=2",
            t.widgets()
        );
        let events = t.watch(&path, 9).await;
        assert_eq!(seen(&events), [pair("ADDED", "a"), pair("DELETED", "a")]);
        let gone = &events[1]["object"];
        assert_eq!(gone["metadata"]["labels"]["x"], "1");
        assert!(gone["spec"].get("lo").is_none());
        assert_eq!(gone["metadata"]["resourceVersion"], leaving.revision());
    }

    pub async fn streaming_list(t: &Target) {
        t.define_widgets().await;
        let options = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
        let path = format!("{}?{options}", t.widgets());
        let empty = t.watch(&path, 1).await;
        let end = &empty[0];
        assert_eq!(end["type"], "BOOKMARK");
        assert_eq!(end["object"]["kind"], "Widget");
        assert_eq!(
            end["object"]["metadata"]["annotations"],
            json!({"k8s.io/initial-events-end": "true"})
        );
        t.widget("a", json!({})).await;
        let events = t.watch(&path, 2).await;
        assert_eq!(seen(&events), [pair("ADDED", "a"), pair("BOOKMARK", "")]);
    }

    pub async fn refused_options(t: &Target) {
        t.define_widgets().await;
        for (query, message) in [
            (
                "sendInitialEvents=true",
                "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
            ),
            (
                "resourceVersionMatch=NotOlderThan",
                "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
            ),
        ] {
            let answer = t.get(&format!("{}?watch=1&{query}", t.widgets())).await;
            answer.refused(422, "Invalid", message);
        }
        let yaml = t
            .get_as(&format!("{}?watch=1", t.widgets()), "application/yaml")
            .await;
        // kube-apiserver says so in YAML.
        assert_eq!(yaml.code, 406);
        let word = t
            .get(&format!("{}?watch=1&resourceVersion=abc", t.widgets()))
            .await;
        word.refused(
            500,
            "",
            "resourceVersion: Invalid value: \"abc\": strconv.ParseUint: parsing \"abc\": invalid syntax",
        );
    }

    /// kube-apiserver keeps its history as long as nothing is compacted, so this is about ours.
    pub async fn too_old(t: &Target) {
        if t.real {
            return;
        }
        t.define_widgets().await;
        let first = t.widget("a", json!({})).await;
        let revision = first["metadata"]["resourceVersion"].as_str().unwrap();
        let big = "x".repeat(200_000);
        for number in 0..400 {
            let change = json!({"metadata": {"annotations": {"a": format!("{number}{big}")}}});
            assert_eq!(
                t.merge(&format!("{}/a", t.widgets()), &change).await.code,
                200
            );
        }
        let path = format!("{}?watch=1&resourceVersion={revision}", t.widgets());
        let events = t.watch(&path, 9).await;
        assert_eq!(events.len(), 1);
        assert_eq!(events[0]["type"], "ERROR");
        assert_eq!(events[0]["object"]["reason"], "Expired");
        assert_eq!(events[0]["object"]["code"], 410);
        assert_eq!(events[0]["object"]["kind"], "Status");
        let exact = t
            .get(&format!(
                "{}?resourceVersion={revision}&resourceVersionMatch=Exact",
                t.widgets()
            ))
            .await;
        exact.refused(
            410,
            "Expired",
            "The resourceVersion for the provided list is too old.",
        );
    }

    pub async fn tables_and_metadata(t: &Target) {
        t.define_widgets().await;
        t.post(&t.widgets(), &widget("a", json!({}))).await;
        t.post(&t.widgets(), &widget("b", json!({}))).await;
        let path = format!("{}?watch=1&timeoutSeconds=1", t.widgets());
        let lines = |answer: crate::harness::Answer| -> Vec<Value> {
            answer
                .text
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect()
        };
        let table = lines(
            t.get_as(&path, "application/json;as=Table;v=v1;g=meta.k8s.io")
                .await,
        );
        assert_eq!(table.len(), 2);
        assert_eq!(table[0]["object"]["kind"], "Table");
        assert!(table[0]["object"]["columnDefinitions"].is_array());
        assert!(table[1]["object"]["columnDefinitions"].is_null());
        assert_eq!(table[1]["object"]["rows"][0]["cells"][0], "b");
        let partial = lines(
            t.get_as(
                &path,
                "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
            )
            .await,
        );
        assert_eq!(partial[0]["object"]["kind"], "PartialObjectMetadata");
    }

    pub async fn ends_in_time(t: &Target) {
        t.define_widgets().await;
        let revision = t.get(&t.widgets()).await.revision().to_owned();
        let path = format!(
            "{}?watch=1&resourceVersion={revision}&timeoutSeconds=1",
            t.widgets()
        );
        let quiet = t.get(&path).await;
        assert_eq!((quiet.code, quiet.text.as_str()), (200, ""));
    }
}
