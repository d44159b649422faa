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
            keep(model);
            return Vec::new();
        }
        KeyCode::Up if is_filter => history(model, true),
        KeyCode::Down if is_filter => history(model, false),
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

/// Keeps the filter, and its text for later.
fn keep(model: &mut Model) {
    let Some(Layer::Prompt(prompt)) = model.layers.pop() else {
        return;
    };
    let text = prompt.input.value().trim().to_owned();
    super::refresh::keep(model);
    if !text.is_empty() {
        model.used_filters.retain(|t| *t != text);
        model.used_filters.push(text);
        let more = model.used_filters.len().saturating_sub(HISTORY);
        model.used_filters.drain(..more);
    }
}

/// Filters that are remembered.
const HISTORY: usize = 50;

/// Goes to an older or a newer one of the filters that were kept; before the newest is the one
/// that stood here.
fn history(model: &mut Model, older: bool) {
    let used = model.used_filters.clone();
    let Some(prompt) = open(model) else {
        return;
    };
    let PromptKind::Filter { before } = &prompt.kind else {
        return;
    };
    prompt.at = match older {
        true => (prompt.at + 1).min(used.len()),
        false => prompt.at.saturating_sub(1),
    };
    let at = prompt.at;
    let text = match at {
        0 => before.clone(),
        n => used.iter().rev().nth(n - 1).cloned().unwrap_or_default(),
    };
    prompt.input = tui_input::Input::new(text);
    typed(model);
    if let Some(prompt) = open(model) {
        prompt.at = at;
    }
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
