//! A halted run: what is in flight finishes, the rest takes its end state (update-runs §7.4, §10.3).

use super::counts;
use super::explain;
use super::gates;
use super::pass::Pass;
use super::skip;
use super::tolerance;
use super::tree::{self, GroupNode, StageNode, Tree};
use super::wait;
use crate::api::{ErrorCause, ErrorDetail, State, UpdateRunStatus};

/// Code of the error that a failed run, stage and group carry.
pub const EXCEEDED: &str = "MaxAllowedFailuresExceeded";

/// Whether more failed in the stage, or in one of its groups, than is tolerated.
pub(super) fn exceeded(stage: &StageNode<'_>) -> bool {
    stage_exceeded(stage) || stage.groups.iter().any(group_exceeded)
}

fn stage_exceeded(stage: &StageNode<'_>) -> bool {
    tolerance::exceeded(stage.live().failed, stage.status.max_allowed_failures)
}

fn group_exceeded(group: &GroupNode<'_>) -> bool {
    tolerance::exceeded(group.live.failed, group.status.max_allowed_failures)
}

/// Lets a halted run settle as far as it can now.
pub(super) fn settle(pass: &mut Pass<'_>, status: &mut UpdateRunStatus, tree: &mut Tree<'_>) {
    let Some((_, stage)) = tree.current() else {
        return;
    };
    wait::halt(&mut stage.status.after_stage_wait);
    for group in &mut stage.groups {
        settle_group(pass, &stage.status.name, group);
    }
    if stage.live().running > 0 {
        stage.status.state = State::Stopping;
        status.state = State::Stopping;
        return;
    }
    let failed = exceeded(stage);
    let end = if failed {
        State::Failed
    } else {
        State::Stopped
    };
    stage.status.state = end;
    stage.status.completed_time = pass.time();
    stage.status.error = failed.then(|| summary(stage)).flatten();
    status.error.clone_from(&stage.status.error);
    status.state = end;
    status.completed_time = pass.time();
}

fn settle_group(pass: &mut Pass<'_>, stage: &str, group: &mut GroupNode<'_>) {
    if tree::is_terminal(group.status.state) || group.status.state == State::Failed {
        return;
    }
    if group.live.running > 0 {
        group.status.state = State::Stopping;
        return;
    }
    if group.status.state == State::Stopped {
        return;
    }
    if counts::all_skipped(&group.live) {
        skip::close(pass, stage, group);
        return;
    }
    stop_pending(pass, stage, group);
    let end = end_state(group);
    if end == State::Failed {
        group.status.error = Some(group_summary(stage, group));
    }
    match end {
        State::NotStarted => group.status.state = end,
        _ => group.end(pass, end),
    }
}

fn end_state(group: &GroupNode<'_>) -> State {
    let done = counts::all_terminal(&group.live) && !gates::left(&group.status.after_gates);
    if group_exceeded(group) {
        State::Failed
    } else if done {
        State::Completed
    } else if group.reached() {
        State::Stopped
    } else {
        State::NotStarted
    }
}

fn stop_pending(pass: &mut Pass<'_>, stage: &str, group: &mut GroupNode<'_>) {
    if group.live.pending == 0 {
        return;
    }
    for member in &mut group.members {
        if member.state() == State::Pending {
            let now = pass.time();
            let entry = explain::member_stopped(pass.run_name, stage, &member.spec, now);
            let status = member.enter(pass, &mut group.live, State::Stopped);
            status.message.clone_from(&entry.message);
            status.error = None;
            status.waiting_for = vec![entry];
        }
    }
}

// The scope that was exceeded: the stage itself, else its first failed group.
fn summary(stage: &StageNode<'_>) -> Option<ErrorDetail> {
    if !stage_exceeded(stage) {
        let group = stage.groups.iter().find(|group| group_exceeded(group))?;
        return Some(group_summary(&stage.status.name, group));
    }
    let (count, most) = (stage.live().failed, stage.status.max_allowed_failures);
    Some(ErrorDetail {
        code: EXCEEDED.to_owned(),
        message: format!(
            "{count} failed in stage {}, which allows {most}",
            stage.status.name
        ),
        target: format!("Stage:{}", stage.status.name),
        details: first_failure(stage.groups.iter()).into_iter().collect(),
    })
}

fn group_summary(stage: &str, group: &GroupNode<'_>) -> ErrorDetail {
    let (count, most) = (group.live.failed, group.status.max_allowed_failures);
    ErrorDetail {
        code: EXCEEDED.to_owned(),
        message: format!(
            "{count} failed in group {} of stage {stage}, which allows {most}",
            group.status.name
        ),
        target: format!("Group:{}", group.status.name),
        details: first_failure(std::iter::once(group)).into_iter().collect(),
    }
}

fn first_failure<'g, 'a: 'g>(
    groups: impl Iterator<Item = &'g GroupNode<'a>>,
) -> Option<ErrorCause> {
    let failed = groups
        .flat_map(|group| &group.members)
        .filter(|member| member.state() == State::Failed)
        .min_by_key(|member| member.status().completed_time.as_ref().map(|time| time.0))?;
    let error = failed.status().error.clone().unwrap_or_default();
    Some(ErrorCause {
        code: error.code,
        message: error.message,
        target: format!("Member:{}", failed.spec.member),
    })
}
