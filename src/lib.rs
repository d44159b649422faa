//! fleetdeck: upgrade a fleet of Kubernetes clusters safely, from a terminal.
//!
//! See ARCHITECTURE.md for the layers; `tests/architecture.rs` holds them.

pub mod api;
pub mod cli;
pub mod clock;
pub mod console;
pub mod controller;
pub mod embedded;
pub mod engine;
pub mod hub;
pub mod journal;
pub mod member;
pub mod rehearse;
pub mod text;
