//! Writes texts, bars and boxes into a frame's cells. The one place where text meets the screen:
//! whatever comes from a cluster is cleaned here.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};

use crate::api::{Counts, State};
use crate::console::model::Look;
use crate::console::theme::{Glyphs, Role};
use crate::text;

/// A piece of a line.
#[derive(Clone, Debug)]
pub struct Span {
    /// Its text.
    pub text: String,
    /// What it means.
    pub role: Role,
}

/// A piece of a line.
pub fn span(text: impl Into<String>, role: Role) -> Span {
    Span {
        text: text.into(),
        role,
    }
}

/// Draws into a frame's cells.
pub struct Pen<'a> {
    buffer: &'a mut Buffer,
    look: &'a Look,
    /// Signs in use.
    pub glyphs: Glyphs,
    /// Rows of lists that were built for this frame.
    pub rows: usize,
    /// Where the terminal's cursor belongs.
    pub cursor: Option<Position>,
}

impl<'a> Pen<'a> {
    /// A pen on a frame's cells.
    pub fn new(buffer: &'a mut Buffer, look: &'a Look) -> Self {
        Self {
            buffer,
            look,
            glyphs: look.glyphs,
            rows: 0,
            cursor: None,
        }
    }

    /// Style of a role.
    pub fn style(&self, role: Role) -> Style {
        self.look.theme.style(role)
    }

    /// Paints an area with the background.
    pub fn clear(&mut self, area: Rect) {
        let style = self.style(Role::Bg);
        let area = area.intersection(self.buffer.area);
        for y in area.top()..area.bottom() {
            for x in area.left()..area.right() {
                if let Some(cell) = self.buffer.cell_mut((x, y)) {
                    cell.reset();
                    cell.set_style(style);
                }
            }
        }
    }

    /// Writes at most `cells` of a text and returns where it ended.
    pub fn put(&mut self, at: (u16, u16), cells: u16, line: &str, role: Role) -> u16 {
        self.write(at, cells, &text::clean(line).text, role)
    }

    /// Writes a note: what does not fit is cut at the right.
    pub fn note(&mut self, at: (u16, u16), cells: u16, line: &str, role: Role) -> u16 {
        let cleaned = text::clean(line);
        let cut = text::cut(&cleaned.text, usize::from(cells), self.glyphs.ellipsis);
        self.write(at, cells, &cut, role)
    }

    /// Writes a name: what does not fit is cut in the middle.
    pub fn name(&mut self, at: (u16, u16), cells: u16, line: &str, role: Role) -> u16 {
        let cleaned = text::clean(line);
        let cut = text::shorten(&cleaned.text, usize::from(cells), self.glyphs.ellipsis);
        self.write(at, cells, &cut, role)
    }

    fn write(&mut self, (x, y): (u16, u16), cells: u16, line: &str, role: Role) -> u16 {
        let inside = self.buffer.area.contains(Position::new(x, y));
        if cells == 0 || line.is_empty() || !inside {
            return x;
        }
        let style = self.style(role);
        self.buffer
            .set_stringn(x, y, line, usize::from(cells), style)
            .0
    }

    fn repeat(&mut self, (x, y): (u16, u16), cells: u16, sign: &str, role: Role) {
        let style = self.style(role);
        for x in x..x.saturating_add(cells) {
            if let Some(cell) = self.buffer.cell_mut((x, y)) {
                cell.set_symbol(sign).set_style(style);
            }
        }
    }

    /// Writes a text so that it ends at the right end of `cells`.
    pub fn right(&mut self, (x, y): (u16, u16), cells: u16, line: &str, role: Role) {
        let width = u16::try_from(text::width(line)).unwrap_or(u16::MAX);
        let x = x + cells.saturating_sub(width);
        self.put((x, y), cells.min(width), line, role);
    }

    /// Writes pieces one after another and returns where they ended.
    pub fn spans(&mut self, (x, y): (u16, u16), cells: u16, spans: &[Span]) -> u16 {
        let end = x.saturating_add(cells);
        let mut at = x;
        for (i, piece) in spans.iter().enumerate() {
            let left = end.saturating_sub(at);
            if i + 1 == spans.len() {
                at = self.note((at, y), left, &piece.text, piece.role);
            } else {
                at = self.put((at, y), left, &piece.text, piece.role);
            }
        }
        at
    }

    /// Sign and word of a state.
    pub fn state(&mut self, at: (u16, u16), cells: u16, shown: &Shown) {
        let word = if shown.stale {
            format!("{} {}?", shown.sign, shown.word)
        } else {
            format!("{} {}", shown.sign, shown.word)
        };
        self.note(at, cells, &word, shown.role);
    }

    /// A bar of members by state. Every class that is not empty gets a cell.
    pub fn bar(&mut self, (x, y): (u16, u16), cells: u16, counts: &Counts) {
        let g = self.glyphs;
        let parts = [
            (counts.completed, g.bar_done, Role::Done),
            (counts.failed, g.bar_failed, Role::Failed),
            (counts.running, g.bar_running, Role::Running),
            (counts.not_started + counts.pending, g.bar_todo, Role::Idle),
            (counts.skipped, g.bar_skipped, Role::Skipped),
        ];
        let widths = shares(parts.map(|(n, ..)| n), cells);
        let mut at = x;
        for ((_, sign, role), width) in parts.into_iter().zip(widths) {
            self.repeat((at, y), width, sign, role);
            at += width;
        }
    }

    /// Lays the style of the selection under a row, and its mark at the left.
    pub fn select(&mut self, row: Rect) {
        let style = self.style(Role::Select);
        self.buffer
            .set_style(row.intersection(self.buffer.area), style);
        let mark = self.glyphs.select;
        self.put((row.x, row.y), 1, mark, Role::Key);
        self.cursor.get_or_insert(Position::new(row.x, row.y));
    }

    /// Underlines a text field.
    pub fn underline(&mut self, (x, y): (u16, u16), cells: u16) {
        let style = Style::new().add_modifier(Modifier::UNDERLINED);
        let area = Rect::new(x, y, cells, 1).intersection(self.buffer.area);
        self.buffer.set_style(area, style);
    }

    /// A box with a title above and hints below; returns the inside.
    pub fn frame(&mut self, area: Rect, title: &[Span], hint: &str, focus: bool) -> Rect {
        let area = area.intersection(self.buffer.area);
        if area.width < 4 || area.height < 2 {
            return Rect::default();
        }
        let role = if focus {
            Role::BorderFocus
        } else {
            Role::Border
        };
        let set = self.glyphs.border();
        let inner = area.width - 2;
        let (bottom, last) = (area.bottom() - 1, area.right() - 1);
        let corners = [
            (area.x, area.y, set.top_left),
            (last, area.y, set.top_right),
            (area.x, bottom, set.bottom_left),
            (last, bottom, set.bottom_right),
        ];
        for (x, y, sign) in corners {
            self.repeat((x, y), 1, sign, role);
        }
        self.repeat((area.x + 1, area.y), inner, set.horizontal_top, role);
        self.repeat((area.x + 1, bottom), inner, set.horizontal_bottom, role);
        for y in area.y + 1..bottom {
            self.repeat((area.x, y), 1, set.vertical_left, role);
            self.repeat((last, y), 1, set.vertical_right, role);
        }
        if !title.is_empty() {
            let x = self.put((area.x + 1, area.y), inner, " ", role);
            let end = self.spans((x, area.y), inner.saturating_sub(3), title);
            self.put((end, area.y), 1, " ", role);
        }
        if !hint.is_empty() {
            let hint = format!(" {hint} ");
            self.note(
                (area.x + 2, bottom),
                inner.saturating_sub(2),
                &hint,
                Role::TextDim,
            );
        }
        Rect::new(area.x + 1, area.y + 1, inner, area.height - 2)
    }

    /// A line across with a title in it.
    pub fn rule(&mut self, (x, y): (u16, u16), cells: u16, title: &str) {
        self.repeat((x, y), cells, self.glyphs.line, Role::Border);
        let title = format!(" {title} ");
        self.note((x + 2, y), cells.saturating_sub(4), &title, Role::Head);
    }
}

/// A state as it is shown.
#[derive(Clone, Debug)]
pub struct Shown {
    /// Its sign.
    pub sign: &'static str,
    /// Its word.
    pub word: &'static str,
    /// Its role.
    pub role: Role,
    /// Whether it is too old to be trusted.
    pub stale: bool,
}

/// How a state is shown; `failures` tell completed from completed with failures.
pub fn shown(glyphs: &Glyphs, state: State, failures: i32, stale: bool) -> Shown {
    let sign = if state == State::Completed && failures > 0 {
        glyphs.done_with_failures
    } else {
        glyphs.state(state)
    };
    Shown {
        sign,
        word: word(state),
        role: if stale { Role::Stale } else { Role::of(state) },
        stale,
    }
}

/// The word of a state.
pub fn word(state: State) -> &'static str {
    match state {
        State::NotStarted => "Not started",
        other => other.as_str(),
    }
}

/// Shares of `cells` in proportion to `parts`: every part that is not 0 gets at least one.
fn shares<const N: usize>(parts: [i32; N], cells: u16) -> [u16; N] {
    let total: i64 = parts.iter().map(|n| i64::from((*n).max(0))).sum();
    let mut widths = [0u16; N];
    if total == 0 || cells == 0 {
        return widths;
    }
    let cells_wide = i64::from(cells);
    for (width, part) in widths.iter_mut().zip(parts) {
        let part = i64::from(part.max(0));
        let share = (part * cells_wide + total / 2) / total;
        *width = u16::try_from(share).unwrap_or(0).max(u16::from(part > 0));
    }
    loop {
        let sum: u16 = widths.iter().sum();
        let Some(largest) = widths.iter_mut().max() else {
            return widths;
        };
        match sum.cmp(&cells) {
            std::cmp::Ordering::Equal => return widths,
            std::cmp::Ordering::Less => *largest += 1,
            std::cmp::Ordering::Greater if *largest > 1 => *largest -= 1,
            std::cmp::Ordering::Greater => return widths,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_class_that_is_not_empty_gets_a_cell() {
        assert_eq!(shares([26, 2, 1, 18, 0], 13), [6, 1, 1, 5, 0]);
        assert_eq!(shares([9_997, 1, 1, 1, 0], 10), [7, 1, 1, 1, 0]);
        assert_eq!(shares([0, 0, 0, 0, 4], 5), [0, 0, 0, 0, 5]);
        assert_eq!(shares([0, 0], 5), [0, 0]);
    }

    proptest! {
        #[test]
        fn a_bar_is_exactly_as_wide_as_its_place(parts in prop::array::uniform5(0i32..20_000), cells in 5u16..80) {
            let widths = shares(parts, cells);
            let sum: u16 = widths.iter().sum();
            prop_assert_eq!(sum, if parts.iter().all(|p| *p == 0) { 0 } else { cells });
            for (w, p) in widths.iter().zip(parts) {
                prop_assert_eq!(*w > 0, p > 0);
            }
        }
    }
}
