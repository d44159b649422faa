//! The page of one run: its tree, filtered or not.

use std::borrow::Cow;
use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::api::{State, UpdateRun};

use super::filter::{Facts, Filter, Schema};
use super::fleet::Member;
use super::runs::is_obstacle;
use super::store::Store;
use super::tree::{self, GateSpot, Row, RowKey, Shown, Spot, Tree};
use super::update::Update;

/// What a tree can be filtered by.
pub const SCHEMA: Schema = Schema {
    words: &[
        "state", "stage", "group", "name", "from", "version", "region",
    ],
    numbers: &["age", "attempt"],
    versions: &["from", "version"],
    labels: true,
    questions: &["gate", "blocked", "failed", "marked"],
};

/// The page of one run.
#[derive(Debug, Default)]
pub struct TreePage {
    /// The rows.
    pub tree: Tree,
    /// The filter.
    pub filter: Filter,
    /// Only what needs a look.
    pub faults: bool,
    /// Marked rows.
    pub marks: BTreeSet<RowKey>,
    /// The row that was marked last.
    pub anchor: Option<RowKey>,
}

impl TreePage {
    /// Makes the rows anew.
    pub fn rebuild(&mut self, store: &Store, run: &UpdateRun, limit: usize, now: Timestamp) {
        self.tree.compare(store, run);
        let (filter, faults, marks) = (&self.filter, self.faults, &self.marks);
        let hit = |row: Row| {
            let facts = RowFacts {
                store,
                run,
                row,
                now,
                marks: Some(marks),
            };
            (!faults || facts.needs_a_look()) && filter.faults.is_empty() && filter.lets(&facts)
        };
        let filtered = faults || !filter.is_empty() || !filter.faults.is_empty();
        let shown = Shown {
            limit,
            hit: filtered.then_some(&hit),
        };
        self.tree.rebuild(store, run, &shown);
    }
}

/// Whether a person should look at a row.
pub fn needs_a_look(store: &Store, run: &UpdateRun, row: Row) -> bool {
    let facts = RowFacts {
        store,
        run,
        row,
        now: Timestamp::UNIX_EPOCH,
        marks: None,
    };
    facts.needs_a_look()
}

struct RowFacts<'a> {
    store: &'a Store,
    run: &'a UpdateRun,
    row: Row,
    now: Timestamp,
    marks: Option<&'a BTreeSet<RowKey>>,
}

impl RowFacts<'_> {
    fn update(&self) -> Option<&Update> {
        match self.row {
            Row::Member(id) => self.store.updates.get(id),
            _ => None,
        }
    }

    fn member(&self) -> Option<&Member> {
        self.store.members.named(self.update()?.member)
    }

    fn needs_a_look(&self) -> bool {
        match self.row {
            Row::Member(_) => self.state() == Some(State::Failed) || self.is("blocked"),
            Row::Gate(_) => self.is("gate"),
            Row::Stage(_) | Row::Group(..) => self.state() == Some(State::Failed),
            Row::Wait(_) | Row::More(..) | Row::Apart => false,
        }
    }

    fn state(&self) -> Option<State> {
        match self.row {
            Row::Stage(s) => tree::stage(self.run, s).map(|s| s.state),
            Row::Group(s, g) => tree::group(self.run, s, g).map(|g| g.state),
            Row::Gate(spot) => tree::gate(self.run, spot).map(|g| g.state),
            Row::Wait(s) => tree::stage(self.run, s).map(|s| s.after_stage_wait.state),
            Row::Member(_) => self.update().map(|u| u.state),
            Row::More(..) | Row::Apart => None,
        }
    }

    fn spot(&self) -> Option<Spot> {
        match self.row {
            Row::Stage(s) | Row::Wait(s) => Some((s, None)),
            Row::Group(s, g) => Some((s, Some(g))),
            Row::Gate(GateSpot { of, .. }) => Some(of),
            Row::Member(_) | Row::More(..) | Row::Apart => None,
        }
    }

    fn stage(&self) -> &str {
        match (self.update(), self.spot()) {
            (Some(u), _) => self.store.names.text(u.stage),
            (None, Some((s, _))) => tree::stage(self.run, s).map_or("", |s| &s.name),
            (None, None) => "",
        }
    }

    fn group(&self) -> &str {
        match (self.update(), self.spot()) {
            (Some(u), _) => self.store.names.text(u.group),
            (None, Some((s, Some(g)))) => tree::group(self.run, s, g).map_or("", |g| &g.name),
            (None, _) => "",
        }
    }
}

impl Facts for RowFacts<'_> {
    fn any_text(&self, test: &dyn Fn(&str) -> bool) -> bool {
        let remark = self.update().map_or("", Update::remark);
        [self.name(), self.state().map_or("", State::as_str), remark]
            .into_iter()
            .any(test)
    }

    fn label(&self, key: &str) -> Option<&str> {
        let names = &self.store.names;
        let value = self.member()?.label(names.find(key)?)?;
        Some(names.text(value))
    }

    fn name(&self) -> &str {
        match self.row {
            Row::Stage(_) | Row::Wait(_) => self.stage(),
            Row::Group(..) => self.group(),
            Row::Gate(spot) => tree::gate(self.run, spot)
                .and_then(|g| g.display_name.as_deref())
                .unwrap_or_default(),
            Row::Member(_) => self
                .update()
                .map_or("", |u| self.store.names.text(u.member)),
            Row::More(..) | Row::Apart => "",
        }
    }

    fn word(&self, column: &str) -> Option<Cow<'_, str>> {
        match column {
            "state" => self.state().map(|s| s.as_str().into()),
            "stage" => Some(self.stage().into()),
            "group" => Some(self.group().into()),
            "name" => Some(self.name().into()),
            "from" => self.update().map(|u| self.store.names.text(u.from).into()),
            "version" => self
                .member()
                .map(|m| self.store.names.text(m.version).into()),
            "region" => self
                .member()
                .map(|m| self.store.names.text(m.region).into()),
            _ => None,
        }
    }

    fn number(&self, column: &str) -> Option<f64> {
        let update = self.update()?;
        match column {
            "age" => update
                .start
                .map(|s| self.now.duration_since(s).as_secs_f64()),
            "attempt" => Some(f64::from(update.attempt)),
            _ => None,
        }
    }

    fn is(&self, question: &str) -> bool {
        match (question, self.row) {
            ("gate", Row::Gate(_)) => self.state() == Some(State::Pending),
            ("blocked", Row::Member(_)) => self
                .update()
                .and_then(Update::wait)
                .is_some_and(is_obstacle),
            ("marked", row) => self
                .marks
                .is_some_and(|m| m.contains(&Tree::key(self.store, row))),
            ("failed", Row::Member(_)) => self.state() == Some(State::Failed),
            _ => false,
        }
    }
}
