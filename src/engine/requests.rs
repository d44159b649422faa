//! Requests in the run's spec, answered in its status: start, stop, resume, skip (update-runs §10).
//!
//! A wish is a change of `spec.state` or `spec.attempt` against what was acted upon last, or a skip
//! without an answer. Each is answered once; a refused one changes nothing else.

use std::collections::BTreeSet;

use super::fact::{Fact, Subject};
use super::operation::{self, Verb};
use super::pass::Pass;
use super::refusal::Refusal;
use super::skip::{self, Target};
use super::tree::Tree;
use crate::api::{RequestAction, RequestStatus, RunIntent, SkipRequest, State, UpdateRunStatus};

/// Answers to starts, stops and resumes that are kept. Those to skips all are: their requests stay in
/// the spec, and one without an answer is taken for a new one.
const KEPT: usize = 50;

/// What an accepted wish asks the run to do now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    Nothing,
    Start,
    Stop,
    Resume,
}

/// Answers what was asked by `spec.state` and `spec.attempt`; `skipped` says whether a skip was
/// accepted just now.
pub(super) fn answer_wish(
    pass: &mut Pass<'_>,
    status: &mut UpdateRunStatus,
    skipped: bool,
) -> Wish {
    let spec = &pass.run.spec;
    let seen = status.observed_state.unwrap_or_default();
    let rose = status
        .observed_attempt
        .is_some_and(|attempt| spec.attempt > attempt);
    let settled = matches!(status.state, State::Stopped | State::Failed);
    let asks = match spec.state {
        RunIntent::Initialize => None,
        RunIntent::Stop if seen != RunIntent::Stop => Some(RequestAction::Stop),
        RunIntent::Stop => None,
        RunIntent::Run if seen == RunIntent::Run && !rose => None,
        RunIntent::Run if status.start_time.is_none() => Some(RequestAction::Start),
        RunIntent::Run => Some(RequestAction::Resume),
    };
    // What a resume retries depends on the failures on record: the skips go on record first.
    if skipped && settled && asks == Some(RequestAction::Resume) {
        pass.again = true;
        return Wish::Nothing;
    }
    status.observed_state = Some(spec.state);
    status.observed_attempt = Some(spec.attempt);
    let Some(action) = asks else {
        return Wish::Nothing;
    };
    let verdict = allowed(pass, status, action);
    let id = next_id(status, action);
    let wish = match (&verdict, action) {
        (Err(_), _) | (_, RequestAction::Skip) => Wish::Nothing,
        // Accepted without effect: it is halted already.
        (Ok(()), RequestAction::Stop) if status.state == State::Stopping => Wish::Nothing,
        (Ok(()), RequestAction::Stop) => Wish::Stop,
        (Ok(()), RequestAction::Start) => Wish::Start,
        (Ok(()), RequestAction::Resume) => Wish::Resume,
    };
    record(pass, status, id, action, verdict);
    wish
}

/// Answers requests to skip; true when one was accepted. `tree` is `None` when it cannot be made.
pub(super) fn answer_skips(
    pass: &mut Pass<'_>,
    status: &mut UpdateRunStatus,
    mut tree: Option<&mut Tree<'_>>,
) -> bool {
    let run = pass.run;
    let mut accepted = false;
    for request in unanswered(&run.spec.skips, &status.requests) {
        let verdict = allowed(pass, status, RequestAction::Skip)
            .and_then(|()| targets(request))
            .and_then(|targets| match tree.as_deref_mut() {
                Some(tree) => {
                    skip::judge(tree, &targets)?;
                    skip::apply(pass, tree, &targets, &on_behalf(request));
                    Ok(())
                }
                None => Ok(()),
            });
        accepted |= verdict.is_ok();
        record(
            pass,
            status,
            request.id.clone(),
            RequestAction::Skip,
            verdict,
        );
    }
    accepted
}

/// Skips without an answer, wherever in the list they were put.
fn unanswered<'s>(skips: &'s [SkipRequest], answers: &[RequestStatus]) -> Vec<&'s SkipRequest> {
    let ids: BTreeSet<&str> = answers
        .iter()
        .filter(|answer| answer.action == RequestAction::Skip)
        .map(|answer| answer.id.as_str())
        .collect();
    skips
        .iter()
        .filter(|skip| !ids.contains(skip.id.as_str()))
        .collect()
}

fn targets(request: &SkipRequest) -> Result<Vec<Target>, Refusal> {
    request.targets.iter().map(|text| text.parse()).collect()
}

fn on_behalf(request: &SkipRequest) -> String {
    let by = request.by.as_deref().filter(|by| !by.is_empty());
    let comment = request
        .comment
        .as_deref()
        .filter(|comment| !comment.is_empty());
    let by = by.map(|by| format!(" of {by}")).unwrap_or_default();
    let comment = comment
        .map(|comment| format!(": {comment}"))
        .unwrap_or_default();
    format!("{by}{comment}")
}

// Legality is judged on the state that stands on the hub, which is what the asker saw.
fn allowed(
    pass: &Pass<'_>,
    status: &UpdateRunStatus,
    action: RequestAction,
) -> Result<(), Refusal> {
    let verb = match action {
        RequestAction::Start => Verb::Start,
        RequestAction::Stop => Verb::Stop,
        RequestAction::Resume => Verb::Resume,
        RequestAction::Skip => Verb::Skip,
    };
    operation::judge(pass.run_name, Some(status), verb)
}

/// `start`, `stop-1`, `resume-1` and so on.
fn next_id(status: &UpdateRunStatus, action: RequestAction) -> String {
    let word = match action {
        RequestAction::Start => "start",
        RequestAction::Stop => "stop",
        RequestAction::Resume => "resume",
        RequestAction::Skip => "skip",
    };
    let last = status
        .requests
        .iter()
        .filter(|request| request.action == action)
        .map(|request| {
            let number = request
                .id
                .rsplit_once('-')
                .and_then(|(_, n)| n.parse::<u32>().ok());
            number.unwrap_or(1)
        })
        .max();
    match (last, action) {
        (None, RequestAction::Start) => word.to_owned(),
        (last, _) => format!("{word}-{}", last.unwrap_or(0).saturating_add(1)),
    }
}

fn record(
    pass: &mut Pass<'_>,
    status: &mut UpdateRunStatus,
    id: String,
    action: RequestAction,
    verdict: Result<(), Refusal>,
) {
    let (code, message) = match &verdict {
        Ok(()) => (String::new(), String::new()),
        Err(refusal) => (refusal.code.to_owned(), refusal.text()),
    };
    let fact = match &verdict {
        Ok(()) => Fact::normal(
            Subject::Run,
            "RequestAccepted",
            format!("Request {id} accepted"),
        ),
        Err(_) => Fact::warning(
            Subject::Run,
            "RequestRefused",
            format!("Request {id} refused, {code}: {message}"),
        ),
    };
    pass.facts.push(fact);
    status.requests.push(RequestStatus {
        id,
        action,
        accepted: verdict.is_ok(),
        code,
        message,
        time: pass.time(),
    });
    trim(&mut status.requests);
}

fn trim(requests: &mut Vec<RequestStatus>) {
    let other = |request: &RequestStatus| request.action != RequestAction::Skip;
    let mut over = requests
        .iter()
        .filter(|request| other(request))
        .count()
        .saturating_sub(KEPT);
    requests.retain(|request| {
        let forget = over > 0 && other(request);
        over -= usize::from(forget);
        !forget
    });
}
