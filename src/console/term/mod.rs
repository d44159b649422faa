//! The terminal: taken over, written to, and always given back.
//!
//! Must not know what is drawn. Leaving in any way (quit, error, panic, signal) restores the screen
//! first and speaks afterwards.

mod ask;
mod backend;
mod clipboard;
mod crash;
mod input;
mod screen;
mod sgr;
mod signals;

pub use ask::{ask, can_ask};
pub use backend::Painter;
pub use clipboard::{Copied, copy};
pub use crash::{Crash, watch_for_panics};
pub use input::{Input, Typed};
pub use screen::{Options, Screen, size};
pub use signals::{Signal, Signals};
