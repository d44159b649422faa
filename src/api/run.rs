//! `UpdateRun`: one update along a strategy. Its members are `MemberUpdate` objects.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Counts, ErrorDetail, Stage, State, WaitingFor};

/// What to update, along which stages, and what the user wants of it now.
#[derive(CustomResource, KubeSchema, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[kube(
    group = "fleetdeck.io",
    version = "v1alpha1",
    kind = "UpdateRun",
    plural = "updateruns",
    shortname = "ur",
    category = "fleetdeck",
    status = "UpdateRunStatus",
    derive = "PartialEq",
    printcolumn(name = "STATE", type_ = "string", json_path = ".status.state"),
    printcolumn(name = "TARGET", type_ = "string", json_path = ".status.target"),
    printcolumn(name = "DONE", type_ = "string", json_path = ".status.progress"),
    printcolumn(name = "FAILED", type_ = "integer", json_path = ".status.failureCount"),
    printcolumn(name = "WAITS", type_ = "string", json_path = ".status.waits"),
    printcolumn(name = "AGE", type_ = "date", json_path = ".metadata.creationTimestamp"),
    printcolumn(name = "STRATEGY", type_ = "string", json_path = ".status.strategy.name", priority = 1),
    printcolumn(name = "IMAGES", type_ = "string", json_path = ".spec.nodeImageSelection.type", priority = 1),
    validation = Rule::new("self.metadata.name.size() <= 50")
        .message("InvalidName: the name of a run is 1 to 50 lower-case letters, digits, '-' and '.', and begins and ends with a letter or digit"),
    validation = Rule::new("!has(oldSelf.status) || !has(oldSelf.status.startTime) || (self.spec.upgrade == oldSelf.spec.upgrade && has(self.spec.strategyName) == has(oldSelf.spec.strategyName) && (!has(self.spec.strategyName) || self.spec.strategyName == oldSelf.spec.strategyName) && has(self.spec.strategy) == has(oldSelf.spec.strategy) && (!has(self.spec.strategy) || self.spec.strategy == oldSelf.spec.strategy))")
        .message("RunNotEditable: the run has started; only state, attempt and skips of its spec can be written"),
)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = ("!(has(self.strategyName) && has(self.strategy))", "StrategyConflict: give strategyName or strategy, not both"))]
#[x_kube(validation = ("!has(self.nodeImageSelection) || self.upgrade.type != 'ControlPlaneOnly'", "ImageSelectionForbidden: a ControlPlaneOnly upgrade changes no node image"))]
#[x_kube(validation = ("has(self.nodeImageSelection) == has(oldSelf.nodeImageSelection) && (!has(self.nodeImageSelection) || self.nodeImageSelection == oldSelf.nodeImageSelection)", "RunNotEditable: nodeImageSelection can only be set when the run is created"))]
pub struct UpdateRunSpec {
    /// Strategy to copy; excludes `strategy`. Neither: all members one by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 50))]
    pub strategy_name: Option<String>,
    /// Stages of this run alone; excludes `strategyName`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<InlineStrategy>,
    /// What to change.
    pub upgrade: Upgrade,
    /// Which node images; `Latest` where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_image_selection: Option<NodeImageSelection>,
    /// `Initialize` → `Run` ⇄ `Stop`; nothing goes back to `Initialize`.
    #[serde(default)]
    #[x_kube(validation = ("self != 'Initialize' || oldSelf == 'Initialize'", "InvalidOperation: a run cannot go back to Initialize"))]
    pub state: RunIntent,
    /// Only rises: raising it resumes a Failed run.
    #[serde(default = "first_attempt")]
    #[schemars(range(min = 1))]
    #[x_kube(validation = ("self >= oldSelf", "InvalidOperation: attempt can only rise"))]
    pub attempt: i32,
    /// Requests to skip, append-only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 200))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["id".into()]))]
    #[x_kube(validation = ("oldSelf.all(o, self.exists(n, n.id == o.id))", "skips is append-only: an earlier request cannot be taken back"))]
    pub skips: Vec<SkipRequest>,
}

fn first_attempt() -> i32 {
    1
}

/// Stages written into the run itself.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InlineStrategy {
    /// In order; at least one, at most 31.
    #[schemars(length(min = 1, max = 31))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub stages: Vec<Stage>,
}

/// What to change on each member.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = ("self.type == 'NodeImageOnly' || has(self.kubernetesVersion)", "VersionRequired: kubernetesVersion is required for Full and ControlPlaneOnly"))]
#[x_kube(validation = ("self.type != 'NodeImageOnly' || !has(self.kubernetesVersion)", "VersionForbidden: a NodeImageOnly upgrade takes no kubernetesVersion"))]
pub struct Upgrade {
    /// Control plane and nodes, control plane alone, or node images alone.
    #[serde(rename = "type")]
    pub type_: UpgradeType,
    /// `X.Y.Z` or `X.Y`, with or without a leading `v`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        length(max = 32),
        regex(pattern = r"^v?(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*))?$")
    )]
    pub kubernetes_version: Option<String>,
}

/// What an update touches (update-runs §4.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum UpgradeType {
    /// Control plane, then the pools' version and images.
    #[default]
    Full,
    /// Control plane alone.
    ControlPlaneOnly,
    /// Node images alone.
    NodeImageOnly,
}

impl std::fmt::Display for UpgradeType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            UpgradeType::Full => "Full",
            UpgradeType::ControlPlaneOnly => "ControlPlaneOnly",
            UpgradeType::NodeImageOnly => "NodeImageOnly",
        })
    }
}

/// Which node images (update-runs §4.2).
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = ("(self.type == 'Custom') == (has(self.customNodeImageVersions) && self.customNodeImageVersions.size() > 0)", "InvalidCustomImages: customNodeImageVersions is required for Custom and forbidden for others"))]
pub struct NodeImageSelection {
    /// `Latest`, `Consistent` or `Custom`.
    #[serde(rename = "type")]
    pub type_: NodeImageSelectionType,
    /// `Custom` only: at most one version a family.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 50))]
    pub custom_node_image_versions: Vec<NodeImageVersion>,
}

/// How node images are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum NodeImageSelectionType {
    /// The newest in each member's region when its upgrade starts.
    #[default]
    Latest,
    /// One version a family for the whole run.
    Consistent,
    /// The versions given.
    Custom,
}

/// A node image, `FAMILY-VERSION`.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub struct NodeImageVersion {
    /// For example `AKSUbuntu-2204gen2containerd-202507.06.0`.
    #[schemars(length(min = 1, max = 253))]
    pub version: String,
}

/// What a user wants of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum RunIntent {
    /// Made, not started.
    #[default]
    Initialize,
    /// Start, or go on after a stop.
    Run,
    /// Schedule nothing more.
    Stop,
}

/// A request to skip.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = ("self == oldSelf", "skips is append-only: an earlier request cannot be changed"))]
pub struct SkipRequest {
    /// Unique in the run, chosen by who asks.
    #[schemars(length(min = 1, max = 63))]
    pub id: String,
    /// `Member:NAME`, `Group:NAME`, `Stage:NAME`, `AfterStageWait:STAGE`; together or not at all.
    #[schemars(length(min = 1, max = 100), inner(length(max = 128)))]
    pub targets: Vec<String>,
    /// Who asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 253))]
    pub by: Option<String>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2048))]
    pub comment: Option<String>,
}

/// How far the run is; only the controller writes it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateRunStatus {
    /// Generation that this status speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// The `spec.state` that was acted upon last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_state: Option<RunIntent>,
    /// The `spec.attempt` that was acted upon last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_attempt: Option<i32>,
    /// update-runs §9.4.
    #[serde(default)]
    pub state: State,
    /// The target in a few words: a version, or `node image`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub target: String,
    /// First accepted start; kept across resumes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_time: Option<Time>,
    /// When it became Completed, Skipped, Failed or Stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_time: Option<Time>,
    /// Why it failed, or why its tree cannot be made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorDetail>,
    /// Members now Failed.
    #[serde(default)]
    pub failure_count: i32,
    /// Members by state.
    #[serde(default)]
    pub counts: Counts,
    /// Terminal of total, for the printer column.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub progress: String,
    /// First waiting thing in a few words, for the printer column.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub waits: String,
    /// The frozen copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<FrozenStrategy>,
    /// `Consistent` and `Custom`: the versions of this run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub selected_node_image_versions: Vec<NodeImageVersion>,
    /// The tree without its members.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"]))]
    pub stages: Vec<StageStatus>,
    /// One entry a thing that stands still; empty while all moves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting_for: Vec<WaitingFor>,
    /// What became of each start, stop, resume, skip; newest 50, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<RequestStatus>,
    /// `Initialized`, `Progressing`, `Succeeded`, `LimitsCapped`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Vec<Condition>,
}

/// The strategy as it was when the tree was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FrozenStrategy {
    /// Name of the strategy it was copied from; empty for an inline or the default one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Of the stages.
    #[serde(default)]
    pub hash: String,
    /// Of the parts of the run's spec that the tree was made from: another one means that they were
    /// edited since.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source_hash: String,
    /// The copy.
    #[serde(default)]
    pub stages: Vec<Stage>,
}

/// How far a stage is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StageStatus {
    /// Name of the stage.
    pub name: String,
    /// update-runs §9.2, §9.3.
    #[serde(default)]
    pub state: State,
    /// When its before gates were done and work could begin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_time: Option<Time>,
    /// When it was terminal, Failed or Stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_time: Option<Time>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorDetail>,
    /// Members now Failed.
    #[serde(default)]
    pub failure_count: i32,
    /// Resolved.
    #[serde(default)]
    pub max_concurrency: i32,
    /// Resolved.
    #[serde(default)]
    pub max_allowed_failures: i32,
    /// Members by state.
    #[serde(default)]
    pub counts: Counts,
    /// In the strategy's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before_gates: Vec<GateEntry>,
    /// In the strategy's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after_gates: Vec<GateEntry>,
    /// The soak after the stage.
    #[serde(default)]
    pub after_stage_wait: WaitStatus,
    /// In the strategy's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"]))]
    pub groups: Vec<GroupStatus>,
}

/// How far a group is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupStatus {
    /// Name of the group.
    pub name: String,
    /// update-runs §9.2, §9.3.
    #[serde(default)]
    pub state: State,
    /// When its before gates were done and work could begin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_time: Option<Time>,
    /// When it was terminal, Failed or Stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_time: Option<Time>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorDetail>,
    /// Members now Failed.
    #[serde(default)]
    pub failure_count: i32,
    /// Resolved.
    #[serde(default)]
    pub max_concurrency: i32,
    /// Resolved.
    #[serde(default)]
    pub max_allowed_failures: i32,
    /// Members by state.
    #[serde(default)]
    pub counts: Counts,
    /// In the strategy's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before_gates: Vec<GateEntry>,
    /// In the strategy's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after_gates: Vec<GateEntry>,
}

/// A gate's place in the tree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GateEntry {
    /// What people see.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// Name of the Gate object, once reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate_name: Option<String>,
    /// NotStarted, Pending, Completed or Skipped.
    #[serde(default)]
    pub state: State,
    /// When the gate was reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_time: Option<Time>,
    /// When it was completed or skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_time: Option<Time>,
}

impl StageStatus {
    /// Its own gates, then those of its groups.
    pub fn gates(&self) -> impl Iterator<Item = &GateEntry> {
        let of_groups = self
            .groups
            .iter()
            .flat_map(|group| group.before_gates.iter().chain(&group.after_gates));
        let own = self.before_gates.iter().chain(&self.after_gates);
        own.chain(of_groups)
    }
}

/// The soak after a stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitStatus {
    /// NotStarted, Running, Stopped, Skipped or Completed.
    #[serde(default)]
    pub state: State,
    /// Length in seconds; 0 means no wait.
    #[serde(default)]
    pub duration_seconds: i32,
    /// When all groups were terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_time: Option<Time>,
    /// When it elapsed or was skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_time: Option<Time>,
}

/// What became of a request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequestStatus {
    /// Of a skip: its id. Of others: `start`, `stop-N`, `resume-N`.
    pub id: String,
    /// What was asked.
    #[serde(default)]
    pub action: RequestAction,
    /// Whether it took effect.
    #[serde(default)]
    pub accepted: bool,
    /// Refusal code; empty when accepted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// One sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// When it was decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Time>,
}

/// What a request asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum RequestAction {
    /// First start.
    #[default]
    Start,
    /// Schedule nothing more.
    Stop,
    /// Go on after Stopped or Failed.
    Resume,
    /// Skip targets.
    Skip,
}
