//! A question before a write.

use ratatui::layout::{Position, Rect};

use crate::console::model::Model;
use crate::console::model::layers::{Check, Dialog, Fact, Focus, Level};
use crate::console::theme::Role;
use crate::text::{self, counted, sentence};

use super::pen::{Pen, span};
use super::wrap::wrap;

const WIDTH: u16 = 74;
const LABEL: u16 = 9;

/// Draws it in the middle of the screen.
pub fn draw(model: &Model, dialog: &Dialog, screen: Rect, pen: &mut Pen<'_>) {
    let width = WIDTH.min(screen.width);
    let cells = usize::from(width.saturating_sub(LABEL + 6));
    let lines = lines(model, dialog, cells);
    let fields = u16::from(dialog.reason.is_some()) + u16::from(dialog.name.is_some());
    let fixed = 2 + 2 + 2 + fields + u16::from(fields > 0);
    let wanted = u16::try_from(lines.len())
        .unwrap_or(u16::MAX)
        .saturating_add(fixed);
    let height = wanted.min(screen.height);
    let area = centered(screen, width, height);
    pen.clear(area);
    let hint = match dialog.level {
        Level::None | Level::Ask => "Tab next   y does it   Esc cancel",
        Level::Reason | Level::Name => "Tab next   Esc cancel",
    };
    let inner = pen.frame(area, &[span(dialog.title.clone(), Role::Head)], hint, true);
    let room = usize::from(inner.height.saturating_sub(fixed - 2));
    let mut y = inner.y + 1;
    let skip = usize::from(dialog.scroll).min(lines.len().saturating_sub(room));
    for (label, line, role) in lines.iter().skip(skip).take(room) {
        pen.put((inner.x + 2, y), LABEL - 1, label, Role::TextDim);
        pen.put(
            (inner.x + 2 + LABEL, y),
            inner.width.saturating_sub(LABEL + 3),
            line,
            *role,
        );
        y += 1;
    }
    if lines.len() > room {
        let text = format!("{} of {} lines, arrows scroll", room, lines.len());
        pen.put((inner.x + 2, inner.y), inner.width, &text, Role::TextDim);
    }
    y = inner.bottom().saturating_sub(3 + fields);
    if let Some(reason) = &dialog.reason {
        let needed = if dialog.level >= Level::Reason {
            "Reason *"
        } else {
            "Reason"
        };
        field(
            pen,
            (inner.x + 2, y),
            inner,
            needed,
            reason,
            dialog.focus == Focus::Reason,
        );
        y += 1;
    }
    if let Some((_, name)) = &dialog.name {
        field(
            pen,
            (inner.x + 2, y),
            inner,
            "Name",
            name,
            dialog.focus == Focus::Name,
        );
    }
    buttons(dialog, inner, pen);
}

fn lines(model: &Model, dialog: &Dialog, cells: usize) -> Vec<(String, String, Role)> {
    let mut lines = Vec::new();
    let mut push = |fact: &Fact, role: Role| {
        for (i, line) in wrap(&fact.text, cells).into_iter().enumerate() {
            let label = if i == 0 {
                fact.label.clone()
            } else {
                String::new()
            };
            lines.push((label, line, role));
        }
    };
    if let Some(refused) = &dialog.refused {
        let text = match refused.hint.as_str() {
            "" => format!("{}: {}", refused.code, refused.message),
            hint => format!("{}: {} {hint}", refused.code, sentence(&refused.message)),
        };
        push(&Fact::new("Refused", text), Role::Error);
    }
    if let Some(changed) = &dialog.changed {
        push(&Fact::new("Changed", changed.clone()), Role::Warn);
    }
    for fact in dialog.facts.iter().chain(&dialog.effect) {
        push(fact, Role::Text);
    }
    if let Check::Refused(refused) = &dialog.check {
        push(&Fact::new("Off", refused.message.clone()), Role::Warn);
    }
    push(
        // In the text, which wraps: a name is never cut.
        &Fact::new("As", format!("{} {}", model.person(), writes(dialog))),
        Role::TextDim,
    );
    push(&Fact::new("Same as", dialog.command.clone()), Role::TextDim);
    lines
}

fn writes(dialog: &Dialog) -> String {
    let object = &dialog.object;
    if !dialog.batch.is_empty() {
        let kind = object.kind.as_str();
        let many = if dialog.batch.len() > 1 {
            ", one by one"
        } else {
            ""
        };
        return format!("writes {}{many}", counted(dialog.batch.len(), kind));
    }
    if object.uid.is_empty() {
        return format!("makes {}/{}", object.kind.as_str(), object.name);
    }
    format!(
        "writes {}/{}, generation {}",
        object.kind.as_str(),
        object.name,
        object.generation
    )
}

/// A labelled text field.
pub fn field(
    pen: &mut Pen<'_>,
    (x, y): (u16, u16),
    inner: Rect,
    label: &str,
    input: &tui_input::Input,
    focus: bool,
) {
    let role = if focus {
        Role::BorderFocus
    } else {
        Role::TextDim
    };
    pen.put((x, y), LABEL, label, role);
    let x = x + LABEL;
    let width = inner.right().saturating_sub(x + 2);
    let scroll = input.visual_scroll(usize::from(width));
    let value = input.value();
    let from = text::take(value, scroll);
    let visible = value.strip_prefix(from).unwrap_or(value);
    pen.put((x, y), width, visible, Role::Text);
    if focus {
        let at = u16::try_from(input.visual_cursor().saturating_sub(scroll)).unwrap_or(0);
        pen.underline((x, y), width);
        pen.cursor = Some(Position::new(x + at.min(width), y));
    }
}

fn buttons(dialog: &Dialog, inner: Rect, pen: &mut Pen<'_>) {
    let y = inner.bottom().saturating_sub(2);
    let missing = dialog.missing();
    let x = inner.x + 12;
    let x = button(pen, (x, y), "Cancel", dialog.focus == Focus::Cancel, false);
    let focus = dialog.focus == Focus::Confirm;
    button(pen, (x, y), &dialog.confirm, focus, missing.is_some());
    if let Some(missing) = missing {
        let width = inner.width.saturating_sub(4);
        pen.note(
            (inner.x + 2, inner.bottom() - 1),
            width,
            &missing,
            Role::Warn,
        );
    }
}

/// A button of a question; returns where the next one can stand.
pub fn button(pen: &mut Pen<'_>, (x, y): (u16, u16), label: &str, focus: bool, off: bool) -> u16 {
    let text = if focus {
        format!("[ {label} ]")
    } else {
        format!("  {label}  ")
    };
    let role = match (focus, off) {
        (true, _) => Role::BorderFocus,
        (false, true) => Role::TextDim,
        (false, false) => Role::Text,
    };
    let end = pen.put((x, y), u16::MAX, &text, role);
    if focus {
        pen.cursor = Some(Position::new(x + 2, y));
    }
    end + 3
}

/// An area of a size in the middle of another.
pub fn centered(screen: Rect, width: u16, height: u16) -> Rect {
    let width = width.min(screen.width);
    let height = height.min(screen.height);
    Rect {
        x: screen.x + (screen.width - width) / 2,
        y: screen.y + (screen.height - height) / 2,
        width,
        height,
    }
}
