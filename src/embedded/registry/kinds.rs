//! Rules of the built-in kinds: what their fields are, what is filled in, what is refused.

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Event, Namespace, Secret};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::definitions;
use crate::embedded::catalog::{Builtin, Resource};
use crate::embedded::fields;
use crate::embedded::refusal::{Cause, Refusal};
use crate::embedded::schema::Path;

/// Brings a body of a built-in kind, in stored form, into the kind's own fields.
pub(crate) fn shape(
    resource: &Resource,
    builtin: Builtin,
    object: &mut Value,
    unknown: &mut Vec<String>,
) -> Result<(), Refusal> {
    match builtin {
        Builtin::Namespace => {
            typed::<Namespace>(resource, object, unknown)?;
            let name = fields::text(object, &["metadata", "name"]).to_owned();
            if !name.is_empty() {
                fields::set(
                    object,
                    &["metadata", "labels", "kubernetes.io/metadata.name"],
                    name.into(),
                );
            }
        }
        Builtin::ConfigMap => typed::<ConfigMap>(resource, object, unknown)?,
        Builtin::Secret => {
            typed::<Secret>(resource, object, unknown)?;
            take_string_data(object);
            if fields::text(object, &["type"]).is_empty() {
                fields::set(object, &["type"], "Opaque".into());
            }
        }
        Builtin::Event | Builtin::NewEvent => {
            fields::set_default(object, &["involvedObject"], json!({}));
            typed::<Event>(resource, object, unknown)?;
        }
        Builtin::Lease => typed::<Lease>(resource, object, unknown)?,
        Builtin::Definition => {
            typed::<CustomResourceDefinition>(resource, object, unknown)?;
            definitions::complete(object);
        }
    }
    Ok(())
}

/// Reads and writes the object as its type, which drops what the type does not have.
fn typed<T: DeserializeOwned + Serialize>(
    resource: &Resource,
    object: &mut Value,
    unknown: &mut Vec<String>,
) -> Result<(), Refusal> {
    let (kind, version) = (&resource.kind, &resource.version);
    let refuse = |error: serde_json::Error| {
        Refusal::bad_request(format!(
            "{kind} in version \"{version}\" cannot be handled as a {kind}: json: {error}"
        ))
    };
    // The stored form of events has its own version; the type insists on it.
    let mut body = object.clone();
    if let Value::Object(map) = &mut body {
        map.remove("apiVersion");
        map.remove("kind");
    }
    let read = T::deserialize(&body).map_err(refuse)?;
    let mut fresh = serde_json::to_value(read).map_err(refuse)?;
    if let Value::Object(map) = &mut fresh {
        map.remove("apiVersion");
        map.remove("kind");
    }
    missing(&body, &fresh, &Path::Root, unknown);
    // Metadata has been brought into its form already, more strictly than the type does.
    if let (Some(meta), Value::Object(map)) = (body.get_mut("metadata"), &mut fresh) {
        map.insert("metadata".into(), meta.take());
    }
    *object = fresh;
    Ok(())
}

/// Paths that are in `before` and not in `after`.
fn missing(before: &Value, after: &Value, path: &Path<'_>, unknown: &mut Vec<String>) {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            for (name, value) in before {
                if path.is_root() && name == "metadata" {
                    continue;
                }
                let path = path.field(name);
                match after.get(name) {
                    Some(after) => missing(value, after, &path, unknown),
                    None if value.is_null() => {}
                    None => unknown.push(path.to_string()),
                }
            }
        }
        (Value::Array(before), Value::Array(after)) => {
            for (index, (before, after)) in before.iter().zip(after).enumerate() {
                missing(before, after, &path.item(index), unknown);
            }
        }
        _ => {}
    }
}

fn take_string_data(secret: &mut Value) {
    use base64::Engine as _;
    let Some(Value::Object(texts)) = fields::remove(secret, &["stringData"]) else {
        return;
    };
    for (key, text) in texts {
        let encoded =
            base64::engine::general_purpose::STANDARD.encode(text.as_str().unwrap_or_default());
        fields::set(secret, &["data", &key], encoded.into());
    }
}

/// Bytes that a ConfigMap or a Secret may hold.
const LARGEST: usize = 1 << 20;

/// What a new object of a built-in kind begins with.
pub(crate) fn begin(builtin: Builtin, object: &mut Value) {
    match builtin {
        Builtin::Namespace => {
            fields::set(object, &["spec", "finalizers"], json!(["kubernetes"]));
            fields::set(object, &["status"], json!({"phase": "Active"}));
        }
        Builtin::Definition => definitions::begin(object),
        _ => {}
    }
}

/// Refuses what a built-in kind does not allow.
pub(crate) fn check(
    builtin: Builtin,
    object: &Value,
    old: Option<&Value>,
    causes: &mut Vec<Cause>,
) {
    match builtin {
        Builtin::ConfigMap | Builtin::Secret => {
            check_keys(object, causes);
            check_size(builtin, object, causes);
            check_frozen(builtin, object, old, causes);
        }
        Builtin::Event => {
            let about = fields::text(object, &["involvedObject", "namespace"]);
            let own = fields::text(object, &["metadata", "namespace"]);
            // Events of cluster-scoped objects are kept in `default`.
            if about != own && !(about.is_empty() && own == "default") {
                let value = Value::from(about);
                causes.push(Cause::invalid(
                    "involvedObject.namespace",
                    value,
                    "does not match event.namespace",
                ));
            }
        }
        Builtin::NewEvent => {
            if fields::text(object, &["eventTime"]).is_empty() {
                causes.push(Cause::required("eventTime", ""));
            }
            if !matches!(fields::text(object, &["type"]), "Normal" | "Warning") {
                let value = Value::from(fields::text(object, &["type"]));
                causes.push(Cause::invalid("type", value, "has invalid value: "));
            }
        }
        Builtin::Lease => {
            for (field, least, why) in [
                ("leaseDurationSeconds", 1, "must be greater than 0"),
                ("leaseTransitions", 0, "must be greater than or equal to 0"),
            ] {
                let value = fields::at(object, &["spec", field]).and_then(Value::as_i64);
                if let Some(value) = value
                    && value < least
                {
                    causes.push(Cause::invalid(format!("spec.{field}"), value, why));
                }
            }
        }
        Builtin::Definition => definitions::check(object, old, causes),
        Builtin::Namespace => {}
    }
}

/// Refuses more data than one object may hold.
fn check_size(builtin: Builtin, object: &Value, causes: &mut Vec<Cause>) {
    // Four characters of base64 stand for three bytes, less what fills up the last four.
    let bytes = |text: &str| text.trim_end_matches('=').len().saturating_mul(3) / 4;
    let sum = |field: &str, length: &dyn Fn(&str) -> usize| -> usize {
        fields::texts(object, &[field])
            .map(|(_, text)| length(text))
            .sum()
    };
    let (field, size) = match builtin {
        Builtin::Secret => ("data", sum("data", &bytes)),
        _ => ("[]", sum("data", &str::len) + sum("binaryData", &bytes)),
    };
    if size > LARGEST {
        let why = format!("Too long: may not be more than {LARGEST} bytes");
        causes.push(Cause::new("FieldValueTooLong", field, why));
    }
}

fn check_keys(object: &Value, causes: &mut Vec<Cause>) {
    const TEXT: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
    for part in ["data", "binaryData"] {
        let keys = object.get(part).and_then(Value::as_object);
        for key in keys.into_iter().flat_map(serde_json::Map::keys) {
            let good = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_');
            if key.is_empty() || !key.bytes().all(good) {
                let value = Value::from(key.as_str());
                causes.push(Cause::invalid(format!("{part}[{key}]"), value, TEXT));
            }
        }
    }
}

fn check_frozen(builtin: Builtin, object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let Some(old) = old else {
        return;
    };
    let forbid = |field: &str| {
        Cause::new(
            "FieldValueForbidden",
            field,
            "Forbidden: field is immutable when `immutable` is set",
        )
    };
    if old.get("immutable") == Some(&Value::Bool(true)) {
        for field in ["immutable", "data", "binaryData"] {
            if object.get(field) != old.get(field) {
                causes.push(forbid(field));
            }
        }
    }
    if builtin == Builtin::Secret && object.get("type") != old.get("type") {
        let value = object.get("type").cloned().unwrap_or_default();
        causes.push(Cause::invalid("type", value, "field is immutable"));
    }
}
