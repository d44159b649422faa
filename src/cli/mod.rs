//! The command line: parses, calls, prints; every verb of the console for scripts.
//!
//! It holds no rule about runs: what may be done is the engine's to say, how it is written the
//! verbs' of `hub`. Only `output` prints.

mod apply;
pub mod args;
mod columns;
mod connect;
mod context;
mod crds;
pub mod dev;
mod documents;
mod driven;
mod error;
mod execute;
pub mod exit;
mod gate;
mod help;
mod import;
mod keys;
mod kinds;
mod main;
mod member;
mod objects;
pub mod output;
mod picture;
mod rehearse;
mod run;
mod schema;
pub mod serve;
mod strategy;
mod time;

pub use context::Context;
pub use error::{Error, Fault};
pub use execute::{Lines, execute};
pub use exit::Exit;
pub use main::main;
