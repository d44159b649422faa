//! Classes of terminal sizes (console guide §3) and what fits in them.

/// How wide and how high the terminal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Cells in a line.
    pub columns: u16,
    /// Lines.
    pub rows: u16,
}

/// A class of sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Below what can be used.
    TooSmall,
    /// 40 to 59 columns: only what needs the person.
    Tiny,
    /// 60 to 79 columns, or few rows: one pane.
    Compact,
    /// List and some detail below.
    S,
    /// List or tree, side panes, detail box.
    M,
    /// Three zones.
    L,
}

impl Size {
    /// A size.
    pub fn new(columns: u16, rows: u16) -> Self {
        Self { columns, rows }
    }

    /// The class that both width and height allow.
    pub fn class(self) -> Class {
        let width = match self.columns {
            0..40 => Class::TooSmall,
            40..60 => Class::Tiny,
            60..80 => Class::Compact,
            80..120 => Class::S,
            120..200 => Class::M,
            200.. => Class::L,
        };
        let height = match self.rows {
            0..10 => Class::TooSmall,
            10..12 => Class::Tiny,
            12..24 => Class::Compact,
            24..36 => Class::S,
            36..50 => Class::M,
            50.. => Class::L,
        };
        width.min(height)
    }

    /// Members of a group that are shown before "more".
    pub fn members(self) -> usize {
        match self.class() {
            Class::TooSmall | Class::Tiny | Class::Compact | Class::S => 3,
            Class::M => 7,
            Class::L => 200,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn width_and_height_each_set_a_bound() {
        for (columns, rows, class) in [
            (38, 9, Class::TooSmall),
            (40, 10, Class::Tiny),
            (60, 16, Class::Compact),
            (80, 24, Class::S),
            (120, 40, Class::M),
            (200, 60, Class::L),
            (200, 24, Class::S),
            (119, 60, Class::S),
        ] {
            assert_eq!(Size::new(columns, rows).class(), class, "{columns}x{rows}");
        }
    }
}
