//! Reviews: what the caller may do (everything) and who the caller is.

use axum::body::Body;
use axum::response::Response;
use http::Method;
use http::request::Parts;
use serde_json::json;

use super::path::Target;
use super::{User, answer, body};
use crate::embedded::fields;
use crate::embedded::refusal::Refusal;

/// Name of the one user in the process.
const LOCAL: &str = "fleetdeck";

pub(super) fn is_review(target: &Target<'_>) -> bool {
    matches!(
        (target.group, target.version, target.plural),
        (
            "authorization.k8s.io",
            "v1",
            "selfsubjectaccessreviews" | "selfsubjectrulesreviews"
        ) | ("authentication.k8s.io", "v1", "selfsubjectreviews")
    )
}

pub(super) async fn answer(
    target: &Target<'_>,
    parts: &Parts,
    request: Body,
) -> Result<Response, Refusal> {
    if parts.method != Method::POST {
        return Err(Refusal::method_not_allowed());
    }
    let (kind, status) = match target.plural {
        "selfsubjectaccessreviews" => ("SelfSubjectAccessReview", json!({"allowed": true})),
        "selfsubjectrulesreviews" => (
            "SelfSubjectRulesReview",
            json!({
                "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
                "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
                "incomplete": false,
            }),
        ),
        _ => (
            "SelfSubjectReview",
            json!({"userInfo": {"username": user(parts), "groups": ["system:masters", "system:authenticated"]}}),
        ),
    };
    let bytes = body::read(request).await?;
    // The answer does not depend on the question, so one in protobuf need not be read.
    let mut review = if body::is_protobuf(&parts.headers) {
        json!({})
    } else {
        body::object(&parts.headers, &bytes, kind)?
    };
    fields::set(&mut review, &["kind"], kind.into());
    fields::set(
        &mut review,
        &["apiVersion"],
        format!("{}/v1", target.group).into(),
    );
    fields::set_default(&mut review, &["metadata"], json!({}));
    fields::set(&mut review, &["status"], status);
    Ok(answer::value(201, &review))
}

/// Who asks, or whom the caller speaks for.
fn user(parts: &Parts) -> String {
    let impersonated = parts.headers.get("impersonate-user");
    impersonated
        .and_then(|value| value.to_str().ok().map(str::to_owned))
        .or_else(|| parts.extensions.get::<User>().map(|user| user.0.clone()))
        .unwrap_or_else(|| LOCAL.to_owned())
}
