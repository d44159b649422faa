//! Resources that an established definition adds.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::Catalog;
use super::resource::{Column, Nature, Resource, api_version, prefix};
use crate::embedded::fields;
use crate::embedded::schema::Schema;

/// One served version of a custom resource.
pub(crate) struct Version {
    /// The definition's `spec`: the version is taken over while it stays the same.
    spec: Arc<Value>,
    name: Arc<str>,
    /// Objects of a later revision have been checked against this very schema.
    pub since: u64,
    /// Whether objects are stored in this version.
    pub storage: bool,
    /// Warning for users of a deprecated version.
    pub deprecation: Option<String>,
    /// Instances are being deleted with their definition.
    pub terminating: bool,
    schema: OnceLock<Schema>,
}

impl Version {
    /// The schema, compiled at first use.
    pub(crate) fn schema(&self) -> &Schema {
        self.schema
            .get_or_init(|| Schema::new(self.open_api().cloned().unwrap_or(Value::Bool(true))))
    }

    /// The schema as the definition has it.
    pub(crate) fn open_api(&self) -> Option<&Value> {
        let version = fields::list(&self.spec, &["versions"])
            .find(|version| fields::text(version, &["name"]) == &*self.name)?;
        fields::at(version, &["schema", "openAPIV3Schema"])
    }
}

/// What a definition adds: its served versions, once it is established.
pub(super) fn resources(
    definition: &Value,
    before: Option<&Catalog>,
    revision: u64,
) -> Vec<Arc<Resource>> {
    if !is_true(definition, "Established") {
        return Vec::new();
    }
    let Some(spec) = definition.get("spec") else {
        return Vec::new();
    };
    let spec = Arc::new(spec.clone());
    let terminating = fields::at(definition, &["metadata", "deletionTimestamp"]).is_some();
    fields::list(&spec, &["versions"])
        .filter(|version| version.get("served") == Some(&Value::Bool(true)))
        .map(|version| {
            let known = known(&spec, version, before, terminating);
            known.unwrap_or_else(|| Arc::new(resource(&spec, version, terminating, revision)))
        })
        .collect()
}

/// The condition of a definition.
pub(crate) fn is_true(definition: &Value, kind: &str) -> bool {
    fields::list(definition, &["status", "conditions"])
        .any(|c| fields::text(c, &["type"]) == kind && fields::text(c, &["status"]) == "True")
}

fn known(
    spec: &Value,
    version: &Value,
    before: Option<&Catalog>,
    terminating: bool,
) -> Option<Arc<Resource>> {
    let group = fields::text(spec, &["group"]);
    let plural = fields::text(spec, &["names", "plural"]);
    let resource = before?.find(group, fields::text(version, &["name"]), plural)?;
    let custom = resource.custom()?;
    (*custom.spec == *spec && custom.terminating == terminating).then(|| resource.clone())
}

fn resource(spec: &Arc<Value>, version: &Value, terminating: bool, since: u64) -> Resource {
    let group = fields::text(spec, &["group"]);
    let name = fields::text(version, &["name"]);
    let kind = fields::text(spec, &["names", "kind"]);
    let plural = fields::text(spec, &["names", "plural"]);
    let texts = |path: &[&str]| -> Vec<String> {
        fields::list(spec, path)
            .filter_map(|v| v.as_str().map(str::to_owned))
            .collect()
    };
    let deprecation = (version.get("deprecated") == Some(&Value::Bool(true))).then(|| {
        match fields::text(version, &["deprecationWarning"]) {
            "" => format!("{group}/{name} {kind} is deprecated"),
            text => text.to_owned(),
        }
    });
    let custom = Version {
        spec: spec.clone(),
        name: name.into(),
        since,
        storage: version.get("storage") == Some(&Value::Bool(true)),
        deprecation,
        terminating,
        schema: OnceLock::new(),
    };
    Resource {
        group: group.into(),
        version: name.into(),
        plural: plural.into(),
        singular: or(
            fields::text(spec, &["names", "singular"]),
            &kind.to_lowercase(),
        ),
        kind: kind.into(),
        list_kind: or(
            fields::text(spec, &["names", "listKind"]),
            &format!("{kind}List"),
        ),
        short_names: texts(&["names", "shortNames"]),
        categories: texts(&["names", "categories"]),
        namespaced: fields::text(spec, &["scope"]) == "Namespaced",
        status: fields::at(version, &["subresources", "status"]).is_some(),
        table: format!("{plural}.{group}").into(),
        nature: Nature::Custom(Arc::new(custom)),
        columns: fields::list(version, &["additionalPrinterColumns"])
            .map(column)
            .collect(),
        selectable: fields::list(version, &["selectableFields"])
            .map(|field| Box::from(fields::text(field, &["jsonPath"])))
            .collect(),
        prefix: prefix(&api_version(group, name), kind),
    }
}

fn or(text: &str, default: &str) -> String {
    if text.is_empty() { default } else { text }.to_owned()
}

fn column(column: &Value) -> Column {
    let text = |name| fields::text(column, &[name]).to_owned();
    let path = text("jsonPath");
    let description = match text("description") {
        empty if empty.is_empty() => {
            format!("Custom resource definition column (in JSONPath format): {path}")
        }
        description => description,
    };
    Column {
        name: text("name"),
        kind: text("type"),
        format: text("format"),
        description,
        priority: column.get("priority").and_then(Value::as_i64).unwrap_or(0),
        path,
    }
}
