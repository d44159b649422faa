//! Styles as escape sequences, with as few bytes as the change needs.

use std::fmt::Write;

use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};

/// The style that the terminal writes with now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pen {
    fg: Color,
    bg: Color,
    modifier: Modifier,
}

const MODIFIERS: &[(Modifier, u8)] = &[
    (Modifier::BOLD, 1),
    (Modifier::DIM, 2),
    (Modifier::ITALIC, 3),
    (Modifier::UNDERLINED, 4),
    (Modifier::REVERSED, 7),
    (Modifier::HIDDEN, 8),
    (Modifier::CROSSED_OUT, 9),
];

impl Pen {
    /// The style after a reset.
    pub const PLAIN: Pen = Pen {
        fg: Color::Reset,
        bg: Color::Reset,
        modifier: Modifier::empty(),
    };

    /// Changes to the style of a cell; writes what is needed for it.
    pub fn take(&mut self, cell: &Cell, out: &mut String) {
        let wanted = Pen {
            fg: cell.fg,
            bg: cell.bg,
            modifier: cell.modifier,
        };
        if *self == wanted {
            return;
        }
        let mut codes = Codes(String::new());
        if !wanted.modifier.contains(self.modifier) {
            codes.push("0");
            *self = Pen::PLAIN;
        }
        for (modifier, code) in MODIFIERS {
            if wanted.modifier.contains(*modifier) && !self.modifier.contains(*modifier) {
                codes.push(&code.to_string());
            }
        }
        if wanted.fg != self.fg {
            codes.color(wanted.fg, 30);
        }
        if wanted.bg != self.bg {
            codes.color(wanted.bg, 40);
        }
        let _ = write!(out, "\x1b[{}m", codes.0);
        *self = wanted;
    }
}

struct Codes(String);

impl Codes {
    fn push(&mut self, code: &str) {
        if !self.0.is_empty() {
            self.0.push(';');
        }
        self.0.push_str(code);
    }

    /// `base` is 30 for the foreground and 40 for the background.
    fn color(&mut self, color: Color, base: u8) {
        let code = match color {
            Color::Reset => (base + 9).to_string(),
            Color::Rgb(r, g, b) => format!("{};2;{r};{g};{b}", base + 8),
            Color::Indexed(i) => format!("{};5;{i}", base + 8),
            named => {
                let n = number(named);
                let code = if n < 8 { base + n } else { base + 60 + n - 8 };
                code.to_string()
            }
        };
        self.push(&code);
    }
}

/// Of the 16 named colours.
fn number(color: Color) -> u8 {
    match color {
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
        Color::Black | Color::Reset | Color::Rgb(..) | Color::Indexed(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::style::Style;

    fn codes(pen: &mut Pen, style: Style) -> String {
        let mut cell = Cell::default();
        cell.set_style(style);
        let mut out = String::new();
        pen.take(&cell, &mut out);
        out
    }

    #[test]
    fn only_what_changes_is_written() {
        let mut pen = Pen::PLAIN;
        assert_eq!(codes(&mut pen, Style::new()), "");
        let red = Style::new()
            .fg(Color::LightRed)
            .bg(Color::Rgb(1, 2, 3))
            .bold();
        assert_eq!(codes(&mut pen, red), "\x1b[1;91;48;2;1;2;3m");
        assert_eq!(codes(&mut pen, red), "");
        assert_eq!(codes(&mut pen, red.fg(Color::Indexed(7))), "\x1b[38;5;7m");
        assert_eq!(codes(&mut pen, Style::new().fg(Color::Blue)), "\x1b[0;34m");
        assert_eq!(codes(&mut pen, Style::new()), "\x1b[39m");
    }
}
