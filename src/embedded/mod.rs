//! The embedded hub: a small Kubernetes API server in the process, durable on disk.
//!
//! Layers, each of which knows only the ones before it: `store` (revisions, history, disk),
//! `schema` (what an object of a kind may look like), `catalog` (which kinds are served),
//! `registry` (what a request does to the objects), `collect` (what follows from a deletion),
//! `render` (tables and other forms of an answer), `http` (paths, headers, bodies), `serve` (TLS).
//! Nothing here knows what a run or a gate is.

mod catalog;
mod collect;
mod error;
mod fields;
mod http;
mod hub;
mod private;
mod refusal;
mod registry;
mod render;
mod schema;
mod selector;
mod serve;
mod store;

pub use error::Error;
pub use hub::{Hub, Options, StoreKind};
pub use serve::Serving;
pub use store::{Change, is_taken};
