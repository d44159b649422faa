//! Marks: rows that an act is about together. Marks are identities; they go with their objects.

use std::collections::BTreeSet;

use crate::console::effect::Effect;
use crate::console::model::list::Move;
use crate::console::model::tree::{Row, RowKey, Tree};
use crate::console::model::{Model, Page};

use super::moving::go;
use super::{Action, Section, on};

const fn mark(
    id: &'static str,
    label: &'static str,
    hint: u8,
    act: fn(&mut Model) -> Vec<Effect>,
) -> Action {
    Action {
        id,
        label,
        section: Section::Select,
        hint,
        belongs: in_rows,
        enabled: on,
        act,
    }
}

fn in_rows(model: &Model) -> bool {
    model.page() != Page::Plan
}

/// The family.
pub const ACTIONS: &[Action] = &[
    mark("mark.toggle", "mark", 45, |m| {
        change(m, Change::Toggle);
        go(m, Move::Down)
    }),
    mark("mark.range", "mark from the last mark to here", 0, |m| {
        change(m, Change::Range);
        Vec::new()
    }),
    mark("mark.all", "mark all shown", 0, |m| {
        change(m, Change::All);
        Vec::new()
    }),
    mark("mark.clear", "clear marks", 0, |m| {
        clear(m);
        Vec::new()
    }),
];

#[derive(Clone, Copy)]
enum Change {
    Toggle,
    Range,
    All,
}

/// Takes every mark of the page in view away.
pub fn clear(model: &mut Model) {
    match model.page() {
        Page::Runs => model.runs.marks.clear(),
        Page::Gates => model.gates.marks.clear(),
        Page::Tree(uid) => {
            if let Some(page) = model.trees.get_mut(&uid) {
                page.marks.clear();
            }
        }
        Page::Plan => {}
    }
}

/// Number of marked rows of the page in view, and of those of them that are not shown.
pub fn count(model: &Model) -> (usize, usize) {
    let of = |marked: usize, shown: usize| (marked, marked - shown.min(marked));
    match model.page() {
        Page::Runs => {
            let marks = &model.runs.marks;
            let shown = model.runs.rows.iter().filter(|r| marks.contains(r));
            of(marks.len(), shown.count())
        }
        Page::Gates => {
            let marks = &model.gates.marks;
            let shown = model.gates.rows.iter().filter(|r| marks.contains(r));
            of(marks.len(), shown.count())
        }
        Page::Tree(_) => model.tree().map_or((0, 0), |page| {
            if page.marks.is_empty() {
                return (0, 0);
            }
            let keys = page.tree.rows.iter().map(|r| Tree::key(&model.store, *r));
            let shown = keys.filter(|k| page.marks.contains(k)).count();
            of(page.marks.len(), shown)
        }),
        Page::Plan => (0, 0),
    }
}

fn change(model: &mut Model, change: Change) {
    match model.page() {
        Page::Runs => {
            let page = &mut model.runs;
            let (marks, anchor) = (&mut page.marks, &mut page.anchor);
            apply(change, marks, anchor, &page.rows, page.cursor.at);
        }
        Page::Gates => {
            let page = &mut model.gates;
            let (marks, anchor) = (&mut page.marks, &mut page.anchor);
            apply(change, marks, anchor, &page.rows, page.cursor.at);
        }
        Page::Tree(uid) => {
            let Some(page) = model.trees.get_mut(&uid) else {
                return;
            };
            let (store, rows) = (&model.store, &page.tree.rows);
            let at = page.tree.cursor.at;
            // A stage with its members would be marked twice: all shown are all members shown.
            let only = |r: &&Row| !matches!(change, Change::All) || matches!(r, Row::Member(_));
            let keys: Vec<RowKey> = rows
                .iter()
                .filter(only)
                .map(|r| Tree::key(store, *r))
                .collect();
            apply(change, &mut page.marks, &mut page.anchor, &keys, at);
        }
        Page::Plan => {}
    }
}

fn apply<K: Ord + Copy>(
    change: Change,
    marks: &mut BTreeSet<K>,
    anchor: &mut Option<K>,
    rows: &[K],
    at: usize,
) {
    match change {
        Change::Toggle => {
            if let Some(key) = rows.get(at).copied() {
                *anchor = Some(key);
                if !marks.remove(&key) {
                    marks.insert(key);
                }
            }
        }
        Change::Range => {
            let from = anchor.and_then(|a| rows.iter().position(|r| *r == a));
            let from = from.unwrap_or(at);
            let range = from.min(at)..=from.max(at);
            marks.extend(rows.get(range).unwrap_or_default());
        }
        Change::All => marks.extend(rows),
    }
}
