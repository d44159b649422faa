//! Filter, order, faults, the next problem, freezing.

use tui_input::Input;

use crate::console::effect::Effect;
use crate::console::model::gates::{self, Standing};
use crate::console::model::layers::{Layer, Menu, MenuKind, Prompt, PromptKind};
use crate::console::model::runs as model_runs;
use crate::console::model::tree::Row;
use crate::console::model::{Model, Page};
use crate::console::update::refresh;

use super::moving::select;
use super::{Action, Section, in_list, look, on};

const fn lists(
    id: &'static str,
    label: &'static str,
    hint: u8,
    belongs: fn(&Model) -> bool,
    act: fn(&mut Model) -> Vec<Effect>,
) -> Action {
    Action {
        id,
        label,
        section: Section::Select,
        hint,
        belongs,
        enabled: on,
        act,
    }
}

fn not_plan(model: &Model) -> bool {
    model.page() != Page::Plan
}

/// The family.
pub const ACTIONS: &[Action] = &[
    lists("filter", "filter", 70, not_plan, |m| {
        let before = text(m).to_owned();
        m.layers.push(Layer::Prompt(Prompt {
            input: Input::new(before.clone()),
            kind: PromptKind::Filter { before },
            at: 0,
        }));
        Vec::new()
    }),
    lists("order", "order", 35, in_list, |m| {
        m.layers.push(Layer::Menu(Menu {
            title: "Order by".to_owned(),
            kind: MenuKind::Order,
            at: ordered(m),
        }));
        Vec::new()
    }),
    lists("order.turn", "turn the order", 0, in_list, turn),
    lists("order.next", "order by the next column", 0, in_list, |m| {
        step(m, 1)
    }),
    lists(
        "order.prev",
        "order by the column before",
        0,
        in_list,
        |m| {
            let n = entries(MenuKind::Order, m).len();
            step(m, n.saturating_sub(1))
        },
    ),
    lists("faults", "faults only", 25, not_plan, |m| {
        refresh::recall(m);
        match m.page() {
            Page::Runs => m.runs.faults = !m.runs.faults,
            Page::Gates => m.gates.faults = !m.gates.faults,
            Page::Tree(uid) => {
                if let Some(page) = m.trees.get_mut(&uid) {
                    page.faults = !page.faults;
                }
            }
            Page::Plan => {}
        }
        refresh::page(m);
        Vec::new()
    }),
    lists("next.problem", "next problem", 50, not_plan, next_problem),
    look(
        "freeze",
        "stop updating the rows",
        Section::General,
        0,
        |m| {
            match m.frozen.take() {
                None => m.frozen = Some(m.now),
                Some(_) => refresh::thaw(m),
            }
            Vec::new()
        },
    ),
];

/// The filter's text of the page in view.
pub fn text(model: &Model) -> &str {
    match model.page() {
        Page::Runs => &model.runs.filter.text,
        Page::Gates => &model.gates.filter.text,
        Page::Tree(_) => model.tree().map_or("", |p| &p.filter.text),
        Page::Plan => "",
    }
}

/// Entries of a menu.
pub fn entries(kind: MenuKind, model: &Model) -> Vec<String> {
    match kind {
        MenuKind::Actions => super::menu(model)
            .iter()
            .map(|(a, _)| a.id.to_owned())
            .collect(),
        MenuKind::Order => order_words(model).iter().map(|w| (*w).to_owned()).collect(),
    }
}

/// Orders of the page in view.
pub fn order_words(model: &Model) -> Vec<&'static str> {
    match model.page() {
        Page::Runs => model_runs::Order::ALL.iter().map(|o| o.word()).collect(),
        Page::Gates => gates::Order::ALL.iter().map(|o| o.word()).collect(),
        Page::Tree(_) | Page::Plan => Vec::new(),
    }
}

fn ordered(model: &Model) -> usize {
    match model.page() {
        Page::Runs => model_runs::Order::ALL
            .iter()
            .position(|o| *o == model.runs.order),
        Page::Gates => gates::Order::ALL
            .iter()
            .position(|o| *o == model.gates.order),
        Page::Tree(_) | Page::Plan => None,
    }
    .unwrap_or(0)
}

/// Orders by an entry of the menu; the same one again turns it round.
pub fn order_by(model: &mut Model, at: usize) {
    if at == ordered(model) {
        turn(model);
        return;
    }
    match model.page() {
        Page::Runs => {
            model.runs.order = model_runs::Order::ALL.get(at).copied().unwrap_or_default();
            model.runs.turned = false;
        }
        Page::Gates => {
            model.gates.order = gates::Order::ALL.get(at).copied().unwrap_or_default();
            model.gates.turned = false;
        }
        Page::Tree(_) | Page::Plan => {}
    }
    refresh::page(model);
}

fn step(model: &mut Model, by: usize) -> Vec<Effect> {
    let n = order_words(model).len().max(1);
    order_by(model, (ordered(model) + by) % n);
    Vec::new()
}

fn turn(model: &mut Model) -> Vec<Effect> {
    match model.page() {
        Page::Runs => model.runs.turned = !model.runs.turned,
        Page::Gates => model.gates.turned = !model.gates.turned,
        Page::Tree(_) | Page::Plan => {}
    }
    refresh::page(model);
    Vec::new()
}

fn next_problem(model: &mut Model) -> Vec<Effect> {
    let (at, hits): (usize, Vec<usize>) = match model.page() {
        Page::Runs => {
            let bad = |uid| {
                model
                    .store
                    .runs
                    .get(uid)
                    .is_some_and(|h| model_runs::needs_a_look(&h.object))
            };
            let rows = model.runs.rows.iter().enumerate();
            let hits = rows.filter(|(_, uid)| bad(**uid)).map(|(i, _)| i).collect();
            (model.runs.cursor.at, hits)
        }
        Page::Gates => {
            let rows = model.gates.rows.iter().enumerate();
            let bad = |key| {
                gates::info(&model.store, key).is_some_and(|g| g.standing <= Standing::NotReady)
            };
            let hits = rows.filter(|(_, key)| bad(**key)).map(|(i, _)| i).collect();
            (model.gates.cursor.at, hits)
        }
        Page::Tree(_) => {
            let Some(((_, run), page)) = model.run().zip(model.tree()) else {
                return Vec::new();
            };
            let bad =
                |row: Row| crate::console::model::tree_page::needs_a_look(&model.store, run, row);
            let rows = page.tree.rows.iter().enumerate();
            let hits = rows.filter(|(_, r)| bad(**r)).map(|(i, _)| i).collect();
            (page.tree.cursor.at, hits)
        }
        Page::Plan => return Vec::new(),
    };
    let next = hits.iter().find(|i| **i > at).or_else(|| hits.first());
    if let Some(next) = next.copied() {
        select(model, next);
    }
    Vec::new()
}
