//! Objects as they are decoded from the wire: without what no screen shows.
//!
//! `managedFields`, annotations and owner references are skipped by the decoder and never made.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::api::{
    FleetMember, FleetMemberSpec, FleetMemberStatus, Gate, GateSpec, GateStatus, MemberUpdate,
    MemberUpdateSpec, MemberUpdateStatus, UpdateRun, UpdateRunSpec, UpdateRunStatus,
    UpdateStrategy, UpdateStrategySpec, UpdateStrategyStatus,
};
use crate::console::msg::{Change, Kind};

/// A kind that is watched.
pub trait Watched: Sized + Send + Sync + 'static {
    /// Which.
    const KIND: Kind;
    /// Its spec.
    type Spec: DeserializeOwned + Send;
    /// Its status.
    type Status: DeserializeOwned + Send;
    /// The change that brings it to the console.
    fn change(meta: Meta, spec: Self::Spec, status: Option<Self::Status>) -> Change;
}

macro_rules! watched {
    ($kind:ident $variant:ident $spec:ident $status:ident) => {
        impl Watched for $kind {
            const KIND: Kind = Kind::$variant;
            type Spec = $spec;
            type Status = $status;

            fn change(meta: Meta, spec: $spec, status: Option<$status>) -> Change {
                Change::$variant(Arc::new($kind {
                    metadata: meta.into(),
                    spec,
                    status,
                }))
            }
        }
    };
}

watched!(UpdateRun Run UpdateRunSpec UpdateRunStatus);
watched!(Gate Gate GateSpec GateStatus);
watched!(UpdateStrategy Strategy UpdateStrategySpec UpdateStrategyStatus);
watched!(FleetMember Member FleetMemberSpec FleetMemberStatus);
watched!(MemberUpdate Update MemberUpdateSpec MemberUpdateStatus);

/// What is kept of an object's metadata.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Meta {
    name: Option<String>,
    pub(super) uid: Option<String>,
    pub(super) resource_version: Option<String>,
    generation: Option<i64>,
    creation_timestamp: Option<Time>,
    deletion_timestamp: Option<Time>,
    labels: Option<BTreeMap<String, String>>,
}

impl From<Meta> for ObjectMeta {
    fn from(meta: Meta) -> Self {
        ObjectMeta {
            name: meta.name,
            uid: meta.uid,
            resource_version: meta.resource_version,
            generation: meta.generation,
            creation_timestamp: meta.creation_timestamp,
            deletion_timestamp: meta.deletion_timestamp,
            labels: meta.labels,
            ..ObjectMeta::default()
        }
    }
}

#[derive(Deserialize)]
#[serde(bound = "K: Watched")]
pub(super) struct Object<K: Watched> {
    #[serde(default)]
    pub metadata: Meta,
    spec: K::Spec,
    #[serde(default = "none")]
    status: Option<K::Status>,
}

fn none<T>() -> Option<T> {
    None
}

impl<K: Watched> Object<K> {
    pub fn into_change(self) -> Change {
        K::change(self.metadata, self.spec, self.status)
    }
}

/// One line of a watch.
#[derive(Debug)]
pub(super) enum Line {
    /// Made, changed or deleted, with the version after it.
    Change(Change, Option<String>),
    /// Nothing changed up to this version; `true` at the end of the first list.
    Bookmark(Option<String>, bool),
    /// The hub ends the watch, with a code and a reason.
    Error(u16, String),
    /// An object that is not as its schema says; it is left out.
    Odd,
}

#[derive(Deserialize)]
#[serde(bound = "K: Watched")]
struct Event<K: Watched> {
    #[serde(rename = "type")]
    what: What,
    object: Object<K>,
}

#[derive(Deserialize, PartialEq, Eq)]
enum What {
    #[serde(rename = "ADDED")]
    Added,
    #[serde(rename = "MODIFIED")]
    Modified,
    #[serde(rename = "DELETED")]
    Deleted,
}

/// What is left of an event when its object is none of the kind.
#[derive(Deserialize)]
struct Bare {
    #[serde(rename = "type")]
    what: String,
    #[serde(default)]
    object: BareObject,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct BareObject {
    metadata: BareMeta,
    code: u16,
    message: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct BareMeta {
    resource_version: Option<String>,
    annotations: BTreeMap<String, String>,
}

/// Decodes one line of a watch.
pub(super) fn line<K: Watched>(bytes: &[u8]) -> Line {
    if let Ok(event) = serde_json::from_slice::<Event<K>>(bytes) {
        let version = event.object.metadata.resource_version.clone();
        let change = match (event.what, &event.object.metadata.uid) {
            (What::Deleted, uid) => Change::Gone {
                kind: K::KIND,
                uid: uid.clone().unwrap_or_default(),
            },
            _ => event.object.into_change(),
        };
        return Line::Change(change, version);
    }
    let Ok(bare) = serde_json::from_slice::<Bare>(bytes) else {
        return Line::Odd;
    };
    match bare.what.as_str() {
        "BOOKMARK" => {
            let annotations = &bare.object.metadata.annotations;
            let end = annotations
                .get("k8s.io/initial-events-end")
                .is_some_and(|v| v == "true");
            Line::Bookmark(bare.object.metadata.resource_version, end)
        }
        "ERROR" => Line::Error(bare.object.code, bare.object.message),
        _ => Line::Odd,
    }
}

/// One page of a list.
#[derive(Deserialize)]
#[serde(bound = "K: Watched")]
pub(super) struct Page<K: Watched> {
    pub metadata: PageMeta,
    pub items: Vec<Object<K>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PageMeta {
    pub resource_version: Option<String>,
    #[serde(rename = "continue", default)]
    pub next: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_decoded_without_what_no_screen_shows() {
        let text = r#"{"type":"ADDED","object":{"apiVersion":"fleetdeck.io/v1alpha1","kind":"Gate",
            "metadata":{"name":"g","uid":"u","resourceVersion":"7","labels":{"a":"b"},
            "annotations":{"x":"y"},"managedFields":[{"manager":"m"}]},
            "spec":{"type":"Approval","run":"r","stage":"s","timing":"Before"},
            "status":{"state":"Completed"}}}"#;
        let Line::Change(Change::Gate(gate), version) = line::<Gate>(text.as_bytes()) else {
            panic!("no gate");
        };
        assert_eq!(version.as_deref(), Some("7"));
        assert_eq!(gate.metadata.labels.as_ref().unwrap()["a"], "b");
        assert_eq!(gate.metadata.managed_fields, None);
        assert_eq!(gate.metadata.annotations, None);
        assert_eq!(
            gate.status.as_ref().unwrap().state,
            crate::api::GateState::Completed
        );
    }

    #[test]
    fn bookmarks_deletions_errors_and_odd_objects_are_told_apart() {
        let end = r#"{"type":"BOOKMARK","object":{"kind":"Gate","metadata":{"resourceVersion":"9",
            "annotations":{"k8s.io/initial-events-end":"true"}}}}"#;
        assert!(matches!(line::<Gate>(end.as_bytes()), Line::Bookmark(Some(v), true) if v == "9"));
        let plain = r#"{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"},"spec":{"run":""}}}"#;
        assert!(matches!(
            line::<Gate>(plain.as_bytes()),
            Line::Bookmark(Some(_), false)
        ));
        let gone = r#"{"type":"DELETED","object":{"metadata":{"uid":"u"},
            "spec":{"type":"Approval","run":"r","stage":"s","timing":"Before"}}}"#;
        assert!(
            matches!(line::<Gate>(gone.as_bytes()), Line::Change(Change::Gone { uid, .. }, _) if uid == "u")
        );
        let error = r#"{"type":"ERROR","object":{"kind":"Status","code":410,"message":"too old"}}"#;
        assert!(matches!(
            line::<Gate>(error.as_bytes()),
            Line::Error(410, _)
        ));
        let odd = r#"{"type":"ADDED","object":{"metadata":{"name":"g"},"spec":{"type":3}}}"#;
        assert!(matches!(line::<Gate>(odd.as_bytes()), Line::Odd));
        assert!(matches!(line::<Gate>(b"{"), Line::Odd));
    }
}
