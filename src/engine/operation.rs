//! What may be done with a run in which state: the one table (update-runs §10.1), and what to write
//! into the run's spec to ask for it.

use super::refusal::{Refusal, code};
use crate::api::{RunIntent, State, UpdateRun, UpdateRunStatus};

/// What a person can ask of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    /// Start it, or go on with it after Stopped or Failed.
    Start,
    /// Schedule nothing more.
    Stop,
    /// Go on after Stopped or Failed.
    Resume,
    /// Skip members, groups, stages or waits.
    Skip,
    /// Change strategy or upgrade.
    Edit,
    /// Pass one of its Pending gates.
    Approve,
    /// Remove it with its gates.
    Delete,
    /// Make a new run for what is left.
    RetryRest,
}

impl Verb {
    /// All verbs.
    pub const ALL: [Verb; 8] = [
        Verb::Start,
        Verb::Stop,
        Verb::Resume,
        Verb::Skip,
        Verb::Edit,
        Verb::Approve,
        Verb::Delete,
        Verb::RetryRest,
    ];

    /// The verb as a person says it.
    pub fn word(self) -> &'static str {
        match self {
            Verb::Start => "start",
            Verb::Stop => "stop",
            Verb::Resume => "resume",
            Verb::Skip => "skip",
            Verb::Edit => "edit",
            Verb::Approve => "approve",
            Verb::Delete => "delete",
            Verb::RetryRest => "retry the rest of",
        }
    }
}

/// Whether a verb is legal for a run as it stands.
pub fn allowed(run: &UpdateRun, verb: Verb) -> Result<(), Refusal> {
    let name = run.metadata.name.as_deref().unwrap_or_default();
    judge(name, run.status.as_ref(), verb)
}

pub(super) fn judge(
    name: &str,
    status: Option<&UpdateRunStatus>,
    verb: Verb,
) -> Result<(), Refusal> {
    let state = status.map(|status| status.state).unwrap_or_default();
    if let Some(hint) = objection(state, verb) {
        let message = format!("cannot {} run {name}: it is {state}", verb.word());
        return Err(Refusal::new(code::INVALID_OPERATION, message).hint(hint));
    }
    let needs_tree = matches!(verb, Verb::Start | Verb::Skip) && state == State::NotStarted;
    if let Some(error) = status
        .and_then(|status| status.error.as_ref())
        .filter(|_| needs_tree)
    {
        let message = format!("cannot {} run {name}: {}", verb.word(), error.message);
        return Err(Refusal::new(known(&error.code), message).hint(
            "correct the run, its strategy or the members; the run then tries again by itself",
        ));
    }
    let whole = |status: &UpdateRunStatus| status.counts.failed + status.counts.skipped == 0;
    if verb == Verb::RetryRest && state == State::Completed && status.is_some_and(whole) {
        let message = format!("run {name} has no rest: every member was upgraded");
        return Err(Refusal::new(code::INVALID_OPERATION, message));
    }
    Ok(())
}

/// Why a verb is illegal in a state, as a hint; `None` when it is legal.
pub fn objection(state: State, verb: Verb) -> Option<&'static str> {
    use State as S;
    match (verb, state) {
        (Verb::Start, S::NotStarted | S::Stopped | S::Failed)
        | (Verb::Resume, S::Stopped | S::Failed)
        | (Verb::Stop, S::Running | S::Pending | S::Stopping)
        | (Verb::Skip, S::NotStarted | S::Running | S::Pending | S::Stopped | S::Failed)
        | (Verb::Edit, S::NotStarted)
        | (Verb::Approve, S::Running | S::Pending | S::Stopping | S::Stopped | S::Failed)
        | (Verb::Delete, _)
        | (Verb::RetryRest, S::Completed | S::Skipped) => None,
        (Verb::Start | Verb::Resume, S::Running) => Some("it runs already"),
        (Verb::Start | Verb::Resume, S::Pending) => Some("it runs already; see what it waits for"),
        (Verb::Start | Verb::Resume, S::Stopping) => {
            Some("wait until what is in flight has ended, then resume it")
        }
        (Verb::Resume, S::NotStarted) => Some("start it instead"),
        (Verb::Start | Verb::Resume | Verb::Stop | Verb::Skip, S::Completed | S::Skipped) => {
            Some("it has ended; make a new run, which skips members that are at the target")
        }
        (Verb::Stop, S::NotStarted) => Some("nothing of it runs"),
        (Verb::Stop, S::Stopped) => Some("it is stopped already"),
        (Verb::Stop, S::Failed) => Some("it has stopped by itself; nothing of it runs"),
        (Verb::Skip, S::Stopping) => Some("wait until what is in flight has ended, then skip"),
        (Verb::Edit, _) => Some("only a run that was never started can be edited"),
        (Verb::Approve, S::NotStarted) => Some("no gate is reached before the run is started"),
        (Verb::Approve, _) => Some("it has ended, and no gate of it is open"),
        (Verb::RetryRest, S::Stopped | S::Failed) => Some("resume it instead"),
        (Verb::RetryRest, _) => Some("it has not ended"),
    }
}

/// What to write into a run's spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intent {
    /// `spec.state`.
    pub state: RunIntent,
    /// `spec.attempt`.
    pub attempt: i32,
}

/// What to write into the run's spec to start, stop or resume it; an error when that is illegal now.
///
/// A wish is a *change* of `state` or `attempt`. Where the state already says `Run` (a failed run, a
/// refused start), the attempt rises. Where the controller has not answered such a wish yet, there is
/// nothing more to ask for.
pub fn intent(run: &UpdateRun, verb: Verb) -> Result<Intent, Refusal> {
    allowed(run, verb)?;
    if matches!(verb, Verb::Start | Verb::Resume) && goes_on_soon(run) {
        let name = run.metadata.name.as_deref().unwrap_or_default();
        let message = format!(
            "cannot {} run {name}: that was asked for already",
            verb.word()
        );
        return Err(Refusal::new(code::INVALID_OPERATION, message)
            .hint("the controller answers in a moment, if one drives this hub"));
    }
    let attempt = run.spec.attempt;
    Ok(match verb {
        Verb::Stop => Intent {
            state: RunIntent::Stop,
            attempt,
        },
        _ if run.spec.state == RunIntent::Run => Intent {
            state: RunIntent::Run,
            attempt: attempt.saturating_add(1),
        },
        _ => Intent {
            state: RunIntent::Run,
            attempt,
        },
    })
}

/// Whether the run was asked to start or to go on, and the controller has not answered yet.
fn goes_on_soon(run: &UpdateRun) -> bool {
    let spec = &run.spec;
    if spec.state != RunIntent::Run {
        return false;
    }
    let status = run.status.as_ref();
    match status.map(|s| (s.observed_state, s.observed_attempt, s.state)) {
        None | Some((None, None, State::NotStarted)) => true,
        // Written before answers were kept.
        Some((None, None, _)) => false,
        Some((state, attempt, _)) => {
            state != Some(spec.state) || attempt.is_some_and(|attempt| spec.attempt > attempt)
        }
    }
}

/// The code of that text, for codes that a tree which could not be made leaves in a status.
fn known(text: &str) -> &'static str {
    [
        code::REQUIRED_PROPERTY_MISSING,
        code::INVALID_NAME,
        code::DUPLICATE_STAGE,
        code::DUPLICATE_GROUP,
        code::TOO_MANY_GROUPS,
        code::TOO_MANY_STAGES,
        code::INVALID_LIMIT,
        code::INVALID_SELECTOR,
        code::INVALID_GATE,
        code::STRATEGY_CONFLICT,
        code::STRATEGY_NOT_FOUND,
        code::VERSION_REQUIRED,
        code::VERSION_FORBIDDEN,
        code::INVALID_VERSION,
        code::IMAGE_SELECTION_FORBIDDEN,
        code::INVALID_CUSTOM_IMAGES,
        code::AMBIGUOUS_MEMBERSHIP,
    ]
    .into_iter()
    .find(|known| *known == text)
    .unwrap_or(code::INVALID_OPERATION)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{Counts, ErrorDetail, UpdateRunSpec};

    fn run(state: State) -> UpdateRun {
        let mut run = UpdateRun::new("r", UpdateRunSpec::default());
        run.status = Some(UpdateRunStatus {
            state,
            ..UpdateRunStatus::default()
        });
        run
    }

    /// update-runs §10.1, row by row; y is legal. NotStarted, Running, Pending, Stopping, Stopped,
    /// Failed, Completed, Skipped.
    #[test]
    fn legality() {
        use State as S;
        let columns = [
            S::NotStarted,
            S::Running,
            S::Pending,
            S::Stopping,
            S::Stopped,
            S::Failed,
            S::Completed,
            S::Skipped,
        ];
        for (verb, row) in [
            (Verb::Start, "y---yy--"),
            (Verb::Resume, "----yy--"),
            (Verb::Stop, "-yyy----"),
            (Verb::Skip, "yyy-yy--"),
            (Verb::Edit, "y-------"),
            (Verb::Approve, "-yyyyy--"),
            (Verb::Delete, "yyyyyyyy"),
            (Verb::RetryRest, "-------y"),
        ] {
            for (state, mark) in columns.into_iter().zip(row.chars()) {
                let answer = allowed(&run(state), verb);
                assert_eq!(answer.is_ok(), mark == 'y', "{verb:?} {state}");
                if let Err(refusal) = answer {
                    assert_eq!(refusal.code, code::INVALID_OPERATION);
                    assert!(refusal.message.contains("run r"), "{refusal}");
                }
            }
        }
    }

    #[test]
    fn a_completed_run_has_a_rest_when_something_failed_or_was_skipped() {
        let mut run = run(State::Completed);
        assert!(allowed(&run, Verb::RetryRest).is_err());
        if let Some(status) = run.status.as_mut() {
            status.counts = Counts {
                failed: 1,
                ..Counts::default()
            };
        }
        assert!(allowed(&run, Verb::RetryRest).is_ok());
    }

    #[test]
    fn a_run_without_a_tree_refuses_with_the_reason() {
        let mut run = run(State::NotStarted);
        if let Some(status) = run.status.as_mut() {
            status.error = Some(ErrorDetail {
                code: "StrategyNotFound".into(),
                message: "there is no strategy s".into(),
                ..ErrorDetail::default()
            });
        }
        assert_eq!(
            allowed(&run, Verb::Start).unwrap_err().code,
            code::STRATEGY_NOT_FOUND
        );
        assert!(allowed(&run, Verb::Edit).is_ok());
        assert!(allowed(&run, Verb::Delete).is_ok());
    }

    #[test]
    fn what_is_written() {
        let mut failed = run(State::Failed);
        failed.spec.state = RunIntent::Run;
        failed.spec.attempt = 2;
        let resume = intent(&failed, Verb::Resume).unwrap();
        assert_eq!((resume.state, resume.attempt), (RunIntent::Run, 3));
        let mut stopped = run(State::Stopped);
        stopped.spec.state = RunIntent::Stop;
        stopped.spec.attempt = 1;
        let resume = intent(&stopped, Verb::Resume).unwrap();
        assert_eq!((resume.state, resume.attempt), (RunIntent::Run, 1));
        assert!(intent(&run(State::Completed), Verb::Start).is_err());
    }

    #[test]
    fn a_wish_that_is_not_answered_yet_is_not_made_twice() {
        let mut new = UpdateRun::new("r", UpdateRunSpec::default());
        assert!(intent(&new, Verb::Start).is_ok());
        new.spec.state = RunIntent::Run;
        let refused = intent(&new, Verb::Start).unwrap_err();
        assert_eq!(refused.code, code::INVALID_OPERATION);
        let mut stopped = run(State::Stopped);
        let status = stopped.status.as_mut().unwrap();
        status.observed_state = Some(RunIntent::Stop);
        status.observed_attempt = Some(1);
        stopped.spec.attempt = 1;
        stopped.spec.state = RunIntent::Stop;
        assert!(intent(&stopped, Verb::Resume).is_ok());
        stopped.spec.state = RunIntent::Run;
        assert!(intent(&stopped, Verb::Resume).is_err());
        let mut failed = stopped.clone();
        let status = failed.status.as_mut().unwrap();
        (status.state, status.observed_state) = (State::Failed, Some(RunIntent::Run));
        assert_eq!(intent(&failed, Verb::Resume).unwrap().attempt, 2);
        failed.spec.attempt = 2;
        assert!(intent(&failed, Verb::Start).is_err());
    }
}
