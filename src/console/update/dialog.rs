//! Keys in a question. Cancel has the focus; only the button, or `y` at the lowest level, confirms.

use tui_input::{Input, InputRequest};

use crate::console::actions::{self, marking};
use crate::console::effect::{Effect, Write, WriteRequest};
use crate::console::model::asked::Asked;
use crate::console::model::layers::{Dialog, Focus, Layer, Level};
use crate::console::model::{Model, names::Uid};
use crate::console::msg::{Key, KeyCode};

use super::{close_layer, keys, refresh};

fn open(model: &mut Model) -> Option<&mut Dialog> {
    match model.layers.last_mut() {
        Some(Layer::Dialog(dialog)) => Some(dialog),
        _ => None,
    }
}

/// Handles a key.
pub fn key(model: &mut Model, key: Key) -> Vec<Effect> {
    let Some(dialog) = open(model) else {
        return Vec::new();
    };
    let in_field = matches!(dialog.focus, Focus::Reason | Focus::Name);
    match key.code {
        KeyCode::Esc => return close_layer(model),
        KeyCode::Tab | KeyCode::BackTab => {
            let back = key.shift || key.code == KeyCode::BackTab;
            dialog.focus = turned(dialog, back);
        }
        KeyCode::Right if !in_field => dialog.focus = turned(dialog, false),
        KeyCode::Left if !in_field => dialog.focus = turned(dialog, true),
        KeyCode::Down => dialog.scroll = dialog.scroll.saturating_add(1).min(200),
        KeyCode::Up => dialog.scroll = dialog.scroll.saturating_sub(1),
        KeyCode::Enter => {
            return match dialog.focus {
                Focus::Cancel => close_layer(model),
                Focus::Confirm | Focus::Name => confirm(model),
                Focus::Reason => {
                    dialog.focus = turned(dialog, false);
                    Vec::new()
                }
            };
        }
        _ if in_field => {
            if let Some(input) = field(dialog) {
                edit(input, key);
            }
        }
        KeyCode::Char('r') if dialog.changed.is_some() => return read_again(model),
        KeyCode::Char('y') if dialog.level <= Level::Ask && key.text().is_some() => {
            return confirm(model);
        }
        // Text goes into the field that is there, whatever has the focus: the `y` of a reason that
        // somebody begins to type must not confirm.
        _ if key.text().is_some() => {
            let first = dialog
                .ring()
                .into_iter()
                .find(|f| matches!(f, Focus::Reason | Focus::Name));
            if let Some(first) = first {
                dialog.focus = first;
                if let Some(input) = field(dialog) {
                    edit(input, key);
                }
            }
        }
        _ => {}
    }
    Vec::new()
}

/// Pasted text.
pub fn paste(model: &mut Model, text: &str) {
    if let Some(input) = open(model).and_then(field) {
        insert(input, text);
    }
}

fn field(dialog: &mut Dialog) -> Option<&mut Input> {
    match dialog.focus {
        Focus::Reason => dialog.reason.as_mut(),
        Focus::Name => dialog.name.as_mut().map(|(_, input)| input),
        Focus::Cancel | Focus::Confirm => None,
    }
}

fn turned(dialog: &Dialog, back: bool) -> Focus {
    let ring = dialog.ring();
    let at = ring.iter().position(|f| *f == dialog.focus).unwrap_or(0);
    let step = if back { ring.len() - 1 } else { 1 };
    ring.get((at + step) % ring.len())
        .copied()
        .unwrap_or(Focus::Cancel)
}

/// Line keys that work in every text field.
pub fn edit(input: &mut Input, key: Key) {
    use InputRequest as R;
    let request = match (key.code, key.ctrl) {
        (KeyCode::Char('a'), true) | (KeyCode::Home, _) => R::GoToStart,
        (KeyCode::Char('e'), true) | (KeyCode::End, _) => R::GoToEnd,
        (KeyCode::Char('k'), true) => R::DeleteTillEnd,
        (KeyCode::Char('u'), true) => R::DeleteLine,
        (KeyCode::Char('w'), true) => R::DeletePrevWord,
        (KeyCode::Backspace, _) => R::DeletePrevChar,
        (KeyCode::Delete, _) => R::DeleteNextChar,
        (KeyCode::Left, false) => R::GoToPrevChar,
        (KeyCode::Right, false) => R::GoToNextChar,
        (KeyCode::Left, true) => R::GoToPrevWord,
        (KeyCode::Right, true) => R::GoToNextWord,
        _ => match key.text() {
            Some(c) => R::InsertChar(c),
            None => return,
        },
    };
    input.handle(request);
}

/// Writes a text at the cursor.
pub fn insert(input: &mut Input, text: &str) {
    for c in text.chars() {
        input.handle(InputRequest::InsertChar(c));
    }
}

fn confirm(model: &mut Model) -> Vec<Effect> {
    let Some(Layer::Dialog(mut dialog)) = model.layers.pop() else {
        return Vec::new();
    };
    let off = actions::writes_off(model).or_else(|| dialog.missing());
    if let Some(reason) = off {
        // The button shows what is missing; a lost link is said in the refusal's place.
        if dialog.missing().is_none() {
            dialog.changed = Some(format!("Writes are off: {reason}."));
        }
        model.layers.push(Layer::Dialog(dialog));
        return Vec::new();
    }
    if dialog.marked {
        marking::clear(model);
    }
    let batch = std::mem::take(&mut dialog.batch);
    if batch.is_empty() {
        return vec![send(model, dialog)];
    }
    let one_by_one = batch.into_iter().map(|mut one| {
        one.reason.clone_from(&dialog.reason);
        send(model, Box::new(one))
    });
    one_by_one.collect()
}

/// Asks for the write of a question that was confirmed.
fn send(model: &mut Model, dialog: Box<Dialog>) -> Effect {
    let ticket = model.ticket();
    let reason = dialog
        .reason
        .as_ref()
        .map(|r| r.value().trim().to_owned())
        .filter(|r| !r.is_empty());
    let mut write = dialog.write.clone();
    match &mut write {
        Write::Skip { comment, .. } | Write::Approve { comment } => *comment = reason,
        Write::Start | Write::Stop | Write::CreateRun { .. } | Write::Delete => {}
    }
    let what = format!("{} {}", dialog.confirm.to_lowercase(), subject(&dialog));
    let request = WriteRequest {
        ticket,
        object: dialog.object.clone(),
        write,
    };
    model.asked.push(Asked {
        ticket,
        uid: dialog.uid,
        at: model.now,
        what,
        dialog,
        generation: None,
        request: String::new(),
        warned: false,
    });
    Effect::Write(request)
}

fn subject(dialog: &Dialog) -> String {
    match &dialog.write {
        Write::Skip { targets, .. } => format!("{} of {}", targets.join(", "), dialog.object.name),
        Write::Approve { .. } => dialog
            .title
            .split('"')
            .nth(1)
            .unwrap_or(&dialog.object.name)
            .to_owned(),
        Write::Start | Write::Stop | Write::CreateRun { .. } | Write::Delete => {
            dialog.object.name.clone()
        }
    }
}

/// Asks the same question about the object as it is now, with what was typed.
fn read_again(model: &mut Model) -> Vec<Effect> {
    let Some(Layer::Dialog(old)) = model.layers.pop() else {
        return Vec::new();
    };
    if old.batch.is_empty() && selected(model) != Some(old.uid) {
        refresh::page(model);
        return Vec::new();
    }
    let effects = keys::action(model, old.action);
    if let Some(Layer::Dialog(new)) = model.layers.last_mut()
        && new.action == old.action
    {
        new.reason = old.reason;
        if let (Some((_, typed)), Some((_, before))) = (&mut new.name, old.name) {
            *typed = before;
        }
    }
    effects
}

fn selected(model: &Model) -> Option<Uid> {
    let gate = model.gate().map(|(uid, _)| uid);
    let run = model.run().map(|(uid, _)| uid);
    match model.layers.last() {
        Some(_) => None,
        None => gate
            .filter(|_| model.page() == crate::console::model::Page::Gates)
            .or(run),
    }
}
