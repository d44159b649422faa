//! Member updates that somebody deleted by hand are made again. Who was in a group is told by the
//! frozen strategy, how far they were by the members themselves.

use std::collections::BTreeSet;

use super::blueprint;
use super::fact::{Fact, Subject};
use super::identity;
use super::initialize;
use super::membership;
use super::outcome;
use super::pass::Pass;
use super::skip::Target;
use super::tree::{GroupNode, Tree};
use crate::api::{
    FleetMember, MemberUpdateSpec, MemberUpdateStatus, OperationOutcome, RequestAction, State,
    UpdateRunStatus,
};

/// More attempts than any member of a run has.
const ATTEMPTS: i32 = 200;

/// What to make again.
#[derive(Default)]
pub(super) struct Restored {
    pub create: Vec<MemberUpdateSpec>,
    /// By member name.
    pub updates: Vec<(String, MemberUpdateStatus)>,
}

/// What is missing in groups that have not ended, as far as it can be told. What cannot (its member
/// has left the fleet or the group as well) is given up: the run goes on without it.
pub(super) fn missing(pass: &mut Pass<'_>, status: &UpdateRunStatus, tree: &Tree<'_>) -> Restored {
    let mut restored = Restored::default();
    if tree.missing() == 0 {
        return restored;
    }
    let known: BTreeSet<&str> = tree.members().map(|m| m.spec.member.as_str()).collect();
    let made = status.start_time.as_ref().map(|time| time.0);
    let mut members = blueprint::present_members(pass.fleet);
    // A member that joined after the start is in no run that was there before.
    members.retain(|member| {
        let joined = member.metadata.creation_timestamp.as_ref().map(|t| t.0);
        !known.contains(name(member)) && joined.is_none_or(|at| made.is_none_or(|made| at <= made))
    });
    let spec = &pass.run.spec;
    let everyone = spec.strategy.is_none() && spec.strategy_name.is_none();
    let placed = membership::resolve(&tree.strategy.stages, &members, everyone)
        .map(|membership| membership.placed)
        .unwrap_or_default();
    for (stage, placed) in tree.stages.iter().zip(placed) {
        for (group, candidates) in stage.groups.iter().zip(placed) {
            let missing = usize::try_from(group.missing()).unwrap_or_default();
            // More candidates than are missing: nobody can tell who of them it was.
            if missing == 0 || candidates.len() > missing {
                continue;
            }
            let stage = stage.status.name.as_str();
            let free = positions(group);
            for (member, position) in candidates.iter().zip(free) {
                let group = group.status.name.as_str();
                let spec = initialize::member_spec(pass.run_name, stage, group, member, position);
                let found = found(pass, status, member, &spec);
                restored.updates.push((spec.member.clone(), found));
                restored.create.push(spec);
            }
        }
    }
    for spec in &restored.create {
        let note = format!("MemberUpdate of {} was gone; it is made again", spec.member);
        pass.facts
            .push(Fact::warning(Subject::Run, "MemberUpdateRestored", note));
    }
    if restored.create.is_empty() {
        let note = format!(
            "{} MemberUpdate objects are gone, and whose they were cannot be told; the run goes on without them",
            tree.missing()
        );
        pass.facts
            .push(Fact::warning(Subject::Run, "MemberUpdatesLost", note));
    }
    restored
}

fn name(member: &FleetMember) -> &str {
    member.metadata.name.as_deref().unwrap_or_default()
}

/// Places in the group's order that nobody has.
fn positions(group: &GroupNode<'_>) -> impl Iterator<Item = usize> + use<> {
    let taken: BTreeSet<i32> = group.members.iter().map(|m| m.spec.position).collect();
    (0..).filter(move |place| i32::try_from(*place).is_ok_and(|place| !taken.contains(&place)))
}

/// How far the member was: in flight or just ended as its own operation tells, skipped as was
/// accepted, else not begun.
fn found(
    pass: &Pass<'_>,
    status: &UpdateRunStatus,
    member: &FleetMember,
    spec: &MemberUpdateSpec,
) -> MemberUpdateStatus {
    let own = member.status.as_ref();
    let current = own.and_then(|status| status.operation.as_ref());
    let last = own.and_then(|status| status.last_operation.as_ref());
    let attempt = |id: &str| {
        (1..=ATTEMPTS).find(|n| identity::operation(pass.run_uid, &spec.member, *n) == id)
    };
    if let Some((operation, attempt)) = current.and_then(|op| Some((op, attempt(&op.id)?))) {
        return MemberUpdateStatus {
            state: State::Running,
            attempt,
            operation_id: Some(operation.id.clone()),
            start_time: Some(operation.start_time.clone()),
            ..MemberUpdateStatus::default()
        };
    }
    if let Some((last, attempt)) = last.and_then(|last| Some((last, attempt(&last.id)?))) {
        let failed = last.outcome == OperationOutcome::Failed;
        let error = failed.then(|| outcome::told(last, spec));
        return MemberUpdateStatus {
            state: if failed {
                State::Failed
            } else {
                State::Completed
            },
            attempt,
            operation_id: Some(last.id.clone()),
            start_time: Some(last.completed_time.clone()),
            completed_time: Some(last.completed_time.clone()),
            message: error
                .as_ref()
                .map(|e| e.message.clone())
                .unwrap_or_default(),
            error,
            ..MemberUpdateStatus::default()
        };
    }
    if skipped(pass, status, spec) {
        return MemberUpdateStatus {
            state: State::Skipped,
            completed_time: pass.time(),
            message: "Skipped on request".to_owned(),
            ..MemberUpdateStatus::default()
        };
    }
    MemberUpdateStatus::default()
}

/// Whether a request that was accepted skips the member.
fn skipped(pass: &Pass<'_>, status: &UpdateRunStatus, spec: &MemberUpdateSpec) -> bool {
    let accepted: BTreeSet<&str> = status
        .requests
        .iter()
        .filter(|answer| answer.accepted && answer.action == RequestAction::Skip)
        .map(|answer| answer.id.as_str())
        .collect();
    let targets = pass
        .run
        .spec
        .skips
        .iter()
        .filter(|skip| accepted.contains(skip.id.as_str()))
        .flat_map(|skip| &skip.targets);
    targets
        .filter_map(|target| target.parse::<Target>().ok())
        .any(|target| match target {
            Target::Member(name) => name == spec.member,
            Target::Group(name) => name == spec.group,
            Target::Stage(name) => name == spec.stage,
            Target::AfterStageWait(_) => false,
        })
}
