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

/// A run at work has no stopped members: those are of a stop that was cut short before the run's status
/// was written, and withdrawn before it could be repeated.
pub(super) fn unhalt(pass: &mut Pass<'_>, status: &UpdateRunStatus, tree: &mut Tree<'_>) {
    if !matches!(status.state, State::Running | State::Pending) {
        return;
    }
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
