//! What is fixed while the console is open: hub, person, mode; and how things look.

use jiff::tz::TimeZone;

/// Where we are and as whom.
#[derive(Clone, Debug)]
pub struct Session {
    /// Name of the hub, as people say it (the context, or `demo`).
    pub hub: String,
    /// What the hub is for.
    pub environment: Option<Environment>,
    /// Who we are, where it is known before the hub says so.
    pub user: String,
    /// Whether writing is on.
    pub mode: Mode,
    /// How many seconds pass on the hub's clock in one of the machine's.
    pub speed: f64,
    /// Zone for wall-clock times.
    pub zone: TimeZone,
}

/// What the hub is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Environment {
    Prod,
    Test,
    Lab,
    Demo,
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
#[derive(Clone, Debug, Default)]
pub struct Look {}
