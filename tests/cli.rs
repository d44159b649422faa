//! The program as scripts use it: words, texts, JSON, exit codes; on the embedded hub and, where
//! `KUBEBUILDER_ASSETS` is set, on a real kube-apiserver.

#[path = "support/apiserver.rs"]
mod apiserver;
#[path = "cli/generated.rs"]
mod generated;
#[path = "cli/program.rs"]
mod program;
#[path = "cli/refusals.rs"]
mod refusals;
#[path = "cli/texts.rs"]
mod texts;
#[path = "cli/walk.rs"]
mod walk;
