//! Why something stands still: code, object, since when, who can act, what comes next by itself. The
//! words are here and nowhere else; console, command line and events print them.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::gate;
use super::identity;
use super::instants;
use super::tolerance;
use crate::api::{Gate, GateType, GroupStatus, MemberUpdateSpec, StageStatus, State, WaitingFor};

/// Codes of reasons, besides those of a member's turn ([`super::turn::code`]) and of refusals.
pub mod code {
    /// An approval is awaited.
    pub const GATE_OPEN: &str = "GateOpen";
    /// A scheduled start is awaited.
    pub const GATE_SCHEDULED: &str = "GateScheduled";
    /// The soak after a stage.
    pub const WAIT_RUNNING: &str = "WaitRunning";
    /// The run was never started.
    pub const NOT_STARTED: &str = "NotStarted";
    /// Halted; upgrades in flight finish first.
    pub const IN_FLIGHT: &str = "InFlight";
    /// Halted by a user.
    pub const STOPPED: &str = "Stopped";
    /// Failed, for no reason that is on record.
    pub const FAILED: &str = "Failed";
    /// An upgrade takes unusually long.
    pub const SLOW_UPGRADE: &str = "SlowUpgrade";
    /// More stands still than is listed.
    pub const MORE: &str = "More";
}

const APPROVERS: &str = "anyone who may approve gates";
const RUNNERS: &str = "anyone who may start, stop and skip runs";
/// Who can take a member out of its line.
pub(super) const SKIPPERS: &str = "anyone who may start, stop and skip runs: skip the member";
const NOTHING: &str = "nothing happens by itself";

/// An open gate.
pub(super) fn gate_open(gate: &Gate, opens: Option<Timestamp>) -> WaitingFor {
    let spec = &gate.spec;
    let title = gate::title(gate);
    let place = gate::place(&spec.stage, spec.group.as_deref(), spec.timing);
    let since = gate
        .status
        .as_ref()
        .and_then(|status| status.start_time.clone());
    let scheduled = spec.type_ == GateType::ScheduledStart;
    let (code, message, next) = match opens {
        Some(at) if scheduled => (
            code::GATE_SCHEDULED,
            format!("Gate {title} {place} opens at {at}"),
            format!("the gate opens by itself at {at}"),
        ),
        _ => (
            code::GATE_OPEN,
            format!("Gate {title} {place} waits for approval"),
            NOTHING.to_owned(),
        ),
    };
    WaitingFor {
        code: code.to_owned(),
        object: format!("Gate/{}", gate.metadata.name.as_deref().unwrap_or_default()),
        stage: Some(spec.stage.clone()),
        group: spec.group.clone(),
        since,
        until: opens.map(Time),
        who: APPROVERS.to_owned(),
        next,
        message,
    }
}

/// A running wait.
pub(super) fn wait_running(run: &str, stage: &StageStatus, end: Timestamp) -> WaitingFor {
    let wait = &stage.after_stage_wait;
    let length = instants::short(i64::from(wait.duration_seconds));
    WaitingFor {
        code: code::WAIT_RUNNING.to_owned(),
        object: format!("UpdateRun/{run}"),
        stage: Some(stage.name.clone()),
        group: None,
        since: wait.start_time.clone(),
        until: Some(Time(end)),
        who: RUNNERS.to_owned(),
        next: format!("the wait ends by itself at {end}"),
        message: format!(
            "The wait of {length} after stage {} ends at {end}",
            stage.name
        ),
    }
}

/// A run that was never started.
pub(super) fn not_started(run: &str, since: Option<Time>, refused: bool) -> WaitingFor {
    let message = match refused {
        false => "The run has not been started".to_owned(),
        true => "The run has not been started: the last start was refused; start it again (kubectl: raise spec.attempt with spec.state Run)".to_owned(),
    };
    run_stands(run, code::NOT_STARTED, since, message)
}

/// A run whose tree cannot be made.
pub(super) fn not_initialized(
    run: &str,
    code: &str,
    message: &str,
    since: Option<Time>,
) -> WaitingFor {
    WaitingFor {
        who: "anyone who may edit the run, its strategy or the members".to_owned(),
        next: "it is tried again when the run, a strategy or a member changes".to_owned(),
        ..run_stands(
            run,
            code,
            since,
            format!("The run cannot be made: {message}"),
        )
    }
}

/// A run that a user stopped.
///
/// `refused` says that `spec.state` is Run already, which was asked while it could not be done.
pub(super) fn stopped(run: &str, since: Option<Time>, refused: bool) -> WaitingFor {
    let hint = match refused {
        false => "",
        true => " (kubectl: spec.state is Run already, so raise spec.attempt)",
    };
    let message = format!(
        "The run is stopped; resuming it retries failed members of stopped groups, then goes on{hint}"
    );
    run_stands(run, code::STOPPED, since, message)
}

/// A run that failed.
pub(super) fn failed(
    run: &str,
    error: &crate::api::ErrorDetail,
    since: Option<Time>,
) -> WaitingFor {
    let known = !error.code.is_empty();
    let what = match known {
        true => error.message.as_str(),
        false => "The run is marked as failed, and no error is on record",
    };
    let message = format!(
        "{what}; resume the run to retry what failed, or skip failed members first and then resume"
    );
    let code = if known { &error.code } else { code::FAILED };
    let mut entry = run_stands(run, code, since, message);
    if known {
        entry.object.clone_from(&error.target);
    }
    entry
}

/// A halted run with upgrades in flight.
pub(super) fn in_flight(run: &str, stage: &str, members: &[&str], why: &str) -> WaitingFor {
    WaitingFor {
        code: code::IN_FLIGHT.to_owned(),
        object: match members {
            [one] => format!("MemberUpdate/{}", identity::member_update(run, one)),
            _ => format!("UpdateRun/{run}"),
        },
        stage: Some(stage.to_owned()),
        group: None,
        since: None,
        until: None,
        who: "nobody: an upgrade cannot be aborted".to_owned(),
        next: "the run settles by itself when the last of them has ended".to_owned(),
        message: format!("{why}; still in flight: {}", list(members)),
    }
}

/// A pending member.
pub(super) fn pending(
    stage: &str,
    spec: &MemberUpdateSpec,
    code: &str,
    message: &str,
    since: Option<Time>,
    until: Option<Timestamp>,
) -> WaitingFor {
    let next = match until {
        Some(at) => format!("its turn comes again at {at}"),
        None => "its turn comes again when the cause has ended".to_owned(),
    };
    WaitingFor {
        code: code.to_owned(),
        object: format!("FleetMember/{}", spec.member),
        stage: Some(stage.to_owned()),
        group: Some(spec.group.clone()),
        since,
        until: until.map(Time),
        who: SKIPPERS.to_owned(),
        next,
        message: message.to_owned(),
    }
}

/// Several pending members of one group with one reason.
pub(super) fn pending_group(run: &str, members: &[&str], first: &WaitingFor) -> WaitingFor {
    let mut entry = first.clone();
    if let [one] = members {
        entry.object = format!("MemberUpdate/{}", identity::member_update(run, one));
        entry.message = format!("{one}: {}", first.message);
    } else {
        entry.object = format!("UpdateRun/{run}");
        entry.message = format!(
            "{} members wait: {}; first {}",
            members.len(),
            list(members),
            first.message
        );
    }
    entry
}

/// A member that was pending when the run was halted.
pub(super) fn member_stopped(
    run: &str,
    stage: &str,
    spec: &MemberUpdateSpec,
    since: Option<Time>,
) -> WaitingFor {
    WaitingFor {
        stage: Some(stage.to_owned()),
        group: Some(spec.group.clone()),
        ..run_stands(
            run,
            code::STOPPED,
            since,
            "It was pending when the run was halted; resuming the run brings its turn again"
                .to_owned(),
        )
    }
}

/// A member whose upgrade takes unusually long.
pub(super) fn slow(spec: &MemberUpdateSpec, start: &Time, seconds: i64) -> WaitingFor {
    WaitingFor {
        code: code::SLOW_UPGRADE.to_owned(),
        object: format!("FleetMember/{}", spec.member),
        stage: Some(spec.stage.clone()),
        group: Some(spec.group.clone()),
        since: Some(start.clone()),
        until: None,
        who: "whoever operates the cluster".to_owned(),
        next: "the upgrade is followed until the cluster reports its end; it keeps its place in the limits".to_owned(),
        message: format!(
            "The upgrade of {} is in flight for more than {}, which is unusually long",
            spec.member,
            instants::short(seconds)
        ),
    }
}

/// What could not be listed.
pub(super) fn more(run: &str, count: usize) -> WaitingFor {
    run_stands(
        run,
        code::MORE,
        None,
        format!("{count} more reasons are not listed here"),
    )
}

fn run_stands(run: &str, code: &str, since: Option<Time>, message: String) -> WaitingFor {
    WaitingFor {
        code: code.to_owned(),
        object: format!("UpdateRun/{run}"),
        stage: None,
        group: None,
        since,
        until: None,
        who: RUNNERS.to_owned(),
        next: NOTHING.to_owned(),
        message,
    }
}

/// Names, the first few of many.
pub fn list(names: &[&str]) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<_> = names.iter().take(SHOWN).copied().collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// A reason in a few words, for a column: `gate before prod/prod-fr`.
pub fn short(entry: &WaitingFor, gate: Option<&Gate>) -> String {
    let stage = entry.stage.as_deref().unwrap_or_default();
    let at = match &entry.group {
        Some(group) => format!("{stage}/{group}"),
        None => stage.to_owned(),
    };
    match entry.code.as_str() {
        code::GATE_OPEN | code::GATE_SCHEDULED => {
            let timing = gate.map(|gate| gate.spec.timing).unwrap_or_default();
            format!("gate {} {at}", timing.to_string().to_lowercase())
        }
        code::WAIT_RUNNING => format!("wait after {at}"),
        code::NOT_STARTED => "start".to_owned(),
        code::IN_FLIGHT => format!("what is in flight in {at}"),
        code::STOPPED => "resume".to_owned(),
        super::halt::EXCEEDED => "resume after failure".to_owned(),
        code::SLOW_UPGRADE => format!("slow upgrade in {at}"),
        other if stage.is_empty() => other.to_owned(),
        other => format!("{other} in {at}"),
    }
}

/// How many more failures a scope takes before the run stops; `None` once it is over.
pub fn failures_left(state: State, failures: i32, tolerance: i32) -> Option<i32> {
    match state {
        State::Completed | State::Skipped => None,
        _ => Some(tolerance.saturating_sub(failures).max(0)),
    }
}

/// The group of a stage that allows the fewest failures more: of those that go on, if any does.
pub fn tightest(stage: &StageStatus) -> Option<&GroupStatus> {
    stage.groups.iter().min_by_key(|group| {
        let left = failures_left(group.state, group.failure_count, group.max_allowed_failures);
        (left.is_none(), left)
    })
}

/// What the next failure in a group does.
pub fn next_failure(stage: &StageStatus, group: &GroupStatus) -> String {
    if matches!(group.state, State::Completed | State::Skipped) {
        return "it has ended: nothing in it can fail any more".to_owned();
    }
    let over = |failures: i32, most| tolerance::exceeded(failures.saturating_add(1), most);
    let by_group = over(group.failure_count, group.max_allowed_failures);
    let by_stage = over(stage.failure_count, stage.max_allowed_failures);
    let total = |count: i32, most: i32| most >= count;
    if tolerance::exceeded(group.failure_count, group.max_allowed_failures)
        || tolerance::exceeded(stage.failure_count, stage.max_allowed_failures)
    {
        "the limit is passed".to_owned()
    } else if by_group {
        format!("the next failure in {} stops the run", group.name)
    } else if by_stage {
        format!("the next failure in stage {} stops the run", stage.name)
    } else if total(group.counts.total, group.max_allowed_failures)
        && total(stage.counts.total, stage.max_allowed_failures)
    {
        "never stops because of failures".to_owned()
    } else {
        let left = (group.max_allowed_failures - group.failure_count)
            .min(stage.max_allowed_failures - stage.failure_count);
        format!("{left} more may fail")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_short() {
        assert_eq!(list(&["a", "b"]), "a, b");
        assert_eq!(
            list(&["a", "b", "c", "d", "e", "f", "g"]),
            "a, b, c, d, e and 2 more"
        );
    }

    #[test]
    fn what_the_next_failure_does() {
        let stage = |failures, most| StageStatus {
            name: "s".into(),
            failure_count: failures,
            max_allowed_failures: most,
            counts: crate::api::Counts {
                total: 10,
                ..Default::default()
            },
            ..StageStatus::default()
        };
        let group = |failures, most| GroupStatus {
            name: "g".into(),
            failure_count: failures,
            max_allowed_failures: most,
            counts: crate::api::Counts {
                total: 4,
                ..Default::default()
            },
            ..GroupStatus::default()
        };
        for (s, g, want) in [
            (
                stage(0, 0),
                group(0, 0),
                "the next failure in g stops the run",
            ),
            (
                stage(0, 0),
                group(0, 2),
                "the next failure in stage s stops the run",
            ),
            (stage(0, 2), group(0, 2), "2 more may fail"),
            (stage(1, 2), group(0, 2), "1 more may fail"),
            (stage(3, 2), group(1, 2), "the limit is passed"),
            (stage(0, 10), group(0, 4), "never stops because of failures"),
        ] {
            assert_eq!(next_failure(&s, &g), want);
        }
        assert_eq!(failures_left(State::Running, 1, 3), Some(2));
        assert_eq!(failures_left(State::Completed, 1, 3), None);
    }

    #[test]
    fn what_the_next_failure_does_is_told_of_what_goes_on() {
        let group = |name: &str, state, allowed| GroupStatus {
            name: name.to_owned(),
            state,
            max_allowed_failures: allowed,
            ..GroupStatus::default()
        };
        let stage = StageStatus {
            name: "s".to_owned(),
            max_allowed_failures: 5,
            groups: vec![
                group("ended", State::Completed, 0),
                group("wide", State::Running, 3),
                group("narrow", State::NotStarted, 1),
            ],
            ..StageStatus::default()
        };
        assert!(next_failure(&stage, &stage.groups[0]).contains("has ended"));
        let tight = tightest(&stage).unwrap();
        assert_eq!(tight.name, "narrow");
        assert!(!next_failure(&stage, tight).contains("ended"));
    }
}
