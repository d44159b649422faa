//! How fast runs go: a thousand members in one run over three weeks of virtual time, and the gap
//! between one member's end and the next one's start, on the embedded hub and, where
//! `KUBEBUILDER_ASSETS` is set, on a real kube-apiserver. Prints one line a figure, with its goal, and fails
//! where a goal is missed by more than noise.
//!
//! `cargo bench --bench runs`
#![allow(clippy::print_stdout)]

#[allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr
)]
#[path = "../../tests/support/apiserver.rs"]
mod apiserver;
mod gap;
#[path = "../support/goals.rs"]
mod goals;
mod weeks;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let mut goals = goals::Goals::default();
    weeks::measure(1_000, &mut goals)?;
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(gap::embedded(&mut goals))?;
    if let Some(server) = apiserver::apiserver() {
        runtime.block_on(async {
            let client = server.client().await;
            gap::measure("kube-apiserver", client, &mut goals).await
        })?;
    }
    goals.end()
}
