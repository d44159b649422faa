//! The few colours of printed output; a word always stands beside them.

use crate::api::State;

/// Colour of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tint {
    /// As the terminal has it.
    #[default]
    Plain,
    /// Headings.
    Strong,
    /// Not begun, not important.
    Faint,
    /// Done.
    Good,
    /// In progress.
    Active,
    /// Waits.
    Waits,
    /// Failed.
    Bad,
}

impl Tint {
    /// Of a run, stage, group, member, gate or wait.
    pub fn of_state(state: State) -> Self {
        match state {
            State::NotStarted | State::Skipped => Tint::Faint,
            State::Pending | State::Stopping | State::Stopped => Tint::Waits,
            State::Running => Tint::Active,
            State::Failed => Tint::Bad,
            State::Completed => Tint::Good,
        }
    }

    fn code(self) -> &'static str {
        match self {
            Tint::Plain => "",
            Tint::Strong => "1",
            Tint::Faint => "2",
            Tint::Good => "32",
            Tint::Active => "36",
            Tint::Waits => "33",
            Tint::Bad => "31",
        }
    }
}

/// Whether colours are wanted at all (`--no-color`, `NO_COLOR`, a terminal that has none).
pub fn wanted(no_color: bool) -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|v| !v.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|t| t == "dumb");
    !no_color && !set("NO_COLOR") && !dumb
}

/// `text` in a colour, if colours are on.
pub fn paint(text: &str, tint: Tint, color: bool) -> String {
    if !color || tint == Tint::Plain || text.is_empty() {
        return text.to_owned();
    }
    format!("\u{1b}[{}m{text}\u{1b}[0m", tint.code())
}
