//! Cursor and window of a list whose rows have identities.
//!
//! The selection is a thing, not a place: after every change of the rows it is looked up again,
//! and the line on which it stands is kept where that can be.

/// Cursor and window over rows that are known by a key.
#[derive(Clone, Debug)]
pub struct Cursor<K> {
    /// What is selected; `None` until there is a row.
    pub key: Option<K>,
    /// Its row.
    pub at: usize,
    /// First visible row.
    pub top: usize,
    /// Whether a person chose it. Until then the first row is selected, whatever it is.
    pub chosen: bool,
    /// What was selected before a filter hid it.
    pub hidden: Option<K>,
}

impl<K> Default for Cursor<K> {
    fn default() -> Self {
        Self {
            key: None,
            at: 0,
            top: 0,
            chosen: false,
            hidden: None,
        }
    }
}

impl<K: PartialEq + Copy> Cursor<K> {
    /// Selects a row.
    pub fn select(&mut self, at: usize, key: K) {
        self.at = at;
        self.key = Some(key);
        self.chosen = true;
        self.hidden = None;
    }

    /// The selection is what it is now, whatever the rows do.
    pub fn pin(&mut self) {
        self.chosen |= self.key.is_some();
    }

    /// Before a filter changes: what it hid is selected again where it comes back.
    pub fn recall(&mut self) {
        self.pin();
        match self.hidden {
            Some(hidden) => self.key = Some(hidden),
            None => self.hidden = self.key,
        }
    }

    /// The filter is kept: so is what it found.
    pub fn keep(&mut self) {
        self.hidden = None;
    }

    /// Finds the selection in changed rows, and keeps it on its line of the screen.
    ///
    /// A selection that is not there any more moves to the row that took its place.
    pub fn follow(
        &mut self,
        len: usize,
        find: impl Fn(K) -> Option<usize>,
        key: impl Fn(usize) -> K,
    ) {
        if len == 0 {
            self.at = 0;
            self.top = 0;
            return;
        }
        if !self.chosen {
            (self.at, self.top) = (0, 0);
            self.key = Some(key(0));
            return;
        }
        let line = self.at.saturating_sub(self.top);
        match self.key.and_then(&find) {
            Some(at) => {
                self.top = at.saturating_sub(line);
                self.at = at;
            }
            None => {
                self.at = self.at.min(len - 1);
                self.key = Some(key(self.at));
            }
        }
        self.top = self.top.min(len - 1);
    }

    /// Moves the window so that the cursor is inside it.
    pub fn reveal(&mut self, len: usize, height: usize) {
        let height = height.max(1);
        self.top = self.top.min(len.saturating_sub(height));
        if self.at < self.top {
            self.top = self.at;
        } else if self.at >= self.top + height {
            self.top = self.at + 1 - height;
        }
    }
}

/// A movement over rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Move {
    Down,
    Up,
    HalfDown,
    HalfUp,
    PageDown,
    PageUp,
    Top,
    End,
}

impl Move {
    /// The row it leads to, from row `at` of `len` with `height` rows in view.
    pub fn target(self, at: usize, len: usize, height: usize) -> usize {
        let last = len.saturating_sub(1);
        let page = height.saturating_sub(1).max(1);
        let half = (height / 2).max(1);
        match self {
            Move::Down => at + 1,
            Move::Up => at.saturating_sub(1),
            Move::HalfDown => at + half,
            Move::HalfUp => at.saturating_sub(half),
            Move::PageDown => at + page,
            Move::PageUp => at.saturating_sub(page),
            Move::Top => 0,
            Move::End => last,
        }
        .min(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_selection_stays_on_its_thing_and_its_line() {
        let mut cursor = Cursor::default();
        cursor.select(4, 'e');
        cursor.top = 2;
        let rows = ['x', 'y', 'z', 'a', 'b', 'c', 'd', 'e'];
        let find = |k| rows.iter().position(|r| *r == k);
        cursor.follow(rows.len(), find, |at| rows[at]);
        assert_eq!((cursor.at, cursor.top, cursor.key), (7, 5, Some('e')));
        let rows = ['a', 'b'];
        let find = |k| rows.iter().position(|r| *r == k);
        cursor.follow(rows.len(), find, |at| rows[at]);
        assert_eq!((cursor.at, cursor.key), (1, Some('b')));
    }

    #[test]
    fn the_window_follows_the_cursor() {
        let mut cursor = Cursor::default();
        cursor.select(50, 0);
        cursor.reveal(100, 10);
        assert_eq!(cursor.top, 41);
        cursor.select(3, 0);
        cursor.reveal(100, 10);
        assert_eq!(cursor.top, 3);
        cursor.top = 99;
        cursor.reveal(100, 200);
        assert_eq!(cursor.top, 0);
        assert_eq!(Move::PageDown.target(3, 100, 10), 12);
        assert_eq!(Move::End.target(3, 0, 10), 0);
    }
}
