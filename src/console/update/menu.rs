//! Keys in a menu.

use crate::console::actions;
use crate::console::effect::Effect;
use crate::console::input::Lookup;
use crate::console::model::Model;
use crate::console::model::layers::{Layer, MenuKind};
use crate::console::msg::{Key, KeyCode};

use super::{close_layer, keys};

/// Handles a key.
pub fn key(model: &mut Model, key: Key) -> Vec<Effect> {
    let Some(Layer::Menu(menu)) = model.layers.last() else {
        return Vec::new();
    };
    let (kind, at) = (menu.kind, menu.at);
    let entries = actions::menu_entries(kind, model);
    let n = entries.len().max(1);
    let to = match key.code {
        KeyCode::Esc => return close_layer(model),
        KeyCode::Down | KeyCode::Tab => (at + 1) % n,
        KeyCode::Up | KeyCode::BackTab => (at + n - 1) % n,
        KeyCode::Char('n') if key.ctrl => (at + 1) % n,
        KeyCode::Char('p') if key.ctrl => (at + n - 1) % n,
        KeyCode::Enter => {
            model.layers.pop();
            return choose(model, kind, at, &entries);
        }
        _ => return direct(model, kind, key),
    };
    if let Some(Layer::Menu(menu)) = model.layers.last_mut() {
        menu.at = to;
    }
    Vec::new()
}

fn choose(model: &mut Model, kind: MenuKind, at: usize, entries: &[String]) -> Vec<Effect> {
    match kind {
        MenuKind::Actions => match entries.get(at) {
            Some(id) => keys::action(model, id),
            None => Vec::new(),
        },
        MenuKind::Order => {
            actions::order_by(model, at);
            Vec::new()
        }
    }
}

/// A key of the page does its action straight from the menu; j and k move as they do in lists.
fn direct(model: &mut Model, kind: MenuKind, key: Key) -> Vec<Effect> {
    let Some(layer) = model.layers.pop() else {
        return Vec::new();
    };
    let places = actions::places(model);
    let id = match model.look.keys.lookup(&places, &[key]) {
        Lookup::Action(binding) => Some(binding.action.clone()),
        Lookup::Prefix(_) | Lookup::None => None,
    };
    let Layer::Menu(mut menu) = layer else {
        return Vec::new();
    };
    let n = actions::menu_entries(kind, model).len().max(1);
    match id.as_deref() {
        Some("move.down") => menu.at = (menu.at + 1) % n,
        Some("move.up") => menu.at = (menu.at + n - 1) % n,
        Some("order") if kind == MenuKind::Order => {
            actions::order_by(model, menu.at);
            return Vec::new();
        }
        Some("actions" | "back") => return Vec::new(),
        Some(id) if kind == MenuKind::Actions => return keys::action(model, id),
        _ => {}
    }
    model.layers.push(Layer::Menu(menu));
    Vec::new()
}
