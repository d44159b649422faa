//! Paths, methods and media types.

crate::contract!(paths_and_methods, media_types,);

mod cases {
    use http::Method;
    use serde_json::json;

    use crate::harness::{GROUP, Target, widget};

    pub async fn paths_and_methods(t: &Target) {
        t.define_widgets().await;
        for nowhere in [
            "/apis/nope.io/v1/things".to_owned(),
            format!("/apis/{GROUP}/v9/widgets"),
            format!("/apis/{GROUP}/v1/gadgets"),
            "/nothing".to_owned(),
        ] {
            let answer = t.get(&nowhere).await;
            assert_eq!(
                (answer.code, answer.text.as_str()),
                (404, "404 page not found\n"),
                "{nowhere}"
            );
        }
        t.get("/api/v1/things").await.refused(
            404,
            "NotFound",
            "the server could not find the requested resource",
        );
        let empty = t
            .get(&format!("/apis/{GROUP}/v1/namespaces/nowhere/widgets/"))
            .await;
        assert_eq!((empty.code, &empty.body["items"]), (200, &json!([])));
        let put = t.put(&t.widgets(), &widget("x", json!({}))).await;
        put.refused(400, "BadRequest", "name must be provided");
        t.widget("one", json!({})).await;
        let post = t
            .post(
                &format!("{}/one/status", t.widgets()),
                &widget("one", json!({})),
            )
            .await;
        post.refused(
            405,
            "MethodNotAllowed",
            "create is not supported on resources of kind \"widgets.example.fleetdeck.io\"",
        );
        let plain = t.get(&format!("{}/one?watch=1", t.widgets())).await;
        assert_eq!(plain.body["kind"], "Widget");
    }

    pub async fn media_types(t: &Target) {
        t.define_widgets().await;
        let text = t.raw(Method::POST, &t.widgets(), "text/plain", b"x").await;
        assert_eq!((text.code, text.reason()), (415, "UnsupportedMediaType"));
        assert!(text.message().starts_with("the body of the request was in an unknown format - accepted media types include: application/json, application/yaml"));
        let yaml = format!(
            "apiVersion: {GROUP}/v1\nkind: Widget\nmetadata: {{name: yam}}\nspec: {{lo: 3}}\n"
        );
        let yaml = t
            .raw(
                Method::POST,
                &t.widgets(),
                "application/yaml",
                yaml.as_bytes(),
            )
            .await;
        assert_eq!((yaml.code, &yaml.body["spec"]["lo"]), (201, &json!(3)));
        let path = format!("{}/yam", t.widgets());
        let strategic = t
            .raw(
                Method::PATCH,
                &path,
                "application/strategic-merge-patch+json",
                b"{}",
            )
            .await;
        strategic.refused(
            415,
            "UnsupportedMediaType",
            "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
        );
        let xml = t.get_as(&path, "application/xml").await;
        xml.refused(
            406,
            "NotAcceptable",
            "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf",
        );
        let mixed = t
            .get_as(
                &path,
                "application/vnd.kubernetes.protobuf,application/json",
            )
            .await;
        assert_eq!(mixed.body["kind"], "Widget");
        let yaml = t.get_as(&path, "application/yaml").await;
        assert!(yaml.text.contains("kind: Widget"), "{}", yaml.text);
        let partial = t
            .get_as(
                &path,
                "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
            )
            .await;
        assert_eq!(partial.body["kind"], "PartialObjectMetadata");
        assert!(partial.body.get("spec").is_none());
    }
}
