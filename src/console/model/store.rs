//! What we know of the hub, and how complete it is.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use crate::api::{Gate, UpdateRun, UpdateStrategy};
use crate::console::msg::{Change, HubBatch, Kind, Ticket};

use super::fleet::Members;
use super::held::Shelf;
use super::names::{Name, Names, Uid};
use super::update::Updates;

/// How complete our knowledge of a kind is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sync {
    /// Nothing has come yet.
    #[default]
    Waiting,
    /// The first list is coming.
    Loading,
    /// Complete, and kept up to date while the link is live.
    Ready,
    /// We may not list it.
    Denied,
}

/// Everything we know of the hub.
#[derive(Debug, Default)]
pub struct Store {
    /// Interned texts of all records.
    pub names: Names,
    /// Runs.
    pub runs: Shelf<UpdateRun>,
    /// Gates.
    pub gates: Shelf<Gate>,
    /// Strategies.
    pub strategies: Shelf<UpdateStrategy>,
    /// Members of the fleet.
    pub members: Members,
    /// Members' parts in runs.
    pub updates: Updates,
    sync: BTreeMap<Kind, Sync>,
    generation: u64,
    followed: Followed,
}

/// The run whose members are watched; those of no other run are kept.
#[derive(Clone, Debug, Default)]
pub struct Followed {
    /// Its identity; `None` while there is no such run.
    pub uid: Option<Uid>,
    run: String,
    ticket: Ticket,
}

/// What a batch touched.
#[derive(Debug, Default)]
pub struct Touched {
    /// Runs themselves.
    pub runs: bool,
    /// Gates.
    pub gates: bool,
    /// Runs whose members changed.
    pub trees: BTreeSet<Name>,
}

impl Store {
    /// How complete our knowledge of a kind is.
    pub fn sync(&self, kind: Kind) -> Sync {
        self.sync.get(&kind).copied().unwrap_or_default()
    }

    /// The run whose members are watched.
    pub fn followed(&self) -> &Followed {
        &self.followed
    }

    /// Keeps the members of this run from now on, as this watch brings them, and forgets others.
    pub fn follow(&mut self, run: Option<(Uid, &str)>, ticket: Ticket) {
        self.updates.clear();
        self.sync.remove(&Kind::Update);
        self.followed = Followed {
            uid: run.map(|(uid, _)| uid),
            run: run.map(|(_, name)| name.to_owned()).unwrap_or_default(),
            ticket,
        };
    }

    /// Whether a batch of members comes from a watch that was closed.
    fn is_late(&self, batch: &HubBatch) -> bool {
        batch.follow.is_some_and(|t| t != self.followed.ticket)
    }

    /// Whether a batch belongs to the first list of the members that are watched.
    pub fn brings_members(&self, batch: &HubBatch) -> bool {
        batch.follow.is_some() && !self.is_late(batch) && self.sync(Kind::Update) != Sync::Ready
    }

    /// The run with this name.
    pub fn run_named(&self, name: &str) -> Option<(Uid, &Arc<UpdateRun>)> {
        self.runs
            .present()
            .find(|(_, r)| r.metadata.name.as_deref() == Some(name))
    }

    /// The gate with this name.
    pub fn gate_named(&self, name: &str) -> Option<(Uid, &Arc<Gate>)> {
        self.gates
            .present()
            .find(|(_, g)| g.metadata.name.as_deref() == Some(name))
    }

    /// Whether anything is known.
    pub fn has_any(&self) -> bool {
        !self.sync.is_empty()
    }

    /// Number of objects of a kind.
    pub fn len(&self, kind: Kind) -> usize {
        match kind {
            Kind::Run => self.runs.present().count(),
            Kind::Gate => self.gates.present().count(),
            Kind::Strategy => self.strategies.present().count(),
            Kind::Member => self.members.len(),
            Kind::Update => self.updates.len(),
        }
    }

    /// Takes a batch in. A batch of an older connection is dropped.
    pub fn apply(&mut self, batch: HubBatch, now: Timestamp) -> Touched {
        let mut touched = Touched::default();
        if batch.generation < self.generation || self.is_late(&batch) {
            return touched;
        }
        self.generation = batch.generation;
        for change in batch.changes {
            self.change(change, now, &mut touched);
        }
        touched
    }

    fn change(&mut self, change: Change, now: Timestamp, touched: &mut Touched) {
        match change {
            // Nothing is asked about members while no run is followed.
            Change::Relist(Kind::Update) | Change::Synced(Kind::Update) | Change::Update(_)
                if self.followed.uid.is_none() => {}
            // Its label says one run, its spec another: the spec counts.
            Change::Update(update) if update.spec.run != self.followed.run => {}
            Change::Run(run) => {
                let uid = uid(run.metadata.uid.as_deref());
                self.runs.put(uid, run);
                touched.runs = true;
            }
            Change::Gate(gate) => {
                let uid = uid(gate.metadata.uid.as_deref());
                self.gates.put(uid, gate);
                touched.gates = true;
            }
            Change::Strategy(strategy) => {
                let uid = uid(strategy.metadata.uid.as_deref());
                self.strategies.put(uid, strategy);
            }
            Change::Member(member) => self.members.put(&mut self.names, &member),
            Change::Update(update) => {
                let run = self.updates.put(&mut self.names, &update);
                touched.trees.insert(run);
            }
            Change::Gone { kind, uid } => self.gone(kind, Uid::of(&uid), now, touched),
            Change::Relist(kind) => self.relist(kind),
            Change::Synced(kind) => self.synced(kind, now, touched),
            Change::Denied(kind) => {
                self.sync.insert(kind, Sync::Denied);
            }
        }
    }

    fn gone(&mut self, kind: Kind, uid: Uid, now: Timestamp, touched: &mut Touched) {
        match kind {
            Kind::Run => {
                self.runs.remove(uid, now);
                touched.runs = true;
            }
            Kind::Gate => {
                self.gates.remove(uid, now);
                touched.gates = true;
            }
            Kind::Strategy => self.strategies.remove(uid, now),
            Kind::Member => self.members.remove(uid),
            Kind::Update => touched.trees.extend(self.updates.remove(uid, now)),
        }
    }

    fn relist(&mut self, kind: Kind) {
        match kind {
            Kind::Run => self.runs.relist(),
            Kind::Gate => self.gates.relist(),
            Kind::Strategy => self.strategies.relist(),
            Kind::Member => self.members.relist(),
            Kind::Update => self.updates.relist(),
        }
        if self.sync(kind) != Sync::Ready {
            self.sync.insert(kind, Sync::Loading);
        }
    }

    fn synced(&mut self, kind: Kind, now: Timestamp, touched: &mut Touched) {
        match kind {
            Kind::Run => self.runs.synced(now),
            Kind::Gate => self.gates.synced(now),
            Kind::Strategy => self.strategies.synced(now),
            Kind::Member => self.members.synced(),
            Kind::Update => touched.trees.extend(self.updates.synced(now)),
        }
        self.sync.insert(kind, Sync::Ready);
        touched.runs = true;
        touched.gates = true;
    }
}

/// Identity from an object's metadata.
pub fn uid(text: Option<&str>) -> Uid {
    Uid::of(text.unwrap_or_default())
}
