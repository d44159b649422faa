//! The journal: what changed, one entry a change, worked out from an object's old and new JSON.
//!
//! Pure: it knows neither hub nor clock. Rehearsals, the headless demo and `run watch` print it.

mod diff;
pub mod offset;
mod print;
mod run;

pub use diff::diff;
pub use print::line;

use jiff::Timestamp;
use serde::Serialize;

/// Resources whose changes are told, as `plural.group`.
pub const RESOURCES: &[&str] = &[
    "updateruns.fleetdeck.io",
    "memberupdates.fleetdeck.io",
    "fleetmembers.fleetdeck.io",
    "leases.coordination.k8s.io",
];

/// One change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// When it happened.
    pub instant: Timestamp,
    /// How long after the beginning, `10m0s`.
    pub offset: String,
    /// `Kind/name`.
    pub object: String,
    /// `run`, `stage S`, `group G`, `gate DISPLAY`, `wait S`, `member M`, `step N`, or a fact's own word.
    pub what: String,
    /// Stage of a gate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// Group of a gate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// State before; empty when there was none.
    pub from: String,
    /// State after.
    pub to: String,
    /// Machine code or a word; empty when the change speaks for itself.
    pub reason: String,
    /// One sentence, where there is one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
}
