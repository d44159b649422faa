//! Columns of a table: where they begin, and their heads.

use crate::console::theme::Role;

use super::pen::Pen;

/// A column.
#[derive(Clone, Copy, Debug)]
pub struct Col {
    /// Its head.
    pub head: &'static str,
    /// Cells it takes at least.
    pub width: u16,
    /// Whether it is written to its right end.
    pub right: bool,
    /// Share of the cells that are left over.
    pub grow: u16,
}

/// A column written to the left.
pub const fn left(head: &'static str, width: u16, grow: u16) -> Col {
    Col {
        head,
        width,
        right: false,
        grow,
    }
}

/// A column of numbers.
pub const fn right(head: &'static str, width: u16) -> Col {
    Col {
        head,
        width,
        right: true,
        grow: 0,
    }
}

/// Where columns begin, and how wide they are.
pub type Places<const N: usize> = [(u16, u16); N];

/// Places the columns from `x` on in `cells` cells, one blank between two.
pub fn place<const N: usize>(cols: &[Col; N], x: u16, cells: u16) -> Places<N> {
    let used: u16 = cols
        .iter()
        .map(|c| c.width + 1)
        .sum::<u16>()
        .saturating_sub(1);
    let mut rest = cells.saturating_sub(used);
    let mut grow: u16 = cols.iter().map(|c| c.grow).sum();
    let mut at = x;
    cols.map(|col| {
        let extra = (rest * col.grow).checked_div(grow).unwrap_or(0);
        rest -= extra;
        grow -= col.grow;
        let place = (at, col.width + extra);
        at += col.width + extra + 1;
        place
    })
}

/// Writes the heads.
pub fn heads<const N: usize>(pen: &mut Pen<'_>, cols: &[Col; N], places: &Places<N>, y: u16) {
    for (col, (x, width)) in cols.iter().zip(places) {
        if col.right {
            pen.right((*x, y), *width, col.head, Role::Head);
        } else {
            pen.put((*x, y), *width, col.head, Role::Head);
        }
    }
}
