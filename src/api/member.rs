//! `FleetMember`: one cluster of the fleet, and how to reach it.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ErrorDetail;

/// One cluster of the fleet.
#[derive(CustomResource, KubeSchema, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[kube(
    group = "fleetdeck.io",
    version = "v1alpha1",
    kind = "FleetMember",
    plural = "fleetmembers",
    shortname = "fm",
    category = "fleetdeck",
    status = "FleetMemberStatus",
    derive = "PartialEq",
    printcolumn(name = "GROUP", type_ = "string", json_path = ".spec.group"),
    printcolumn(name = "VERSION", type_ = "string", json_path = ".status.kubernetesVersion"),
    printcolumn(name = "STATE", type_ = "string", json_path = ".status.state"),
    printcolumn(name = "AGE", type_ = "date", json_path = ".metadata.creationTimestamp"),
    printcolumn(name = "REGION", type_ = "string", json_path = ".spec.region", priority = 1),
    printcolumn(name = "POOLS", type_ = "string", json_path = ".status.poolSummary", priority = 1),
    validation = Rule::new("self.metadata.name.size() <= 50 && !self.metadata.name.contains('.')")
        .message("InvalidName: the name of a member is 1 to 50 lower-case letters, digits and '-', and begins and ends with a letter or digit"),
)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = ("has(self.clusterResourceId) == has(oldSelf.clusterResourceId) && (!has(self.clusterResourceId) || self.clusterResourceId == oldSelf.clusterResourceId)", "clusterResourceId is immutable: delete the member and join the cluster again"))]
#[x_kube(validation = ("has(self.clusterResourceId) || has(self.provider.simulated)", "RequiredPropertyMissing: clusterResourceId is required"))]
pub struct FleetMemberSpec {
    /// The one update group, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        length(min = 1, max = 50),
        regex(pattern = r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$")
    )]
    pub group: Option<String>,
    /// Region, as the provider names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 100))]
    pub region: Option<String>,
    /// Identity of the cluster; may be left out for simulated members (then `/simulated/NAME`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 1024))]
    pub cluster_resource_id: Option<String>,
    /// How a run acts on the cluster: exactly one key.
    pub provider: Provider,
}

/// How a run acts on a cluster: exactly one key.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = ("has(self.simulated)", "provider needs exactly one key: simulated"))]
pub struct Provider {
    /// A made-up cluster whose upgrade the simulator plays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulated: Option<Simulated>,
}

/// Script of a simulated cluster.
#[derive(KubeSchema, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Simulated {
    /// Version of the control plane where it begins, `X.Y.Z`.
    #[schemars(length(max = 32), regex(pattern = r"^v?[0-9]+\.[0-9]+(\.[0-9]+)?$"))]
    pub kubernetes_version: String,
    /// Node pools where it begins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub node_pools: Vec<NodePool>,
    /// How long an upgrade takes, for example `90s`, `10m`, `1h30m`.
    #[serde(default = "Simulated::default_duration")]
    #[schemars(length(max = 32), regex(pattern = r"^([0-9]+(h|m|s|ms))+$"))]
    pub upgrade_duration: String,
    /// How an upgrade ends.
    #[serde(default)]
    pub outcome: Outcome,
    /// `FailFirst`: how many attempts fail before one succeeds.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1000))]
    pub failures: i32,
    /// Text of the failure.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 1024))]
    pub failure_message: String,
    /// `Stopped` clusters fail their upgrade at once.
    #[serde(default)]
    pub power_state: PowerState,
    /// Whether another operation is in progress on the cluster.
    #[serde(default)]
    pub busy: bool,
    /// Whether the cluster answers.
    #[serde(default = "default_true")]
    pub reachable: bool,
}

fn default_true() -> bool {
    true
}

impl Simulated {
    fn default_duration() -> String {
        "10m".to_owned()
    }
}

impl Default for Simulated {
    fn default() -> Self {
        Self {
            kubernetes_version: String::new(),
            node_pools: Vec::new(),
            upgrade_duration: Self::default_duration(),
            outcome: Outcome::default(),
            failures: 0,
            failure_message: String::new(),
            power_state: PowerState::default(),
            busy: false,
            reachable: true,
        }
    }
}

/// How a simulated upgrade ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Outcome {
    /// It works.
    #[default]
    Succeed,
    /// Every attempt fails.
    Fail,
    /// The first `failures` attempts fail.
    FailFirst,
    /// It never ends.
    Hang,
}

/// Whether the cluster is switched on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum PowerState {
    /// On.
    #[default]
    Running,
    /// Off.
    Stopped,
}

/// A node pool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodePool {
    /// Unique in the cluster.
    #[schemars(length(min = 1, max = 63))]
    pub name: String,
    /// Number of nodes.
    #[serde(default)]
    #[schemars(range(min = 0, max = 10000))]
    pub count: i32,
    /// Kubernetes version of the nodes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 32))]
    pub kubernetes_version: String,
    /// `FAMILY-VERSION`, for example `AKSUbuntu-2204gen2containerd-202507.06.0`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 253))]
    pub node_image: String,
}

/// What was observed of the cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FleetMemberStatus {
    /// Generation that this status speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// In one word: `Ready`, `Upgrading`, `Stopped`, `Busy`, `Unreachable`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub state: String,
    /// Version of the control plane.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kubernetes_version: String,
    /// Node pools with their versions and images.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub node_pools: Vec<NodePool>,
    /// Pools and nodes in a few words, for the printer column.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pool_summary: String,
    /// The upgrade in progress; absent when idle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<Operation>,
    /// The upgrade that ended last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_operation: Option<LastOperation>,
    /// Upgrades begun on this cluster since it joined, by any run.
    #[serde(default)]
    pub operation_count: i64,
    /// `Joined`, `Reachable`; `Labeled` where a service-defined label had to be left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Vec<Condition>,
}

/// An upgrade in progress on a cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    /// Names the attempt; beginning the same id twice is one upgrade.
    pub id: String,
    /// Run on whose behalf it goes on.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub run: String,
    /// When it began.
    pub start_time: Time,
    /// Control plane target, absent when only node images change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kubernetes_version: Option<String>,
    /// Pools to bring to a version or an image; others are left alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pools: Vec<PoolTarget>,
}

/// What a pool is brought to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PoolTarget {
    /// Name of the pool.
    pub name: String,
    /// Kubernetes version, absent when it stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kubernetes_version: Option<String>,
    /// Node image, absent when it stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_image: Option<String>,
}

/// An upgrade that has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LastOperation {
    /// Names the attempt.
    pub id: String,
    /// Run on whose behalf it was.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub run: String,
    /// How it ended.
    pub outcome: OperationOutcome,
    /// When it ended.
    pub completed_time: Time,
    /// What went wrong, for `Failed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorDetail>,
}

/// How an operation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum OperationOutcome {
    /// The cluster is at its target.
    Succeeded,
    /// It is not.
    Failed,
}
