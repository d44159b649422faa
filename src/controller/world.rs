//! The world as the controller knows it: five tables, indexed by run, and who must decide again
//! when something in them changes. It knows no rules of runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::ResourceExt;
use kube::runtime::watcher::Event;
use tokio::sync::watch;

use super::kinds::Cached;
use super::queue::Queue;
use super::table::{Changed, Table};
use super::trigger::Triggers;
use crate::api::{FleetMember, Gate, MemberUpdate, UpdateRun, UpdateStrategy};
use crate::engine::catalog::SeenImages;
use crate::engine::world::Fleet;
use crate::member::Roster;

/// The tables with their indexes.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub runs: Table<UpdateRun>,
    pub updates: Table<MemberUpdate>,
    pub gates: Table<Gate>,
    pub members: Table<FleetMember>,
    pub strategies: Table<UpdateStrategy>,
    /// Node images seen on the members.
    pub images: Arc<SeenImages>,
    pub updates_of: BTreeMap<String, BTreeMap<String, Arc<MemberUpdate>>>,
    pub gates_of: BTreeMap<String, BTreeMap<String, Arc<Gate>>>,
    /// Member → runs whose outcome its next change may decide.
    pub followed: BTreeMap<String, BTreeSet<String>>,
    /// Runs whose tree is not made: any member or strategy may be what they lack.
    pub unmade: BTreeSet<String>,
    listed: BTreeSet<&'static str>,
}

/// What a change calls for.
#[derive(Debug, Default)]
pub(super) struct Calls {
    pub runs: BTreeSet<String>,
    pub members: BTreeSet<String>,
    pub strategies: BTreeSet<String>,
    pub gates_gone: Vec<Arc<Gate>>,
}

/// The shared world of one leading controller.
#[derive(Debug)]
pub struct World {
    tables: Mutex<Tables>,
    /// Runs that must decide.
    pub runs: Triggers,
    /// Members whose status may lag behind what is observed.
    pub members: Queue,
    /// Members that the simulator must look at.
    pub played: Queue,
    /// Strategies whose status may lag behind their spec.
    pub strategies: Queue,
    gone: tokio::sync::mpsc::UnboundedSender<Arc<Gate>>,
    synced: watch::Sender<bool>,
}

/// Everything one decision of one run needs, as of one moment.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The run.
    pub run: Arc<UpdateRun>,
    /// Its member updates.
    pub updates: Vec<Arc<MemberUpdate>>,
    /// Its gates.
    pub gates: Vec<Arc<Gate>>,
    /// All members and strategies.
    pub fleet: FleetView,
}

/// All members and strategies as of one moment.
#[derive(Clone, Debug)]
pub struct FleetView {
    members: Arc<BTreeMap<String, Arc<FleetMember>>>,
    strategies: Arc<BTreeMap<String, Arc<UpdateStrategy>>>,
    images: Arc<SeenImages>,
}

impl Fleet for FleetView {
    fn member(&self, name: &str) -> Option<Arc<FleetMember>> {
        self.members.get(name).cloned()
    }

    fn members(&self) -> Vec<Arc<FleetMember>> {
        self.members.values().cloned().collect()
    }

    fn strategy(&self, name: &str) -> Option<Arc<UpdateStrategy>> {
        self.strategies.get(name).cloned()
    }

    fn newest_image_seen(&self, region: &str, family: &str) -> Option<String> {
        self.images.newest(region, family)
    }
}

impl World {
    /// An empty world. Runs to decide go to `runs`, gates seen to be deleted to `gone`.
    pub fn new(runs: Triggers, gone: tokio::sync::mpsc::UnboundedSender<Arc<Gate>>) -> Self {
        Self {
            tables: Mutex::default(),
            runs,
            members: Queue::default(),
            played: Queue::default(),
            strategies: Queue::default(),
            gone,
            synced: watch::Sender::new(false),
        }
    }

    /// Takes in an event of a watch.
    pub fn take<K: Cached>(&self, event: &Event<K>) {
        let mut calls = Calls::default();
        {
            let mut tables = self.lock();
            match event {
                Event::Init => K::table(&mut tables).begin_list(),
                Event::InitApply(object) | Event::Apply(object) => {
                    if let Some(changed) = K::table(&mut tables).put(object.clone()) {
                        K::changed(&mut tables, &changed, &mut calls);
                    }
                }
                Event::Delete(object) => {
                    if let Some(changed) = K::table(&mut tables).remove(object) {
                        K::changed(&mut tables, &changed, &mut calls);
                    }
                }
                Event::InitDone => {
                    for changed in K::table(&mut tables).end_list() {
                        K::changed(&mut tables, &changed, &mut calls);
                    }
                    tables.listed.insert(K::NAME);
                    if tables.listed.len() == 5 {
                        self.synced.send_replace(true);
                    }
                    self.runs.repeat();
                }
            }
        }
        self.call(calls);
    }

    /// `run` must decide, if there is such a run.
    pub fn mark(&self, run: &str) {
        let known = self.lock().runs.get(run).is_some();
        if known {
            self.runs.mark(run);
        } else {
            self.runs.forget(run);
        }
    }

    /// Takes in the answer to an own write made on behalf of `run`, which knows of it already.
    pub fn wrote<K: Cached>(&self, mut object: K, run: &str) {
        object.managed_fields_mut().clear();
        let mut calls = Calls::default();
        {
            let mut tables = self.lock();
            if let Some(changed) = K::table(&mut tables).put(object) {
                K::changed(&mut tables, &changed, &mut calls);
            }
        }
        calls.runs.remove(run);
        self.call(calls);
    }

    /// Takes in that an own deletion was answered.
    pub fn deleted<K: Cached>(&self, object: &K, run: &str) {
        let mut calls = Calls::default();
        {
            let mut tables = self.lock();
            if let Some(changed) = K::table(&mut tables).remove(object) {
                K::changed(&mut tables, &changed, &mut calls);
            }
        }
        calls.runs.remove(run);
        self.call(calls);
    }

    /// Returns when every kind was listed once.
    pub async fn synced(&self) {
        let _ = self.synced.subscribe().wait_for(|synced| *synced).await;
    }

    /// What `run` decides on; `None` when there is no such run.
    pub fn snapshot(&self, run: &str) -> Option<Snapshot> {
        let tables = self.lock();
        let run = tables.runs.get(run)?;
        let name = run.name_any();
        Some(Snapshot {
            updates: owned(tables.updates_of.get(&name), &run),
            gates: owned(tables.gates_of.get(&name), &run),
            fleet: FleetView {
                members: tables.members.all(),
                strategies: tables.strategies.all(),
                images: tables.images.clone(),
            },
            run,
        })
    }

    /// One member.
    pub fn member(&self, name: &str) -> Option<Arc<FleetMember>> {
        self.lock().members.get(name)
    }

    /// One member update, by its own name.
    pub fn update(&self, name: &str) -> Option<Arc<MemberUpdate>> {
        self.lock().updates.get(name)
    }

    /// One gate.
    pub fn gate(&self, name: &str) -> Option<Arc<Gate>> {
        self.lock().gates.get(name)
    }

    /// One strategy.
    pub fn strategy(&self, name: &str) -> Option<Arc<UpdateStrategy>> {
        self.lock().strategies.get(name)
    }

    fn call(&self, calls: Calls) {
        for run in &calls.runs {
            self.mark(run);
        }
        for member in &calls.members {
            self.members.add(member);
            self.played.add(member);
        }
        for strategy in &calls.strategies {
            self.strategies.add(strategy);
        }
        for gate in calls.gates_gone {
            let _ = self.gone.send(gate);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The world as the simulator sees it.
impl Roster for World {
    fn member(&self, name: &str) -> Option<Arc<FleetMember>> {
        World::member(self, name)
    }

    fn changed(&self) -> BoxFuture<'_, BTreeSet<String>> {
        self.played.next().boxed()
    }

    fn wrote(&self, member: FleetMember) {
        World::wrote(self, member, "");
    }

    fn gone(&self, member: &FleetMember) {
        self.deleted(member, "");
    }
}

/// What an earlier run of the same name left behind is not this run's.
fn owned<K: ResourceExt>(
    objects: Option<&BTreeMap<String, Arc<K>>>,
    run: &UpdateRun,
) -> Vec<Arc<K>> {
    let uid = run.uid().unwrap_or_default();
    objects
        .into_iter()
        .flat_map(BTreeMap::values)
        .filter(|object| object.owner_references().iter().any(|o| o.uid == uid))
        .cloned()
        .collect()
}

/// Keeps an index by run in step with a change of an object that belongs to `run`.
pub(super) fn index<K: ResourceExt>(
    index: &mut BTreeMap<String, BTreeMap<String, Arc<K>>>,
    run: &str,
    changed: &Changed<K>,
) {
    if let Some(new) = &changed.new {
        let of_run = index.entry(run.to_owned()).or_default();
        of_run.insert(new.name_any(), new.clone());
    } else if let Some(old) = &changed.old
        && let Some(of_run) = index.get_mut(run)
    {
        of_run.remove(&old.name_any());
        if of_run.is_empty() {
            index.remove(run);
        }
    }
}
