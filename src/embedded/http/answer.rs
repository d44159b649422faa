//! Answers: bodies with their headers.

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, WARNING};
use http::{HeaderValue, StatusCode};

use crate::embedded::refusal::Refusal;

pub(super) const JSON: &str = "application/json";
pub(super) const YAML: &str = "application/yaml";
pub(super) const TEXT: &str = "text/plain; charset=utf-8";

/// An answer with a body of this type.
pub(super) fn with_type(code: u16, kind: &'static str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() =
        StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
    response
}

pub(super) fn json(code: u16, body: impl Into<Bytes>) -> Response {
    with_type(code, JSON, body.into())
}

pub(super) fn value(code: u16, value: &serde_json::Value) -> Response {
    json(code, value.to_string())
}

pub(super) fn text(code: u16, text: impl Into<Bytes>) -> Response {
    with_type(code, TEXT, text.into())
}

/// Adds one `Warning` header a text.
pub(super) fn warn(response: &mut Response, warnings: &[String]) {
    for warning in warnings {
        let quoted = warning.replace('\\', "\\\\").replace('"', "\\\"");
        if let Ok(header) = HeaderValue::from_str(&format!("299 - \"{quoted}\"")) {
            response.headers_mut().append(WARNING, header);
        }
    }
}

/// The answer to a refused request.
pub(crate) fn refused(refusal: &Refusal) -> Response {
    if refusal.plain {
        return text(refusal.code, refusal.message.clone());
    }
    let mut response = value(refusal.code, &refusal.status());
    if let Some(seconds) = refusal.retry_after {
        response
            .headers_mut()
            .insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}
