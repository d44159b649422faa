//! The whole program from end to end: hub, controller, simulated members and command line.

#[path = "support/apiserver.rs"]
mod apiserver;
#[path = "e2e/real.rs"]
mod real;
