//! All that the console knows and remembers. Only [`super::update`] changes it.

pub mod age;
pub mod fleet;
pub mod held;
pub mod list;
pub mod names;
mod session;
pub mod store;
pub mod update;

pub use session::{Look, Mode, Session};

use jiff::Timestamp;

use super::msg::{Driver, Link, Rights};

/// The whole state of the console.
#[derive(Debug)]
pub struct Model {
    /// Where we are and as whom; set at the start.
    pub session: Session,
    /// Theme, glyphs and keys.
    pub look: Look,
    /// The instant of the latest message.
    pub now: Timestamp,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// The connection.
    pub link: Link,
    /// Who drives.
    pub driver: Driver,
    /// What we may do.
    pub rights: Rights,
}

impl Model {
    /// A console that has heard nothing yet.
    pub fn new(session: Session, look: Look, now: Timestamp, columns: u16, rows: u16) -> Self {
        Self {
            session,
            look,
            now,
            size: (columns, rows),
            link: Link::default(),
            driver: Driver::default(),
            rights: Rights::default(),
        }
    }
}
