//! Opening and closing parts of a tree.

use crate::console::effect::Effect;
use crate::console::model::plan::PlanRow;
use crate::console::model::tree::{Row, Spot};
use crate::console::model::{Model, Page};
use crate::console::update::refresh;

use super::moving::select;
use super::{Action, Section, in_tree, on};

fn has_folds(model: &Model) -> bool {
    matches!(model.page(), Page::Tree(_) | Page::Plan)
}

const fn fold(
    id: &'static str,
    label: &'static str,
    hint: u8,
    belongs: fn(&Model) -> bool,
    act: fn(&mut Model) -> Vec<Effect>,
) -> Action {
    Action {
        id,
        label,
        section: Section::Move,
        hint,
        belongs,
        enabled: on,
        act,
    }
}

/// The family.
pub const ACTIONS: &[Action] = &[
    fold("tree.open", "open", 0, has_folds, |m| {
        turn(m, true);
        Vec::new()
    }),
    fold("tree.close", "close", 0, has_folds, |m| {
        turn(m, false);
        Vec::new()
    }),
    fold("tree.fold-all", "fold all", 40, in_tree, |m| all(m, false)),
    fold("tree.open-all", "open all", 0, in_tree, |m| all(m, true)),
    fold("tree.next-stage", "next stage", 38, in_tree, |m| {
        stage(m, true)
    }),
    fold("tree.prev-stage", "stage before", 0, in_tree, |m| {
        stage(m, false)
    }),
];

fn all(model: &mut Model, open: bool) -> Vec<Effect> {
    if let Page::Tree(uid) = model.page()
        && let Some(held) = model.store.runs.get(uid)
        && let Some(page) = model.trees.get_mut(&uid)
    {
        page.tree.fold_all(&held.object, open);
        refresh::page(model);
    }
    Vec::new()
}

fn stage(model: &mut Model, down: bool) -> Vec<Effect> {
    let Some(page) = model.tree() else {
        return Vec::new();
    };
    let at = page.tree.cursor.at;
    let is_stage = |(_, r): &(usize, &Row)| matches!(r, Row::Stage(_));
    let mut rows = page
        .tree
        .rows
        .iter()
        .enumerate()
        .filter(is_stage)
        .map(|(i, _)| i);
    let found = if down {
        rows.find(|i| *i > at)
    } else {
        rows.rfind(|i| *i < at)
    };
    if let Some(found) = found {
        select(model, found);
    }
    Vec::new()
}

/// Opens or closes the selected row; closing a leaf goes to its parent.
pub fn turn(model: &mut Model, open: bool) -> bool {
    match model.page() {
        Page::Tree(uid) => {
            let Some(row) = model.row() else {
                return false;
            };
            let Some(page) = model.trees.get_mut(&uid) else {
                return false;
            };
            let spot: Option<Spot> = match row {
                Row::Stage(s) => Some((s, None)),
                Row::Group(s, g) => Some((s, Some(g))),
                Row::More(s, g, _) if open => {
                    page.tree.show_whole(s, g, true);
                    refresh::page(model);
                    return true;
                }
                Row::Gate(_) | Row::Wait(_) | Row::Member(_) | Row::More(..) | Row::Apart => None,
            };
            match spot {
                Some(spot) if page.tree.is_open(spot) != open => {
                    page.tree.fold(spot, open);
                    if let ((s, Some(g)), false) = (spot, open) {
                        page.tree.show_whole(s, g, false);
                    }
                    refresh::page(model);
                    true
                }
                _ if !open => {
                    to_parent(model, row);
                    true
                }
                _ => false,
            }
        }
        Page::Plan => turn_plan(model, open),
        Page::Runs | Page::Gates => false,
    }
}

fn to_parent(model: &mut Model, row: Row) {
    let Some(page) = model.tree() else {
        return;
    };
    let at = page.tree.cursor.at;
    let above = page.tree.rows.get(..at).unwrap_or_default();
    let parent = above.iter().rposition(|r| match row {
        Row::Stage(_) | Row::Apart => false,
        Row::Group(..) | Row::Wait(_) => matches!(r, Row::Stage(_)),
        Row::Gate(spot) if spot.of.1.is_none() => matches!(r, Row::Stage(_)),
        Row::Gate(_) | Row::Member(_) | Row::More(..) => matches!(r, Row::Group(..)),
    });
    if let Some(parent) = parent {
        select(model, parent);
    }
}

fn turn_plan(model: &mut Model, open: bool) -> bool {
    let Some(page) = &mut model.plan else {
        return false;
    };
    let spot = match page.rows().get(page.at) {
        Some(PlanRow::Stage(s)) => (*s, None),
        Some(PlanRow::Group(s, g)) => (*s, Some(*g)),
        Some(PlanRow::Unplaced) => (usize::MAX, None),
        Some(PlanRow::Member(..) | PlanRow::Left(_)) | None => return false,
    };
    if open {
        page.open.insert(spot)
    } else {
        page.open.remove(&spot)
    }
}
