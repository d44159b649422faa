//! The kinds that the command line knows by name, and their columns.

use std::sync::OnceLock;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, CustomResourceDefinitionVersion,
};
use kube::api::{ApiResource, DynamicObject};
use kube::{Api, Client};
use serde_json::Value;

use super::error::Error;
use crate::api::{self, crds::crds};

/// A kind of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One cluster of the fleet.
    Member,
    /// Reusable stages.
    Strategy,
    /// One update.
    Run,
    /// One member's part in a run.
    Update,
    /// An approval or a scheduled start.
    Gate,
}

/// A printer column of the definition.
#[derive(Clone, Debug)]
pub struct Column {
    /// Title, upper case.
    pub title: String,
    /// Path below the object, `.status.state`.
    pub path: String,
    /// Whether it holds an instant, shown as an age.
    pub date: bool,
    /// Whether it is shown with `-o wide` alone.
    pub wide: bool,
}

impl Kind {
    /// All kinds, in the order in which they are explained.
    pub const ALL: [Kind; 5] = [
        Kind::Member,
        Kind::Strategy,
        Kind::Run,
        Kind::Update,
        Kind::Gate,
    ];

    /// As in a manifest.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Member => "FleetMember",
            Kind::Strategy => "UpdateStrategy",
            Kind::Run => "UpdateRun",
            Kind::Update => "MemberUpdate",
            Kind::Gate => "Gate",
        }
    }

    /// As in a URL.
    pub fn plural(self) -> &'static str {
        match self {
            Kind::Member => "fleetmembers",
            Kind::Strategy => "updatestrategies",
            Kind::Run => "updateruns",
            Kind::Update => "memberupdates",
            Kind::Gate => "gates",
        }
    }

    fn others(self) -> [&'static str; 3] {
        match self {
            Kind::Member => ["fm", "member", "members"],
            Kind::Strategy => ["us", "strategy", "strategies"],
            Kind::Run => ["ur", "run", "runs"],
            Kind::Update => ["mu", "update", "updates"],
            Kind::Gate => ["gt", "gate", "gates"],
        }
    }

    /// Reads a word: the kind, its plural or short name, in any case, also `updaterun.fleetdeck.io`.
    pub fn parse(word: &str) -> Result<Self, Error> {
        let lower = word.to_ascii_lowercase();
        let bare = lower.split('.').next().unwrap_or_default();
        Kind::ALL
            .into_iter()
            .find(|kind| {
                bare == kind.name().to_ascii_lowercase()
                    || bare == kind.plural()
                    || kind.others().contains(&bare)
            })
            .ok_or_else(|| {
                let names: Vec<String> = Kind::ALL
                    .into_iter()
                    .map(|k| format!("{} ({})", k.name(), k.others()[0]))
                    .collect();
                Error::usage(format!("there is no kind {word:?} here"))
                    .hint(format!("kinds are {}", names.join(", ")))
            })
    }

    /// For kube's dynamic API.
    pub fn resource(self) -> ApiResource {
        ApiResource {
            group: api::GROUP.to_owned(),
            version: api::VERSION.to_owned(),
            api_version: api::API_VERSION.to_owned(),
            kind: self.name().to_owned(),
            plural: self.plural().to_owned(),
        }
    }

    /// Objects of the kind on a hub.
    pub fn api(self, client: &Client) -> Api<DynamicObject> {
        Api::all_with(client.clone(), &self.resource())
    }

    fn version(self) -> Option<&'static CustomResourceDefinitionVersion> {
        static DEFINITIONS: OnceLock<Vec<CustomResourceDefinition>> = OnceLock::new();
        let mut all = DEFINITIONS.get_or_init(crds).iter();
        let own = all.find(|c| c.spec.names.kind == self.name())?;
        own.spec.versions.first()
    }

    /// Printer columns, as the definition has them.
    pub fn columns(self) -> Vec<Column> {
        let version = self.version();
        let columns = version.and_then(|v| v.additional_printer_columns.as_ref());
        columns
            .into_iter()
            .flatten()
            .map(|column| Column {
                title: column.name.clone(),
                path: column.json_path.clone(),
                date: column.type_ == "date",
                wide: column.priority.unwrap_or(0) > 0,
            })
            .collect()
    }

    /// The schema of the kind, as the definition has it.
    pub fn schema(self) -> Value {
        let schema = self.version().and_then(|version| version.schema.as_ref());
        schema
            .and_then(|schema| serde_json::to_value(&schema.open_api_v3_schema).ok())
            .unwrap_or_default()
    }
}

impl Column {
    /// What the column shows of an object; empty when there is nothing.
    pub fn of<'a>(&self, object: &'a Value) -> Option<&'a Value> {
        let pointer = self.path.replace('.', "/");
        object.pointer(&pointer).filter(|v| !v.is_null())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_known_by_every_usual_word() {
        for word in [
            "UpdateRun",
            "updateruns",
            "ur",
            "runs",
            "updaterun.fleetdeck.io",
        ] {
            assert_eq!(Kind::parse(word), Ok(Kind::Run), "{word}");
        }
        assert_eq!(Kind::parse("pod").unwrap_err().code(), "WrongUse");
    }

    #[test]
    fn columns_come_from_the_definition() {
        let titles: Vec<String> = Kind::Run.columns().into_iter().map(|c| c.title).collect();
        assert_eq!(
            titles,
            [
                "STATE", "TARGET", "DONE", "FAILED", "WAITS", "AGE", "STRATEGY", "IMAGES"
            ]
        );
    }
}
