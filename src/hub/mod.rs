//! Access to a hub: finding it, connecting, asking what it has and what we may do.
//!
//! A hub is any Kubernetes API server that has our kinds. Nothing here can tell which one it is.

mod address;
mod connect;
pub(crate) mod error;
pub mod kinds;
pub mod kubeconfig;
pub mod rights;
mod secret;
mod target;
pub mod time;
pub mod verbs;

pub use address::Address;
pub use connect::{Access, Prompt};
pub use error::{Class, Error};
pub use target::{Found, Target};
