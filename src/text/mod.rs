//! Text that comes from a cluster, made safe for a terminal, and measured in cells.

mod cells;
mod clean;
mod words;

pub use cells::{cut, fit, pad, shorten, take, width};
pub use clean::{Clean, clean, clean_lines};
pub use words::{count, counted, sentence};
