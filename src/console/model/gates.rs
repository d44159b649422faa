//! The list of gates: those that a run has reached, and those that are still ahead.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;

use crate::api::{
    Gate, GateConfig, GateState, GateType, State, Timing, UpdateRun, UpdateRunStatus,
};
use crate::engine::gate as rules;
use crate::engine::operation::{Verb, allowed};

use super::filter::{Facts, Filter, Schema};
use super::list::Cursor;
use super::names::Uid;
use super::runs;
use super::store::Store;
use super::tree::{self, GateSpot};

/// What the list of gates can be filtered by.
pub const SCHEMA: Schema = Schema {
    words: &["run", "stage", "group", "type", "name", "by"],
    numbers: &["age"],
    versions: &[],
    labels: true,
    questions: &["open", "ready", "later", "marked"],
};

/// What gates are ordered by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// What waits for a person first, the longest first.
    #[default]
    Waiting,
    /// Name of the run.
    Run,
    /// Name of the gate.
    Name,
}

impl Order {
    /// All orders.
    pub const ALL: [Order; 3] = [Order::Waiting, Order::Run, Order::Name];

    /// In one word.
    pub fn word(self) -> &'static str {
        match self {
            Order::Waiting => "waiting",
            Order::Run => "run",
            Order::Name => "name",
        }
    }
}

/// Identity of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GateKey {
    /// A gate that a run has reached.
    Reached(Uid),
    /// One that is still ahead of a run.
    Ahead(Uid, GateSpot),
}

/// How a gate stands to the person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// Passing it lets work go on.
    Ready,
    /// It can be passed, and something else must happen too.
    NotReady,
    /// It opens by itself.
    ByItself,
    /// Not reached yet.
    Later,
}

/// The list of gates.
#[derive(Debug, Default)]
pub struct GatesPage {
    /// Shown gates in order.
    pub rows: Vec<GateKey>,
    /// Selection and window.
    pub cursor: Cursor<GateKey>,
    /// The filter.
    pub filter: Filter,
    /// Only those that wait for a person.
    pub faults: bool,
    /// The order.
    pub order: Order,
    /// Turned round.
    pub turned: bool,
    /// Marked gates.
    pub marks: BTreeSet<GateKey>,
    /// The gate that was marked last.
    pub anchor: Option<GateKey>,
    /// How many wait for a person, open by themselves, are ahead.
    pub totals: (usize, usize, usize),
}

/// Everything that is known of a row.
#[derive(Clone, Debug)]
pub struct GateInfo<'a> {
    /// Its identity.
    pub key: GateKey,
    /// The object, once reached.
    pub gate: Option<&'a Arc<Gate>>,
    /// Its run.
    pub run: Option<(Uid, &'a Arc<UpdateRun>)>,
    /// Its place in the run's tree.
    pub spot: Option<GateSpot>,
    /// What people see.
    pub name: String,
    /// Name of the run.
    pub run_name: String,
    /// Name of the stage.
    pub stage: String,
    /// Name of the group.
    pub group: Option<String>,
    /// Before or after.
    pub timing: Timing,
    /// How it is passed.
    pub type_: GateType,
    /// Since when it waits.
    pub since: Option<Timestamp>,
    /// When it opens by itself.
    pub opens: Option<Timestamp>,
    /// How it stands.
    pub standing: Standing,
    /// Why it is not ready, or what it will need.
    pub why: String,
}

impl GatesPage {
    /// Makes the rows anew.
    pub fn rebuild(&mut self, store: &Store, now: Timestamp) {
        let mut rows: Vec<GateInfo<'_>> = keys(store)
            .into_iter()
            .filter_map(|key| info(store, key))
            .collect();
        let number = |s: &dyn Fn(Standing) -> bool| rows.iter().filter(|r| s(r.standing)).count();
        self.totals = (
            number(&|s| s <= Standing::NotReady),
            number(&|s| s == Standing::ByItself),
            number(&|s| s == Standing::Later),
        );
        rows.retain(|row| {
            (!self.faults || row.standing <= Standing::NotReady)
                && self.filter.faults.is_empty()
                && self.filter.lets(&Asked {
                    row,
                    now,
                    marked: self.marks.contains(&row.key),
                })
        });
        rows.sort_by(|a, b| {
            let order = match self.order {
                Order::Waiting => a.standing.cmp(&b.standing).then(
                    a.since
                        .unwrap_or(Timestamp::MAX)
                        .cmp(&b.since.unwrap_or(Timestamp::MAX)),
                ),
                Order::Run => a.run_name.cmp(&b.run_name),
                Order::Name => a.name.cmp(&b.name),
            };
            let order = if self.turned { order.reverse() } else { order };
            order
                .then_with(|| a.run_name.cmp(&b.run_name))
                .then_with(|| a.key.cmp(&b.key))
        });
        self.rows = rows.into_iter().map(|r| r.key).collect();
        let rows = &self.rows;
        self.cursor.follow(
            rows.len(),
            |key| rows.iter().position(|r| *r == key),
            |at| {
                rows.get(at)
                    .copied()
                    .unwrap_or(GateKey::Reached(Uid::default()))
            },
        );
    }
}

fn keys(store: &Store) -> Vec<GateKey> {
    let pending = store
        .gates
        .iter()
        .filter(|(_, held)| state(&held.object) == GateState::Pending)
        .map(|(uid, _)| GateKey::Reached(uid));
    let ahead = store
        .runs
        .present()
        .filter(|(_, run)| !runs::is_over(run))
        .flat_map(|(uid, run)| {
            spots(run)
                .into_iter()
                .filter(|spot| tree::gate(run, *spot).is_some_and(|g| g.state == State::NotStarted))
                .map(move |spot| GateKey::Ahead(uid, spot))
        });
    pending.chain(ahead).collect()
}

/// Places of all gates of a run, in the order in which the tree shows them.
pub fn spots(run: &UpdateRun) -> Vec<GateSpot> {
    let mut spots = Vec::new();
    let at = |i: usize| u16::try_from(i).unwrap_or(u16::MAX);
    let mut push = |of, timing, n: usize| {
        spots.extend((0..n).map(|i| GateSpot {
            of,
            timing,
            index: at(i),
        }));
    };
    for (s, stage) in tree::stages(run).iter().enumerate() {
        push((at(s), None), Timing::Before, stage.before_gates.len());
        for (g, group) in stage.groups.iter().enumerate() {
            push(
                (at(s), Some(at(g))),
                Timing::Before,
                group.before_gates.len(),
            );
            push((at(s), Some(at(g))), Timing::After, group.after_gates.len());
        }
        push((at(s), None), Timing::After, stage.after_gates.len());
    }
    spots
}

/// State of a gate object.
pub fn state(gate: &Gate) -> GateState {
    gate.status.as_ref().map(|s| s.state).unwrap_or_default()
}

/// What is known of a row.
pub fn info(store: &Store, key: GateKey) -> Option<GateInfo<'_>> {
    match key {
        GateKey::Reached(uid) => {
            let gate = &store.gates.get(uid)?.object;
            Some(reached(store, key, gate))
        }
        GateKey::Ahead(uid, spot) => {
            let run = &store.runs.get(uid)?.object;
            ahead(key, (uid, run), spot)
        }
    }
}

fn reached<'a>(store: &'a Store, key: GateKey, gate: &'a Arc<Gate>) -> GateInfo<'a> {
    let run = store.run_named(&gate.spec.run);
    let name = gate.metadata.name.as_deref();
    let spot = run.and_then(|(_, run)| {
        spots(run)
            .into_iter()
            .find(|spot| tree::gate(run, *spot).is_some_and(|e| e.gate_name.as_deref() == name))
    });
    let opens = gate
        .spec
        .scheduled_start
        .as_ref()
        .map(|s| s.absolute_start_time.0);
    let (standing, why) = standing(gate, run.map(|(_, r)| r), spot, opens);
    GateInfo {
        key,
        gate: Some(gate),
        run,
        spot,
        name: display(gate.spec.display_name.as_deref(), gate.spec.type_),
        run_name: gate.spec.run.clone(),
        stage: gate.spec.stage.clone(),
        group: gate.spec.group.clone(),
        timing: gate.spec.timing,
        type_: gate.spec.type_,
        since: gate
            .status
            .as_ref()
            .and_then(|s| s.start_time.as_ref())
            .map(|t| t.0),
        opens,
        standing,
        why,
    }
}

fn standing(
    gate: &Gate,
    run: Option<&Arc<UpdateRun>>,
    spot: Option<GateSpot>,
    opens: Option<Timestamp>,
) -> (Standing, String) {
    if let Err(refusal) = rules::can_approve(gate) {
        return (Standing::NotReady, refusal.message);
    }
    if opens.is_some() {
        return (Standing::ByItself, String::new());
    }
    let Some(run) = run else {
        return (Standing::Ready, String::new());
    };
    if allowed(run, Verb::Resume).is_ok() {
        let why = format!("the run is {}: takes effect on resume", runs::state(run));
        return (Standing::NotReady, why);
    }
    let others = spot.map_or(0, |spot| {
        spots(run)
            .into_iter()
            .filter(|o| o.of == spot.of && o.timing == spot.timing && *o != spot)
            .filter(|o| tree::gate(run, *o).is_some_and(|g| g.state == State::Pending))
            .count()
    });
    match others {
        0 => (Standing::Ready, String::new()),
        1 => (
            Standing::NotReady,
            "one more gate stands at this place".to_owned(),
        ),
        n => (
            Standing::NotReady,
            format!("{n} more gates stand at this place"),
        ),
    }
}

fn ahead<'a>(key: GateKey, run: (Uid, &'a Arc<UpdateRun>), spot: GateSpot) -> Option<GateInfo<'a>> {
    let entry = tree::gate(run.1, spot)?;
    let (s, g) = spot.of;
    let stage = tree::stage(run.1, s)?;
    let group = g.and_then(|g| tree::group(run.1, s, g));
    let type_ = config(
        run.1.status.as_ref(),
        &stage.name,
        group.map(|g| g.name.as_str()),
        spot,
    )
    .map(|c| c.type_)
    .unwrap_or_default();
    Some(GateInfo {
        key,
        gate: None,
        run: Some(run),
        spot: Some(spot),
        name: display(entry.display_name.as_deref(), type_),
        run_name: runs::name(run.1).to_owned(),
        stage: stage.name.clone(),
        group: group.map(|g| g.name.clone()),
        timing: spot.timing,
        type_,
        since: None,
        opens: None,
        standing: Standing::Later,
        why: place_of(run.1),
    })
}

/// Where a run is, in a few words.
fn place_of(run: &UpdateRun) -> String {
    let current = tree::stages(run).iter().enumerate().find(|(_, s)| {
        s.state != State::NotStarted && s.state != State::Completed && s.state != State::Skipped
    });
    match current {
        Some((i, stage)) => format!("run is in {} {}", i + 1, stage.name),
        None => format!("run is {}", runs::state(run)),
    }
}

/// The gate as the strategy asks for it.
pub fn config<'a>(
    status: Option<&'a UpdateRunStatus>,
    stage: &str,
    group: Option<&str>,
    spot: GateSpot,
) -> Option<&'a GateConfig> {
    let stage = status?
        .strategy
        .as_ref()?
        .stages
        .iter()
        .find(|s| s.name == stage)?;
    let (before, after) = match group {
        None => (&stage.before_gates, &stage.after_gates),
        Some(group) => {
            let group = stage.groups.iter().find(|g| g.name == group)?;
            (&group.before_gates, &group.after_gates)
        }
    };
    match spot.timing {
        Timing::Before => before,
        Timing::After => after,
    }
    .get(usize::from(spot.index))
}

/// What people see of a gate.
pub fn display(name: Option<&str>, type_: GateType) -> String {
    match (name, type_) {
        (Some(name), _) => name.to_owned(),
        (None, GateType::Approval) => "Approval".to_owned(),
        (None, GateType::ScheduledStart) => "Scheduled start".to_owned(),
    }
}

/// Kind of a gate in one word, where that tells it apart from the others of its list; else what
/// people call it.
pub fn kind_word(run: &UpdateRun, spot: GateSpot, type_: GateType, name: Option<&str>) -> String {
    let (s, g) = spot.of;
    let stage = tree::stage(run, s).map_or("", |s| s.name.as_str());
    let group = g
        .and_then(|g| tree::group(run, s, g))
        .map(|g| g.name.as_str());
    let same = |other: &GateSpot| {
        let found = config(run.status.as_ref(), stage, group, *other);
        other.of == spot.of
            && other.timing == spot.timing
            && found.map(|c| c.type_).unwrap_or_default() == type_
    };
    let rivals = spots(run).iter().filter(|o| same(o)).count();
    match (rivals, type_) {
        (0 | 1, GateType::Approval) => "Approval".to_owned(),
        (0 | 1, GateType::ScheduledStart) => "Start".to_owned(),
        _ => display(name, type_),
    }
}

impl GateInfo<'_> {
    /// `before 3 prod/prod-fr`.
    pub fn place(&self) -> String {
        let number = self
            .spot
            .map_or(String::new(), |s| format!("{} ", s.of.0 + 1));
        let timing = match self.timing {
            Timing::Before => "before",
            Timing::After => "after",
        };
        match &self.group {
            Some(group) => format!("{timing} {number}{}/{group}", self.stage),
            None => format!("{timing} {number}{}", self.stage),
        }
    }

    /// Members that can begin when the gate is passed: those behind it that have not ended.
    pub fn members(&self) -> i32 {
        let (Some((_, run)), Some(spot)) = (self.run, self.spot) else {
            return 0;
        };
        let waiting = |c: &crate::api::Counts| c.not_started + c.pending;
        match (spot.of, spot.timing) {
            ((s, Some(g)), Timing::Before) => {
                tree::group(run, s, g).map_or(0, |g| waiting(&g.counts))
            }
            ((s, None), Timing::Before) => tree::stage(run, s).map_or(0, |s| waiting(&s.counts)),
            ((s, None), Timing::After) => tree::stage(run, s + 1).map_or(0, |s| waiting(&s.counts)),
            ((_, Some(_)), Timing::After) => 0,
        }
    }
}

struct Asked<'a> {
    row: &'a GateInfo<'a>,
    now: Timestamp,
    marked: bool,
}

impl Facts for Asked<'_> {
    fn any_text(&self, test: &dyn Fn(&str) -> bool) -> bool {
        let place = self.row.place();
        [
            self.row.name.as_str(),
            &self.row.run_name,
            &place,
            &self.row.why,
        ]
        .into_iter()
        .any(test)
    }

    fn label(&self, key: &str) -> Option<&str> {
        runs::value(self.row.gate?.metadata.labels.as_ref(), key)
    }

    fn name(&self) -> &str {
        &self.row.name
    }

    fn word(&self, column: &str) -> Option<Cow<'_, str>> {
        match column {
            "run" => Some(self.row.run_name.as_str().into()),
            "stage" => Some(self.row.stage.as_str().into()),
            "group" => self.row.group.as_deref().map(Cow::from),
            "type" => Some(self.row.type_.to_string().into()),
            "name" => Some(self.row.name.as_str().into()),
            "by" => self.row.gate?.spec.completed_by.as_deref().map(Cow::from),
            _ => None,
        }
    }

    fn number(&self, column: &str) -> Option<f64> {
        let since = self.row.since.filter(|_| column == "age")?;
        Some(self.now.duration_since(since).as_secs_f64())
    }

    fn is(&self, question: &str) -> bool {
        match question {
            "open" => self.row.standing != Standing::Later,
            "ready" => self.row.standing == Standing::Ready,
            "later" => self.row.standing == Standing::Later,
            "marked" => self.marked,
            _ => false,
        }
    }
}
