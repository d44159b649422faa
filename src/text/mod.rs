//! Text that comes from a cluster, made safe for a terminal, and measured in cells.

mod cells;
mod clean;

pub use cells::{cut, fit, pad, shorten, take, width};
pub use clean::{Clean, clean, clean_lines};
