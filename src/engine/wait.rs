//! The soak after a stage (update-runs §8.1, §10.3, §10.4).

use jiff::Timestamp;

use super::instants;
use super::pass::Pass;
use crate::api::{State, WaitStatus};

/// When a wait that has begun ends.
pub fn ends_at(wait: &WaitStatus) -> Option<Timestamp> {
    let start = wait.start_time.as_ref()?;
    Some(instants::after(start.0, i64::from(wait.duration_seconds)))
}

/// Begins the wait, or lets it elapse. True when it is done.
pub(super) fn advance(pass: &mut Pass<'_>, wait: &mut WaitStatus) -> bool {
    if wait.state == State::NotStarted {
        wait.state = State::Running;
        wait.start_time = pass.time();
    }
    if wait.state == State::Running
        && let Some(end) = ends_at(wait)
    {
        if end <= pass.now {
            wait.state = State::Completed;
            wait.completed_time = pass.time();
        } else {
            pass.wake_at(end);
        }
    }
    matches!(wait.state, State::Completed | State::Skipped)
}

/// A halt: its clock goes on from its original start.
pub(super) fn halt(wait: &mut WaitStatus) {
    if wait.state == State::Running {
        wait.state = State::Stopped;
    }
}

/// A resume.
pub(super) fn resume(wait: &mut WaitStatus) {
    if wait.state == State::Stopped {
        wait.state = State::Running;
    }
}

/// Skips the wait unless it is over.
pub(super) fn skip(pass: &Pass<'_>, wait: &mut WaitStatus) {
    if !is_over(wait) {
        wait.state = State::Skipped;
        wait.completed_time = pass.time();
    }
}

/// Whether the wait has elapsed or was skipped.
pub(super) fn is_over(wait: &WaitStatus) -> bool {
    matches!(wait.state, State::Completed | State::Skipped)
}
