//! Conditions of a run, for `kubectl wait` and for people.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};

use crate::api::{State, UpdateRunStatus};

/// Whether the tree is made.
pub const INITIALIZED: &str = "Initialized";
/// Whether the run moves.
pub const PROGRESSING: &str = "Progressing";
/// Whether the run has ended well.
pub const SUCCEEDED: &str = "Succeeded";
/// Whether a limit of the strategy was more than its scope can have.
pub const LIMITS_CAPPED: &str = "LimitsCapped";

/// Sets a condition; the transition time changes with the status only.
pub(super) fn set(
    list: &mut Vec<Condition>,
    type_: &str,
    status: &str,
    reason: &str,
    message: &str,
    now: Timestamp,
) {
    match list.iter_mut().find(|condition| condition.type_ == type_) {
        Some(old) => {
            if old.status != status {
                old.status = status.to_owned();
                old.last_transition_time = Time(now);
            }
            if old.reason != reason || old.message != message {
                old.reason = reason.to_owned();
                old.message = message.to_owned();
            }
        }
        None => list.push(Condition {
            type_: type_.to_owned(),
            status: status.to_owned(),
            reason: reason.to_owned(),
            message: message.to_owned(),
            last_transition_time: Time(now),
            observed_generation: None,
        }),
    }
}

/// Removes a condition.
pub(super) fn remove(list: &mut Vec<Condition>, type_: &str) {
    list.retain(|condition| condition.type_ != type_);
}

/// Progressing and Succeeded follow from the run's state.
pub(super) fn follow(status: &mut UpdateRunStatus, now: Timestamp) {
    if status.stages.is_empty() {
        return;
    }
    let progressing = match status.state {
        State::Running | State::Stopping => "True",
        _ => "False",
    };
    let reason = match (status.state, status.waiting_for.first()) {
        (State::Pending, Some(waiting)) => waiting.code.clone(),
        (state, _) => state.to_string(),
    };
    let message = match status.waiting_for.first() {
        Some(waiting) => waiting.message.clone(),
        None => String::new(),
    };
    let list = &mut status.conditions;
    set(list, PROGRESSING, progressing, &reason, &message, now);
    match status.state {
        State::Completed | State::Skipped => {
            let failed = status.failure_count;
            let (reason, message) = match failed {
                0 => (status.state.to_string(), String::new()),
                n => (
                    "CompletedWithFailures".to_owned(),
                    format!("{n} failed, within the limits"),
                ),
            };
            set(list, SUCCEEDED, "True", &reason, &message, now);
        }
        State::Failed => {
            let error = status.error.clone().unwrap_or_default();
            set(list, SUCCEEDED, "False", "Failed", &error.message, now);
        }
        _ => remove(list, SUCCEEDED),
    }
}
