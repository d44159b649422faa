//! The question before leaving while this console drives.

use ratatui::layout::Rect;

use crate::console::model::layers::Leave;
use crate::console::theme::Role;
use crate::text::counted;

use super::dialog::{button, centered};
use super::pen::{Pen, span};
use super::wrap::wrap;

const WIDTH: u16 = 74;
/// Most runs that are named.
const NAMED: usize = 6;

/// Draws it in the middle of the screen.
pub fn draw(leave: &Leave, screen: Rect, pen: &mut Pen<'_>) {
    let width = WIDTH.min(screen.width);
    let lines: Vec<String> = sentences(leave)
        .iter()
        .flat_map(|s| wrap(s, usize::from(width.saturating_sub(6))))
        .collect();
    let height = u16::try_from(lines.len())
        .unwrap_or(u16::MAX)
        .saturating_add(6);
    let area = centered(screen, width, height);
    pen.clear(area);
    let runs = counted(leave.runs.len(), "run");
    let title = format!("This console drives {runs}. Leave?");
    let inner = pen.frame(
        area,
        &[span(title, Role::Head)],
        "Tab next   Esc stay",
        true,
    );
    let cells = inner.width.saturating_sub(4);
    for (y, line) in (inner.y + 1..).zip(&lines) {
        pen.put((inner.x + 2, y), cells, line, Role::Text);
    }
    let y = inner.bottom().saturating_sub(2);
    let x = button(pen, (inner.x + 12, y), "Stay", !leave.leaves, false);
    button(pen, (x, y), "Hand over and leave", leave.leaves, false);
}

fn sentences(leave: &Leave) -> [String; 3] {
    let mut names = leave
        .runs
        .iter()
        .take(NAMED)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    let more = leave.runs.len().saturating_sub(NAMED);
    if more > 0 {
        names = format!("{names} and {more} more");
    }
    let are = if leave.runs.len() == 1 { "is" } else { "are" };
    let flight = match leave.in_flight {
        0 => "Nothing is in flight".to_owned(),
        1 => "1 member in flight finishes by itself".to_owned(),
        n => format!("{n} members in flight finish by themselves"),
    };
    [
        format!("{names} {are} driven from this process."),
        format!("{flight}; nothing new is started until another driver takes the lease."),
        "The lease is handed over on leaving: who stands by drives on in a few seconds.".to_owned(),
    ]
}
