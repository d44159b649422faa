//! Violations of a schema, in the API's words and with its field paths.

use jsonschema::Validator;
use jsonschema::error::{TypeKind, ValidationError, ValidationErrorKind};
use serde_json::Value;

use super::node::{Node, join};
use super::ratchet::is_unchanged;
use crate::embedded::refusal::Cause;

/// The field of a cause that belongs to no field.
const NO_FIELD: &str = "<nil>";

/// Checks `value`. What was wrong in `old` at the same place and has not changed is let pass.
pub(super) fn check(
    validator: &Validator,
    root: &Node,
    value: &Value,
    old: Option<&Value>,
    base: &str,
) -> Vec<Cause> {
    if validator.is_valid(value) {
        return Vec::new();
    }
    let mut found: Vec<(String, Cause)> = Vec::new();
    for error in validator.iter_errors(value) {
        let place: Vec<String> = error
            .instance_path()
            .segments()
            .map(|segment| segment.to_string())
            .collect();
        if old.is_some_and(|old| is_unchanged(root, value, old, &place)) {
            continue;
        }
        explain(&error, root, base, &mut found);
    }
    let short: Vec<String> = found
        .iter()
        .filter(|(_, cause)| cause.message.ends_with("chars long"))
        .map(|(_, cause)| cause.field.clone())
        .collect();
    // A text that is too short is not also held against its pattern.
    found.retain(|(_, cause)| {
        !(cause.message.contains("in body should match") && short.contains(&cause.field))
    });
    found.sort();
    found.dedup();
    found.into_iter().map(|(_, cause)| cause).collect()
}

/// Dotted path and the node that describes it.
fn path_of<'a>(error: &ValidationError<'_>, root: &'a Node) -> (String, Option<&'a Node>) {
    let mut path = String::new();
    let mut node = Some(root);
    for segment in error.instance_path().segments() {
        let name = segment.to_string();
        let is_list = node.is_some_and(|node| node.items.is_some());
        if is_list {
            path = format!("{path}[{name}]");
            node = node.and_then(|node| node.items.as_deref());
        } else {
            path = join(&path, &name);
            node = node.and_then(|node| node.child(&name));
        }
    }
    (path, node)
}

fn field_of(base: &str, path: &str) -> String {
    match (base, path) {
        ("", path) => path.to_owned(),
        (base, "") => base.to_owned(),
        (base, path) if path.starts_with('[') => format!("{base}{path}"),
        (base, path) => format!("{base}.{path}"),
    }
}

fn explain(error: &ValidationError<'_>, root: &Node, base: &str, found: &mut Vec<(String, Cause)>) {
    use ValidationErrorKind as Kind;
    let (path, node) = path_of(error, root);
    let field = field_of(base, &path);
    let value = error.instance();
    let invalid = |value: String, why: String| {
        Cause::invalid(field.clone(), value, format!("{path} in body {why}"))
    };
    let cause = match error.kind() {
        Kind::Type { kind } => {
            let expected = match (kind, node) {
                // A branch of `anyOf` names a type of its own.
                (TypeKind::Single(kind), _) => kind.to_string(),
                (_, Some(node)) if node.int_or_string => "integer,string".to_owned(),
                (_, Some(node)) => node.kind.clone(),
                (_, None) => "object".to_owned(),
            };
            wrong_type(&field, &path, json_type(value), &expected)
        }
        Kind::Format { format } => {
            let text = value.to_string();
            Cause::new(
                "FieldValueTypeInvalid",
                field.clone(),
                format!("Invalid value: {text}: {path} in body must be of type {format}: {text}"),
            )
        }
        Kind::Enum { options } => {
            let supported: Vec<String> = options
                .as_array()
                .into_iter()
                .flatten()
                .filter(|option| !option.is_null())
                .map(|option| match option {
                    Value::String(text) => format!("{text:?}"),
                    other => format!("\"{other}\""),
                })
                .collect();
            Cause::new(
                "FieldValueNotSupported",
                field.clone(),
                format!(
                    "Unsupported value: {value}: supported values: {}",
                    supported.join(", ")
                ),
            )
        }
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            Cause::required(field_of(base, &join(&path, name)), "")
        }
        Kind::MaxLength { limit } => Cause::new(
            "FieldValueTooLong",
            field.clone(),
            format!("Too long: may not be more than {limit} bytes"),
        ),
        Kind::MaxItems { limit } | Kind::MaxProperties { limit } => {
            let word = if *limit == 1 { "item" } else { "items" };
            Cause::new(
                "FieldValueTooMany",
                field.clone(),
                format!(
                    "Too many: {}: must have at most {limit} {word}",
                    size(value)
                ),
            )
        }
        Kind::MinLength { limit } => invalid(
            value.to_string(),
            format!("should be at least {limit} chars long"),
        ),
        Kind::Pattern { pattern } => {
            invalid(value.to_string(), format!("should match '{pattern}'"))
        }
        Kind::Minimum { limit } => invalid(
            value.to_string(),
            format!("should be greater than or equal to {limit}"),
        ),
        Kind::Maximum { limit } => invalid(
            value.to_string(),
            format!("should be less than or equal to {limit}"),
        ),
        Kind::ExclusiveMinimum { limit } => {
            invalid(value.to_string(), format!("should be greater than {limit}"))
        }
        Kind::ExclusiveMaximum { limit } => {
            invalid(value.to_string(), format!("should be less than {limit}"))
        }
        Kind::MultipleOf { multiple_of } => invalid(
            value.to_string(),
            format!("should be a multiple of {multiple_of}"),
        ),
        Kind::MinItems { limit } => invalid(
            size(value).to_string(),
            format!("should have at least {limit} items"),
        ),
        Kind::MinProperties { limit } => invalid(
            size(value).to_string(),
            format!("should have at least {limit} properties"),
        ),
        Kind::OneOfNotValid { context } => {
            branches(context, root, base, found);
            combined(
                &path,
                "must validate one and only one schema (oneOf). Found none valid",
            )
        }
        Kind::OneOfMultipleValid { context } => {
            let valid = context.iter().filter(|branch| branch.is_empty()).count();
            combined(
                &path,
                &format!(
                    "must validate one and only one schema (oneOf). Found {valid} valid alternatives"
                ),
            )
        }
        Kind::AnyOf { context } => {
            branches(context, root, base, found);
            combined(&path, "must validate at least one schema (anyOf)")
        }
        Kind::Not { .. } => combined(&path, "must not validate the schema (not)"),
        _ => Cause::invalid(field.clone(), value, format!("{path} in body {error}")),
    };
    found.push((path, cause));
}

/// The errors of the first branch are told as well.
fn branches(
    context: &[Vec<ValidationError<'static>>],
    root: &Node,
    base: &str,
    found: &mut Vec<(String, Cause)>,
) {
    for error in context.first().into_iter().flatten() {
        explain(error, root, base, found);
    }
}

fn combined(path: &str, why: &str) -> Cause {
    Cause::invalid(NO_FIELD, "\"\"", format!("\"{path}\" {why}"))
}

/// A value of another type; `found` is its JSON type.
fn wrong_type(field: &str, path: &str, found: &str, expected: &str) -> Cause {
    Cause::new(
        "FieldValueTypeInvalid",
        field,
        format!("Invalid value: {found:?}: {path} in body must be of type {expected}: {found:?}"),
    )
}

fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.len(),
        Value::Object(map) => map.len(),
        _ => 0,
    }
}

/// The JSON type of a value, as the API names it.
pub(super) fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Whether rules are not looked at because of this cause.
pub(super) fn blocks_rules(cause: &Cause) -> bool {
    matches!(
        cause.reason,
        "FieldValueNotSupported"
            | "FieldValueTypeInvalid"
            | "FieldValueRequired"
            | "FieldValueTooLong"
            | "FieldValueTooMany"
    )
}
