//! Makes the rows of the page in view anew, after a batch, a fold, a filter or an order changed them.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};

use crate::console::model::list::Cursor;
use crate::console::model::names::Name;
use crate::console::model::store::Sync;
use crate::console::model::tree_page::TreePage;
use crate::console::model::{Model, Page};
use crate::console::msg::Kind;
use crate::console::view::layout::list_rows;

use super::facts;
use crate::engine::estimate::{self, Seen};

/// The page in view, whatever it is.
pub fn page(model: &mut Model) {
    model.rows_due = None;
    match model.page() {
        Page::Runs => {
            model.runs.rebuild(&model.store, model.now);
            model.gates.rebuild(&model.store, model.now);
        }
        Page::Gates => model.gates.rebuild(&model.store, model.now),
        Page::Tree(uid) => {
            tree(model, uid);
            model.gates.rebuild(&model.store, model.now);
        }
        Page::Plan => {}
    }
    ends(model);
    pin(model);
    reveal(model);
}

/// Once the rows are all there, what is selected is a thing and no longer the first row.
fn pin(model: &mut Model) {
    let ready = |kind| model.store.sync(kind) == Sync::Ready;
    let known = match model.page() {
        Page::Runs => ready(Kind::Run),
        Page::Gates => ready(Kind::Run) && ready(Kind::Gate),
        Page::Tree(_) => true,
        Page::Plan => false,
    };
    if known {
        cursor(model, CursorAct::Pin);
    }
}

/// Before a filter changes: what it hides is remembered, and selected again where it comes back.
pub fn recall(model: &mut Model) {
    cursor(model, CursorAct::Recall);
}

/// A filter is kept, and so is what it found.
pub fn keep(model: &mut Model) {
    cursor(model, CursorAct::Keep);
}

#[derive(Clone, Copy)]
enum CursorAct {
    Pin,
    Recall,
    Keep,
}

fn cursor(model: &mut Model, act: CursorAct) {
    fn on<K: PartialEq + Copy>(cursor: &mut Cursor<K>, act: CursorAct) {
        match act {
            CursorAct::Pin => cursor.pin(),
            CursorAct::Recall => cursor.recall(),
            CursorAct::Keep => cursor.keep(),
        }
    }
    match model.page() {
        Page::Runs => on(&mut model.runs.cursor, act),
        Page::Gates => on(&mut model.gates.cursor, act),
        Page::Tree(uid) => {
            if let Some(page) = model.trees.get_mut(&uid) {
                on(&mut page.tree.cursor, act);
            }
        }
        Page::Plan => {}
    }
}

/// Works out anew when the run may end whose members are watched.
fn ends(model: &mut Model) {
    let store = &model.store;
    let followed = store
        .followed()
        .uid
        .filter(|_| store.sync(Kind::Update) == Sync::Ready);
    model.ends = followed.and_then(|uid| {
        let run = &store.runs.get(uid)?.object;
        let name = store.names.find(run.metadata.name.as_deref()?)?;
        let groups = store.updates.of_run(name).iter();
        let members = groups.flat_map(|((_, group), ids)| {
            let group = store.names.text(*group);
            let updates = ids.iter().filter_map(|id| store.updates.get(*id));
            updates.map(move |update| Seen {
                group,
                state: update.state,
                start: update.start,
                end: update.end,
            })
        });
        let estimate = estimate::end(run.status.as_ref()?, members, model.now)?;
        Some((uid, estimate))
    });
}

fn tree(model: &mut Model, uid: crate::console::model::names::Uid) {
    let limit = model.size.members();
    let Some(held) = model.store.runs.get(uid) else {
        return;
    };
    let page: &mut TreePage = model.trees.entry(uid).or_default();
    page.rebuild(&model.store, &held.object, limit, model.now);
}

/// Seconds of the person's after a movement in which the rows of a list keep their places, so
/// that the row under the cursor is the one that was meant.
const STILL: f64 = 0.5;

/// When the selection has come to rest that was moved at an instant, if it has not yet.
pub fn at_rest(model: &Model, moved: Option<Timestamp>) -> Option<Timestamp> {
    let still = SignedDuration::try_from_secs_f64(STILL * model.session.speed.max(0.001));
    moved
        .zip(still.ok())
        .and_then(|(at, still)| at.checked_add(still).ok())
        .filter(|due| *due > model.now)
}

/// The page in view, or a list a moment later if its selection was just moved.
pub fn when_still(model: &mut Model) {
    let due = at_rest(model, model.moved);
    match (model.page(), due) {
        (Page::Runs | Page::Gates, Some(_)) => model.rows_due = due,
        _ => page(model),
    }
}

/// Makes rows anew that waited for the selection to come to rest.
pub fn overdue(model: &mut Model) {
    if model.rows_due.is_some_and(|due| due <= model.now) {
        page(model);
    }
}

/// Whether a batch that touched these trees changes the page in view.
pub fn concerns(model: &Model, trees: &BTreeSet<Name>) -> bool {
    let Page::Tree(uid) = model.page() else {
        return false;
    };
    let name = model
        .store
        .runs
        .get(uid)
        .and_then(|h| h.object.metadata.name.as_deref())
        .and_then(|n| model.store.names.find(n));
    name.is_some_and(|n| trees.contains(&n))
}

/// Moves the window so that the selection is inside it.
pub fn reveal(model: &mut Model) {
    let height = list_rows(model);
    match model.page() {
        Page::Runs => model.runs.cursor.reveal(model.runs.rows.len(), height),
        Page::Gates => model.gates.cursor.reveal(model.gates.rows.len(), height),
        Page::Tree(uid) => {
            if let Some(page) = model.trees.get_mut(&uid) {
                let len = page.tree.rows.len();
                page.tree.cursor.reveal(len, height);
            }
        }
        Page::Plan => {
            if let Some(plan) = &mut model.plan {
                let len = plan.rows().len();
                plan.at = plan.at.min(len.saturating_sub(1));
                if plan.at < plan.top {
                    plan.top = plan.at;
                } else if plan.at >= plan.top + height.max(1) {
                    plan.top = plan.at + 1 - height.max(1);
                }
            }
        }
    }
}

/// Takes in what came while the rows were frozen.
pub fn thaw(model: &mut Model) {
    for batch in std::mem::take(&mut model.held_back) {
        facts::batch(model, batch);
    }
}
