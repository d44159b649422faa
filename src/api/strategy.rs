//! `UpdateStrategy`: reusable stages and groups. Its `spec` is the Azure CLI's stages file.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Stages of an update, strictly one after another.
#[derive(CustomResource, KubeSchema, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[kube(
    group = "fleetdeck.io",
    version = "v1alpha1",
    kind = "UpdateStrategy",
    plural = "updatestrategies",
    shortname = "us",
    category = "fleetdeck",
    status = "UpdateStrategyStatus",
    derive = "PartialEq",
    printcolumn(name = "STAGES", type_ = "integer", json_path = ".status.stageCount"),
    printcolumn(name = "GROUPS", type_ = "integer", json_path = ".status.groupCount"),
    printcolumn(name = "AGE", type_ = "date", json_path = ".metadata.creationTimestamp"),
    validation = Rule::new("self.metadata.name.size() <= 50 && !self.metadata.name.contains('.')")
        .message("InvalidName: the name of a strategy is 1 to 50 lower-case letters, digits and '-', and begins and ends with a letter or digit"),
)]
#[serde(rename_all = "camelCase")]
pub struct UpdateStrategySpec {
    /// In order; at least one, at most 31.
    #[schemars(length(min = 1, max = 31))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub stages: Vec<Stage>,
}

/// One stage: its groups run in parallel.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = ("(has(self.groups) && self.groups.size() > 0) || has(self.memberSelector)", "RequiredPropertyMissing: a stage needs groups or a memberSelector"))]
pub struct Stage {
    /// Unique in the strategy.
    #[schemars(
        length(min = 1, max = 50),
        regex(pattern = r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$")
    )]
    pub name: String,
    /// At most 50; without any, the selector makes one implicit group named like the stage.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 50))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub groups: Vec<Group>,
    /// Which members belong; a pre-filter where groups are given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member_selector: Option<MemberSelector>,
    /// Soak after the stage's groups are done, in seconds. 0 means none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 2147483647))]
    pub after_stage_wait_in_seconds: Option<i32>,
    /// At most this many members of the stage in flight: a number up to 50 or a percentage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        length(max = 10),
        regex(pattern = r"^([1-9][0-9]*|([1-9][0-9]?|100)%)$")
    )]
    #[x_kube(validation = ("self.endsWith('%') || !self.matches('^[0-9]+$') || int(self) <= 50", "InvalidLimit: a stage's maxConcurrency is at most 50"))]
    pub max_concurrency: Option<String>,
    /// Failures tolerated in the stage: a number or a percentage. Unset means 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        length(max = 10),
        regex(pattern = r"^(0|[1-9][0-9]*|(0|[1-9][0-9]?|100)%)$")
    )]
    pub max_allowed_failures: Option<String>,
    /// Must all be done before anything of the stage begins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 10))]
    pub before_gates: Vec<GateConfig>,
    /// Must all be done before the stage is; Approval only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 10))]
    #[x_kube(validation = ("self.all(g, g.type == 'Approval')", "InvalidGate: a ScheduledStart gate can only stand before a stage or group"))]
    pub after_gates: Vec<GateConfig>,
}

/// One group of a stage.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Group {
    /// Unique in the strategy. Without a selector it names the update group to take.
    #[schemars(
        length(min = 1, max = 50),
        regex(pattern = r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$")
    )]
    pub name: String,
    /// Replaces selection by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member_selector: Option<MemberSelector>,
    /// At most this many members of the group in flight. Unset means 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        length(max = 10),
        regex(pattern = r"^([1-9][0-9]*|([1-9][0-9]?|100)%)$")
    )]
    pub max_concurrency: Option<String>,
    /// Failures tolerated in the group. Unset means 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        length(max = 10),
        regex(pattern = r"^(0|[1-9][0-9]*|(0|[1-9][0-9]?|100)%)$")
    )]
    pub max_allowed_failures: Option<String>,
    /// Must all be done before the group begins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 10))]
    pub before_gates: Vec<GateConfig>,
    /// Must all be done before the group is; Approval only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 10))]
    #[x_kube(validation = ("self.all(g, g.type == 'Approval')", "InvalidGate: a ScheduledStart gate can only stand before a stage or group"))]
    pub after_gates: Vec<GateConfig>,
}

/// Which members belong to a stage or group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberSelector {
    /// Label selector text: `k=v`, `k!=v`, `k in (a,b)`, `k notin (a,b)`, `k`, `!k`; comma is AND.
    #[schemars(length(min = 1, max = 512))]
    pub by_label: String,
}

/// A gate as a strategy asks for it.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = ("(self.type == 'ScheduledStart') == has(self.scheduledStartConfiguration)", "InvalidGate: scheduledStartConfiguration is required for a ScheduledStart gate and forbidden for others"))]
pub struct GateConfig {
    /// What people see; at most 100 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100))]
    pub display_name: Option<String>,
    /// Approval where none is given.
    #[serde(default, rename = "type")]
    pub type_: GateType,
    /// When the gate opens by itself; ScheduledStart only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduled_start_configuration: Option<ScheduledStartConfiguration>,
}

/// How a gate is passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum GateType {
    /// A person or a program writes `Completed`.
    #[default]
    Approval,
    /// Opens at an instant, or earlier by a person.
    ScheduledStart,
}

impl std::fmt::Display for GateType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            GateType::Approval => "Approval",
            GateType::ScheduledStart => "ScheduledStart",
        })
    }
}

/// Weekday and time of day at a fixed offset; no daylight saving.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScheduledStartConfiguration {
    /// `Monday` to `Sunday`.
    pub start_day: Weekday,
    /// `HH:MM`, local at `utcOffset`.
    #[schemars(length(max = 5), regex(pattern = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"))]
    pub start_time: String,
    /// `+HH:MM` or `-HH:MM`, between -14:00 and +14:00.
    #[schemars(
        length(max = 6),
        regex(pattern = r"^[+-]((0[0-9]|1[0-3]):[0-5][0-9]|14:00)$")
    )]
    pub utc_offset: String,
}

/// Day of the week.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[allow(missing_docs)]
pub enum Weekday {
    #[default]
    Monday,
    Tuesday,
    Wednesday,
    Thursday,
    Friday,
    Saturday,
    Sunday,
}

/// What the controller says of a strategy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateStrategyStatus {
    /// Generation that this status speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// Number of stages.
    #[serde(default)]
    pub stage_count: i32,
    /// Number of groups, implicit ones included.
    #[serde(default)]
    pub group_count: i32,
    /// `Valid`: whether a run could be made along this strategy.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Vec<Condition>,
}
