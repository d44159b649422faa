//! Request bodies: size, media type, JSON or YAML.

use axum::body::Body;
use bytes::Bytes;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::Value;

use crate::embedded::refusal::Refusal;

/// Largest body that is read.
const LIMIT: usize = 3 << 20;
const ACCEPTED: &str = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

/// Reads a body whole.
pub(super) async fn read(body: Body) -> Result<Bytes, Refusal> {
    match Limited::new(body, LIMIT).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Refusal::new(
            413,
            "RequestEntityTooLarge",
            format!("Request entity too large: limit is {LIMIT}"),
        )),
        Err(error) => Err(Refusal::bad_request(format!(
            "cannot read the request's body: {error}"
        ))),
    }
}

/// The media type without its parameters; empty where there is none.
pub(super) fn media_type(headers: &HeaderMap) -> &str {
    let value = headers.get(CONTENT_TYPE).and_then(|v| v.to_str().ok());
    let media = value.unwrap_or_default().split(';').next();
    media.unwrap_or_default().trim()
}

pub(super) fn is_protobuf(headers: &HeaderMap) -> bool {
    media_type(headers) == "application/vnd.kubernetes.protobuf"
}

/// Reads the object in a body; `kind` is for the message.
pub(super) fn object(headers: &HeaderMap, body: &Bytes, kind: &str) -> Result<Value, Refusal> {
    match media_type(headers) {
        "" | "application/json" => json(body, kind),
        "application/yaml" => {
            let text = std::str::from_utf8(body).unwrap_or_default();
            serde_saphyr::from_str(text).map_err(|error| {
                Refusal::bad_request(format!(
                    "the object provided is unrecognized (must be of type {kind}): {error}"
                ))
            })
        }
        _ if is_protobuf(headers) => {
            let mut refusal = Refusal::unsupported_media_type(ACCEPTED);
            refusal.message = format!(
                "this hub does not read protobuf: send the {kind} as JSON or YAML, with kubectl by `kubectl create -f FILE` or `kubectl apply -f FILE`"
            );
            Err(refusal)
        }
        _ => Err(Refusal::unsupported_media_type(ACCEPTED)),
    }
}

fn json(body: &Bytes, kind: &str) -> Result<Value, Refusal> {
    let unrecognized = |why: String, start: &str| {
        Refusal::bad_request(format!(
            "the object provided is unrecognized (must be of type {kind}): couldn't get version/kind; json parse error: {why} ({start})"
        ))
    };
    if body.is_empty() {
        return Err(unrecognized(
            "unexpected end of JSON input".into(),
            "<empty>",
        ));
    }
    let value: Value = serde_json::from_slice(body).map_err(|error| {
        let start: String = String::from_utf8_lossy(body).chars().take(20).collect();
        unrecognized(error.to_string(), &start)
    })?;
    if value.is_object() {
        Ok(value)
    } else {
        let start: String = String::from_utf8_lossy(body).chars().take(20).collect();
        Err(unrecognized(
            "json: cannot unmarshal into Go value of type struct".into(),
            &start,
        ))
    }
}

/// Paths of keys that a JSON text has twice, in order.
pub(super) fn duplicates(body: &Bytes, read: &Value) -> Vec<String> {
    super::duplicates::find(body, read)
}
