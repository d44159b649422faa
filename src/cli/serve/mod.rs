//! Commands that stay: the embedded hub, the controller loop, the demo.

pub mod controller;
mod kubeconfig;
mod local;
mod signal;

pub use local::{Reached, reach};
