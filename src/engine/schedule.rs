//! The scheduling pass (update-runs §6.2).

use super::aim::Aim;
use super::counts;
use super::explain;
use super::gates::{self, Place};
use super::halt;
use super::identity;
use super::order::Candidates;
use super::outcome;
use super::pass::Pass;
use super::skip;
use super::tree::{self, GroupNode, MemberNode, StageNode, Tree};
use super::turn::{self, Turn};
use super::wait;
use crate::api::{Counts, FrozenStrategy, State, Timing, UpdateRunStatus};

/// How a pass ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The run goes on or waits.
    Goes,
    /// A tolerance is exceeded.
    Halted,
    /// All stages are done.
    Done,
}

enum Step {
    Next,
    Goes,
    Halted,
}

/// One pass over an active run.
pub(super) fn pass(
    pass: &mut Pass<'_>,
    status: &mut UpdateRunStatus,
    tree: &mut Tree<'_>,
    aim: &Aim<'_>,
) -> End {
    let strategy = std::mem::take(&mut tree.strategy);
    let end = loop {
        let Some((index, stage)) = tree.current() else {
            break End::Done;
        };
        match stage_step(pass, &strategy, index, stage, aim) {
            Step::Next => {}
            Step::Goes => break End::Goes,
            Step::Halted => break End::Halted,
        }
    };
    tree.strategy = strategy;
    if end == End::Done {
        let any = tree
            .stages
            .iter()
            .any(|stage| stage.status.state == State::Completed);
        status.state = if any {
            State::Completed
        } else {
            State::Skipped
        };
        status.completed_time = pass.time();
    }
    end
}

/// Ends stages whose end was decided already, as a later stage shows, but not written: so that a
/// request that came since finds the run where it is.
pub(super) fn catch_up(pass: &mut Pass<'_>, tree: &mut Tree<'_>, aim: &Aim<'_>) {
    let strategy = std::mem::take(&mut tree.strategy);
    while let Some(current) = tree.current().map(|(index, _)| index) {
        let mut later = tree.stages.iter().skip(current.saturating_add(1));
        if !later.any(StageNode::reached) {
            break;
        }
        let Some((index, stage)) = tree.current() else {
            break;
        };
        // Only what is over is ended here: nothing is begun before the requests are answered.
        if !counts::all_terminal(&stage.live()) {
            break;
        }
        if !matches!(stage_step(pass, &strategy, index, stage, aim), Step::Next) {
            break;
        }
    }
    tree.strategy = strategy;
}

fn stage_step(
    pass: &mut Pass<'_>,
    strategy: &FrozenStrategy,
    index: usize,
    stage: &mut StageNode<'_>,
    aim: &Aim<'_>,
) -> Step {
    let (before, after) = tree::configs(strategy, index, None);
    let name = stage.status.name.clone();
    let place = |timing| Place {
        stage: &name,
        group: None,
        timing,
    };
    if skipped_whole(pass, stage) {
        return Step::Next;
    }
    if !gates::open(
        pass,
        &mut stage.status.before_gates,
        before,
        place(Timing::Before),
    ) {
        return Step::Goes;
    }
    if stage.status.start_time.is_none() {
        stage.status.start_time = pass.time();
    }
    if halt::exceeded(stage) {
        return Step::Halted;
    }
    for group in &mut stage.groups {
        open_group(pass, strategy, index, &name, group);
    }
    if !start_members(pass, stage, aim) {
        return Step::Halted;
    }
    for group in &mut stage.groups {
        close_group(pass, strategy, index, &name, group);
    }
    if !stage
        .groups
        .iter()
        .all(|group| tree::is_terminal(group.status.state))
    {
        return Step::Goes;
    }
    if skipped_whole(pass, stage) {
        return Step::Next;
    }
    // Gates and wait begin at the same instant, so both are looked at before either decides.
    let passed = gates::open(
        pass,
        &mut stage.status.after_gates,
        after,
        place(Timing::After),
    );
    let waited = wait::advance(pass, &mut stage.status.after_stage_wait);
    if !(passed && waited) {
        return Step::Goes;
    }
    stage.status.state = State::Completed;
    stage.status.completed_time = pass.time();
    Step::Next
}

// A stage whose groups all are Skipped is Skipped itself, with its gates and its wait.
fn skipped_whole(pass: &mut Pass<'_>, stage: &mut StageNode<'_>) -> bool {
    if !stage
        .groups
        .iter()
        .all(|group| group.status.state == State::Skipped)
    {
        return false;
    }
    skip::stage_gates_and_wait(pass, stage);
    stage.status.state = State::Skipped;
    stage.status.completed_time = pass.time();
    true
}

fn open_group(
    pass: &mut Pass<'_>,
    strategy: &FrozenStrategy,
    index: usize,
    stage: &str,
    group: &mut GroupNode<'_>,
) {
    if tree::is_terminal(group.status.state) {
        return;
    }
    let name = group.status.name.clone();
    let (before, _) = tree::configs(strategy, index, Some(&name));
    let place = Place {
        stage,
        group: Some(&name),
        timing: Timing::Before,
    };
    gates::open(pass, &mut group.status.before_gates, before, place);
}

fn close_group(
    pass: &mut Pass<'_>,
    strategy: &FrozenStrategy,
    index: usize,
    stage: &str,
    group: &mut GroupNode<'_>,
) {
    if tree::is_terminal(group.status.state) || !counts::all_terminal(&group.live) {
        return;
    }
    if counts::all_skipped(&group.live) {
        skip::close(pass, stage, group);
        return;
    }
    let name = group.status.name.clone();
    let (_, after) = tree::configs(strategy, index, Some(&name));
    let place = Place {
        stage,
        group: Some(&name),
        timing: Timing::After,
    };
    if gates::open(pass, &mut group.status.after_gates, after, place) {
        group.end(pass, State::Completed);
    }
}

// False when a failure on the spot exceeds a tolerance: nothing more is looked at then.
fn start_members(pass: &mut Pass<'_>, stage: &mut StageNode<'_>, aim: &Aim<'_>) -> bool {
    let stage_name = stage.status.name.clone();
    let ceiling = stage.status.max_concurrency;
    let mut in_flight = stage.live().running;
    let mut failed = stage.live().failed;
    let mut queues: Vec<_> = stage
        .groups
        .iter_mut()
        .filter(|group| {
            !tree::is_terminal(group.status.state) && !gates::left(&group.status.before_gates)
        })
        .map(|group| {
            let candidates = Candidates::of(group);
            (group, candidates)
        })
        .collect();
    while in_flight < ceiling {
        let best = queues
            .iter_mut()
            .filter(|(group, candidates)| {
                let free = group.live.running < group.status.max_concurrency;
                free && candidates.any()
            })
            .min_by_key(|(group, _)| group.live.running);
        let Some((group, candidates)) = best else {
            return true;
        };
        let Some(place) = candidates.next(pass, group, aim.type_) else {
            continue;
        };
        if group.status.start_time.is_none() {
            group.status.start_time = pass.time();
        }
        let before = group.live;
        let GroupNode { members, live, .. } = &mut **group;
        if let Some(member) = members.get_mut(place) {
            take_turn(pass, &stage_name, live, member, aim);
        }
        in_flight += group.live.running - before.running;
        failed += group.live.failed - before.failed;
        let group_over = group.live.failed > group.status.max_allowed_failures;
        if group_over || failed > stage.status.max_allowed_failures {
            return false;
        }
    }
    true
}

fn take_turn(
    pass: &mut Pass<'_>,
    stage: &str,
    live: &mut Counts,
    member: &mut MemberNode<'_>,
    aim: &Aim<'_>,
) {
    let now = pass.time();
    let start = member.status().start_time.clone().or_else(|| now.clone());
    match turn::evaluate(aim, &member.spec, pass.fleet, pass.now) {
        Turn::Skip(_, message) => {
            let status = member.enter(pass, live, State::Skipped);
            status.start_time = start;
            status.completed_time = now;
            status.message = message;
            status.error = None;
            status.waiting_for = Vec::new();
        }
        Turn::Wait(code, message, until) => {
            if let Some(until) = until {
                pass.wake_at(until);
            }
            let error = outcome::error(code, message.clone(), &member.spec);
            let entry = explain::pending(stage, &member.spec, code, &message, start.clone(), until);
            let status = member.enter(pass, live, State::Pending);
            status.start_time = start;
            status.message = message;
            status.error = Some(error);
            status.waiting_for = vec![entry];
        }
        Turn::Fail(code, message) => {
            let error = outcome::error(code, message, &member.spec);
            outcome::fail(pass, live, member, error, now).start_time = start;
        }
        Turn::Go(work) => go(pass, live, member, aim, work.left_alone),
    }
}

fn go(
    pass: &mut Pass<'_>,
    live: &mut Counts,
    member: &mut MemberNode<'_>,
    aim: &Aim<'_>,
    left_alone: Vec<String>,
) {
    let now = pass.time();
    let Some(cluster) = pass.fleet.member(&member.spec.member) else {
        return;
    };
    let attempt = member.status().attempt.saturating_add(1);
    let id = identity::operation(pass.run_uid, &member.spec.member, attempt);
    let from = cluster
        .status
        .as_ref()
        .map(|status| status.kubernetes_version.clone());
    let status = member.enter(pass, live, State::Running);
    status.start_time = status.start_time.take().or_else(|| now.clone());
    status.completed_time = None;
    status.attempt = attempt;
    status.operation_id = Some(id.clone());
    status.from_version = status.from_version.take().or(from);
    status.error = None;
    status.waiting_for = Vec::new();
    status.message = match left_alone.is_empty() {
        true => String::new(),
        false => format!(
            "Left alone, at the target or not in this run: pool {}",
            left_alone.join(", ")
        ),
    };
    let begin = outcome::begin(pass, aim, &member.spec, &cluster, id, now);
    pass.begins.push(begin);
}
