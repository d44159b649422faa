//! Writes frames: all changes of one frame at once, as a synchronized update, or nothing at all.

use std::fmt::Write as _;
use std::io;

use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};
use unicode_width::UnicodeWidthStr;

use super::sgr::Pen;

/// A backend that gathers a frame in memory; [`Painter::present`] writes it.
pub struct Painter<W> {
    out: W,
    frame: String,
    pen: Option<Pen>,
    size: Size,
    /// Where the terminal's cursor is, as far as we know.
    at: Option<Position>,
    shown: bool,
    /// Where the frame wants it, if anywhere.
    wanted: Option<Position>,
    synchronized: bool,
}

impl<W: io::Write> Painter<W> {
    /// Writes to `out`, a terminal of this size.
    pub fn new(out: W, (columns, rows): (u16, u16), synchronized: bool) -> Self {
        Self {
            out,
            frame: String::new(),
            pen: None,
            size: Size::new(columns, rows),
            at: None,
            shown: false,
            wanted: None,
            synchronized,
        }
    }

    /// The terminal has this size now.
    pub fn resize(&mut self, (columns, rows): (u16, u16)) {
        self.size = Size::new(columns, rows);
    }

    /// Nothing is known of the terminal any more: somebody else had it.
    pub fn forget(&mut self) {
        self.pen = None;
        self.at = None;
        self.shown = false;
    }

    /// Sends a sequence that paints nothing along with the next frame.
    pub fn add(&mut self, sequence: &str) {
        self.frame.push_str(sequence);
    }

    /// Writes what was gathered, in one piece. Returns the number of bytes.
    pub fn present(&mut self) -> io::Result<usize> {
        self.place_cursor();
        if self.frame.is_empty() {
            return Ok(0);
        }
        let mut text = std::mem::take(&mut self.frame);
        if self.synchronized {
            text.insert_str(0, "\x1b[?2026h");
            text.push_str("\x1b[?2026l");
        }
        let bytes = text.len();
        self.out.write_all(text.as_bytes())?;
        self.out.flush()?;
        // The memory is kept for the next frame.
        text.clear();
        self.frame = text;
        Ok(bytes)
    }

    fn place_cursor(&mut self) {
        match self.wanted {
            Some(at) => {
                self.go(at);
                if !self.shown {
                    self.frame.push_str("\x1b[?25h");
                    self.shown = true;
                }
            }
            None if self.shown => {
                self.frame.push_str("\x1b[?25l");
                self.shown = false;
            }
            None => {}
        }
    }

    fn go(&mut self, to: Position) {
        if self.at != Some(to) {
            let _ = write!(self.frame, "\x1b[{};{}H", to.y + 1, to.x + 1);
            self.at = Some(to);
        }
    }
}

impl<W: io::Write> Backend for Painter<W> {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> Result<(), io::Error>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        for (x, y, cell) in content {
            self.go(Position::new(x, y));
            let pen = match &mut self.pen {
                Some(pen) => pen,
                unknown => {
                    self.frame.push_str("\x1b[0m");
                    unknown.insert(Pen::PLAIN)
                }
            };
            pen.take(cell, &mut self.frame);
            let symbol = cell.symbol();
            self.frame.push_str(symbol);
            let after = x.saturating_add(symbol.width() as u16);
            // In the last column terminals wait with the cursor, each in its own way.
            self.at = (after < self.size.width).then(|| Position::new(after, y));
        }
        Ok(())
    }

    fn hide_cursor(&mut self) -> Result<(), io::Error> {
        self.wanted = None;
        Ok(())
    }

    fn show_cursor(&mut self) -> Result<(), io::Error> {
        Ok(())
    }

    fn get_cursor_position(&mut self) -> Result<Position, io::Error> {
        Ok(self.at.unwrap_or_default())
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> Result<(), io::Error> {
        self.wanted = Some(position.into());
        Ok(())
    }

    fn clear(&mut self) -> Result<(), io::Error> {
        self.frame.push_str("\x1b[0m\x1b[2J");
        self.pen = Some(Pen::PLAIN);
        Ok(())
    }

    fn clear_region(&mut self, _region: ClearType) -> Result<(), io::Error> {
        // The screen is always ours as a whole.
        self.clear()
    }

    fn size(&self) -> Result<Size, io::Error> {
        Ok(self.size)
    }

    fn window_size(&mut self) -> Result<WindowSize, io::Error> {
        Ok(WindowSize {
            columns_rows: self.size,
            pixels: Size::default(),
        })
    }

    fn flush(&mut self) -> Result<(), io::Error> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::Terminal;
    use ratatui::style::Stylize;
    use ratatui::text::Line;

    fn frame(terminal: &mut Terminal<Painter<Vec<u8>>>, text: Line<'_>) -> String {
        terminal.draw(|f| f.render_widget(text, f.area())).unwrap();
        let painter = terminal.backend_mut();
        let bytes = painter.present().unwrap();
        let out = String::from_utf8(std::mem::take(&mut painter.out)).unwrap();
        assert_eq!(out.len(), bytes);
        out
    }

    #[test]
    fn a_frame_is_one_write_of_what_changed_and_an_equal_one_is_none() {
        let painter = Painter::new(Vec::new(), (20, 2), true);
        let mut terminal = Terminal::new(painter).unwrap();
        let first = frame(&mut terminal, Line::from(vec!["ab".into(), "cd".red()]));
        assert_eq!(first, "\x1b[?2026h\x1b[1;1H\x1b[0mab\x1b[31mcd\x1b[?2026l");
        assert_eq!(
            frame(&mut terminal, Line::from(vec!["ab".into(), "cd".red()])),
            ""
        );
        let third = frame(&mut terminal, Line::from(vec!["aB".into(), "cd".red()]));
        assert_eq!(third, "\x1b[?2026h\x1b[1;2H\x1b[39mB\x1b[?2026l");
    }

    #[test]
    fn the_cursor_is_only_told_when_it_changes() {
        let mut terminal = Terminal::new(Painter::new(Vec::new(), (20, 2), false)).unwrap();
        let mut draw = |at: Option<(u16, u16)>| {
            terminal
                .draw(|f| {
                    if let Some(at) = at {
                        f.set_cursor_position(at);
                    }
                })
                .unwrap();
            let painter = terminal.backend_mut();
            painter.present().unwrap();
            String::from_utf8(std::mem::take(&mut painter.out)).unwrap()
        };
        assert_eq!(draw(None), "");
        assert_eq!(draw(Some((3, 1))), "\x1b[2;4H\x1b[?25h");
        assert_eq!(draw(Some((3, 1))), "");
        assert_eq!(draw(None), "\x1b[?25l");
    }
}
