//! Going on after Stopped or Failed (update-runs §10.4).

use super::pass::Pass;
use super::tolerance;
use super::tree::{GroupNode, MemberNode, Tree};
use super::wait;
use crate::api::{Counts, State, UpdateRunStatus};

/// Resets what is to be retried and reopens what was halted. What it goes by is what was *recorded*
/// when the run halted: the members may be reset already by a decision that was cut short.
pub(super) fn apply(pass: &mut Pass<'_>, status: &mut UpdateRunStatus, tree: &mut Tree<'_>) {
    status.state = State::Running;
    status.completed_time = None;
    status.error = None;
    let Some((_, stage)) = tree.current() else {
        return;
    };
    let stage_exceeded = tolerance::exceeded(
        stage.status.failure_count,
        stage.status.max_allowed_failures,
    );
    for group in &mut stage.groups {
        let reopened = match group.status.state {
            State::Failed | State::Stopped => true,
            // Tolerated failures of a finished group are a closed decision, unless the stage could
            // never leave Failed because of them.
            State::Completed => stage_exceeded && group.status.failure_count > 0,
            _ => false,
        };
        if reopened {
            reopen(pass, group);
        }
    }
    wait::resume(&mut stage.status.after_stage_wait);
    stage.status.state = State::Running;
    stage.status.completed_time = None;
    stage.status.error = None;
}

fn reopen(pass: &mut Pass<'_>, group: &mut GroupNode<'_>) {
    group.status.state = State::Running;
    group.status.completed_time = None;
    group.status.error = None;
    for member in &mut group.members {
        if matches!(member.state(), State::Failed | State::Stopped) {
            reset(pass, &mut group.live, member);
        }
    }
}

fn reset(pass: &mut Pass<'_>, live: &mut Counts, member: &mut MemberNode<'_>) {
    let status = member.enter(pass, live, State::NotStarted);
    status.start_time = None;
    status.completed_time = None;
    status.message = String::new();
    status.error = None;
    status.waiting_for = Vec::new();
}

/// A start, stop or resume that was cut short before the run's status was written, and withdrawn
/// before it could be repeated: nothing of it was issued, so its members are as if it had never been.
pub(super) fn rewind(pass: &mut Pass<'_>, status: &UpdateRunStatus, tree: &mut Tree<'_>) {
    if matches!(status.state, State::Running | State::Pending) {
        return unhalt(pass, tree);
    }
    let never_started = status.state == State::NotStarted;
    let settled = matches!(status.state, State::Stopped | State::Failed);
    if !never_started && !settled {
        return;
    }
    let current = tree.current().map(|(index, _)| index);
    for (index, stage) in tree.stages.iter_mut().enumerate() {
        // Of a stage that was not reached, no member's turn can have come.
        let untouched = never_started || current.is_some_and(|current| index > current);
        for group in &mut stage.groups {
            if group.live.running == 0 && !untouched {
                continue;
            }
            for member in &mut group.members {
                let ahead = match untouched {
                    true => member.status().start_time.is_some(),
                    false => member.state() == State::Running,
                };
                if ahead {
                    reset(pass, &mut group.live, member);
                    pass.begins
                        .retain(|begin| begin.member != member.spec.member);
                }
            }
        }
    }
}

// A run at work has no stopped members.
fn unhalt(pass: &mut Pass<'_>, tree: &mut Tree<'_>) {
    for group in tree.stages.iter_mut().flat_map(|stage| &mut stage.groups) {
        // Stopped members are counted as pending.
        if group.live.pending == 0 {
            continue;
        }
        for member in &mut group.members {
            if member.state() == State::Stopped {
                reset(pass, &mut group.live, member);
            }
        }
    }
}
