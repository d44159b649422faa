//! The signs on screen, each one cell wide, as Unicode or as ASCII.

use ratatui::symbols::border;

use crate::api::State;

/// Which signs to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GlyphSet {
    /// Found from the locale and the terminal.
    #[default]
    Auto,
    /// Geometric signs and box drawing.
    Unicode,
    /// ASCII only.
    Ascii,
}

impl std::str::FromStr for GlyphSet {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        match s {
            "auto" => Ok(Self::Auto),
            "unicode" => Ok(Self::Unicode),
            "ascii" => Ok(Self::Ascii),
            other => Err(format!(
                "\"{other}\" is no glyph set. Use auto, unicode or ascii"
            )),
        }
    }
}

macro_rules! glyphs {
    ($($field:ident $unicode:literal $ascii:literal $doc:literal;)*) => {
        /// The signs on screen. `Copy`, so a view takes it by value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Glyphs {
            /// Whether these are ASCII only.
            pub ascii: bool,
            $(#[doc = $doc] pub $field: &'static str,)*
        }

        impl Glyphs {
            /// Geometric signs and box drawing.
            pub const UNICODE: Glyphs = Glyphs { ascii: false, $($field: $unicode,)* };
            /// ASCII only.
            pub const ASCII: Glyphs = Glyphs { ascii: true, $($field: $ascii,)* };

            /// Name and sign of each, for the legend and for tests.
            pub fn table(&self) -> Vec<(&'static str, &'static str)> {
                vec![$((stringify!($field), self.$field),)*]
            }
        }
    };
}

glyphs! {
    idle "○" "o" "Not started.";
    running "◐" "*" "Running.";
    pending "◌" "~" "Pending.";
    gate "◆" "G" "Gate waiting; also in the attention column.";
    skipped "⊘" "-" "Skipped.";
    stopping "◧" "%" "Stopping.";
    stopped "■" "#" "Stopped.";
    failed "✗" "X" "Failed; also in the attention column.";
    done "✓" "=" "Completed.";
    done_with_failures "✓!" "=!" "Completed with failures; two cells.";
    half "◑" "h" "Half of the nodes are on the new version.";
    stuck "▲" "!" "Stuck or blocked; also in the attention column.";
    gone "†" "g" "Was in the plan, left the fleet.";
    unknown "?" "?" "No fresh fact.";
    bar_done "█" "=" "Bar: done.";
    bar_failed "✗" "X" "Bar: failed.";
    bar_running "▒" ">" "Bar: in flight.";
    bar_todo "░" "." "Bar: to do.";
    bar_skipped "-" "-" "Bar: skipped.";
    meter_used "■" "#" "Meter: used up.";
    meter_left "□" "." "Meter: left.";
    select "▌" ">" "Mark of the selected row.";
    mark "•" "+" "Mark of a marked row.";
    open "▾" "v" "An open node; falling order.";
    closed "▸" ">" "A closed node.";
    rising "▴" "^" "Rising order.";
    ellipsis "…" "~" "Something was left out here.";
    arrow "→" ">" "Leads to.";
    crumb "›" ">" "Between steps of a path.";
    dot "·" "-" "Between facts.";
    line "─" "-" "Horizontal line.";
    wall "│" "|" "Vertical line.";
    branch "├" "+" "A child with others after it.";
    last "└" "`" "The last child.";
    up "↑" "^" "More above.";
    down "↓" "v" "More below.";
    left "←" "<" "Left.";
    right "→" ">" "Right.";
    thumb "█" "#" "Scroll bar: where we are.";
    times "×" "x" "Between two numbers of a size.";
    plus_minus "±" "~" "About.";
}

const ASCII_BORDER: border::Set<'static> = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

impl Glyphs {
    /// The sign of a state.
    pub fn state(&self, state: State) -> &'static str {
        match state {
            State::NotStarted => self.idle,
            State::Pending => self.pending,
            State::Running => self.running,
            State::Stopping => self.stopping,
            State::Stopped => self.stopped,
            State::Failed => self.failed,
            State::Skipped => self.skipped,
            State::Completed => self.done,
        }
    }

    /// Border of boxes and panes.
    pub fn border(&self) -> border::Set<'static> {
        if self.ascii {
            ASCII_BORDER
        } else {
            border::PLAIN
        }
    }

    /// Border of the focused pane where weight tells it apart.
    pub fn border_focus(&self) -> border::Set<'static> {
        if self.ascii {
            border::Set {
                horizontal_top: "=",
                horizontal_bottom: "=",
                ..ASCII_BORDER
            }
        } else {
            border::THICK
        }
    }
}

impl Default for Glyphs {
    fn default() -> Self {
        Self::UNICODE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_width::UnicodeWidthStr;

    #[test]
    fn every_sign_is_one_cell_wide_and_ascii_is_ascii() {
        for set in [Glyphs::UNICODE, Glyphs::ASCII] {
            for (name, sign) in set.table() {
                let cells = if name == "done_with_failures" { 2 } else { 1 };
                assert_eq!(sign.width(), cells, "{name}");
                assert!(!set.ascii || sign.is_ascii(), "{name}");
            }
        }
    }

    #[test]
    fn states_differ_by_sign() {
        for set in [Glyphs::UNICODE, Glyphs::ASCII] {
            let mut signs: Vec<_> = State::ALL.iter().map(|s| set.state(*s)).collect();
            signs.push(set.gate);
            signs.sort_unstable();
            let before = signs.len();
            signs.dedup();
            assert_eq!(signs.len(), before);
        }
    }
}
