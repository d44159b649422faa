//! Marks in the list of runs.

use crate::console::effect::Effect;
use crate::console::model::list::Move;
use crate::console::model::{Model, Page};

use super::moving::select;
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
        belongs: in_runs,
        enabled: on,
        act,
    }
}

fn in_runs(model: &Model) -> bool {
    model.page() == Page::Runs
}

/// The family.
pub const ACTIONS: &[Action] = &[
    mark("mark.toggle", "mark", 45, |m| {
        if let Some(uid) = m.runs.rows.get(m.runs.cursor.at).copied() {
            m.runs.anchor = Some(uid);
            if !m.runs.marks.remove(&uid) {
                m.runs.marks.insert(uid);
            }
            let next = Move::Down.target(m.runs.cursor.at, m.runs.rows.len(), 1);
            select(m, next);
        }
        Vec::new()
    }),
    mark("mark.range", "mark from the last mark to here", 0, |m| {
        let anchor = m
            .runs
            .anchor
            .and_then(|a| m.runs.rows.iter().position(|r| *r == a));
        let (from, to) = (anchor.unwrap_or(m.runs.cursor.at), m.runs.cursor.at);
        let range = from.min(to)..=from.max(to);
        let rows: Vec<_> = m.runs.rows.get(range).unwrap_or_default().to_vec();
        m.runs.marks.extend(rows);
        Vec::new()
    }),
    mark("mark.all", "mark all shown", 0, |m| {
        let rows = m.runs.rows.clone();
        m.runs.marks.extend(rows);
        Vec::new()
    }),
    mark("mark.clear", "clear marks", 0, |m| {
        m.runs.marks.clear();
        Vec::new()
    }),
];
