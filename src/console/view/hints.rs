//! The two lines at the bottom: the last notice, and the keys that work here and now.

use ratatui::layout::Rect;

use crate::console::actions;
use crate::console::model::Model;
use crate::console::model::size::Class;
use crate::console::msg::Rank;
use crate::console::theme::Role;
use crate::text;

use super::head::write_both;
use super::pen::{Pen, span};

/// The last notice and how many were not seen yet.
pub fn notice(model: &Model, area: Rect, pen: &mut Pen<'_>) {
    if area.height == 0 {
        return;
    }
    if model.leaving.is_some() {
        pen.put(
            (area.x, area.y),
            area.width,
            " ctrl-c again or :q leaves",
            Role::Warn,
        );
        return;
    }
    let off = actions::writes_off(model).filter(|_| model.is_stale());
    if let Some(reason) = off {
        pen.note(
            (area.x, area.y),
            area.width,
            &format!(" Writes are off: {reason}"),
            Role::Warn,
        );
        return;
    }
    let Some(notice) = model.notices.shown() else {
        return;
    };
    let role = match notice.rank {
        Rank::Error => Role::Error,
        Rank::NeedsYou => Role::Gate,
        Rank::Warning => Role::Warn,
        Rank::Done => Role::Done,
        Rank::Info => Role::Text,
    };
    let times = match notice.times {
        0 | 1 => String::new(),
        n => format!(" ({n} times)"),
    };
    let text = format!(" {} {}{times}", model.words().clock(notice.at), notice.text);
    let right = match model.notices.unseen {
        0 | 1 => Vec::new(),
        n if model.size.class() > Class::Compact => {
            vec![span(format!("{n} to review "), Role::TextDim)]
        }
        _ => Vec::new(),
    };
    write_both(pen, area, &[span(text, role)], &right);
}

/// Keys for the selected row, most useful first; what does not fit is left out from the right.
pub fn hints(model: &Model, area: Rect, pen: &mut Pen<'_>) {
    if area.height == 0 {
        return;
    }
    let (first, last) = actions::hints(model);
    let tail: usize = last.iter().map(|h| width(h) + 2).sum();
    let mut room = usize::from(area.width).saturating_sub(tail + 1);
    let mut x = area.x + 1;
    let mut write = |hint: &actions::Hint, pen: &mut Pen<'_>| {
        let left = |x: u16| area.right().saturating_sub(x);
        x = pen.put((x, area.y), left(x), &hint.keys, Role::Key);
        x = pen.put(
            (x, area.y),
            left(x),
            &format!(" {}  ", hint.label),
            Role::TextDim,
        );
    };
    for hint in &first {
        let needed = width(hint) + 2;
        if needed > room {
            break;
        }
        room -= needed;
        write(hint, pen);
    }
    for hint in &last {
        write(hint, pen);
    }
}

fn width(hint: &actions::Hint) -> usize {
    text::width(&hint.keys) + 1 + text::width(&hint.label)
}
