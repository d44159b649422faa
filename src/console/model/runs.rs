//! The list of runs: which are shown, in which order, and what is told of each.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use crate::api::{State, UpdateRun, UpdateRunStatus, WaitingFor};
use crate::engine::explain::{self, code};
use crate::engine::tolerance;

use super::filter::{Facts, Filter, Schema};
use super::list::Cursor;
use super::names::Uid;
use super::store::Store;

/// What the list of runs can be filtered by.
pub const SCHEMA: Schema = Schema {
    words: &["state", "strategy", "target", "name"],
    numbers: &["age", "left", "fail", "done"],
    versions: &["target"],
    labels: true,
    questions: &["gate", "blocked", "over", "failed", "marked"],
};

/// An ended run is hidden from this age on, unless a filter is set.
pub const OLD: i64 = 10 * 86_400;

/// What runs are ordered by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// What needs the person first.
    #[default]
    Attention,
    /// Name.
    Name,
    /// State, as work passes through them.
    State,
    /// Share that is done.
    Done,
    /// Failures.
    Fail,
    /// Failures that are still allowed.
    Left,
    /// Age, the newest first.
    Age,
}

impl Order {
    /// All orders.
    pub const ALL: [Order; 7] = [
        Order::Attention,
        Order::Name,
        Order::State,
        Order::Done,
        Order::Fail,
        Order::Left,
        Order::Age,
    ];

    /// In one word.
    pub fn word(self) -> &'static str {
        match self {
            Order::Attention => "attention",
            Order::Name => "name",
            Order::State => "state",
            Order::Done => "done",
            Order::Fail => "failures",
            Order::Left => "left",
            Order::Age => "age",
        }
    }
}

/// The list of runs.
#[derive(Debug, Default)]
pub struct RunsPage {
    /// Shown runs in order.
    pub rows: Vec<Uid>,
    /// Selection and window.
    pub cursor: Cursor<Uid>,
    /// The filter.
    pub filter: Filter,
    /// Only what needs a look.
    pub faults: bool,
    /// The order.
    pub order: Order,
    /// Turned round.
    pub turned: bool,
    /// Marked runs.
    pub marks: BTreeSet<Uid>,
    /// The run that was marked last.
    pub anchor: Option<Uid>,
}

impl RunsPage {
    /// Makes the rows anew.
    pub fn rebuild(&mut self, store: &Store, now: Timestamp) {
        let mut rows: Vec<(Uid, &Arc<UpdateRun>)> = store
            .runs
            .iter()
            .map(|(uid, held)| (uid, &held.object))
            .filter(|(uid, run)| self.shows(*uid, run, now))
            .collect();
        rows.sort_by(|a, b| {
            let order = self.compare(a.1, b.1);
            let order = if self.turned { order.reverse() } else { order };
            order.then_with(|| name(a.1).cmp(name(b.1)))
        });
        self.rows = rows.into_iter().map(|(uid, _)| uid).collect();
        let rows = &self.rows;
        self.cursor.follow(
            rows.len(),
            |key| rows.iter().position(|r| *r == key),
            |at| rows.get(at).copied().unwrap_or_default(),
        );
    }

    fn shows(&self, uid: Uid, run: &UpdateRun, now: Timestamp) -> bool {
        if self.faults && !needs_a_look(run) {
            return false;
        }
        if self.filter.is_empty() && self.filter.faults.is_empty() {
            return !(is_over(run) && age(run, now).is_some_and(|a| a > OLD));
        }
        self.filter.faults.is_empty()
            && self.filter.lets(&RunFacts {
                run,
                now,
                marked: self.marks.contains(&uid),
            })
    }

    fn compare(&self, a: &UpdateRun, b: &UpdateRun) -> std::cmp::Ordering {
        let left = |run: &UpdateRun| match left(run) {
            Left::Over => i64::MIN,
            Left::Some(n) => i64::from(n),
            Left::None => i64::MAX,
        };
        match self.order {
            Order::Attention => attention_rank(a).cmp(&attention_rank(b)),
            Order::Name => std::cmp::Ordering::Equal,
            Order::State => state(a).cmp(&state(b)),
            Order::Done => done_share(b).total_cmp(&done_share(a)),
            Order::Fail => failures(b).cmp(&failures(a)),
            Order::Left => left(a).cmp(&left(b)),
            Order::Age => created(b).cmp(&created(a)),
        }
    }
}

struct RunFacts<'a> {
    run: &'a UpdateRun,
    now: Timestamp,
    marked: bool,
}

impl Facts for RunFacts<'_> {
    fn any_text(&self, test: &dyn Fn(&str) -> bool) -> bool {
        let status = self.run.status.as_ref();
        [
            name(self.run),
            state(self.run).as_str(),
            target(self.run),
            strategy(self.run),
            status.map_or("", |s| &s.waits),
        ]
        .into_iter()
        .any(test)
    }

    fn label(&self, key: &str) -> Option<&str> {
        value(self.run.metadata.labels.as_ref(), key)
    }

    fn name(&self) -> &str {
        name(self.run)
    }

    fn word(&self, column: &str) -> Option<Cow<'_, str>> {
        match column {
            "state" => Some(state(self.run).as_str().into()),
            "strategy" => Some(strategy(self.run).into()),
            "target" => Some(target(self.run).into()),
            "name" => Some(name(self.run).into()),
            _ => None,
        }
    }

    fn number(&self, column: &str) -> Option<f64> {
        match column {
            #[allow(clippy::cast_precision_loss)]
            "age" => age(self.run, self.now).map(|a| a as f64),
            "left" => match left(self.run) {
                Left::Over => Some(-1.0),
                Left::Some(n) => Some(f64::from(n)),
                Left::None => None,
            },
            "fail" => Some(f64::from(failures(self.run))),
            "done" => Some(done_share(self.run)),
            _ => None,
        }
    }

    fn is(&self, question: &str) -> bool {
        match question {
            "gate" => open_gates(self.run) > 0,
            "blocked" => blocker(self.run).is_some(),
            "over" => left(self.run) == Left::Over,
            "failed" => failures(self.run) > 0,
            "marked" => self.marked,
            _ => false,
        }
    }
}

/// Failures that a run may still have, over all scopes that still work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// A limit was passed.
    Over,
    /// The smallest remainder.
    Some(i32),
    /// Nothing works any more, or nothing is known.
    None,
}

/// The smallest number of failures that a scope at work still allows.
pub fn left(run: &UpdateRun) -> Left {
    let stages = run.status.as_ref().map_or(&[][..], |s| &s.stages);
    let mut least: Option<i32> = None;
    // What is not reached cannot fail yet, unless nothing is.
    let reached = |state: State| state != State::NotStarted;
    let open = |state: State| !matches!(state, State::Completed | State::Skipped);
    let at_work = stages
        .iter()
        .any(|stage| reached(stage.state) && open(stage.state));
    for stage in stages
        .iter()
        .filter(|stage| !at_work || reached(stage.state))
    {
        let own = (stage.state, stage.failure_count, stage.max_allowed_failures);
        let groups = stage
            .groups
            .iter()
            .map(|g| (g.state, g.failure_count, g.max_allowed_failures));
        for (state, failures, tolerance) in std::iter::once(own).chain(groups) {
            let Some(rest) = explain::failures_left(state, failures, tolerance) else {
                continue;
            };
            if tolerance::exceeded(failures, tolerance) {
                return Left::Over;
            }
            least = Some(least.map_or(rest, |l| l.min(rest)));
        }
    }
    match least {
        Some(rest) if !is_over(run) => Left::Some(rest),
        _ => Left::None,
    }
}

/// Value of a label among those of an object.
pub fn value<'a>(labels: Option<&'a BTreeMap<String, String>>, key: &str) -> Option<&'a str> {
    labels?.get(key).map(String::as_str)
}

/// Name of a run.
pub fn name(run: &UpdateRun) -> &str {
    run.metadata.name.as_deref().unwrap_or_default()
}

/// State of a run.
pub fn state(run: &UpdateRun) -> State {
    run.status.as_ref().map(|s| s.state).unwrap_or_default()
}

/// Members that failed.
pub fn failures(run: &UpdateRun) -> i32 {
    run.status.as_ref().map_or(0, |s| s.failure_count)
}

/// Name of the strategy, or `none`.
pub fn strategy(run: &UpdateRun) -> &str {
    match (&run.spec.strategy_name, &run.spec.strategy) {
        (Some(name), _) => name,
        (None, Some(_)) => "own",
        (None, None) => "none",
    }
}

/// Version that it goes to; `image` where it changes node images alone.
pub fn target(run: &UpdateRun) -> &str {
    let version = run.spec.upgrade.kubernetes_version.as_deref();
    version.unwrap_or("image")
}

/// When it was made.
pub fn created(run: &UpdateRun) -> Option<Timestamp> {
    run.metadata.creation_timestamp.as_ref().map(|t| t.0)
}

fn age(run: &UpdateRun, now: Timestamp) -> Option<i64> {
    created(run).map(|c| now.duration_since(c).as_secs())
}

/// Whether it can never go on: nothing but a new run follows.
pub fn is_over(run: &UpdateRun) -> bool {
    matches!(state(run), State::Completed | State::Skipped)
}

/// Members that need nothing any more, and all of them.
pub fn done(run: &UpdateRun) -> (i32, i32) {
    let counts = run.status.as_ref().map(|s| s.counts).unwrap_or_default();
    (
        counts.completed + counts.failed + counts.skipped,
        counts.total,
    )
}

fn done_share(run: &UpdateRun) -> f64 {
    let (done, total) = done(run);
    if total == 0 {
        0.0
    } else {
        f64::from(done) * 100.0 / f64::from(total)
    }
}

/// Gates that a run has reached and that nobody has passed.
pub fn open_gates(run: &UpdateRun) -> usize {
    let waits = run.status.as_ref().map_or(&[][..], |s| &s.waiting_for);
    waits.iter().filter(|w| is_gate(w)).count()
}

/// Whether a thing waits for a gate.
pub fn is_gate(wait: &WaitingFor) -> bool {
    wait.object.starts_with("Gate/")
}

/// Whether somebody must see to it: it neither goes on by itself nor waits for a gate.
pub fn is_obstacle(wait: &WaitingFor) -> bool {
    let by_itself = [code::IN_FLIGHT, code::MORE, code::NOT_STARTED];
    wait.until.is_none() && !is_gate(wait) && !by_itself.contains(&wait.code.as_str())
}

/// What stands still in a run at work so that somebody must see to it.
pub fn blocker(run: &UpdateRun) -> Option<&WaitingFor> {
    let status: &UpdateRunStatus = run.status.as_ref()?;
    let at_work = matches!(
        status.state,
        State::Running | State::Pending | State::Stopping
    );
    status
        .waiting_for
        .iter()
        .filter(|_| at_work)
        .find(|w| is_obstacle(w))
}

const OVER: u8 = 4;

/// Whether a person should look at it.
pub fn needs_a_look(run: &UpdateRun) -> bool {
    attention_rank(run) <= OVER
}

/// What needs the person most comes first.
pub fn attention_rank(run: &UpdateRun) -> u8 {
    if open_gates(run) > 0 && !is_over(run) {
        return 0;
    }
    if blocker(run).is_some() {
        return 1;
    }
    match state(run) {
        State::Failed => 2,
        State::Stopping => 3,
        _ if left(run) == Left::Over => OVER,
        State::Running => 5,
        State::Pending => 6,
        State::NotStarted => 7,
        State::Stopped => 8,
        State::Completed if failures(run) > 0 => 9,
        State::Completed => 10,
        State::Skipped => 11,
    }
}
