//! `Gate`: an approval or a scheduled start that a run has reached. Named by a GUID, owned by the run.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{GateType, Weekday};

/// Where the gate stands and whether a user has passed it.
#[derive(CustomResource, KubeSchema, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[kube(
    group = "fleetdeck.io",
    version = "v1alpha1",
    kind = "Gate",
    plural = "gates",
    shortname = "gt",
    category = "fleetdeck",
    status = "GateStatus",
    derive = "PartialEq",
    selectable = ".spec.run",
    printcolumn(name = "RUN", type_ = "string", json_path = ".spec.run"),
    printcolumn(name = "STAGE", type_ = "string", json_path = ".spec.stage"),
    printcolumn(name = "GROUP", type_ = "string", json_path = ".spec.group"),
    printcolumn(name = "TIMING", type_ = "string", json_path = ".spec.timing"),
    printcolumn(name = "TYPE", type_ = "string", json_path = ".spec.type"),
    printcolumn(name = "STATE", type_ = "string", json_path = ".status.state"),
    printcolumn(name = "AGE", type_ = "date", json_path = ".metadata.creationTimestamp"),
    printcolumn(name = "DISPLAY-NAME", type_ = "string", json_path = ".spec.displayName", priority = 1),
    printcolumn(name = "OPENS", type_ = "string", json_path = ".spec.scheduledStart.absoluteStartTime", priority = 1),
    validation = Rule::new("self.spec.state == oldSelf.spec.state || !has(oldSelf.status) || !has(oldSelf.status.state) || oldSelf.status.state == 'Pending'")
        .message("GateNotPending: only a Pending gate can be completed"),
)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = ("oldSelf.state != 'Completed' || self == oldSelf", "GateNotPending: the gate is completed, and a completed gate cannot be changed"))]
#[x_kube(validation = ("self.type == oldSelf.type && self.run == oldSelf.run && self.stage == oldSelf.stage && self.timing == oldSelf.timing && has(self.group) == has(oldSelf.group) && (!has(self.group) || self.group == oldSelf.group) && has(self.displayName) == has(oldSelf.displayName) && (!has(self.displayName) || self.displayName == oldSelf.displayName) && has(self.scheduledStart) == has(oldSelf.scheduledStart) && (!has(self.scheduledStart) || self.scheduledStart == oldSelf.scheduledStart)", "only state, completedBy and comment of a gate can be written"))]
pub struct GateSpec {
    /// What people see.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100))]
    pub display_name: Option<String>,
    /// How it is passed.
    #[serde(rename = "type")]
    pub type_: GateType,
    /// ScheduledStart only: when it opens by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduled_start: Option<ScheduledStart>,
    /// Name of the run.
    #[schemars(length(max = 253))]
    pub run: String,
    /// Name of the stage.
    #[schemars(length(max = 253))]
    pub stage: String,
    /// Name of the group, group gates only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 253))]
    pub group: Option<String>,
    /// Before or after the stage or group.
    pub timing: Timing,
    /// A user may write `Completed`, once.
    #[serde(default)]
    pub state: GateIntent,
    /// Who passed it; optional, written together with the state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 253))]
    pub completed_by: Option<String>,
    /// Why it was passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2048))]
    pub comment: Option<String>,
}

/// When a scheduled gate opens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScheduledStart {
    /// Weekday at the offset.
    pub start_day: Weekday,
    /// `HH:MM` at the offset.
    #[schemars(length(max = 5))]
    pub start_time: String,
    /// `+HH:MM` or `-HH:MM`.
    #[schemars(length(max = 6))]
    pub utc_offset: String,
    /// The instant, fixed when the gate was reached.
    pub absolute_start_time: Time,
}

/// Before or after the stage or group.
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
pub enum Timing {
    /// Nothing begins until it is passed.
    #[default]
    Before,
    /// The stage or group is not done until it is passed.
    After,
}

impl std::fmt::Display for Timing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Timing::Before => "Before",
            Timing::After => "After",
        })
    }
}

/// What a user wants of a gate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum GateIntent {
    /// Nothing yet.
    #[default]
    Pending,
    /// Pass it.
    Completed,
}

/// What became of the gate; only the controller writes it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GateStatus {
    /// Generation that this status speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// `Pending`, `Completed` or `Skipped`.
    #[serde(default)]
    pub state: GateState,
    /// When the run reached it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_time: Option<Time>,
    /// When it was completed or skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_time: Option<Time>,
    /// User name, or `schedule`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_by: Option<String>,
    /// Conditions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Vec<Condition>,
}

/// State of a gate object; there is no NotStarted gate object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum GateState {
    /// The run waits for it.
    #[default]
    Pending,
    /// Passed.
    Completed,
    /// Its stage or group was skipped.
    Skipped,
}

impl std::fmt::Display for GateState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            GateState::Pending => "Pending",
            GateState::Completed => "Completed",
            GateState::Skipped => "Skipped",
        })
    }
}
