//! The filter line and the palette.

use ratatui::layout::{Position, Rect};

use crate::console::actions;
use crate::console::model::filter::Filter;
use crate::console::model::layers::{Prompt, PromptKind};
use crate::console::model::{Model, Page};
use crate::console::theme::Role;
use crate::console::update::{Entry, entries};

use super::layout::layout;
use super::pen::{Pen, span};

/// Draws it.
pub fn draw(model: &Model, prompt: &Prompt, screen: Rect, pen: &mut Pen<'_>) {
    match prompt.kind {
        PromptKind::Filter { .. } => filter(model, prompt, pen),
        PromptKind::Palette => palette(model, prompt, screen, pen),
    }
}

fn filter(model: &Model, prompt: &Prompt, pen: &mut Pen<'_>) {
    let layout = layout(model);
    let line = if layout.notice.height > 0 {
        layout.notice
    } else {
        layout.summary
    };
    pen.clear(line);
    let x = pen.put((line.x + 1, line.y), 2, "/ ", Role::Key);
    let width = line.width.saturating_sub(x + 1);
    let end = pen.put((x, line.y), width, prompt.input.value(), Role::Text);
    let at = u16::try_from(prompt.input.visual_cursor()).unwrap_or(0);
    pen.cursor = Some(Position::new(x + at.min(width), line.y));
    let (filter, shown, all) = match model.page() {
        Page::Runs => (
            &model.runs.filter,
            model.runs.rows.len(),
            model.store.runs.present().count(),
        ),
        Page::Gates => {
            let (a, b, c) = model.gates.totals;
            (&model.gates.filter, model.gates.rows.len(), a + b + c)
        }
        Page::Tree(_) => match model.tree() {
            Some(page) => (&page.filter, page.tree.rows.len(), page.tree.rows.len()),
            None => return,
        },
        Page::Plan => return,
    };
    let text = match filter.faults.first() {
        Some(fault) => {
            let instead = fault.instead.as_ref();
            let instead = instead.map_or(String::new(), |i| {
                format!(" Did you mean  {i} ?  Tab takes it")
            });
            format!("   {}{instead}", fault.message)
        }
        None if model.page() == Page::Runs || model.page() == Page::Gates => {
            format!("   {shown} of {all}   Enter keeps, Esc restores")
        }
        None => "   Enter keeps, Esc restores".to_owned(),
    };
    let role = role_of(filter);
    pen.note((end, line.y), line.right().saturating_sub(end), &text, role);
}

fn role_of(filter: &Filter) -> Role {
    if filter.faults.is_empty() {
        Role::TextDim
    } else {
        Role::Error
    }
}

fn palette(model: &Model, prompt: &Prompt, screen: Rect, pen: &mut Pen<'_>) {
    let all = entries(model, prompt.input.value());
    let width = 76.min(screen.width);
    let height = 16.min(screen.height.saturating_sub(1));
    let area = Rect {
        x: screen.x + (screen.width - width) / 2,
        y: screen.bottom().saturating_sub(height + 1),
        width,
        height,
    };
    pen.clear(area);
    let title = [span(format!(": {}", prompt.input.value()), Role::Key)];
    let up_down = if pen.glyphs.ascii {
        "up down"
    } else {
        "↑↓"
    };
    let hint = format!("Enter do   Tab complete   {up_down} choose   Esc close");
    let inner = pen.frame(area, &title, &hint, true);
    let room = usize::from(inner.height);
    let skip = (prompt.at + 1).saturating_sub(room);
    for ((i, entry), y) in all
        .iter()
        .enumerate()
        .skip(skip)
        .zip(inner.top()..inner.bottom())
    {
        if i == prompt.at {
            pen.select(Rect {
                y,
                height: 1,
                ..inner
            });
        }
        match entry {
            Entry::Action(id, on) => {
                let name = id.replace(['.', '-'], " ");
                let role = if on.is_ok() {
                    Role::Text
                } else {
                    Role::TextDim
                };
                pen.put((inner.x + 3, y), 20, &name, role);
                let keys = actions::keys(model, id);
                let keys = if keys.starts_with(':') && keys != ":" {
                    String::new()
                } else {
                    keys
                };
                pen.put((inner.x + 24, y), 8, &keys, Role::Key);
                let text = match on {
                    Ok(()) => actions::label(model, id).to_owned(),
                    Err(reason) => format!("off: {reason}"),
                };
                pen.note(
                    (inner.x + 33, y),
                    inner.width.saturating_sub(34),
                    &text,
                    Role::TextDim,
                );
            }
            Entry::Run(name) => {
                pen.put((inner.x + 3, y), 30, name, Role::Link);
                pen.put((inner.x + 33, y), 20, "open the run", Role::TextDim);
            }
        }
    }
    if all.is_empty() {
        pen.put(
            (inner.x + 3, inner.y),
            40,
            "No command and no run matches.",
            Role::TextDim,
        );
    }
    let at = u16::try_from(prompt.input.visual_cursor()).unwrap_or(0);
    pen.cursor = Some(Position::new(area.x + 4 + at, area.y));
}
