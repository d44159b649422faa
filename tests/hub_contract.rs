//! One contract suite for the embedded hub and a real kube-apiserver: the same requests, the same
//! answers. Each case runs on the hub in the process, on the hub over TLS, and, where
//! `KUBEBUILDER_ASSETS` is set, on kube-apiserver.
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

#[path = "hub_contract/builtins.rs"]
mod builtins;
#[path = "hub_contract/changes.rs"]
mod changes;
#[path = "hub_contract/definitions.rs"]
mod definitions;
#[path = "hub_contract/durability.rs"]
mod durability;
#[path = "hub_contract/harness.rs"]
mod harness;
#[path = "hub_contract/kubectl.rs"]
mod kubectl;
#[path = "hub_contract/lists.rs"]
mod lists;
#[path = "hub_contract/owners.rs"]
mod owners;
#[path = "hub_contract/requests.rs"]
mod requests;
#[path = "hub_contract/schema.rs"]
mod schema;
#[path = "hub_contract/watches.rs"]
mod watches;
#[path = "hub_contract/writes.rs"]
mod writes;
