//! Manifests: a file of one document or more becomes checked objects of ours, or all its faults.

use std::io::Read;

use kube::core::DynamicObject;
use serde_json::Value;

use super::error::{Error, Fault};
use super::exit::Exit;
use super::kinds::Kind;
use super::schema;
use crate::api::{self, UpdateRunSpec, UpdateStrategySpec};
use crate::engine::validate;
use crate::hub::verbs::Refused;

/// A document that can be written.
#[derive(Clone, Debug)]
pub struct Document {
    /// What it is.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// Where it stands: `document 2 of fleet.yaml`.
    pub place: String,
    /// The object.
    pub object: DynamicObject,
}

/// Text of a file; `-` is standard input.
pub fn read_file(path: &str) -> Result<String, Error> {
    if path == "-" {
        let mut text = String::new();
        let read = std::io::stdin().read_to_string(&mut text);
        return read.map(|_| text).map_err(|e| Error::file("-", e));
    }
    std::fs::read_to_string(path).map_err(|e| Error::file(path, e))
}

/// Reads YAML (or JSON, which is YAML) into values; empty documents are left out.
pub fn values(path: &str, text: &str) -> Result<Vec<Value>, Error> {
    let documents: Vec<Value> = serde_saphyr::from_multiple(text).map_err(|e| {
        let text = e.to_string();
        let line = text.trim_start_matches("error: ").lines().next();
        let line = line.unwrap_or_default();
        Error::new(Exit::Usage, "InvalidFile", format!("{path}: {line}"))
            .hint("the file must be YAML or JSON")
    })?;
    let mut all = Vec::new();
    for document in documents {
        match document.get("items").and_then(Value::as_array) {
            Some(items) if document.get("kind") == Some(&Value::from("List")) => {
                all.extend(items.iter().cloned());
            }
            _ if document.is_null() => {}
            _ => all.push(document),
        }
    }
    Ok(all)
}

/// Reads and checks every document of a file; one bad document refuses them all.
pub fn parse(path: &str, text: &str) -> Result<Vec<Document>, Error> {
    let values = values(path, text)?;
    if values.is_empty() {
        return Err(Error::new(
            Exit::Usage,
            "InvalidFile",
            format!("{path}: there is no document in it"),
        ));
    }
    let mut documents = Vec::new();
    let mut faults = Vec::new();
    for (index, value) in values.into_iter().enumerate() {
        let number = index + 1;
        let place = place(number, &value);
        match document(value) {
            Ok(document) => documents.push(Document {
                place: format!("document {number} of {path}"),
                ..document
            }),
            Err(found) => faults.extend(found.into_iter().map(|fault| Fault {
                message: if fault.field.is_empty() {
                    format!("{place}: {}", fault.message)
                } else {
                    format!("{place}: {}: {}", fault.field, fault.message)
                },
                field: String::new(),
                ..fault
            })),
        }
    }
    if faults.is_empty() {
        Ok(documents)
    } else {
        Err(Error::faults(Exit::Other, faults))
    }
}

/// `document 2, UpdateStrategy/rings`.
pub(super) fn place(number: usize, value: &Value) -> String {
    let word = |path: &str| value.pointer(path).and_then(Value::as_str);
    match (word("/kind"), word("/metadata/name")) {
        (Some(kind), Some(name)) => format!("document {number}, {kind}/{name}"),
        (Some(kind), None) => format!("document {number}, {kind}"),
        _ => format!("document {number}"),
    }
}

fn one(code: &str, field: &str, message: &str, hint: &str) -> Vec<Fault> {
    vec![Fault {
        code: code.to_owned(),
        field: field.to_owned(),
        message: message.to_owned(),
        hint: hint.to_owned(),
    }]
}

fn document(mut value: Value) -> Result<Document, Vec<Fault>> {
    let Some(fields) = value.as_object_mut() else {
        return Err(one("InvalidFile", "", "is not an object", ""));
    };
    // What the controller says is never the user's to write.
    fields.remove("status");
    let kind = kind_of(&value)?;
    let name = value.pointer("/metadata/name").and_then(Value::as_str);
    let name = name.map(str::to_owned).filter(|n| !n.is_empty());
    let Some(name) = name else {
        let field = "metadata.name";
        return Err(one("RequiredPropertyMissing", field, "is required", ""));
    };
    let mut faults = schema_faults(kind, &value);
    if faults.is_empty() {
        faults = rules(kind, &name, &value);
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    match serde_json::from_value::<DynamicObject>(value) {
        Ok(object) => Ok(Document {
            kind,
            name,
            place: String::new(),
            object,
        }),
        Err(error) => Err(one("InvalidField", "metadata", &error.to_string(), "")),
    }
}

pub(super) fn kind_of(value: &Value) -> Result<Kind, Vec<Fault>> {
    let word = |field: &str| value.get(field).and_then(Value::as_str);
    let Some(kind) = word("kind") else {
        return Err(one("RequiredPropertyMissing", "kind", "is required", ""));
    };
    if kind == "Rehearsal" {
        let hint = "run this file with `fleetdeck rehearse FILE`";
        return Err(one(
            "InvalidField",
            "kind",
            "a Rehearsal is not an object of a hub",
            hint,
        ));
    }
    let known = Kind::ALL.into_iter().find(|k| k.name() == kind);
    let Some(known) = known else {
        let message = format!("{kind} is not a kind of fleetdeck");
        return Err(one(
            "InvalidField",
            "kind",
            &message,
            "apply other kinds with kubectl",
        ));
    };
    if word("apiVersion") != Some(api::API_VERSION) {
        let message = format!("must be {}", api::API_VERSION);
        return Err(one("InvalidField", "apiVersion", &message, ""));
    }
    Ok(known)
}

pub(super) fn schema_faults(kind: Kind, value: &Value) -> Vec<Fault> {
    let schema = kind.schema();
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Vec::new();
    };
    let mut faults = Vec::new();
    for (name, part) in value.as_object().into_iter().flatten() {
        match (name.as_str(), properties.get(name)) {
            ("apiVersion" | "kind" | "metadata", _) => {}
            (_, Some(schema)) => faults.extend(schema::faults(part, schema, name)),
            (_, None) => faults.extend(one("UnknownField", name, "there is no such field", "")),
        }
    }
    if value.get("spec").is_none_or(Value::is_null) {
        faults.extend(one("RequiredPropertyMissing", "spec", "is required", ""));
    }
    faults
}

/// What spans fields: the engine's own rules, so that they are told before anything is written.
fn rules(kind: Kind, name: &str, value: &Value) -> Vec<Fault> {
    let spec = value.get("spec").cloned().unwrap_or_default();
    let unreadable = |e: serde_json::Error| one("InvalidField", "spec", &e.to_string(), "");
    let violations = match kind {
        Kind::Strategy => match serde_json::from_value::<UpdateStrategySpec>(spec) {
            Ok(spec) => validate::stages(&spec.stages),
            Err(error) => return unreadable(error),
        },
        Kind::Run => match serde_json::from_value::<UpdateRunSpec>(spec) {
            Ok(spec) => validate::run_spec(name, &spec),
            Err(error) => return unreadable(error),
        },
        Kind::Member | Kind::Update | Kind::Gate => Vec::new(),
    };
    violations
        .into_iter()
        .map(|v| Fault::from(Refused::from(v)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<String> {
        let error = parse("f.yaml", text).unwrap_err();
        error
            .faults
            .iter()
            .map(|f| format!("{} {f}", f.code))
            .collect()
    }

    #[test]
    fn every_fault_names_its_document() {
        let text = "\
apiVersion: fleetdeck.io/v1alpha1
kind: FleetMember
metadata: {name: m1}
spec: {group: a, provider: {simulated: {kubernetesVersion: 1.33.4, outcome: Explode}}}
---
kind: Pod
---
apiVersion: fleetdeck.io/v1alpha1
kind: UpdateStrategy
metadata: {}
spec: {}
";
        assert_eq!(
            told(text),
            [
                "InvalidField document 1, FleetMember/m1: spec.provider.simulated.outcome: is \"Explode\", but must be one of Succeed, Fail, FailFirst, Hang",
                "InvalidField document 2, Pod: kind: Pod is not a kind of fleetdeck",
                "RequiredPropertyMissing document 3, UpdateStrategy: metadata.name: is required",
            ]
        );
    }

    #[test]
    fn json_lists_and_empty_documents_are_read() {
        let text = "---\n---\n{\"kind\": \"List\", \"items\": [
            {\"apiVersion\": \"fleetdeck.io/v1alpha1\", \"kind\": \"FleetMember\",
             \"metadata\": {\"name\": \"m1\"}, \"status\": {\"state\": \"x\"},
             \"spec\": {\"provider\": {\"simulated\": {\"kubernetesVersion\": \"1.33.4\"}}}}]}";
        let documents = parse("-", text).unwrap();
        assert_eq!(documents.len(), 1);
        assert!(documents[0].object.data.get("status").is_none());
    }

    #[test]
    fn a_file_that_is_no_yaml_is_named() {
        let error = parse("f.yaml", "a: [").unwrap_err();
        assert_eq!(error.exit, Exit::Usage);
        assert!(error.to_string().starts_with("f.yaml: "), "{error}");
    }
}
