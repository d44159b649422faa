//! What a decision did, told as facts: by comparing what was with what is.

use super::fact::{Fact, Subject};
use super::pass::Pass;
use super::tree::Change;
use crate::api::{
    Counts, ErrorDetail, GroupStatus, MemberUpdateStatus, StageStatus, State, UpdateRunStatus,
    WaitStatus,
};

/// Facts about members, in the order in which they were decided.
pub(super) fn members(pass: &mut Pass<'_>, changed: &[Change]) {
    let facts = changed
        .iter()
        .filter_map(|c| member(&c.member, c.was, &c.status));
    pass.facts.extend(facts);
}

fn member(name: &str, was: State, status: &MemberUpdateStatus) -> Option<Fact> {
    let subject = Subject::Member(name.to_owned());
    let slow = status
        .waiting_for
        .first()
        .filter(|_| status.state == State::Running);
    if let Some(slow) = slow {
        return Some(Fact::warning(
            subject,
            slow.code.clone(),
            slow.message.clone(),
        ));
    }
    if was == status.state {
        return None;
    }
    let code = status
        .error
        .as_ref()
        .map(|error| error.code.as_str())
        .unwrap_or_default();
    let message = &status.message;
    Some(match status.state {
        State::Running => {
            let attempt = status.attempt;
            Fact::normal(
                subject,
                "UpgradeStarted",
                format!("Began the upgrade of {name}, attempt {attempt}"),
            )
        }
        State::Completed => {
            Fact::normal(subject, "UpgradeSucceeded", format!("{name} is upgraded"))
        }
        State::Failed => Fact::warning(subject, "UpgradeFailed", format!("{code}: {message}")),
        State::Skipped => Fact::normal(subject, "MemberSkipped", message.clone()),
        State::Pending => Fact::normal(subject, "MemberPending", format!("{code}: {message}")),
        State::Stopped => Fact::normal(subject, "MemberStopped", message.clone()),
        State::NotStarted | State::Stopping => Fact::normal(
            subject,
            "MemberReset",
            format!("{name} is to be tried again"),
        ),
    })
}

/// Facts about the run, its stages and groups.
pub(super) fn run(pass: &mut Pass<'_>, old: Option<&UpdateRunStatus>, new: &UpdateRunStatus) {
    let none = UpdateRunStatus::default();
    let old = old.unwrap_or(&none);
    for stage in &new.stages {
        let was = old.stages.iter().find(|was| was.name == stage.name);
        self::stage(pass, was, stage);
    }
    if old.state != new.state {
        let name = pass.run_name;
        let what = format!("Run {name}");
        pass.facts.push(moved(
            "Run",
            &what,
            old.state,
            new.state,
            new.error.as_ref(),
            &new.counts,
        ));
    }
}

fn stage(pass: &mut Pass<'_>, was: Option<&StageStatus>, stage: &StageStatus) {
    for group in &stage.groups {
        let old = was.and_then(|was| was.groups.iter().find(|old| old.name == group.name));
        self::group(pass, &stage.name, old, group);
    }
    let old = was.map(|was| was.state).unwrap_or_default();
    let old_wait = was
        .map(|was| was.after_stage_wait.state)
        .unwrap_or_default();
    pass.facts
        .extend(wait(&stage.name, old_wait, &stage.after_stage_wait));
    if old != stage.state {
        let what = format!("Stage {}", stage.name);
        let error = stage.error.as_ref();
        pass.facts.push(moved(
            "Stage",
            &what,
            old,
            stage.state,
            error,
            &stage.counts,
        ));
    }
}

fn group(pass: &mut Pass<'_>, stage: &str, was: Option<&GroupStatus>, group: &GroupStatus) {
    let old = was.map(|was| was.state).unwrap_or_default();
    if old != group.state {
        let what = format!("Group {} of stage {stage}", group.name);
        let error = group.error.as_ref();
        pass.facts.push(moved(
            "Group",
            &what,
            old,
            group.state,
            error,
            &group.counts,
        ));
    }
}

fn wait(stage: &str, old: State, wait: &WaitStatus) -> Option<Fact> {
    if old == wait.state || wait.duration_seconds == 0 {
        return None;
    }
    let (reason, what) = match wait.state {
        State::Running => ("WaitStarted", "runs"),
        State::Completed => ("WaitCompleted", "is over"),
        State::Skipped => ("WaitSkipped", "is skipped"),
        State::Stopped => ("WaitStopped", "is stopped with the run; its clock goes on"),
        _ => return None,
    };
    Some(Fact::normal(
        Subject::Run,
        reason,
        format!("The wait after stage {stage} {what}"),
    ))
}

fn moved(
    kind: &str,
    what: &str,
    from: State,
    to: State,
    error: Option<&ErrorDetail>,
    counts: &Counts,
) -> Fact {
    let reason = format!("{kind}{to}");
    let mut note = format!("{what}: {from} to {to}");
    if to == State::Completed && counts.failed > 0 {
        note.push_str(&format!(", {} failed within the limits", counts.failed));
    }
    match error {
        Some(error) if to == State::Failed => {
            note.push_str(&format!("; {}", error.message));
            Fact::warning(Subject::Run, reason, note)
        }
        _ => Fact::normal(Subject::Run, reason, note),
    }
}
