//! What a run would be if it were made now: for the preview before a start, and for the tree.

use std::sync::Arc;

use super::aim::Aim;
use super::blueprint::{self, BlueGroup, BlueStage};
use super::findings::{self, Finding, Other};
use super::limits::Resolved;
use super::membership::{self, Shape};
use super::refusal::Refusal;
use super::tolerance;
use super::world::Fleet;
use crate::api::{FleetMember, GateConfig, NodeImageVersion, Stage, UpdateRunSpec};

/// A run as it would be made now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Stages in order.
    pub stages: Vec<PlannedStage>,
    /// Members that no group takes; they are not part of the run.
    pub unplaced: Vec<String>,
    /// What somebody should know before the start.
    pub warnings: Vec<Finding>,
    /// `Consistent` and `Custom`: the images of this run.
    pub selected_images: Vec<NodeImageVersion>,
    /// The resolved version; none for node images.
    pub kubernetes_version: Option<String>,
    /// Members that are at the target now and would be skipped.
    pub at_target: Vec<String>,
    /// Members that are newer than the target now and would be skipped.
    pub newer: Vec<String>,
}

impl Plan {
    /// With what is to be said of the runs beside this one, named `run`.
    #[must_use]
    pub fn beside(mut self, run: &str, others: &[Other]) -> Self {
        let groups = self.stages.iter().flat_map(|stage| &stage.groups);
        let skipped = |name: &&str| {
            let is = |list: &[String]| list.iter().any(|other| other == name);
            is(&self.at_target) || is(&self.newer)
        };
        let members = groups.flat_map(|group| &group.members).map(String::as_str);
        let members = members.filter(|name| !skipped(name)).collect();
        let found = findings::shared(run, &members, others);
        self.warnings.extend(found);
        self
    }
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

/// The run that this spec would make on this fleet now, or every reason why it cannot be made.
pub fn plan(spec: &UpdateRunSpec, fleet: &dyn Fleet) -> Result<Plan, Vec<Refusal>> {
    let blueprint = blueprint::make(spec, fleet)?;
    let pinned = &blueprint.pinned;
    let aim = Aim::new(spec, pinned.version, &pinned.images, fleet);
    let members: Vec<_> = blueprint
        .stages
        .iter()
        .flat_map(|stage| &stage.groups)
        .flat_map(|group| group.members.iter().cloned())
        .collect();
    let outlook = findings::outlook(&aim, &members);
    let pairs = || blueprint.strategy.stages.iter().zip(&blueprint.stages);
    Ok(Plan {
        stages: pairs()
            .map(|(written, stage)| planned_stage(written, stage, blueprint.everyone))
            .collect(),
        unplaced: blueprint.unplaced.iter().map(name).collect(),
        warnings: pairs()
            .flat_map(|(written, stage)| warnings(written, stage))
            .map(Finding::plan)
            .chain(outlook.findings)
            .collect(),
        selected_images: pinned.images.clone(),
        kubernetes_version: pinned.version.map(|version| version.to_string()),
        at_target: outlook.at_target,
        newer: outlook.newer,
    })
}

fn planned_stage(written: &Stage, stage: &BlueStage, everyone: bool) -> PlannedStage {
    PlannedStage {
        name: written.name.clone(),
        max_concurrency: stage.concurrency.value,
        max_allowed_failures: stage.tolerance,
        rounding: rounding(
            &stage.concurrency,
            written.max_allowed_failures.as_deref(),
            stage.members,
        ),
        members: stage.members,
        groups: membership::groups(written)
            .iter()
            .zip(&stage.groups)
            .map(|(shape, group)| planned_group(written, shape, group, everyone))
            .collect(),
        before_gates: written.before_gates.clone(),
        after_gates: written.after_gates.clone(),
        wait_seconds: written.after_stage_wait_in_seconds.unwrap_or(0),
    }
}

fn planned_group(
    stage: &Stage,
    shape: &Shape<'_>,
    group: &BlueGroup,
    everyone: bool,
) -> PlannedGroup {
    let tolerance = shape
        .written
        .and_then(|g| g.max_allowed_failures.as_deref());
    PlannedGroup {
        name: group.name.clone(),
        members: group.members.iter().map(name).collect(),
        max_concurrency: group.concurrency.value,
        max_allowed_failures: group.tolerance,
        rounding: rounding(&group.concurrency, tolerance, group.members.len()),
        rule: membership::rule(stage, shape, everyone),
        before_gates: shape.before_gates().to_vec(),
        after_gates: shape.after_gates().to_vec(),
    }
}

fn rounding(concurrency: &Resolved, tolerance: Option<&str>, members: usize) -> String {
    let failures = tolerance::rounding(tolerance, members);
    let mut parts = Vec::new();
    if !concurrency.rounding.is_empty() {
        parts.push(format!("at once {}", concurrency.rounding));
    }
    if let Some(from) = concurrency.capped_from {
        parts.push(format!("at once {from} is capped to {}", concurrency.value));
    }
    if !failures.is_empty() {
        parts.push(format!("failures {failures}"));
    }
    parts.join("; ")
}

fn warnings(written: &Stage, stage: &BlueStage) -> Vec<String> {
    let mut found = Vec::new();
    let name = &written.name;
    let stage_tolerates = tolerance::tolerates(written.max_allowed_failures.as_deref());
    if let Some(from) = stage.concurrency.capped_from {
        let value = stage.concurrency.value;
        found.push(format!(
            "Stage {name} asks for {from} at once and gets {value}"
        ));
    }
    for (shape, group) in membership::groups(written).iter().zip(&stage.groups) {
        let Some(config) = shape.written else {
            continue;
        };
        let group_name = &group.name;
        if group.members.is_empty() {
            found.push(format!(
                "Group {group_name} of stage {name} has no members and will be skipped"
            ));
            continue;
        }
        let group_tolerates = tolerance::tolerates(config.max_allowed_failures.as_deref());
        if stage_tolerates && !group_tolerates {
            found.push(format!(
                "Stage {name} allows failures but group {group_name} does not: its first failure stops the run; set maxAllowedFailures on both to tolerate any"
            ));
        }
        if group_tolerates && !stage_tolerates {
            found.push(format!(
                "Group {group_name} allows failures but stage {name} does not: the first failure stops the run; set maxAllowedFailures on both to tolerate any"
            ));
        }
        if let Some(from) = group.concurrency.capped_from {
            let value = group.concurrency.value;
            found.push(format!(
                "Group {group_name} of stage {name} asks for {from} at once and gets {value}: no more than its stage allows or it has members"
            ));
        }
    }
    found
}

fn name(member: &Arc<FleetMember>) -> String {
    member.metadata.name.clone().unwrap_or_default()
}
