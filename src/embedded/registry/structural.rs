//! Whether the schemas of a definition are structural, and whether their rules compile.

use serde_json::Value;

use crate::embedded::fields;
use crate::embedded::refusal::Cause;
use crate::embedded::schema::Schema;

/// Where a schema stands in the schema around it.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Root,
    Property,
    Items,
    /// Inside `allOf` and the like, where types may not be repeated.
    Logic,
}

/// Adds what keeps the versions' schemas from being served.
pub(super) fn check(definition: &Value, causes: &mut Vec<Cause>) {
    for (path, schema) in schemas(definition) {
        walk(&schema, &path, Place::Root, causes);
    }
}

/// Adds rules and patterns that cannot be compiled. Not part of [`check`]: it takes its time.
pub(super) fn compile(definition: &Value, causes: &mut Vec<Cause>) {
    for (path, schema) in schemas(definition) {
        for (place, error) in Schema::new(schema).problems() {
            let field = format!("{path}{place}.x-kubernetes-validations");
            let why = format!("compilation failed: {error}");
            causes.push(Cause::invalid(field, "\"\"", why));
        }
    }
}

/// The versions' schemas with their paths; one path for all where they are the same.
fn schemas(definition: &Value) -> Vec<(String, Value)> {
    let schemas: Vec<Option<&Value>> = fields::list(definition, &["spec", "versions"])
        .map(|version| fields::at(version, &["schema", "openAPIV3Schema"]))
        .collect();
    if let Some(Some(first)) = schemas.first()
        && schemas.iter().all(|schema| *schema == Some(first))
    {
        return vec![(
            "spec.validation.openAPIV3Schema".to_owned(),
            (*first).clone(),
        )];
    }
    let numbered = schemas.into_iter().enumerate();
    numbered
        .filter_map(|(index, schema)| {
            Some((
                format!("spec.versions[{index}].schema.openAPIV3Schema"),
                schema?.clone(),
            ))
        })
        .collect()
}

fn walk(schema: &Value, path: &str, place: Place, causes: &mut Vec<Cause>) {
    let flag = |name: &str| schema.get(name) == Some(&Value::Bool(true));
    let kind = fields::text(schema, &["type"]);
    check_type(schema, kind, path, place, causes);
    if flag("uniqueItems") {
        causes.push(forbidden(
            &format!("{path}.uniqueItems"),
            "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
        ));
    }
    if schema.get("$ref").is_some() {
        causes.push(forbidden(&format!("{path}.$ref"), "$ref is not supported"));
    }
    if kind == "array" && schema.get("items").is_none() && place != Place::Logic {
        causes.push(Cause::required(
            format!("{path}.items"),
            "must be specified",
        ));
    }
    if schema.get("properties").is_some() && schema.get("additionalProperties").is_some() {
        causes.push(forbidden(
            &format!("{path}.additionalProperties"),
            "additionalProperties and properties are mutual exclusive",
        ));
    }
    let pattern = fields::text(schema, &["pattern"]);
    if !pattern.is_empty() && !is_regex(pattern) {
        let why = "must be a valid regular expression, but isn't: it cannot be parsed";
        causes.push(Cause::invalid(
            format!("{path}.pattern"),
            Value::from(pattern),
            why,
        ));
    }
    check_list(schema, path, causes);
    for (index, rule) in fields::list(schema, &["x-kubernetes-validations"]).enumerate() {
        if fields::text(rule, &["rule"]).trim().is_empty() {
            let field = format!("{path}.x-kubernetes-validations[{index}].rule");
            causes.push(Cause::required(field, "rule is not specified"));
        }
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    let inner = if place == Place::Logic {
        place
    } else {
        Place::Property
    };
    for (name, property) in properties.into_iter().flatten() {
        let implied =
            place == Place::Root && matches!(name.as_str(), "apiVersion" | "kind" | "metadata");
        if !implied {
            walk(
                property,
                &format!("{path}.properties[{name}]"),
                inner,
                causes,
            );
        }
    }
    if let Some(additional @ Value::Object(_)) = schema.get("additionalProperties") {
        walk(
            additional,
            &format!("{path}.additionalProperties"),
            inner,
            causes,
        );
    }
    if let Some(items @ Value::Object(_)) = schema.get("items") {
        let inner = if place == Place::Logic {
            place
        } else {
            Place::Items
        };
        walk(items, &format!("{path}.items"), inner, causes);
    }
    for name in ["allOf", "anyOf", "oneOf"] {
        if name == "anyOf" && flag("x-kubernetes-int-or-string") {
            continue;
        }
        for (index, branch) in fields::list(schema, &[name]).enumerate() {
            walk(
                branch,
                &format!("{path}.{name}[{index}]"),
                Place::Logic,
                causes,
            );
        }
    }
}

fn check_type(schema: &Value, kind: &str, path: &str, place: Place, causes: &mut Vec<Cause>) {
    let flag = |name: &str| schema.get(name) == Some(&Value::Bool(true));
    let free = flag("x-kubernetes-int-or-string") || flag("x-kubernetes-preserve-unknown-fields");
    let field = format!("{path}.type");
    match (place, kind) {
        (Place::Root, "") => causes.push(Cause::required(field, "must not be empty at the root")),
        (Place::Root, "object") => {}
        (Place::Root, other) => causes.push(Cause::invalid(
            field,
            Value::from(other),
            "must be object at the root",
        )),
        (Place::Property, "") if !free => causes.push(Cause::required(
            field,
            "must not be empty for specified object fields",
        )),
        (Place::Items, "") if !free => causes.push(Cause::required(
            field,
            "must not be empty for specified array items",
        )),
        (Place::Logic, "") => {}
        (Place::Logic, _) => causes.push(forbidden(&field, "must be empty to be structural")),
        (_, "" | "object" | "array" | "string" | "integer" | "number" | "boolean") => {}
        (_, other) => causes.push(Cause::new(
            "FieldValueNotSupported",
            field,
            format!("Unsupported value: {other:?}: supported values: \"array\", \"boolean\", \"integer\", \"number\", \"object\", \"string\""),
        )),
    }
    if place == Place::Logic && schema.get("default").is_some() {
        causes.push(forbidden(
            &format!("{path}.default"),
            "must be undefined to be structural",
        ));
    }
}

fn check_list(schema: &Value, path: &str, causes: &mut Vec<Cause>) {
    if fields::text(schema, &["x-kubernetes-list-type"]) != "map" {
        return;
    }
    let keys: Vec<&str> = fields::list(schema, &["x-kubernetes-list-map-keys"])
        .filter_map(Value::as_str)
        .collect();
    if keys.is_empty() {
        causes.push(Cause::required(
            format!("{path}.x-kubernetes-list-map-keys"),
            "must not be empty if x-kubernetes-list-type is map",
        ));
    }
    for (index, key) in keys.iter().enumerate() {
        let field = format!("{path}.x-kubernetes-list-map-keys[{index}]");
        let Some(property) = fields::at(schema, &["items", "properties", key]) else {
            let why = "entries must all be names of item properties";
            causes.push(Cause::invalid(field, Value::from(*key), why));
            continue;
        };
        let required =
            fields::list(schema, &["items", "required"]).any(|name| name.as_str() == Some(key));
        if property.get("default").is_none() && !required {
            causes.push(Cause::required(
                format!("{path}.items.properties[{key}].default"),
                "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
            ));
        }
    }
}

fn forbidden(field: &str, why: &str) -> Cause {
    Cause::new("FieldValueForbidden", field, format!("Forbidden: {why}"))
}

/// Whether the engine that will match the pattern can read it.
fn is_regex(pattern: &str) -> bool {
    crate::embedded::schema::is_pattern(pattern)
}
