//! What the selection is about, whatever the page: a run, a row of its tree, a gate.

use std::sync::Arc;

use crate::api::{Gate, UpdateRun};

use super::gates::{self, GateKey};
use super::names::Uid;
use super::tree::{self, Row};
use super::{Model, Page};

impl Model {
    /// The selected run, or the one that the selection belongs to.
    pub fn run(&self) -> Option<(Uid, &Arc<UpdateRun>)> {
        let uid = match self.page() {
            // What a filter hides is not selected.
            Page::Runs => self.runs.rows.get(self.runs.cursor.at).copied()?,
            Page::Tree(uid) => uid,
            Page::Gates => return self.gate_info().and_then(|g| g.run),
            Page::Plan => self.plan.as_ref()?.run?,
        };
        self.store.runs.get(uid).map(|held| (uid, &held.object))
    }

    /// Whether the selected run was deleted.
    pub fn run_is_gone(&self) -> bool {
        self.run()
            .and_then(|(uid, _)| self.store.runs.get(uid))
            .is_some_and(|held| held.gone.is_some())
    }

    /// The selected row of the tree in view.
    pub fn row(&self) -> Option<Row> {
        self.tree().and_then(|page| page.tree.selected())
    }

    /// The selected gate.
    pub fn gate_key(&self) -> Option<GateKey> {
        match self.page() {
            Page::Gates => self.gates.rows.get(self.gates.cursor.at).copied(),
            Page::Tree(uid) => {
                let (_, run) = self.run()?;
                let spot = match self.row()? {
                    Row::Gate(spot) => spot,
                    // On a stage or group that waits at one gate, that gate is meant.
                    Row::Stage(s) => the_open_gate(run, (s, None))?,
                    Row::Group(s, g) => the_open_gate(run, (s, Some(g)))?,
                    Row::Wait(_) | Row::Member(_) | Row::More(..) | Row::Apart => return None,
                };
                let name = tree::gate(run, spot)?.gate_name.as_deref();
                match name.and_then(|n| self.store.gate_named(n)) {
                    Some((uid, _)) => Some(GateKey::Reached(uid)),
                    None => Some(GateKey::Ahead(uid, spot)),
                }
            }
            Page::Runs => {
                let (_, run) = self.run()?;
                let mut open = gates::spots(run).into_iter().filter_map(|spot| {
                    let entry = tree::gate(run, spot)?;
                    let (uid, gate) = self.store.gate_named(entry.gate_name.as_deref()?)?;
                    crate::engine::gate::can_approve(gate).ok()?;
                    Some(GateKey::Reached(uid))
                });
                // Only where there is no doubt which one is meant.
                let first = open.next()?;
                open.next().is_none().then_some(first)
            }
            Page::Plan => None,
        }
    }

    /// What is known of the selected gate.
    pub fn gate_info(&self) -> Option<gates::GateInfo<'_>> {
        gates::info(&self.store, self.gate_key()?)
    }

    /// The selected gate, once its run has reached it.
    pub fn gate(&self) -> Option<(Uid, &Arc<Gate>)> {
        match self.gate_key()? {
            GateKey::Reached(uid) => self
                .store
                .gates
                .get(uid)
                .filter(|held| held.gone.is_none())
                .map(|held| (uid, &held.object)),
            GateKey::Ahead(..) => None,
        }
    }
}

fn the_open_gate(run: &UpdateRun, of: tree::Spot) -> Option<tree::GateSpot> {
    let mut open = gates::spots(run)
        .into_iter()
        .filter(|spot| spot.of == of)
        .filter(|spot| {
            tree::gate(run, *spot).is_some_and(|g| g.state == crate::api::State::Pending)
        });
    let first = open.next()?;
    open.next().is_none().then_some(first)
}
