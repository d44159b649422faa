//! Tables: columns as wide as their widest cell, two blanks between them, nothing cut.

use unicode_width::UnicodeWidthStr;

use super::paint::{Tint, paint};

/// One cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    text: String,
    tint: Tint,
}

impl Cell {
    /// A cell in the terminal's own colour; control codes are taken out of the text.
    pub fn new(text: impl AsRef<str>) -> Self {
        Self::tinted(text, Tint::Plain)
    }

    /// A cell in a colour.
    pub fn tinted(text: impl AsRef<str>, tint: Tint) -> Self {
        Self {
            text: crate::text::clean(text.as_ref()).into_owned(),
            tint,
        }
    }

    fn width(&self) -> usize {
        self.text.width()
    }
}

impl<T: AsRef<str>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::new(text)
    }
}

/// Rows under a header.
#[derive(Clone, Debug, Default)]
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table with these column titles; without titles no header is printed.
    pub fn new(header: &[&str]) -> Self {
        Self::with_titles(header.iter().map(|t| (*t).to_owned()).collect())
    }

    /// As [`Table::new`], with titles worked out elsewhere.
    pub fn with_titles(header: Vec<String>) -> Self {
        Self {
            header,
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Whether there is any row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn render(&self, color: bool) -> String {
        let header: Vec<Cell> = self
            .header
            .iter()
            .map(|title| Cell::tinted(title, Tint::Strong))
            .collect();
        let lines = std::iter::once(&header)
            .filter(|h| !h.is_empty())
            .chain(&self.rows);
        let mut widths: Vec<usize> = Vec::new();
        for line in lines.clone() {
            for (index, cell) in line.iter().enumerate() {
                match widths.get_mut(index) {
                    Some(width) => *width = (*width).max(cell.width()),
                    None => widths.push(cell.width()),
                }
            }
        }
        let mut text = String::new();
        for line in lines {
            let mut gap = 0;
            for (cell, width) in line.iter().zip(&widths) {
                // Blanks before a cell, not after, so that no line ends in any.
                if !cell.text.is_empty() {
                    text.push_str(&" ".repeat(gap));
                    text.push_str(&paint(&cell.text, cell.tint, color));
                    gap = 0;
                }
                gap += width.saturating_sub(cell.width()) + 2;
            }
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_whatever_the_cells_hold() {
        let mut table = Table::new(&["NAME", "STATE", "NOTE"]);
        table.row(["a".into(), "Running".into(), "x".into()]);
        table.row(["日本語".into(), "".into(), "last".into()]);
        table.row(["long-name".into(), "".into(), "".into()]);
        assert_eq!(
            table.render(false),
            "NAME       STATE    NOTE\n\
             a          Running  x\n\
             日本語              last\n\
             long-name\n"
        );
    }

    #[test]
    fn control_codes_of_a_cluster_do_not_reach_the_terminal() {
        let mut table = Table::new(&[]);
        table.row([Cell::new("a\u{1b}[2Jb\nc")]);
        let text = table.render(false);
        assert!(!text.contains('\u{1b}'), "{text:?}");
        assert_eq!(text.lines().count(), 1);
    }
}
