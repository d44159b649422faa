//! Facts from the hub: taken into the store, told where they matter, compared with open questions.

use std::collections::BTreeMap;

use crate::api::{GateState, State};
use crate::console::model::gates::GateKey;
use crate::console::model::layers::{Dialog, Layer};
use crate::console::model::names::Uid;
use crate::console::model::store::Sync;
use crate::console::model::tree::RowKey;
use crate::console::model::{Model, Page, gates, runs};
use crate::console::msg::{Change, Driver, HubBatch, Kind, Rank};

use crate::console::view::say::{self, at_work};
use crate::text::counted;

use super::{refresh, taken};

/// Takes a batch in.
pub fn batch(model: &mut Model, batch: HubBatch) {
    // What a run opened in a freeze has is no change of it.
    if model.frozen.is_some() && !model.store.brings_members(&batch) {
        model.held_back.push(batch);
        return;
    }
    let before = Before::of(model, &batch);
    let touched = model.store.apply(batch, model.now);
    model.store.runs.settle(kept_run(model));
    model.store.gates.settle(None);
    model.store.strategies.settle(None);
    let kept = kept_member(model);
    model.store.updates.settle(&model.store.names, kept);
    let there = |uid: &Uid| model.store.runs.get(*uid).is_some();
    model.trees.retain(|uid, _| there(uid));
    marks(model);
    model
        .pages
        .retain(|page| !matches!(page, Page::Tree(uid) if model.store.runs.get(*uid).is_none()));
    before.tell(model);
    taken::compare(model);
    questions(model);
    if touched.runs || touched.gates || refresh::concerns(model, &touched.trees) {
        refresh::when_still(model);
    }
}

/// Marks go with their objects, and that is told.
fn marks(model: &mut Model) {
    let store = &model.store;
    let all = |m: &Model| {
        let trees: usize = m.trees.values().map(|t| t.marks.len()).sum();
        m.runs.marks.len() + m.gates.marks.len() + trees
    };
    let before = all(model);
    if before == 0 {
        return;
    }
    model
        .runs
        .marks
        .retain(|uid| store.runs.get(*uid).is_some());
    model.gates.marks.retain(|key| match key {
        GateKey::Reached(uid) => store
            .gates
            .get(*uid)
            .is_some_and(|h| gates::state(&h.object) == GateState::Pending),
        GateKey::Ahead(uid, _) => store.runs.get(*uid).is_some(),
    });
    if store.sync(Kind::Update) == Sync::Ready
        && let Some(followed) = store.followed().uid
        && let Some(page) = model.trees.get_mut(&followed)
    {
        page.marks.retain(|key| match key {
            RowKey::Member(uid) => store.updates.find(*uid).is_some(),
            _ => true,
        });
    }
    let gone = before - all(model).min(before);
    if gone > 0 {
        let text = format!("{} went with what was marked", counted(gone, "mark"));
        model.notices.tell(model.now, Rank::Info, "", text);
    }
}

fn kept_run(model: &Model) -> Option<Uid> {
    match model.page() {
        Page::Runs => model.runs.cursor.key.filter(|_| model.runs.cursor.chosen),
        Page::Tree(uid) => Some(uid),
        Page::Gates | Page::Plan => None,
    }
}

fn kept_member(model: &Model) -> Option<Uid> {
    match model.tree()?.tree.cursor.key? {
        RowKey::Member(uid) => Some(uid),
        RowKey::Spot(_) | RowKey::Gate(_) | RowKey::Wait(_) | RowKey::More(..) | RowKey::Apart => {
            None
        }
    }
}

/// States before a batch, of what it may change and what is worth telling.
struct Before {
    /// State, and how many failed.
    runs: BTreeMap<Uid, (State, i32)>,
    gates: BTreeMap<Uid, GateState>,
}

impl Before {
    fn of(model: &Model, batch: &HubBatch) -> Self {
        let mut before = Self {
            runs: BTreeMap::new(),
            gates: BTreeMap::new(),
        };
        for change in &batch.changes {
            match change {
                Change::Run(run) if model.store.sync(Kind::Run) == Sync::Ready => {
                    let uid = Uid::of(run.metadata.uid.as_deref().unwrap_or_default());
                    let held = model.store.runs.get(uid);
                    let was = held.map(|h| (runs::state(&h.object), runs::failures(&h.object)));
                    before.runs.insert(uid, was.unwrap_or_default());
                }
                Change::Gate(gate) if model.store.sync(Kind::Gate) == Sync::Ready => {
                    let uid = Uid::of(gate.metadata.uid.as_deref().unwrap_or_default());
                    let state = model.store.gates.get(uid).map(|h| gates::state(&h.object));
                    if state.is_none() {
                        before.gates.insert(uid, GateState::Pending);
                    }
                }
                _ => {}
            }
        }
        before
    }

    fn tell(self, model: &mut Model) {
        for uid in self.gates.keys() {
            let Some(info) = gates::info(&model.store, gates::GateKey::Reached(*uid)) else {
                continue;
            };
            let text = format!(
                "gate opened: \"{}\" {} of {}",
                info.name,
                info.place(),
                info.run_name
            );
            let about = format!("gate {}", info.run_name);
            model.notices.tell(model.now, Rank::NeedsYou, &about, text);
        }
        for (uid, before) in self.runs {
            let Some(held) = model.store.runs.get(uid) else {
                continue;
            };
            let run = &held.object;
            let now = runs::state(run);
            let (name, failed) = (runs::name(run), runs::failures(run));
            let (before, failed_before) = before;
            if now == before {
                // One notice a run, whatever the number: the limits say how near a stop is.
                if failed > failed_before && at_work(now) {
                    let limits = say::limits(model, run);
                    let text = format!("{name}: {failed} failed; {limits}");
                    let about = format!("run {name}");
                    model.notices.tell(model.now, Rank::Warning, &about, text);
                }
                continue;
            }
            let (rank, text) = match now {
                State::Failed => (Rank::Warning, format!("{name} failed")),
                State::Stopped => (Rank::Warning, format!("{name} stopped")),
                State::Skipped => (Rank::Done, format!("{name} ended: all skipped")),
                State::Completed if failed > 0 => {
                    (Rank::Done, format!("{name} completed with {failed} failed"))
                }
                State::Completed => (Rank::Done, format!("{name} completed")),
                State::NotStarted | State::Pending | State::Running | State::Stopping => continue,
            };
            let about = format!("run {name}");
            model.notices.tell(model.now, rank, &about, text);
        }
    }
}

/// Open questions whose object has changed are off until they are read again.
fn questions(model: &mut Model) {
    let mut layers = std::mem::take(&mut model.layers);
    for layer in &mut layers {
        let Layer::Dialog(dialog) = layer else {
            continue;
        };
        if !dialog.batch.is_empty() {
            dialog.changed = dialog.batch.iter().find_map(|one| changed(model, one));
            continue;
        }
        if dialog.object.uid.is_empty() {
            continue;
        }
        dialog.changed = changed(model, dialog).or_else(|| {
            crate::console::actions::find(dialog.action)
                .and_then(|a| (a.enabled)(model).err())
                .map(|reason| format!("Off now: {reason}."))
        });
    }
    model.layers = layers;
}

/// What has become of a question's object since the person saw it.
fn changed(model: &Model, dialog: &Dialog) -> Option<String> {
    let name = &dialog.object.name;
    let store = &model.store;
    let now = match dialog.object.kind {
        Kind::Gate => store
            .gates
            .get(dialog.uid)
            .filter(|h| h.gone.is_none())
            .map(|h| h.object.metadata.generation),
        _ => store
            .runs
            .get(dialog.uid)
            .filter(|h| h.gone.is_none())
            .map(|h| h.object.metadata.generation),
    };
    match now {
        None => Some(format!("{name} is gone.")),
        Some(generation) if generation.unwrap_or_default() != dialog.object.generation => {
            Some(format!("{name} was changed by somebody else."))
        }
        Some(_) => None,
    }
}

/// Who drives; a change is told.
pub fn driver(model: &mut Model, driver: Driver) {
    let text = match (&model.driver, &driver) {
        (before, after) if before == after => None,
        (Driver::Unknown, _) => None,
        (_, Driver::Here { .. }) => Some("this console drives the runs now".to_owned()),
        (Driver::Here { .. }, Driver::StandingBy { holder }) => Some(format!(
            "the lease is lost: {holder} drives, this console stands by"
        )),
        (_, Driver::Stopped { reason }) => Some(format!("the driver has stopped: {reason}")),
        _ => None,
    };
    model.driver = driver;
    if let Some(text) = text {
        model.notices.tell(model.now, Rank::Warning, "driver", text);
    }
}
