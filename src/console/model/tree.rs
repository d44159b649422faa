//! The open run as a flat list of light rows.
//!
//! Rows are made anew when a batch, a fold or a filter changes them, never for a frame. A row is a
//! few bytes that say what it is; its texts are made by the view, for visible rows only.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::api::{GateEntry, GroupStatus, StageStatus, State, Timing, UpdateRun};
use crate::console::msg::Kind;

use super::list::Cursor;
use super::names::{Name, Uid};
use super::store::{Store, Sync};
use super::update::{Update, UpdateId};

/// A stage by its number in the run, and a group by its number in the stage.
pub type Spot = (u16, Option<u16>);

/// One row of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// A stage.
    Stage(u16),
    /// A group of a stage.
    Group(u16, u16),
    /// A gate before or after a stage or group.
    Gate(GateSpot),
    /// The wait after a stage.
    Wait(u16),
    /// A member in a group.
    Member(UpdateId),
    /// Members of a group that are not shown.
    More(u16, u16, u32),
    /// Members that are in the fleet and not in the plan, or the other way round.
    Apart,
}

/// Place of a gate in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GateSpot {
    /// Of which stage or group.
    pub of: Spot,
    /// Before or after it.
    pub timing: Timing,
    /// Which one of that list.
    pub index: u16,
}

/// Identity of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowKey {
    /// A stage or group.
    Spot(Spot),
    /// A gate.
    Gate(GateSpot),
    /// The wait after a stage.
    Wait(u16),
    /// A member update.
    Member(Uid),
    /// What is not shown of a group.
    More(u16, u16),
    /// What is not in the plan.
    Apart,
}

/// What a person made of a run's tree; kept while the console is open.
#[derive(Debug, Default)]
pub struct Tree {
    /// Rows in order.
    pub rows: Vec<Row>,
    /// Selection and window.
    pub cursor: Cursor<RowKey>,
    /// Members in the fleet and not in the plan, made after the run's start.
    pub joined: Vec<Name>,
    /// Number of members in the plan that are not in the fleet.
    pub left: usize,
    /// The version that all members had before, if it is one.
    pub from: Option<Name>,
    folds: BTreeMap<Spot, bool>,
    whole: BTreeSet<(u16, u16)>,
    filtered: bool,
    compared: Option<(u64, u64)>,
    /// A member that was selected and whose list is still coming, and what is selected instead.
    sought: Option<(RowKey, RowKey)>,
}

/// What decides which members of a group are shown.
pub struct Shown<'a> {
    /// At most this many, unless the person wants all.
    pub limit: usize,
    /// Whether a row is let through by the filter; `None` without a filter. Parents of such rows
    /// stay.
    pub hit: Option<&'a dyn Fn(Row) -> bool>,
}

impl Tree {
    /// Whether a stage or group is open.
    pub fn is_open(&self, spot: Spot) -> bool {
        self.folds.get(&spot).copied().unwrap_or(false)
    }

    /// Opens or closes a stage or group.
    pub fn fold(&mut self, spot: Spot, open: bool) {
        self.folds.insert(spot, open);
    }

    /// Opens or closes all of them.
    pub fn fold_all(&mut self, run: &UpdateRun, open: bool) {
        for (s, stage) in stages(run).iter().enumerate() {
            self.folds.insert((index(s), None), open);
            for g in 0..stage.groups.len() {
                self.folds.insert((index(s), Some(index(g))), open);
            }
        }
        if !open {
            self.whole.clear();
        }
    }

    /// Shows every member of a group, or only the first ones again.
    pub fn show_whole(&mut self, stage: u16, group: u16, whole: bool) {
        if whole {
            self.whole.insert((stage, group));
        } else {
            self.whole.remove(&(stage, group));
        }
    }

    /// Whether every member of a group is shown.
    pub fn is_whole(&self, stage: u16, group: u16) -> bool {
        self.whole.contains(&(stage, group))
    }

    /// The selected row.
    pub fn selected(&self) -> Option<Row> {
        self.rows.get(self.cursor.at).copied()
    }

    /// Identity of a row.
    pub fn key(store: &Store, row: Row) -> RowKey {
        match row {
            Row::Stage(s) => RowKey::Spot((s, None)),
            Row::Group(s, g) => RowKey::Spot((s, Some(g))),
            Row::Gate(gate) => RowKey::Gate(gate),
            Row::Wait(s) => RowKey::Wait(s),
            Row::Member(id) => {
                RowKey::Member(store.updates.get(id).map(|u| u.uid).unwrap_or_default())
            }
            Row::More(s, g, _) => RowKey::More(s, g),
            Row::Apart => RowKey::Apart,
        }
    }

    /// Makes the rows of a run anew and finds the selection in them.
    pub fn rebuild(&mut self, store: &Store, run: &UpdateRun, shown: &Shown<'_>) {
        self.open_what_works(run);
        if std::mem::replace(&mut self.filtered, shown.hit.is_some()) && shown.hit.is_none() {
            self.open_to_selection(store, run);
        }
        let mut rows = std::mem::take(&mut self.rows);
        rows.clear();
        let name = store
            .names
            .find(run.metadata.name.as_deref().unwrap_or_default());
        for (s, stage) in stages(run).iter().enumerate() {
            self.stage_rows(store, name, (index(s), stage), shown, &mut rows);
        }
        if shown.hit.is_none() && (!self.joined.is_empty() || self.left > 0) {
            rows.push(Row::Apart);
        }
        self.rows = rows;
        let complete = store.sync(Kind::Update) == Sync::Ready;
        let before = self.before_loading(store);
        let rows = &self.rows;
        self.cursor.follow(
            rows.len(),
            |key| rows.iter().position(|r| Self::key(store, *r) == key),
            |at| rows.get(at).map_or(RowKey::Apart, |r| Self::key(store, *r)),
        );
        self.sought = match (before, self.cursor.key) {
            (Some(before @ RowKey::Member(_)), Some(now)) if before != now && !complete => {
                Some((before, now))
            }
            _ => None,
        };
    }

    /// The selection; a member whose list was not there yet is selected again once it is, unless
    /// the person has moved meanwhile.
    fn before_loading(&mut self, store: &Store) -> Option<RowKey> {
        if let Some((sought, instead)) = self.sought
            && self.cursor.key == Some(instead)
        {
            if self.rows.iter().any(|r| Self::key(store, *r) == sought) {
                self.cursor.key = Some(sought);
            }
            return Some(sought);
        }
        self.cursor.key
    }

    /// Work that begins is opened once; what a person closed stays closed.
    fn open_what_works(&mut self, run: &UpdateRun) {
        for (s, stage) in stages(run).iter().enumerate() {
            if in_work(stage.state) {
                self.folds.entry((index(s), None)).or_insert(true);
            }
            for (g, group) in stage.groups.iter().enumerate() {
                if in_work(group.state) || group.failure_count > 0 {
                    self.folds.entry((index(s), Some(index(g)))).or_insert(true);
                }
            }
        }
    }

    /// What a filter found stays in view when the filter goes.
    fn open_to_selection(&mut self, store: &Store, run: &UpdateRun) {
        let Some(RowKey::Member(uid)) = self.cursor.key else {
            return;
        };
        let Some(update) = store.updates.find(uid).and_then(|id| store.updates.get(id)) else {
            return;
        };
        let (stage, group) = (
            store.names.text(update.stage),
            store.names.text(update.group),
        );
        for (s, at) in stages(run)
            .iter()
            .enumerate()
            .filter(|(_, s)| s.name == stage)
        {
            self.folds.insert((index(s), None), true);
            for (g, _) in at
                .groups
                .iter()
                .enumerate()
                .filter(|(_, g)| g.name == group)
            {
                self.folds.insert((index(s), Some(index(g))), true);
            }
        }
    }

    fn stage_rows(
        &self,
        store: &Store,
        run: Option<Name>,
        (s, stage): (u16, &StageStatus),
        shown: &Shown<'_>,
        rows: &mut Vec<Row>,
    ) {
        let begin = rows.len();
        rows.push(Row::Stage(s));
        if shown.hit.is_none() && !self.is_open((s, None)) {
            return;
        }
        gate_rows((s, None), Timing::Before, &stage.before_gates, shown, rows);
        for (g, group) in stage.groups.iter().enumerate() {
            self.group_rows(store, run, (s, stage), (index(g), group), shown, rows);
        }
        gate_rows((s, None), Timing::After, &stage.after_gates, shown, rows);
        if stage.after_stage_wait.duration_seconds > 0 {
            push_hit(Row::Wait(s), shown, rows);
        }
        drop_childless(begin, shown, rows);
    }

    fn group_rows(
        &self,
        store: &Store,
        run: Option<Name>,
        (s, stage): (u16, &StageStatus),
        (g, group): (u16, &GroupStatus),
        shown: &Shown<'_>,
        rows: &mut Vec<Row>,
    ) {
        let ids = run
            .zip(store.names.find(&stage.name))
            .zip(store.names.find(&group.name))
            .map_or(&[][..], |((run, stage), group)| {
                store.updates.of_group(run, stage, group)
            });
        let begin = rows.len();
        let spot = (s, Some(g));
        rows.push(Row::Group(s, g));
        if shown.hit.is_none() && !self.is_open(spot) {
            return;
        }
        gate_rows(spot, Timing::Before, &group.before_gates, shown, rows);
        match shown.hit {
            Some(hit) => {
                let members = ids.iter().map(|id| Row::Member(*id));
                rows.extend(members.filter(|r| hit(*r)));
            }
            None => self.member_rows(store, (s, g), ids, shown.limit, rows),
        }
        gate_rows(spot, Timing::After, &group.after_gates, shown, rows);
        drop_childless(begin, shown, rows);
    }

    fn member_rows(
        &self,
        store: &Store,
        (s, g): (u16, u16),
        ids: &[UpdateId],
        limit: usize,
        rows: &mut Vec<Row>,
    ) {
        // A row that stands for one member takes as much room as the member.
        let ranks: Vec<u8> = ids
            .iter()
            .map(|id| store.updates.get(*id).map_or(LAST, need))
            .collect();
        let untouched = ranks.iter().all(|r| *r == need_of(State::NotStarted));
        let few = if untouched {
            FEW
        } else {
            limit.saturating_add(1)
        };
        if self.is_whole(s, g) || ids.len() <= few {
            rows.extend(ids.iter().map(|id| Row::Member(*id)));
            return;
        }
        let mut worst: Vec<UpdateId> = Vec::new();
        if !untouched {
            for rank in 0..=LAST {
                let of_rank = ids.iter().zip(&ranks).filter(|(_, r)| **r == rank);
                worst.extend(of_rank.map(|(id, _)| *id).take(limit - worst.len()));
            }
        }
        // A selected member stays on screen whatever becomes of it.
        if let Some(RowKey::Member(uid)) = self.cursor.key
            && let Some(id) = ids
                .iter()
                .find(|id| store.updates.get(**id).is_some_and(|u| u.uid == uid))
            && !worst.contains(id)
        {
            worst.push(*id);
        }
        let hidden = ids.len() - worst.len();
        if ids.len() <= WORST_FIRST {
            let kept: BTreeSet<UpdateId> = worst.into_iter().collect();
            let in_order = ids.iter().filter(|id| kept.contains(id));
            rows.extend(in_order.map(|id| Row::Member(*id)));
        } else {
            rows.extend(worst.into_iter().map(Row::Member));
        }
        if hidden > 0 {
            rows.push(Row::More(s, g, u32::try_from(hidden).unwrap_or(u32::MAX)));
        }
    }

    /// Compares plan and fleet: who came after the run's start, who left.
    pub fn compare(&mut self, store: &Store, run: &UpdateRun) {
        if store.sync(Kind::Update) != Sync::Ready {
            self.compared = None;
            self.joined.clear();
            self.left = 0;
            return;
        }
        self.from = version_before(store, run);
        let shape = (store.members.shape, store.updates.shape);
        let started = run.status.as_ref().is_some_and(|s| s.start_time.is_some());
        if self.compared == Some(shape) && started {
            return;
        }
        self.compared = Some(shape);
        self.joined.clear();
        self.left = 0;
        let started = run.status.as_ref().and_then(|s| s.start_time.as_ref());
        let name = run.metadata.name.as_deref().unwrap_or_default();
        let (Some(started), Some(name)) = (started, store.names.find(name)) else {
            return;
        };
        let mut planned: BTreeSet<Name> = BTreeSet::new();
        for ids in store.updates.of_run(name).values() {
            planned.extend(
                ids.iter()
                    .filter_map(|id| store.updates.get(*id))
                    .map(|u| u.member),
            );
        }
        self.left = planned
            .iter()
            .filter(|m| store.members.named(**m).is_none())
            .count();
        let came = |created: Option<Timestamp>| created.is_some_and(|c| c > started.0);
        self.joined = store
            .members
            .iter()
            .filter(|m| came(m.created) && !planned.contains(&m.name))
            .map(|m| m.name)
            .collect();
        self.joined
            .sort_by(|a, b| store.names.text(*a).cmp(store.names.text(*b)));
    }
}

/// The version that all members had before, if it is one.
fn version_before(store: &Store, run: &UpdateRun) -> Option<Name> {
    let run = store
        .names
        .find(run.metadata.name.as_deref().unwrap_or_default())?;
    let all = store.updates.of_run(run).values().flatten();
    let mut from = all
        .filter_map(|id| store.updates.get(*id))
        .map(|u| u.from)
        .filter(|f| *f != Name::default());
    let first = from.next()?;
    from.all(|f| f == first).then_some(first)
}

/// So many members that are all alike, because nothing has begun, are shown one by one.
const FEW: usize = 3;
/// From this many children on the worst come first.
const WORST_FIRST: usize = 200;
const LAST: u8 = 7;

fn gate_rows(
    of: Spot,
    timing: Timing,
    gates: &[GateEntry],
    shown: &Shown<'_>,
    rows: &mut Vec<Row>,
) {
    for i in 0..gates.len() {
        let spot = GateSpot {
            of,
            timing,
            index: index(i),
        };
        push_hit(Row::Gate(spot), shown, rows);
    }
}

fn push_hit(row: Row, shown: &Shown<'_>, rows: &mut Vec<Row>) {
    if shown.hit.is_none_or(|hit| hit(row)) {
        rows.push(row);
    }
}

/// Under a filter a parent stays for its children, or because it is a hit itself.
fn drop_childless(begin: usize, shown: &Shown<'_>, rows: &mut Vec<Row>) {
    if let (Some(hit), Some(parent)) = (shown.hit, rows.get(begin))
        && rows.len() == begin + 1
        && !hit(*parent)
    {
        rows.truncate(begin);
    }
}

/// Stages of a run as the hub has them.
pub fn stages(run: &UpdateRun) -> &[StageStatus] {
    run.status.as_ref().map_or(&[], |s| s.stages.as_slice())
}

/// A stage of a run.
pub fn stage(run: &UpdateRun, s: u16) -> Option<&StageStatus> {
    stages(run).get(usize::from(s))
}

/// A group of a run.
pub fn group(run: &UpdateRun, s: u16, g: u16) -> Option<&GroupStatus> {
    stage(run, s).and_then(|s| s.groups.get(usize::from(g)))
}

/// A gate's entry in the tree of a run.
pub fn gate(run: &UpdateRun, spot: GateSpot) -> Option<&GateEntry> {
    let (before, after) = match spot.of {
        (s, None) => stage(run, s).map(|s| (&s.before_gates, &s.after_gates))?,
        (s, Some(g)) => group(run, s, g).map(|g| (&g.before_gates, &g.after_gates))?,
    };
    match spot.timing {
        Timing::Before => before,
        Timing::After => after,
    }
    .get(usize::from(spot.index))
}

fn index(i: usize) -> u16 {
    u16::try_from(i).unwrap_or(u16::MAX)
}

fn in_work(state: State) -> bool {
    match state {
        State::Running | State::Pending | State::Stopping | State::Stopped | State::Failed => true,
        State::NotStarted | State::Skipped | State::Completed => false,
    }
}

/// How much a member needs a look; the least number is the worst.
fn need(update: &Update) -> u8 {
    if update.state == State::Running && update.wait().is_some() {
        return 1;
    }
    need_of(update.state)
}

fn need_of(state: State) -> u8 {
    match state {
        State::Failed => 0,
        State::Running | State::Stopping => 2,
        State::Pending => 3,
        State::Stopped => 4,
        State::NotStarted => 5,
        State::Skipped => 6,
        State::Completed => LAST,
    }
}
