//! The program as scripts use it: words, texts, JSON, exit codes; on the embedded hub and, where
//! `KUBEBUILDER_ASSETS` is set, on a real kube-apiserver.
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
#[path = "cli/forms.rs"]
mod forms;
#[path = "cli/generated.rs"]
mod generated;
#[path = "cli/program.rs"]
mod program;
#[path = "cli/reaching.rs"]
mod reaching;
#[path = "cli/refusals.rs"]
mod refusals;
#[path = "cli/rehearsing.rs"]
mod rehearsing;
#[path = "cli/restart.rs"]
mod restart;
#[path = "cli/texts.rs"]
mod texts;
#[path = "cli/walk.rs"]
mod walk;
