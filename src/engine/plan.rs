//! What a run would be if it were made now: for the preview before a start, and for the tree.

use super::refusal::Refusal;
use super::world::Fleet;
use crate::api::{GateConfig, NodeImageVersion, UpdateRunSpec};

/// A run as it would be made now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Stages in order.
    pub stages: Vec<PlannedStage>,
    /// Members that no group takes; they are not part of the run.
    pub unplaced: Vec<String>,
    /// What somebody should know before the start.
    pub warnings: Vec<String>,
    /// `Consistent` and `Custom`: the images of this run.
    pub selected_images: Vec<NodeImageVersion>,
    /// The resolved version; none for node images.
    pub kubernetes_version: Option<String>,
    /// Members that are at the target now and would be skipped.
    pub at_target: Vec<String>,
}

/// A stage as it would be made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlannedStage {
    /// Name of the stage.
    pub name: String,
    /// Resolved.
    pub max_concurrency: i32,
    /// Resolved.
    pub max_allowed_failures: i32,
    /// How percentages became numbers; empty where there was nothing to round.
    pub rounding: String,
    /// Number of members of all its groups.
    pub members: usize,
    /// Groups in order.
    pub groups: Vec<PlannedGroup>,
    /// In order.
    pub before_gates: Vec<GateConfig>,
    /// In order.
    pub after_gates: Vec<GateConfig>,
    /// Soak after the stage in seconds.
    pub wait_seconds: i32,
}

/// A group as it would be made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlannedGroup {
    /// Name of the group.
    pub name: String,
    /// Its members, by name.
    pub members: Vec<String>,
    /// Resolved.
    pub max_concurrency: i32,
    /// Resolved.
    pub max_allowed_failures: i32,
    /// How percentages became numbers; empty where there was nothing to round.
    pub rounding: String,
    /// Which members it takes, in words.
    pub rule: String,
    /// In order.
    pub before_gates: Vec<GateConfig>,
    /// In order.
    pub after_gates: Vec<GateConfig>,
}

/// The run that this spec would make on this fleet now.
pub fn plan(spec: &UpdateRunSpec, fleet: &dyn Fleet) -> Result<Plan, Vec<Refusal>> {
    let _ = (spec, fleet);
    Ok(Plan::default())
}
