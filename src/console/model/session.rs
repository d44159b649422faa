//! What is fixed while the console is open: hub, person, mode; and how things look.

use jiff::tz::TimeZone;

use crate::console::input::{Keymap, preset};
use crate::console::theme::{Glyphs, Theme};

/// Where we are and as whom.
#[derive(Clone, Debug)]
pub struct Session {
    /// Name of the hub, as people say it (the context, or `demo`).
    pub hub: String,
    /// What the hub is for, in one word: `prod`, `test`, `lab`, `demo`; empty where nobody said.
    pub environment: String,
    /// Who we are, where it is known before the hub says so.
    pub user: String,
    /// Whether writing is on.
    pub mode: Mode,
    /// How many seconds pass on the hub's clock in one of the machine's.
    pub speed: f64,
    /// Options that name this hub in a command, with a blank before each; empty for the usual one.
    pub words: String,
    /// Zone for wall-clock times.
    pub zone: TimeZone,
}

impl Session {
    /// A command of the command line on this hub, without its first word.
    pub fn command(&self, rest: &str) -> String {
        format!("fleetdeck{} {rest}", self.words)
    }
}

/// Whether this session can write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The shell holds no writer.
    ReadOnly,
    /// Writes are asked for first.
    ReadWrite,
}

/// Theme, glyphs and keys.
#[derive(Clone, Debug)]
pub struct Look {
    /// Styles of the roles.
    pub theme: Theme,
    /// Signs.
    pub glyphs: Glyphs,
    /// What the keys stand for.
    pub keys: Keymap,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            theme: Theme::default(),
            glyphs: Glyphs::default(),
            keys: preset("vim").unwrap_or_default(),
        }
    }
}
