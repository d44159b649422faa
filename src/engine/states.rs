//! States of groups, stages and the run while it is active (update-runs §9.2, §9.4).

use super::counts;
use super::gates;
use super::tree::{self, GroupNode, StageNode, Tree};
use crate::api::{State, UpdateRunStatus};

/// Brings the current stage and the run to their states.
pub(super) fn follow(status: &mut UpdateRunStatus, tree: &mut Tree<'_>) {
    let Some((_, stage)) = tree.current() else {
        return;
    };
    let begun = stage.status.start_time.is_some();
    for group in stage.groups.iter_mut().filter(|_| begun) {
        group.status.state = group_state(group);
    }
    stage.status.state = stage_state(stage);
    status.state = match stage.status.state {
        State::Pending => State::Pending,
        _ => State::Running,
    };
}

/// Top to bottom, the first that matches.
fn group_state(group: &GroupNode<'_>) -> State {
    let (status, live) = (&group.status, &group.live);
    if tree::is_terminal(status.state) {
        status.state
    } else if gates::waits(&status.before_gates) || gates::waits(&status.after_gates) {
        State::Pending
    } else if live.running > 0 {
        State::Running
    } else if live.pending > 0 {
        State::Pending
    } else if live.not_started == live.total {
        State::NotStarted
    } else {
        State::Running
    }
}

fn stage_state(stage: &StageNode<'_>) -> State {
    let status = &stage.status;
    let has = |state| stage.groups.iter().any(|group| group.status.state == state);
    if gates::waits(&status.before_gates) || gates::waits(&status.after_gates) {
        State::Pending
    } else if has(State::Running) {
        State::Running
    } else if has(State::Pending) {
        State::Pending
    } else {
        State::Running
    }
}

/// Counts of groups, stages and the run, from the members as they are.
pub(super) fn count(status: &mut UpdateRunStatus, tree: &mut Tree<'_>) {
    let mut total = crate::api::Counts::default();
    for stage in &mut tree.stages {
        let mut of_stage = crate::api::Counts::default();
        for group in &mut stage.groups {
            let ended = tree::is_terminal(group.status.state);
            // What an ended group was made of stays, whatever is deleted by hand afterwards.
            if !(ended && group.live.total < group.status.counts.total) {
                group.status.counts = group.live;
                group.status.failure_count = group.live.failed;
            }
            counts::sum(&mut of_stage, &group.status.counts);
        }
        stage.status.counts = of_stage;
        stage.status.failure_count = of_stage.failed;
        counts::sum(&mut total, &of_stage);
    }
    status.counts = total;
    status.failure_count = total.failed;
    let progress = counts::progress(&total);
    if status.progress != progress {
        status.progress = progress;
    }
}
