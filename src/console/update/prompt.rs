//! Keys in the filter line and in the palette.

use crate::console::actions;
use crate::console::effect::Effect;
use crate::console::model::layers::{Layer, Prompt, PromptKind};
use crate::console::model::{Model, Page, runs};
use crate::console::msg::{Key, KeyCode, Rank};

use super::{close_layer, dialog, keys, set_filter};

fn open(model: &mut Model) -> Option<&mut Prompt> {
    match model.layers.last_mut() {
        Some(Layer::Prompt(prompt)) => Some(prompt),
        _ => None,
    }
}

/// Handles a key.
pub fn key(model: &mut Model, key: Key) -> Vec<Effect> {
    let Some(prompt) = open(model) else {
        return Vec::new();
    };
    let is_filter = matches!(prompt.kind, PromptKind::Filter { .. });
    match key.code {
        KeyCode::Esc => return close_layer(model),
        KeyCode::Enter if is_filter => {
            model.layers.pop();
            return Vec::new();
        }
        KeyCode::Enter => return run(model),
        KeyCode::Tab if is_filter => suggest(model),
        KeyCode::Tab => complete(model),
        KeyCode::Down => prompt.at += 1,
        KeyCode::Up => prompt.at = prompt.at.saturating_sub(1),
        _ => {
            dialog::edit(&mut prompt.input, key);
            typed(model);
        }
    }
    clamp(model);
    Vec::new()
}

/// Pasted text.
pub fn paste(model: &mut Model, text: &str) {
    if let Some(prompt) = open(model) {
        dialog::insert(&mut prompt.input, text);
        typed(model);
    }
}

fn typed(model: &mut Model) {
    let Some(prompt) = open(model) else {
        return;
    };
    prompt.at = 0;
    if matches!(prompt.kind, PromptKind::Filter { .. }) {
        let text = prompt.input.value().to_owned();
        set_filter(model, &text);
    }
}

fn clamp(model: &mut Model) {
    let n = match model.layers.last() {
        Some(Layer::Prompt(p)) if p.kind == PromptKind::Palette => {
            entries(model, p.input.value()).len()
        }
        _ => return,
    };
    if let Some(prompt) = open(model) {
        prompt.at = prompt.at.min(n.saturating_sub(1));
    }
}

/// Takes the filter as it was probably meant.
fn suggest(model: &mut Model) {
    let filter = match model.page() {
        Page::Runs => Some(&model.runs.filter),
        Page::Gates => Some(&model.gates.filter),
        Page::Tree(_) => model.tree().map(|p| &p.filter),
        Page::Plan => None,
    };
    let instead = filter
        .and_then(|f| f.faults.first())
        .and_then(|f| f.instead.clone());
    if let (Some(instead), Some(prompt)) = (instead, open(model)) {
        prompt.input = tui_input::Input::new(instead);
        typed(model);
    }
}

/// What a line of the palette does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// An action.
    Action(&'static str, Result<(), String>),
    /// A run to open.
    Run(String),
}

/// Lines of the palette for what was typed.
pub fn entries(model: &Model, typed: &str) -> Vec<Entry> {
    let typed = typed.trim();
    let mut entries: Vec<Entry> = actions::offered(model, word(typed))
        .into_iter()
        .map(|(a, on)| Entry::Action(a.id, on))
        .collect();
    if !typed.is_empty() {
        let hits = model
            .store
            .runs
            .present()
            .map(|(_, r)| runs::name(r))
            .filter(|n| n.contains(typed));
        entries.extend(hits.map(|n| Entry::Run(n.to_owned())));
    }
    entries
}

/// Short words that stand for an action.
fn word(typed: &str) -> &str {
    match typed {
        "q" | "q!" | "quit" => "quit",
        "runs" => "view 1",
        "gates" => "view 2",
        other => other,
    }
}

fn chosen(model: &Model) -> Option<Entry> {
    let Some(Layer::Prompt(prompt)) = model.layers.last() else {
        return None;
    };
    entries(model, prompt.input.value())
        .into_iter()
        .nth(prompt.at)
}

fn complete(model: &mut Model) {
    let text = match chosen(model) {
        Some(Entry::Action(id, _)) => id.replace(['.', '-'], " "),
        Some(Entry::Run(name)) => name,
        None => return,
    };
    if let Some(prompt) = open(model) {
        prompt.input = tui_input::Input::new(text);
        prompt.at = 0;
    }
}

fn run(model: &mut Model) -> Vec<Effect> {
    let chosen = chosen(model);
    let Some(Layer::Prompt(prompt)) = model.layers.pop() else {
        return Vec::new();
    };
    match chosen {
        Some(Entry::Action(id, _)) => keys::action(model, id),
        Some(Entry::Run(name)) => {
            if let Some((uid, _)) = model.store.run_named(&name) {
                actions::open_run(model, uid);
            }
            Vec::new()
        }
        None => {
            let text = format!("\"{}\" is no command and no run", prompt.input.value());
            model.notices.tell(model.now, Rank::Info, "", text);
            Vec::new()
        }
    }
}
