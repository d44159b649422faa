//! Going from page to page.

use crate::console::effect::Effect;
use crate::console::model::gates::GateKey;
use crate::console::model::list::Cursor;
use crate::console::model::names::Uid;
use crate::console::model::tree::{Row, RowKey};
use crate::console::model::{Model, Page};
use crate::console::msg::Rank;
use crate::console::update::refresh;

use super::folding::turn;
use super::{Action, Section, look};

/// The family.
pub const ACTIONS: &[Action] = &[
    look("view.1", "runs", Section::Move, 0, |m| show(m, Page::Runs)),
    look("view.2", "gates", Section::Move, 60, |m| {
        show(m, Page::Gates)
    }),
    Action {
        enabled: |m| match m.page() {
            Page::Runs if m.runs.rows.is_empty() => Err("nothing is selected".to_owned()),
            Page::Gates if m.gates.rows.is_empty() => Err("nothing is selected".to_owned()),
            _ => Ok(()),
        },
        ..look("open", "open", Section::Look, 100, open)
    },
    look("back", "back", Section::Move, 5, back),
    look("history.back", "page before", Section::Move, 0, earlier),
    look("history.on", "page after", Section::Move, 0, later),
    look("history.last", "the other page", Section::Move, 0, |m| {
        if m.forward.is_empty() {
            earlier(m)
        } else {
            later(m)
        }
    }),
];

/// Shows one of the lists.
pub fn show(model: &mut Model, page: Page) -> Vec<Effect> {
    model.pages = match page {
        Page::Gates => vec![Page::Runs, Page::Gates],
        _ => vec![Page::Runs],
    };
    refresh::page(model);
    Vec::new()
}

/// Opens a run's tree.
pub fn open_run(model: &mut Model, uid: Uid) {
    model.trees.entry(uid).or_default();
    if model.page() != Page::Tree(uid) {
        model.pages.push(Page::Tree(uid));
    }
    refresh::page(model);
}

fn open(model: &mut Model) -> Vec<Effect> {
    match model.page() {
        Page::Runs => {
            if let Some((uid, _)) = model.run() {
                open_run(model, uid);
            }
        }
        Page::Gates => {
            let info = model
                .gate_info()
                .map(|g| (g.run.map(|(uid, _)| uid), g.spot));
            if let Some((Some(uid), spot)) = info {
                open_run(model, uid);
                if let (Some(spot), Some(page)) = (spot, model.trees.get_mut(&uid)) {
                    page.tree.fold((spot.of.0, None), true);
                    page.tree.fold(spot.of, true);
                    page.tree.cursor = Cursor {
                        key: Some(RowKey::Gate(spot)),
                        chosen: true,
                        ..Cursor::default()
                    };
                    refresh::page(model);
                }
            }
        }
        Page::Tree(_) => match model.row() {
            Some(Row::Member(_)) => return super::looking::detail(model),
            Some(Row::Gate(_)) => {
                let key = model.gate_key();
                model.pages.push(Page::Gates);
                if let Some(key @ (GateKey::Reached(_) | GateKey::Ahead(..))) = key {
                    model.gates.cursor.key = Some(key);
                    model.gates.cursor.chosen = true;
                }
                refresh::page(model);
            }
            Some(_) => toggle(model),
            None => {}
        },
        Page::Plan => toggle(model),
    }
    Vec::new()
}

/// Opens the selected row, or closes it if it is open.
fn toggle(model: &mut Model) {
    if !turn(model, true) {
        turn(model, false);
    }
}

fn earlier(model: &mut Model) -> Vec<Effect> {
    if model.pages.len() > 1 {
        model.forward.extend(model.pages.pop());
        refresh::page(model);
    }
    Vec::new()
}

fn later(model: &mut Model) -> Vec<Effect> {
    let there = |page: &Page, model: &Model| match page {
        Page::Tree(uid) => model.store.runs.get(*uid).is_some(),
        Page::Plan => model.plan.is_some(),
        Page::Runs | Page::Gates => true,
    };
    if let Some(page) = model.forward.pop()
        && there(&page, model)
    {
        model.pages.push(page);
        refresh::page(model);
    }
    Vec::new()
}

fn back(model: &mut Model) -> Vec<Effect> {
    // The filter is on top of its page.
    let cleared = match model.page() {
        Page::Runs => std::mem::take(&mut model.runs.filter).text,
        Page::Gates => std::mem::take(&mut model.gates.filter).text,
        Page::Tree(uid) => model
            .trees
            .get_mut(&uid)
            .map(|p| std::mem::take(&mut p.filter).text)
            .unwrap_or_default(),
        Page::Plan => String::new(),
    };
    if cleared.is_empty() && model.pages.len() > 1 {
        model.pages.pop();
    } else if cleared.is_empty() {
        let text = "this is the first page; :q or ctrl-c twice leaves".to_owned();
        model.notices.tell(model.now, Rank::Info, "", text);
    }
    refresh::page(model);
    Vec::new()
}
