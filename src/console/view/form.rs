//! The form for a new run.

use ratatui::layout::Rect;

use crate::api::{NodeImageSelectionType, UpgradeType};
use crate::console::model::Model;
use crate::console::model::form::{Field, Form};
use crate::console::theme::Role;

use super::dialog::{centered, field};
use super::pen::{Pen, span};
use super::wrap::wrap;

/// Draws it in the middle of the screen.
pub fn draw(model: &Model, form: &Form, screen: Rect, pen: &mut Pen<'_>) {
    let width = 74.min(screen.width);
    let cells = usize::from(width.saturating_sub(6));
    let wrong: Vec<String> = form.wrong.iter().flat_map(|w| wrap(w, cells)).collect();
    let fields = form.fields();
    let rows = fields.len().saturating_sub(2) + wrong.len() + 8;
    let area = centered(screen, width, u16::try_from(rows).unwrap_or(u16::MAX));
    pen.clear(area);
    let title = [span("New run", Role::Head)];
    let hint = "Tab next   left right choose   Esc cancel";
    let inner = pen.frame(area, &title, hint, true);
    let x = inner.x + 2;
    let mut y = inner.y + 1;
    for kind in &fields {
        let focus = form.focus == *kind;
        match kind {
            Field::Strategy => {
                let name = form
                    .strategies
                    .get(form.strategy)
                    .map_or("", String::as_str);
                let text = if name.is_empty() {
                    "none: all members one by one"
                } else {
                    name
                };
                choice(pen, (x, y), "Strategy", text, focus);
            }
            Field::Type => {
                let text = match form.type_ {
                    UpgradeType::Full => "Full: control plane, nodes and images",
                    UpgradeType::ControlPlaneOnly => "Control plane only",
                    UpgradeType::NodeImageOnly => "Node image only",
                };
                choice(pen, (x, y), "Type", text, focus);
            }
            Field::Version => field(pen, (x, y), inner, "Version", &form.version, focus),
            Field::Images => {
                let text = match form.images {
                    NodeImageSelectionType::Latest => "Latest: the newest in each region",
                    NodeImageSelectionType::Consistent => "Consistent: one version for all",
                    NodeImageSelectionType::Custom => "Custom: those named below",
                };
                choice(pen, (x, y), "Images", text, focus);
            }
            Field::Custom => field(pen, (x, y), inner, "Versions", &form.custom, focus),
            Field::Name => field(pen, (x, y), inner, "Name", &form.name, focus),
            Field::Preview | Field::Cancel => continue,
        }
        y += 1;
    }
    y += 1;
    for line in &wrong {
        pen.put((x, y), inner.width.saturating_sub(4), line, Role::Error);
        y += 1;
    }
    let text = if form.waiting.is_some() {
        "Working out the plan."
    } else {
        "Nothing starts from here: you see the plan first."
    };
    pen.note(
        (x, inner.bottom().saturating_sub(3)),
        inner.width.saturating_sub(4),
        text,
        Role::TextDim,
    );
    let y = inner.bottom().saturating_sub(2);
    let mut at = x + 9;
    for (kind, label) in [(Field::Preview, "Show the plan"), (Field::Cancel, "Cancel")] {
        let focus = form.focus == kind;
        let text = if focus {
            format!("[ {label} ]")
        } else {
            format!("  {label}  ")
        };
        let role = if focus { Role::BorderFocus } else { Role::Text };
        at = pen.put((at, y), inner.width, &text, role) + 3;
    }
    let _ = model;
}

fn choice(pen: &mut Pen<'_>, (x, y): (u16, u16), label: &str, text: &str, focus: bool) {
    let role = if focus {
        Role::BorderFocus
    } else {
        Role::TextDim
    };
    pen.put((x, y), 9, label, role);
    let (left, right) = (pen.glyphs.left, pen.glyphs.right);
    let text = if focus {
        format!("{left} {text} {right}")
    } else {
        format!("  {text}")
    };
    let role = if focus { Role::BorderFocus } else { Role::Text };
    pen.put((x + 9, y), 56, &text, role);
    if focus {
        pen.cursor = Some(ratatui::layout::Position::new(x + 9, y));
    }
}
