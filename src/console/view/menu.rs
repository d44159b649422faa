//! Menus and the box of a chord.

use ratatui::layout::Rect;

use crate::console::actions;
use crate::console::model::Model;
use crate::console::model::layers::{Menu, MenuKind};
use crate::console::theme::Role;

use super::dialog::centered;
use super::pen::{Pen, span};

/// Draws a menu in the middle of the screen.
pub fn draw(model: &Model, menu: &Menu, screen: Rect, pen: &mut Pen<'_>) {
    match menu.kind {
        MenuKind::Actions => actions_menu(model, menu, screen, pen),
        MenuKind::Order => {
            let words = actions::order_words(model);
            let height = u16::try_from(words.len())
                .unwrap_or(u16::MAX)
                .saturating_add(2);
            let area = centered(screen, 40, height);
            pen.clear(area);
            let title = [span(menu.title.clone(), Role::Head)];
            let inner = pen.frame(area, &title, "Enter choose, again turns   Esc", true);
            for ((i, word), y) in words.iter().enumerate().zip(inner.top()..inner.bottom()) {
                pen.put((inner.x + 2, y), inner.width - 2, word, Role::Text);
                mark(pen, inner, y, i == menu.at);
            }
        }
    }
}

fn mark(pen: &mut Pen<'_>, inner: Rect, y: u16, selected: bool) {
    if selected {
        pen.select(Rect {
            y,
            height: 1,
            ..inner
        });
    }
}

fn actions_menu(model: &Model, menu: &Menu, screen: Rect, pen: &mut Pen<'_>) {
    let entries = actions::menu(model);
    let width = 76.min(screen.width);
    let rows = u16::try_from(entries.len()).unwrap_or(u16::MAX);
    let area = centered(screen, width, rows.saturating_add(3));
    pen.clear(area);
    let title = [span(menu.title.clone(), Role::Head)];
    let up_down = if pen.glyphs.ascii {
        "up down"
    } else {
        "↑↓"
    };
    let inner = pen.frame(area, &title, &format!("key or {up_down} Enter   Esc"), true);
    let mut y = inner.y;
    let mut writes = false;
    // What does not fit is scrolled, so that the chosen line stays in view.
    let room = usize::from(inner.height.saturating_sub(1)).max(1);
    let skip = (menu.at + 1).saturating_sub(room);
    for (i, (action, on)) in entries.iter().enumerate().skip(skip) {
        if action.section == actions::Section::Write && !writes {
            writes = true;
            if y < inner.bottom() {
                pen.rule((inner.x, y), inner.width, "writes");
                y += 1;
            }
        }
        if y >= inner.bottom() {
            return;
        }
        let keys = actions::keys(model, action.id);
        let keys = if keys.starts_with(':') && keys != ":" {
            String::new()
        } else {
            keys
        };
        pen.put((inner.x + 2, y), 6, &keys, Role::Key);
        let label = actions::label(model, action.id);
        let (role, reason) = match on {
            Ok(()) if writes => (Role::Text, "asks".to_owned()),
            Ok(()) => (Role::Text, String::new()),
            Err(reason) => (Role::TextDim, format!("off: {reason}")),
        };
        pen.put((inner.x + 9, y), 26, label, role);
        let rest = inner.width.saturating_sub(37);
        pen.note((inner.x + 36, y), rest, &reason, Role::TextDim);
        mark(pen, inner, y, i == menu.at);
        y += 1;
    }
}

/// Draws what may follow the keys of a chord.
pub fn chord(model: &Model, screen: Rect, pen: &mut Pen<'_>) {
    let next = actions::chords(model);
    let height = u16::try_from(next.len())
        .unwrap_or(u16::MAX)
        .saturating_add(2);
    let width = 38.min(screen.width);
    let height = height.min(screen.height.saturating_sub(1));
    let area = Rect {
        x: screen.right().saturating_sub(width),
        y: screen.bottom().saturating_sub(height + 1),
        width,
        height,
    };
    pen.clear(area);
    let begun: Vec<String> = model
        .chord
        .iter()
        .map(|k| k.label(pen.glyphs.ascii))
        .collect();
    let title = [span(begun.join(" "), Role::Key)];
    let inner = pen.frame(area, &title, "Esc", true);
    for (hint, y) in next.iter().zip(inner.top()..inner.bottom()) {
        pen.put((inner.x + 2, y), 8, &hint.keys, Role::Key);
        pen.put(
            (inner.x + 11, y),
            inner.width.saturating_sub(12),
            &hint.label,
            Role::Text,
        );
    }
}
