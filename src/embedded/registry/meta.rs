//! `metadata`: its types, what the server alone writes, and what it takes over from before.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::embedded::catalog::Resource;
use crate::embedded::fields;
use crate::embedded::refusal::Refusal;

/// Fields that only the server writes.
const SERVER_FIELDS: &[&str] = &[
    "uid",
    "creationTimestamp",
    "generation",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
];

/// Go's word for what a value is, as in its decoder's messages.
fn go_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// An instant in whole seconds, as `metadata` has it.
pub(crate) fn seconds(now: Timestamp) -> String {
    now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Checks the types in `metadata`, drops what is not known there (paths go to `unknown`), and
/// brings it into the stored form: no nulls, nothing empty, no managed fields.
pub(crate) fn normalise(
    resource: &Resource,
    object: &mut Value,
    unknown: &mut Vec<String>,
) -> Result<(), Refusal> {
    let refuse = |value: &Value, field: &str, go: &str| {
        let (kind, version) = (&resource.kind, &resource.version);
        Refusal::bad_request(format!(
            "{kind} in version \"{version}\" cannot be handled as a {kind}: json: cannot unmarshal {} into Go struct field {field} of type {go}",
            go_kind(value)
        ))
    };
    let whole = fields::map(object);
    match whole.get("metadata") {
        Some(Value::Object(_)) => {}
        None | Some(Value::Null) => {
            whole.insert("metadata".into(), json!({}));
        }
        Some(other) => return Err(refuse(other, "ObjectMeta", "v1.ObjectMeta")),
    }
    let meta = fields::metadata(object);
    meta.retain(|_, value| !value.is_null());
    for (name, value) in meta.iter() {
        let go = match name.as_str() {
            "name" | "generateName" | "namespace" | "selfLink" | "uid" | "resourceVersion" => {
                if value.is_string() {
                    continue;
                } else {
                    "string"
                }
            }
            "generation" | "deletionGracePeriodSeconds" => {
                if value.is_i64() {
                    continue;
                } else {
                    "int64"
                }
            }
            "creationTimestamp" | "deletionTimestamp" => {
                if value.is_string() {
                    continue;
                } else {
                    "v1.Time"
                }
            }
            "labels" | "annotations" => match value {
                Value::Object(map) => {
                    let wrong = map.values().find(|v| !v.is_string() && !v.is_null());
                    match wrong {
                        None => continue,
                        Some(wrong) => {
                            return Err(refuse(wrong, &format!("ObjectMeta.{name}"), "string"));
                        }
                    }
                }
                _ => "map[string]string",
            },
            "finalizers" => match value {
                Value::Array(items) => match items.iter().find(|v| !v.is_string()) {
                    None => continue,
                    Some(wrong) => {
                        return Err(refuse(wrong, "ObjectMeta.finalizers", "string"));
                    }
                },
                _ => "[]string",
            },
            "ownerReferences" => {
                if value.is_array() {
                    continue;
                } else {
                    "[]v1.OwnerReference"
                }
            }
            "managedFields" => continue,
            _ => {
                unknown.push(format!("metadata.{name}"));
                continue;
            }
        };
        return Err(refuse(value, &format!("ObjectMeta.{name}"), go));
    }
    meta.retain(|name, value| {
        let known = SERVER_FIELDS.contains(&name.as_str())
            || matches!(
                name.as_str(),
                "name"
                    | "generateName"
                    | "namespace"
                    | "resourceVersion"
                    | "labels"
                    | "annotations"
                    | "finalizers"
                    | "ownerReferences"
            );
        known && !is_empty(value)
    });
    for name in ["labels", "annotations"] {
        for value in meta
            .get_mut(name)
            .and_then(Value::as_object_mut)
            .into_iter()
            .flatten()
        {
            if value.1.is_null() {
                *value.1 = "".into();
            }
        }
    }
    Ok(())
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}

/// Metadata of a new object: what a client cannot choose.
pub(crate) fn begin(meta: &mut Map<String, Value>, uid: String, now: Timestamp, generation: bool) {
    for field in SERVER_FIELDS {
        meta.remove(*field);
    }
    meta.insert("uid".into(), uid.into());
    meta.insert("creationTimestamp".into(), seconds(now).into());
    if generation {
        meta.insert("generation".into(), 1.into());
    }
}

/// Metadata of a changed object: what stays, whatever a client wrote.
pub(crate) fn carry_over(old: &Value, new: &mut Value) {
    let meta = fields::metadata(new);
    for field in SERVER_FIELDS
        .iter()
        .chain(&["name", "namespace", "resourceVersion"])
    {
        match fields::at(old, &["metadata", field]) {
            Some(value) => meta.insert((*field).into(), value.clone()),
            None => meta.remove(*field),
        };
    }
}

pub(crate) fn is_terminating(object: &Value) -> bool {
    fields::at(object, &["metadata", "deletionTimestamp"]).is_some()
}

/// Names in `metadata.finalizers`.
pub(crate) fn finalizers(object: &Value) -> impl Iterator<Item = &str> {
    fields::list(object, &["metadata", "finalizers"]).filter_map(Value::as_str)
}

/// Counts one more change.
pub(crate) fn raise_generation(object: &mut Value) {
    let current = fields::at(object, &["metadata", "generation"])
        .and_then(Value::as_i64)
        .unwrap_or(0);
    fields::metadata(object).insert("generation".into(), (current + 1).into());
}
