//! Whose members are watched: those of the run in view, and of no other. A hub has hundreds of
//! runs, and each has a member update for each of its members.

use crate::console::effect::Effect;
use crate::console::model::layers::Layer;
use crate::console::model::names::Uid;
use crate::console::model::size::Class;
use crate::console::model::{Model, Page, runs};
use crate::console::view::layout::parts;

use super::refresh;

/// Says whose members are to be watched from now on, if they are others than before.
pub fn wish(model: &mut Model) -> Option<Effect> {
    model.follow_due = None;
    let wanted = wanted(model);
    if wanted == model.store.followed().uid {
        return None;
    }
    // A list that is run through would open and close a watch for each row.
    if wanted.is_some() && !matches!(model.page(), Page::Tree(_)) {
        let since = model.moved.max(model.followed_at);
        if let Some(due) = refresh::at_rest(model, since) {
            model.follow_due = Some(due);
            return None;
        }
    }
    let ticket = model.ticket();
    let held = wanted.and_then(|uid| model.store.runs.get(uid));
    let run = held.map(|h| runs::name(&h.object).to_owned());
    model.followed_at = Some(model.now);
    model.store.follow(wanted.zip(run.as_deref()), ticket);
    if matches!(model.page(), Page::Tree(_)) {
        refresh::page(model);
    }
    Some(Effect::Follow { ticket, run })
}

/// The run whose members are on screen.
fn wanted(model: &Model) -> Option<Uid> {
    let known = |uid: &Uid| model.store.runs.get(*uid).is_some();
    match model.page() {
        Page::Tree(uid) => Some(uid).filter(known),
        Page::Plan => model.store.followed().uid.filter(known),
        Page::Runs | Page::Gates if !shows_members(model) => None,
        Page::Runs => model.run().map(|(uid, _)| uid),
        Page::Gates => model.gate_info().and_then(|g| g.run).map(|(uid, _)| uid),
    }
}

/// Whether a list is shown with something that names members.
fn shows_members(model: &Model) -> bool {
    model.size.class() <= Class::Tiny
        || parts(model).detail.height > 0
        || model.layers.iter().any(|l| matches!(l, Layer::Text(_)))
}
