//! Skips: what can be skipped, what a skip would do, and doing it (update-runs §10.5).

use std::fmt;
use std::str::FromStr;

use super::counts;
use super::gate;
use super::gates::{self, Place};
use super::operation::{self, Verb};
use super::pass::Pass;
use super::refusal::{Refusal, code};
use super::tree::{self, GroupNode, MemberNode, StageNode, Tree};
use super::wait;
use super::world::World;
use crate::api::{Counts, GateEntry, GroupStatus, StageStatus, State, Timing};

/// Something that can be skipped.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// One member.
    Member(String),
    /// A group with its members and gates.
    Group(String),
    /// A stage with its groups, gates and wait.
    Stage(String),
    /// The wait after the stage of that name.
    AfterStageWait(String),
}

impl FromStr for Target {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let invalid = || {
            Refusal::new(
                code::INVALID_TARGET,
                format!("\"{text}\" is no skip target"),
            )
            .hint("write Member:NAME, Group:NAME, Stage:NAME or AfterStageWait:STAGE")
        };
        let (kind, name) = text.split_once(':').ok_or_else(invalid)?;
        if name.is_empty() || name.contains(':') {
            return Err(invalid());
        }
        let name = name.to_owned();
        match kind {
            "Member" => Ok(Target::Member(name)),
            "Group" => Ok(Target::Group(name)),
            "Stage" => Ok(Target::Stage(name)),
            "AfterStageWait" => Ok(Target::AfterStageWait(name)),
            _ => Err(invalid()),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Member(name) => write!(f, "Member:{name}"),
            Target::Group(name) => write!(f, "Group:{name}"),
            Target::Stage(name) => write!(f, "Stage:{name}"),
            Target::AfterStageWait(name) => write!(f, "AfterStageWait:{name}"),
        }
    }
}

/// What a skip does, for whoever confirms it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkipEffect {
    /// Members that become Skipped, in the order of the tree.
    pub members: Vec<String>,
    /// Members in flight that are left to finish.
    pub in_flight: Vec<String>,
    /// Members that stay as they are: Completed or Skipped.
    pub untouched: Vec<String>,
    /// Gates that become Skipped, as `before group g: Approve` and the like.
    pub gates: Vec<String>,
    /// Stages whose wait becomes Skipped.
    pub waits: Vec<String>,
    /// How far the number of failures falls.
    pub failures_forgiven: i32,
}

/// What skipping these targets together would do; a refusal when they cannot be skipped.
pub fn check(world: &World<'_>, targets: &[Target]) -> Result<SkipEffect, Refusal> {
    operation::allowed(world.run, Verb::Skip)?;
    let mut status = world.run.status.clone().unwrap_or_default();
    let tree = Tree::take(&mut status, world.updates);
    let tree = tree.ok_or_else(|| {
        let name = world.run.metadata.name.as_deref().unwrap_or_default();
        let message = format!("run {name} has no stages and members yet");
        Refusal::new(code::INVALID_OPERATION, message).hint("try again in a moment")
    })?;
    judge(&tree, targets)?;
    Ok(effect(&tree, targets))
}

/// Whether the targets can be skipped together in this tree.
pub(super) fn judge(tree: &Tree<'_>, targets: &[Target]) -> Result<(), Refusal> {
    for target in targets {
        let found = match target {
            Target::Member(name) => {
                let member = tree.members().find(|member| member.spec.member == *name);
                if let Some(refusal) = member.and_then(|m| member_refusal(name, m.state())) {
                    return Err(refusal);
                }
                member.is_some()
            }
            Target::Group(name) => tree.groups().any(|group| group.status.name == *name),
            Target::Stage(name) => tree.stages.iter().any(|stage| stage.status.name == *name),
            Target::AfterStageWait(name) => {
                let stage = tree.stages.iter().find(|stage| stage.status.name == *name);
                let over = |s: &StageNode<'_>| s.status.after_stage_wait.state == State::Completed;
                if stage.is_some_and(over) {
                    let message = format!("cannot skip the wait after stage {name}: it is over");
                    return Err(Refusal::new(code::TARGET_FINISHED, message));
                }
                stage.is_some()
            }
        };
        if !found {
            let message = format!("cannot skip {target}: the run has no such thing");
            return Err(Refusal::new(code::TARGET_NOT_FOUND, message)
                .hint("names are those of the run's own tree"));
        }
    }
    Ok(())
}

/// Why a member in that state cannot be skipped; `None` where it can.
pub fn member_refusal(name: &str, state: State) -> Option<Refusal> {
    match state {
        State::Running | State::Stopping => Some(
            Refusal::new(
                code::TARGET_IN_PROGRESS,
                format!("cannot skip member {name}: its upgrade is in flight"),
            )
            .hint("an upgrade cannot be aborted; wait for its end"),
        ),
        State::Completed => Some(Refusal::new(
            code::TARGET_FINISHED,
            format!("cannot skip member {name}: it is upgraded"),
        )),
        _ => None,
    }
}

/// Skips targets that were judged; `by` says on whose request.
pub(super) fn apply(pass: &mut Pass<'_>, tree: &mut Tree<'_>, targets: &[Target], by: &str) {
    for target in targets {
        for stage in &mut tree.stages {
            let name = stage.status.name.clone();
            let whole = *target == Target::Stage(name.clone());
            for group in &mut stage.groups {
                let this = matches!(target, Target::Group(g) if *g == group.status.name);
                match target {
                    Target::Member(member) => skip_member(pass, &name, group, member, by),
                    _ if whole || this => skip_group(pass, &name, group, by),
                    _ => {}
                }
            }
            match target {
                _ if whole => stage_gates_and_wait(pass, stage),
                Target::AfterStageWait(of) if *of == name => {
                    wait::skip(pass, &mut stage.status.after_stage_wait);
                }
                _ => {}
            }
        }
    }
}

fn skip_member(pass: &mut Pass<'_>, stage: &str, group: &mut GroupNode<'_>, name: &str, by: &str) {
    let GroupNode { members, live, .. } = group;
    let Some(member) = members.iter_mut().find(|member| member.spec.member == name) else {
        return;
    };
    request(pass, live, member, by);
    if counts::all_skipped(&group.live) {
        close(pass, stage, group);
    }
}

fn skip_group(pass: &mut Pass<'_>, stage: &str, group: &mut GroupNode<'_>, by: &str) {
    let GroupNode { members, live, .. } = group;
    for member in members {
        request(pass, live, member, by);
    }
    skip_gates(pass, stage, group);
    if tree::is_terminal(group.status.state) || group.live.running > 0 {
        return;
    }
    if counts::all_skipped(&group.live) {
        close(pass, stage, group);
    } else {
        group.status.error = None;
        group.end(pass, State::Completed);
    }
}

fn request(pass: &mut Pass<'_>, live: &mut Counts, member: &mut MemberNode<'_>, by: &str) {
    let skippable = matches!(
        member.state(),
        State::NotStarted | State::Pending | State::Stopped | State::Failed
    );
    if !skippable {
        return;
    }
    let now = pass.time();
    let status = member.enter(pass, live, State::Skipped);
    status.completed_time = now;
    status.message = format!("Skipped on request{by}");
    status.error = None;
    status.waiting_for = Vec::new();
}

/// Whether a skip of a group or stage in that state, with these members, would change anything.
pub fn has_something_left(state: State, counts: &Counts) -> bool {
    !tree::is_terminal(state) || counts.failed > 0
}

/// Brings groups to where their members show that they are: a crash may have kept the run's status
/// from being written after the members'.
pub(super) fn recover(pass: &mut Pass<'_>, tree: &mut Tree<'_>) {
    for stage in &mut tree.stages {
        if tree::is_terminal(stage.status.state) {
            continue;
        }
        for group in &mut stage.groups {
            group.recover();
            if counts::all_skipped(&group.live) {
                close(pass, &stage.status.name, group);
            }
        }
        if stage.status.start_time.is_none() {
            let begun = stage
                .groups
                .iter()
                .filter_map(|g| g.status.start_time.as_ref());
            stage.status.start_time = begun.min_by_key(|time| time.0).cloned();
        }
    }
}

/// Ends a group whose members all are Skipped, with its gates.
pub(super) fn close(pass: &mut Pass<'_>, stage: &str, group: &mut GroupNode<'_>) {
    if tree::is_terminal(group.status.state) {
        return;
    }
    skip_gates(pass, stage, group);
    group.status.error = None;
    group.end(pass, State::Skipped);
}

fn skip_gates(pass: &mut Pass<'_>, stage: &str, group: &mut GroupNode<'_>) {
    let GroupStatus {
        name,
        before_gates,
        after_gates,
        ..
    } = &mut group.status;
    for (entries, timing) in [(before_gates, Timing::Before), (after_gates, Timing::After)] {
        let place = Place {
            stage,
            group: Some(name),
            timing,
        };
        gates::skip(pass, entries, place);
    }
}

/// Skips a stage's own gates and its wait.
pub(super) fn stage_gates_and_wait(pass: &mut Pass<'_>, stage: &mut StageNode<'_>) {
    let StageStatus {
        name,
        before_gates,
        after_gates,
        ..
    } = &mut stage.status;
    for (entries, timing) in [(before_gates, Timing::Before), (after_gates, Timing::After)] {
        let place = Place {
            stage: name,
            group: None,
            timing,
        };
        gates::skip(pass, entries, place);
    }
    wait::skip(pass, &mut stage.status.after_stage_wait);
}

fn effect(tree: &Tree<'_>, targets: &[Target]) -> SkipEffect {
    let mut effect = SkipEffect::default();
    for stage in &tree.stages {
        let name = &stage.status.name;
        let whole = targets.contains(&Target::Stage(name.clone()));
        if whole {
            let status = &stage.status;
            effect
                .gates
                .extend(titles(&status.before_gates, name, None, Timing::Before));
            effect
                .gates
                .extend(titles(&status.after_gates, name, None, Timing::After));
        }
        if whole || targets.contains(&Target::AfterStageWait(name.clone())) {
            effect
                .waits
                .extend((!wait::is_over(&stage.status.after_stage_wait)).then(|| name.clone()));
        }
        for group in &stage.groups {
            effect.add_group(name, group, whole, targets);
        }
    }
    effect
}

impl SkipEffect {
    fn add_group(&mut self, stage: &str, group: &GroupNode<'_>, whole: bool, targets: &[Target]) {
        let status = &group.status;
        let this = whole || targets.contains(&Target::Group(status.name.clone()));
        let mut skipped = group.live.skipped;
        let mut named = false;
        for member in &group.members {
            let name = &member.spec.member;
            if !this && !targets.contains(&Target::Member(name.clone())) {
                continue;
            }
            named = true;
            match member.state() {
                State::Running | State::Stopping => self.in_flight.push(name.clone()),
                State::Completed | State::Skipped => self.untouched.push(name.clone()),
                state => {
                    self.failures_forgiven += i32::from(state == State::Failed);
                    self.members.push(name.clone());
                    skipped += 1;
                }
            }
        }
        if this || (named && skipped == group.live.total) {
            let name = Some(status.name.as_str());
            self.gates
                .extend(titles(&status.before_gates, stage, name, Timing::Before));
            self.gates
                .extend(titles(&status.after_gates, stage, name, Timing::After));
        }
    }
}

fn titles(entries: &[GateEntry], stage: &str, group: Option<&str>, timing: Timing) -> Vec<String> {
    let place = gate::place(stage, group, timing);
    entries
        .iter()
        .filter(|entry| matches!(entry.state, State::NotStarted | State::Pending))
        .map(|entry| match &entry.display_name {
            Some(name) => format!("{place}: {name}"),
            None => place.clone(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets() {
        for text in ["Member:m1", "Group:g", "Stage:s", "AfterStageWait:s"] {
            assert_eq!(text.parse::<Target>().unwrap().to_string(), text);
        }
        for text in [
            "m1",
            "Member:",
            ":m1",
            "member:m1",
            "Member:a:b",
            "Gate:g",
            "Member",
            "",
        ] {
            assert_eq!(
                text.parse::<Target>().unwrap_err().code,
                code::INVALID_TARGET,
                "{text}"
            );
        }
    }
}
