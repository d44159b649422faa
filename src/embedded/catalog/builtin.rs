//! The kinds that every hub serves.

use std::sync::Arc;

use super::resource::{Builtin, Nature, Resource, api_version, prefix};

/// One line of the table below.
struct Row {
    builtin: Builtin,
    group: &'static str,
    plural: &'static str,
    kind: &'static str,
    short: &'static [&'static str],
    categories: &'static [&'static str],
    namespaced: bool,
    status: bool,
    table: &'static str,
}

const ROWS: &[Row] = &[
    Row {
        builtin: Builtin::ConfigMap,
        group: "",
        plural: "configmaps",
        kind: "ConfigMap",
        short: &["cm"],
        categories: &[],
        namespaced: true,
        status: false,
        table: "configmaps",
    },
    Row {
        builtin: Builtin::Event,
        group: "",
        plural: "events",
        kind: "Event",
        short: &["ev"],
        categories: &[],
        namespaced: true,
        status: false,
        table: "events",
    },
    Row {
        builtin: Builtin::Namespace,
        group: "",
        plural: "namespaces",
        kind: "Namespace",
        short: &["ns"],
        categories: &[],
        namespaced: false,
        status: true,
        table: "namespaces",
    },
    Row {
        builtin: Builtin::Secret,
        group: "",
        plural: "secrets",
        kind: "Secret",
        short: &[],
        categories: &[],
        namespaced: true,
        status: false,
        table: "secrets",
    },
    Row {
        builtin: Builtin::Definition,
        group: "apiextensions.k8s.io",
        plural: "customresourcedefinitions",
        kind: "CustomResourceDefinition",
        short: &["crd", "crds"],
        categories: &["api-extensions"],
        namespaced: false,
        status: true,
        table: DEFINITIONS,
    },
    Row {
        builtin: Builtin::Lease,
        group: "coordination.k8s.io",
        plural: "leases",
        kind: "Lease",
        short: &[],
        categories: &[],
        namespaced: true,
        status: false,
        table: "leases.coordination.k8s.io",
    },
    Row {
        builtin: Builtin::NewEvent,
        group: "events.k8s.io",
        plural: "events",
        kind: "Event",
        short: &["ev"],
        categories: &[],
        namespaced: true,
        status: false,
        table: "events",
    },
];

/// Table of the definitions of custom resources.
pub(crate) const DEFINITIONS: &str = "customresourcedefinitions.apiextensions.k8s.io";
/// Table of the namespaces.
pub(crate) const NAMESPACES: &str = "namespaces";

/// All built-in resources.
pub(super) fn resources() -> impl Iterator<Item = Arc<Resource>> {
    ROWS.iter().map(|row| Arc::new(row.resource()))
}

impl Row {
    fn resource(&self) -> Resource {
        let words = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect();
        Resource {
            group: self.group.into(),
            version: "v1".into(),
            plural: self.plural.into(),
            singular: self.kind.to_lowercase(),
            kind: self.kind.into(),
            list_kind: format!("{}List", self.kind),
            short_names: words(self.short),
            categories: words(self.categories),
            namespaced: self.namespaced,
            status: self.status,
            table: self.table.into(),
            nature: Nature::Builtin(self.builtin),
            columns: Vec::new(),
            selectable: selectable(self.builtin),
            prefix: prefix(&api_version(self.group, "v1"), self.kind),
        }
    }
}

/// Fields that the API lets a selector name; for both forms of events in the stored form's order.
fn selectable(builtin: Builtin) -> Arc<[Box<str>]> {
    let paths: &[&str] = match builtin {
        Builtin::Namespace => &[".status.phase"],
        Builtin::Secret => &[".type"],
        Builtin::Event => &[
            ".involvedObject.kind",
            ".involvedObject.namespace",
            ".involvedObject.name",
            ".involvedObject.uid",
            ".involvedObject.apiVersion",
            ".involvedObject.resourceVersion",
            ".involvedObject.fieldPath",
            ".reason",
            ".reportingComponent",
            ".type",
        ],
        Builtin::NewEvent => &[
            ".regarding.kind",
            ".regarding.namespace",
            ".regarding.name",
            ".regarding.uid",
            ".regarding.apiVersion",
            ".regarding.resourceVersion",
            ".regarding.fieldPath",
            ".reason",
            ".reportingController",
            ".type",
        ],
        Builtin::ConfigMap | Builtin::Lease | Builtin::Definition => &[],
    };
    paths.iter().map(|path| Box::from(*path)).collect()
}
