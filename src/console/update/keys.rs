//! Keys: the topmost layer takes them, else the keymap says which action they stand for.

use crate::console::actions;
use crate::console::effect::Effect;
use crate::console::input::Lookup;
use crate::console::model::Model;
use crate::console::model::layers::Layer;
use crate::console::msg::{Key, KeyCode, Rank};

use super::{close_layer, dialog, form, leave, menu, prompt};

/// Handles a key that was pressed at a moment of the machine's clock.
pub fn key(model: &mut Model, key: Key, at: u64) -> Vec<Effect> {
    if dropped_ahead(model, at) {
        return Vec::new();
    }
    model.pressed = at;
    let is_cancel = key.ctrl && key.code == KeyCode::Char('c') && !is_bound(model, key);
    if !is_cancel {
        model.leaving = None;
    }
    if key.code == KeyCode::Esc && !model.chord.is_empty() {
        model.chord.clear();
        return Vec::new();
    }
    let key = closing(model, key);
    match model.layers.last() {
        _ if is_cancel => action(model, "cancel"),
        Some(Layer::Dialog(_)) => dialog::key(model, key),
        Some(Layer::Form(_)) => form::key(model, key),
        Some(Layer::Menu(_)) => menu::key(model, key),
        Some(Layer::Prompt(_)) => prompt::key(model, key),
        Some(Layer::Text(_)) => text(model, key),
        Some(Layer::Leave(_)) => leave::key(model, key),
        None => mapped(model, key),
    }
}

/// Whether a keymap uses ctrl-c on the page in view for something of its own (emacs: a prefix).
fn is_bound(model: &Model, key: Key) -> bool {
    let mut keys = model.chord.clone();
    keys.push(key);
    let found = model.look.keys.lookup(&actions::places(model), &keys);
    match found {
        Lookup::Action(binding) => binding.action != "cancel",
        Lookup::Prefix(_) => model.layers.is_empty(),
        Lookup::None => false,
    }
}

/// A key with control that stands for `back` closes what lies over a page, as Esc does.
fn closing(model: &Model, key: Key) -> Key {
    let places = [crate::console::input::Place::All];
    match model.look.keys.lookup(&places, &[key]) {
        Lookup::Action(bound) if key.ctrl && bound.action == "back" => Key::plain(KeyCode::Esc),
        _ => key,
    }
}

/// Milliseconds after a question opened in which keys were typed before it was seen.
const AHEAD: u64 = 250;

/// A key that follows a dropped one as closely belongs to the same typing: else the last letter of a
/// word could be the `y` of a question that nobody has read.
fn dropped_ahead(model: &mut Model, at: u64) -> bool {
    let opened = match model.layers.last_mut() {
        Some(Layer::Dialog(dialog)) => &mut dialog.opened,
        Some(Layer::Leave(leave)) => &mut leave.opened,
        _ => return false,
    };
    let ahead = at.saturating_sub(*opened) < AHEAD;
    if ahead {
        *opened = at;
    }
    ahead
}

/// Pasted text: goes into a text field, and nowhere else.
pub fn paste(model: &mut Model, text: &str) -> Vec<Effect> {
    let clean = crate::text::clean(text).text.into_owned();
    match model.layers.last() {
        Some(Layer::Dialog(_)) => dialog::paste(model, &clean),
        Some(Layer::Form(_)) => form::paste(model, &clean),
        Some(Layer::Prompt(_)) => prompt::paste(model, &clean),
        Some(Layer::Menu(_) | Layer::Text(_) | Layer::Leave(_)) | None => {}
    }
    Vec::new()
}

fn mapped(model: &mut Model, key: Key) -> Vec<Effect> {
    let mut chord = std::mem::take(&mut model.chord);
    chord.push(key);
    let found = match model.look.keys.lookup(&actions::places(model), &chord) {
        Lookup::Action(binding) => Some(binding.action.clone()),
        Lookup::Prefix(_) => {
            model.chord = chord;
            None
        }
        Lookup::None => None,
    };
    found.map_or_else(Vec::new, |id| action(model, &id))
}

/// Does an action, or tells why it is off.
pub fn action(model: &mut Model, id: &str) -> Vec<Effect> {
    let Some(action) = actions::find(id) else {
        return Vec::new();
    };
    if !(action.belongs)(model) {
        return Vec::new();
    }
    match (action.enabled)(model) {
        Ok(()) => (action.act)(model),
        Err(reason) => {
            let text = format!("{} is off: {reason}", actions::label(model, id));
            model.notices.tell(model.now, Rank::Info, "", text);
            Vec::new()
        }
    }
}

/// A page of text is scrolled with the keys of a list, and closed like a page.
fn text(model: &mut Model, key: Key) -> Vec<Effect> {
    let mut chord = std::mem::take(&mut model.chord);
    chord.push(key);
    let id = match model.look.keys.lookup(&actions::places(model), &chord) {
        Lookup::Action(binding) => binding.action.clone(),
        Lookup::Prefix(_) => {
            model.chord = chord;
            return Vec::new();
        }
        Lookup::None => return Vec::new(),
    };
    let height = usize::from(model.size.rows.saturating_sub(6)).max(1);
    let last = crate::console::view::text_lines(model).saturating_sub(height);
    let Some(Layer::Text(page)) = model.layers.last_mut() else {
        return Vec::new();
    };
    let top = page.top;
    page.top = match id.as_str() {
        "move.down" => top + 1,
        "move.up" => top.saturating_sub(1),
        "move.half-down" => top + height / 2,
        "move.half-up" => top.saturating_sub(height / 2),
        "move.page-down" => top + height,
        "move.page-up" => top.saturating_sub(height),
        "move.top" => 0,
        "move.end" => last,
        "copy.yaml" | "times" => return action(model, &id),
        "back" | "help" | "open" | "detail" | "why" | "yaml" | "view.1" | "view.2" => {
            return close_layer(model);
        }
        _ => top,
    }
    .min(last);
    Vec::new()
}
