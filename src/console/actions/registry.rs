//! The one list of actions, and what is printed from it.

use crate::console::input::{Lookup, Place};
use crate::console::model::layers::Layer;
use crate::console::model::{Model, Page};
use crate::console::msg::{Key, KeyCode};

use super::{
    Action, Section, finding, folding, gate_approve, leaving, looking, marking, member_skip,
    moving, navigating, run_delete, run_new, run_resume, run_retry_rest, run_stop,
};

/// All actions, in the order of help and menus.
pub fn all() -> impl Iterator<Item = &'static Action> {
    moving::ACTIONS
        .iter()
        .chain(folding::ACTIONS)
        .chain(navigating::ACTIONS)
        .chain(looking::ACTIONS)
        .chain(finding::ACTIONS)
        .chain(std::iter::once(&gate_approve::ACTION))
        .chain(std::iter::once(&run_resume::ACTION))
        .chain(std::iter::once(&run_stop::ACTION))
        .chain(std::iter::once(&member_skip::ACTION))
        .chain(std::iter::once(&run_new::ACTION))
        .chain(std::iter::once(&run_retry_rest::ACTION))
        .chain(std::iter::once(&run_delete::ACTION))
        .chain(marking::ACTIONS)
        .chain(leaving::ACTIONS)
}

/// The action with an id.
pub fn find(id: &str) -> Option<&'static Action> {
    all().find(|a| a.id == id)
}

/// Places whose bindings hold now, the most special first.
pub fn places(model: &Model) -> Vec<Place> {
    if let Some(layer) = model.layers.last() {
        return match layer {
            Layer::Text(_) => vec![Place::Detail, Place::All],
            Layer::Dialog(_) | Layer::Form(_) | Layer::Menu(_) | Layer::Leave(_) => {
                vec![Place::Dialog]
            }
            Layer::Prompt(_) => vec![Place::Text],
        };
    }
    page_places(model)
}

fn page_places(model: &Model) -> Vec<Place> {
    match model.page() {
        Page::Runs => vec![Place::Runs, Place::List, Place::All],
        Page::Gates => vec![Place::Gates, Place::List, Place::All],
        Page::Tree(_) => vec![Place::RunTree, Place::List, Place::All],
        Page::Plan => vec![Place::List, Place::All],
    }
}

/// The first key of an action on the page in view, as hints write it.
pub fn keys(model: &Model, id: &str) -> String {
    let places = page_places(model);
    let all = model.look.keys.keys_of(&places, id);
    // Everybody knows Esc.
    let esc = |keys: &&&[Key]| matches!(keys, [k] if k.code == KeyCode::Esc);
    all.iter()
        .find(esc)
        .or_else(|| all.first())
        .map_or_else(|| format!(":{id}"), |keys| written(model, keys))
}

fn written(model: &Model, keys: &[Key]) -> String {
    let ascii = model.look.glyphs.ascii;
    let plain = keys.iter().all(|k| k.text().is_some());
    let labels: Vec<String> = keys.iter().map(|k| k.label(ascii)).collect();
    labels.join(if plain { "" } else { " " })
}

/// Label of an action, for the selection.
pub fn label(model: &Model, id: &str) -> &'static str {
    let label = find(id).map_or("", |a| a.label);
    match id {
        "gate.approve" => gate_approve::word(model),
        "run.resume" => run_resume::word(model),
        "run.new" if model.page() == Page::Plan => "make, not started",
        _ => label,
    }
}

/// Keys and what they do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// As hints write them.
    pub keys: String,
    /// In a few words.
    pub label: String,
}

/// Actions that work here and now, the most useful first; and those that always stand at the end.
pub fn hints(model: &Model) -> (Vec<Hint>, Vec<Hint>) {
    let mut usable: Vec<&Action> = all()
        .filter(|a| a.hint > 0 && (a.belongs)(model) && (a.enabled)(model).is_ok())
        .collect();
    usable.sort_by_key(|a| std::cmp::Reverse(a.hint));
    let hint = |a: &&Action| {
        let keys = keys(model, a.id);
        (!keys.starts_with(':') || keys == ":").then(|| Hint {
            keys,
            label: label(model, a.id).to_owned(),
        })
    };
    let always = ["actions", "palette", "help"];
    let first = usable
        .iter()
        .filter(|a| !always.contains(&a.id))
        .filter_map(hint);
    let last = always.iter().filter_map(|id| find(id)).filter_map(|a| {
        let mut hint = hint(&a)?;
        hint.label = match a.id {
            "help" => "help",
            "palette" => "command",
            _ => "actions",
        }
        .to_owned();
        Some(hint)
    });
    (first.collect(), last.collect())
}

/// What may be done with the selection, and what not with its reason, in two sentences.
pub fn may(model: &Model) -> (String, String) {
    let mut may = Vec::new();
    let mut not = Vec::new();
    for action in all().filter(|a| a.section == Section::Write && (a.belongs)(model)) {
        let word = label(model, action.id);
        match (action.enabled)(model) {
            Ok(()) => may.push(word.to_owned()),
            Err(reason) => not.push(format!("{word} ({reason})")),
        }
    }
    not.truncate(2);
    let may = if may.is_empty() {
        "look".to_owned()
    } else {
        may.join(", ")
    };
    (may, not.join(", "))
}

/// Every action for the selection, looking ones first, writing ones with why they are off.
pub fn menu(model: &Model) -> Vec<(&'static Action, Result<(), String>)> {
    let offered = |a: &&Action| {
        matches!(a.section, Section::Look | Section::Write)
            && (a.belongs)(model)
            && a.id != "actions"
    };
    let mut entries: Vec<_> = all()
        .filter(offered)
        .map(|a| (a, (a.enabled)(model)))
        .filter(|(a, on)| a.section == Section::Write || on.is_ok())
        .collect();
    entries.sort_by_key(|(a, on)| (a.section == Section::Write, on.is_err()));
    entries
}

/// Actions of the page in view for the palette: those that match what was typed.
pub fn offered(model: &Model, typed: &str) -> Vec<(&'static Action, Result<(), String>)> {
    let words: Vec<String> = typed.split_whitespace().map(str::to_lowercase).collect();
    let hit = |a: &&Action| {
        let text = format!("{} {}", a.id.replace(['.', '-'], " "), a.label).to_lowercase();
        words.iter().all(|w| text.contains(w.as_str()))
    };
    let mut entries: Vec<_> = all()
        .filter(|a| (a.belongs)(model))
        .filter(hit)
        .map(|a| (a, (a.enabled)(model)))
        .collect();
    entries.sort_by_key(|(a, on)| {
        let begins = typed.is_empty() || a.id.starts_with(typed.trim());
        (a.section != Section::Write, !begins, on.is_err())
    });
    entries
}

/// Actions of a part of the help with their keys on the page in view.
pub fn sheet(model: &Model, section: Section) -> Vec<(&'static Action, String)> {
    let places = page_places(model);
    all()
        .filter(|a| a.section == section && (a.belongs)(model))
        .map(|a| {
            let keys = model.look.keys.keys_of(&places, a.id);
            let labels: Vec<String> = keys.iter().take(2).map(|k| written(model, k)).collect();
            let text = if labels.is_empty() {
                format!(":{}", a.id)
            } else {
                labels.join("  ")
            };
            (a, text)
        })
        .collect()
}

/// What may follow the keys of a chord that has begun.
pub fn chords(model: &Model) -> Vec<Hint> {
    match model.look.keys.lookup(&places(model), &model.chord) {
        Lookup::Prefix(next) => next
            .into_iter()
            .map(|binding| Hint {
                keys: written(
                    model,
                    binding.keys.get(model.chord.len()..).unwrap_or_default(),
                ),
                label: find(&binding.action)
                    .map_or_else(|| binding.action.clone(), |a| a.label.to_owned()),
            })
            .collect(),
        Lookup::Action(_) | Lookup::None => Vec::new(),
    }
}
