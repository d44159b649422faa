//! Movement over the rows of the page in view.

use crate::console::effect::Effect;
use crate::console::model::list::Move;
use crate::console::model::tree::Tree;
use crate::console::model::{Model, Page};
use crate::console::view::layout::list_rows;

use super::{Action, Section, look};

/// The family.
pub const ACTIONS: &[Action] = &[
    look("move.down", "next row", Section::Move, 0, |m| {
        go(m, Move::Down)
    }),
    look("move.up", "row before", Section::Move, 0, |m| {
        go(m, Move::Up)
    }),
    look(
        "move.half-down",
        "half a page down",
        Section::Move,
        0,
        |m| go(m, Move::HalfDown),
    ),
    look("move.half-up", "half a page up", Section::Move, 0, |m| {
        go(m, Move::HalfUp)
    }),
    look("move.page-down", "page down", Section::Move, 0, |m| {
        go(m, Move::PageDown)
    }),
    look("move.page-up", "page up", Section::Move, 0, |m| {
        go(m, Move::PageUp)
    }),
    look("move.top", "first row", Section::Move, 0, |m| {
        go(m, Move::Top)
    }),
    look("move.end", "last row", Section::Move, 0, |m| {
        go(m, Move::End)
    }),
];

/// Makes a movement.
pub fn go(model: &mut Model, step: Move) -> Vec<Effect> {
    let height = list_rows(model).max(1);
    if model.in_detail {
        // Details know their length only when they are drawn; the view stops at the last line.
        model.detail_top = match step {
            Move::Top => 0,
            Move::End => model.detail_top,
            step => step.target(model.detail_top, DETAIL_LINES, 8),
        };
        return Vec::new();
    }
    let (at, len) = match model.page() {
        Page::Runs => (model.runs.cursor.at, model.runs.rows.len()),
        Page::Gates => (model.gates.cursor.at, model.gates.rows.len()),
        Page::Tree(_) => model
            .tree()
            .map_or((0, 0), |p| (p.tree.cursor.at, p.tree.rows.len())),
        Page::Plan => model
            .plan
            .as_ref()
            .map_or((0, 0), |p| (p.at, p.rows().len())),
    };
    select(model, step.target(at, len, height));
    model.moved = Some(model.now);
    Vec::new()
}

/// More lines than any detail area has.
const DETAIL_LINES: usize = 200;

/// Selects a row of the page in view.
pub fn select(model: &mut Model, at: usize) {
    model.detail_top = 0;
    match model.page() {
        Page::Runs => {
            if let Some(key) = model.runs.rows.get(at).copied() {
                model.runs.cursor.select(at, key);
            }
        }
        Page::Gates => {
            if let Some(key) = model.gates.rows.get(at).copied() {
                model.gates.cursor.select(at, key);
            }
        }
        Page::Tree(uid) => {
            let store = &model.store;
            if let Some(page) = model.trees.get_mut(&uid)
                && let Some(row) = page.tree.rows.get(at).copied()
            {
                page.tree.cursor.select(at, Tree::key(store, row));
            }
        }
        Page::Plan => {
            if let Some(page) = &mut model.plan {
                page.at = at.min(page.rows().len().saturating_sub(1));
            }
        }
    }
}
