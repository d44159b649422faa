//! The whole program from end to end: hub, controller, simulated members and command line.
// Outside `#[test]` functions too, a test may end with a panic.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::print_stderr
)]

#[path = "support/apiserver.rs"]
mod apiserver;
#[path = "e2e/differences.rs"]
mod differences;
#[path = "e2e/hubs.rs"]
mod hubs;
#[path = "e2e/kill.rs"]
mod kill;
#[path = "e2e/lead.rs"]
mod lead;
#[path = "e2e/operations.rs"]
mod operations;
#[path = "e2e/rehearsals.rs"]
mod rehearsals;
#[path = "e2e/stage.rs"]
mod stage;
