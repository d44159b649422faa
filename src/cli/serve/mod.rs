//! Commands that stay: the console, the demo, the embedded hub, the controller loop.

pub mod console;
pub mod controller;
pub mod hub;
mod listen;
mod local;
mod signal;

pub use local::{Reached, reach};
