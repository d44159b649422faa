//! `MemberUpdate`: one member's part in one run. Named `RUN.MEMBER`, owned by the run.

// Columns repeat `type_`; each stands for itself.
#![allow(clippy::duplicated_attributes)]

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ErrorDetail, State, WaitingFor};

/// A member's place in a run; immutable.
#[derive(
    CustomResource, KubeSchema, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize,
)]
#[kube(
    group = "fleetdeck.io",
    version = "v1alpha1",
    kind = "MemberUpdate",
    plural = "memberupdates",
    shortname = "mu",
    category = "fleetdeck",
    status = "MemberUpdateStatus",
    derive = "PartialEq",
    selectable = ".spec.run",
    printcolumn(name = "RUN", type_ = "string", json_path = ".spec.run"),
    printcolumn(name = "STAGE", type_ = "string", json_path = ".spec.stage"),
    printcolumn(name = "GROUP", type_ = "string", json_path = ".spec.group"),
    printcolumn(name = "MEMBER", type_ = "string", json_path = ".spec.member"),
    printcolumn(name = "STATE", type_ = "string", json_path = ".status.state"),
    printcolumn(
        name = "AGE",
        type_ = "date",
        json_path = ".metadata.creationTimestamp"
    ),
    printcolumn(
        name = "ATTEMPT",
        type_ = "integer",
        json_path = ".status.attempt",
        priority = 1
    ),
    printcolumn(
        name = "MESSAGE",
        type_ = "string",
        json_path = ".status.message",
        priority = 1
    )
)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = ("self == oldSelf", "a member update's spec is immutable: it is made by the run"))]
pub struct MemberUpdateSpec {
    /// Name of the run.
    #[schemars(length(max = 253))]
    pub run: String,
    /// Name of the stage.
    #[schemars(length(max = 253))]
    pub stage: String,
    /// Name of the group.
    #[schemars(length(max = 253))]
    pub group: String,
    /// Name of the member.
    #[schemars(length(max = 253))]
    pub member: String,
    /// Uid of the member when the tree was made: a member made anew is another one.
    #[serde(default)]
    #[schemars(length(max = 253))]
    pub member_uid: String,
    /// Identity of the cluster.
    #[serde(default)]
    #[schemars(length(max = 1024))]
    pub cluster_resource_id: String,
    /// Place of the member in its group, by name, from 0.
    #[serde(default)]
    pub position: i32,
}

/// How far the member is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberUpdateStatus {
    /// Generation that this status speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// update-runs §9.1.
    #[serde(default)]
    pub state: State,
    /// When its turn arrived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_time: Option<Time>,
    /// When it was Completed, Skipped or Failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_time: Option<Time>,
    /// Upgrades issued for this member by this run.
    #[serde(default)]
    pub attempt: i32,
    /// Of the latest attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation_id: Option<String>,
    /// Control plane version before the first attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_version: Option<String>,
    /// One sentence, for example why it was skipped.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// What went wrong, for `Failed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorDetail>,
    /// Why it stands still; empty while it moves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting_for: Vec<WaitingFor>,
    /// Conditions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Vec<Condition>,
}
