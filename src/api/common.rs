//! Types that several kinds share.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// State of a run, stage, group, member, gate entry or wait (update-runs §2.5): one enum for all.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
)]
pub enum State {
    /// Nothing has begun.
    #[default]
    NotStarted,
    /// Cannot go on now, for a reason that stands in `waitingFor`.
    Pending,
    /// Work is in flight or remains.
    Running,
    /// Halted; what is in flight finishes.
    Stopping,
    /// Halted by a user and settled.
    Stopped,
    /// An upgrade failed, or a tolerance was exceeded.
    Failed,
    /// Skipped by a user or by rule.
    Skipped,
    /// Done.
    Completed,
}

impl State {
    /// All states, in the order in which work usually passes through them.
    pub const ALL: [State; 8] = [
        State::NotStarted,
        State::Pending,
        State::Running,
        State::Stopping,
        State::Stopped,
        State::Failed,
        State::Skipped,
        State::Completed,
    ];

    /// The word as it stands on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            State::NotStarted => "NotStarted",
            State::Pending => "Pending",
            State::Running => "Running",
            State::Stopping => "Stopping",
            State::Stopped => "Stopped",
            State::Failed => "Failed",
            State::Skipped => "Skipped",
            State::Completed => "Completed",
        }
    }
}

impl std::fmt::Display for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// Why something failed or was refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorDetail {
    /// Machine code, CamelCase.
    #[serde(default)]
    pub code: String,
    /// One sentence for people.
    #[serde(default)]
    pub message: String,
    /// The object concerned, `Kind/name` or `Type:name`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub target: String,
    /// Causes, for example the first failed member's own error.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<ErrorCause>,
}

/// A cause of an [`ErrorDetail`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorCause {
    /// Machine code, CamelCase.
    #[serde(default)]
    pub code: String,
    /// One sentence for people.
    #[serde(default)]
    pub message: String,
    /// The object concerned.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub target: String,
}

/// Why a thing stands still: code, object waited for, since when, who can act, what comes next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitingFor {
    /// Machine code, CamelCase, for example `GateOpen`.
    pub code: String,
    /// What is waited for, `Kind/name`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub object: String,
    /// Stage that waits, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// Group that waits, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Since when it stands still.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Time>,
    /// When it goes on by itself, if it does and the instant is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Time>,
    /// Who can act.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub who: String,
    /// What happens next by itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub next: String,
    /// The whole in one sentence.
    #[serde(default)]
    pub message: String,
}

/// Number of members in each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// All members of the scope; never changes after the tree was made.
    #[serde(default)]
    pub total: i32,
    /// Not evaluated yet.
    #[serde(default)]
    pub not_started: i32,
    /// Waiting with a reason, including members that a halt stopped.
    #[serde(default)]
    pub pending: i32,
    /// In flight.
    #[serde(default)]
    pub running: i32,
    /// Upgraded.
    #[serde(default)]
    pub completed: i32,
    /// Failed.
    #[serde(default)]
    pub failed: i32,
    /// Skipped by a user or by rule.
    #[serde(default)]
    pub skipped: i32,
}
