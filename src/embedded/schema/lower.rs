//! From the OpenAPI dialect of definitions to a JSON schema that the validator understands.

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::{Map, Value, json};

/// Keywords that mean the same in both.
const KEPT: &[&str] = &[
    "enum",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "required",
];

/// Formats that are checked; others mean nothing.
const FORMATS: &[&str] = &[
    "date",
    "date-time",
    "duration",
    "byte",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uuid",
];

/// Compiles the whole object's schema.
pub(super) fn compile(open_api: &Value) -> Result<Validator, String> {
    let mut schema = lower(open_api);
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        for implied in ["apiVersion", "kind", "metadata"] {
            properties.remove(implied);
        }
    }
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| !matches!(name.as_str(), Some("apiVersion" | "kind" | "metadata")));
    }
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .with_format("duration", is_go_duration)
        .with_format("byte", is_base64)
        .with_pattern_options(PatternOptions::regex())
        .build(&schema)
        .map_err(|error| error.to_string())
}

/// Whether a text can stand as `pattern`.
pub(crate) fn is_pattern(text: &str) -> bool {
    compile(&json!({"pattern": text})).is_ok()
}

fn lower(schema: &Value) -> Value {
    let Value::Object(from) = schema else {
        return schema.clone();
    };
    let mut to = Map::new();
    for name in KEPT {
        if let Some(value) = from.get(*name) {
            to.insert((*name).to_owned(), value.clone());
        }
    }
    let flag = |name: &str| from.get(name) == Some(&Value::Bool(true));
    let nullable = flag("nullable");
    if flag("x-kubernetes-int-or-string") {
        to.insert(
            "type".into(),
            with_null(vec!["integer".into(), "string".into()], nullable),
        );
    } else if let Some(kind) = from.get("type") {
        to.insert("type".into(), with_null(vec![kind.clone()], nullable));
    }
    if nullable && let Some(Value::Array(values)) = to.get_mut("enum") {
        values.push(Value::Null);
    }
    for (limit, exclusive) in [
        ("minimum", "exclusiveMinimum"),
        ("maximum", "exclusiveMaximum"),
    ] {
        if flag(exclusive)
            && let Some(value) = to.remove(limit)
        {
            to.insert(exclusive.into(), value);
        }
    }
    if let Some(format) = from.get("format").and_then(Value::as_str)
        && FORMATS.contains(&format)
    {
        to.insert("format".into(), format.into());
    }
    if let Some(Value::Object(properties)) = from.get("properties") {
        let lowered = properties.iter().map(|(name, s)| (name.clone(), lower(s)));
        to.insert("properties".into(), Value::Object(lowered.collect()));
    }
    for name in ["items", "not"] {
        if let Some(inner) = from.get(name) {
            to.insert(name.into(), lower(inner));
        }
    }
    if let Some(additional @ Value::Object(_)) = from.get("additionalProperties") {
        to.insert("additionalProperties".into(), lower(additional));
    }
    for name in ["allOf", "anyOf", "oneOf"] {
        if let Some(Value::Array(branches)) = from.get(name) {
            to.insert(name.into(), branches.iter().map(lower).collect());
        }
    }
    Value::Object(to)
}

fn with_null(mut types: Vec<Value>, nullable: bool) -> Value {
    if nullable {
        types.push("null".into());
    }
    json!(types)
}

/// Whether Go's `time.ParseDuration` reads the text.
fn is_go_duration(text: &str) -> bool {
    text.parse::<kube::core::Duration>().is_ok()
}

fn is_base64(text: &str) -> bool {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD
        .decode(text)
        .is_ok()
}
