//! What follows from a deletion: dependants, contents of namespaces, objects of definitions.
//!
//! One task follows the store's events. Whatever it does it could do again, so it may stop at any
//! point; a hub that is opened looks once at everything. Nothing waits for a timer.

mod jobs;
mod owners;

use std::sync::Arc;

use crate::embedded::registry::Registry;

use self::jobs::Jobs;

/// Jobs after which others get a turn.
const TURN: usize = 32;

/// Runs for as long as the hub is open.
pub(crate) async fn run(registry: Arc<Registry>) {
    let mut events = registry.store.subscribe();
    let mut jobs = Jobs::default();
    registry.store.read(|state| jobs.look_at_everything(state));
    loop {
        let mut done = 0;
        while let Some(job) = jobs.next() {
            if let Err(refusal) = job.run(&registry, &mut jobs) {
                tracing::warn!(?job, error = %refusal.message, "clean-up after a deletion failed");
            }
            done += 1;
            if done % TURN == 0 {
                tokio::task::yield_now().await;
            }
            while let Ok(event) = events.try_recv() {
                registry.store.read(|state| jobs.look_at(state, &event));
            }
        }
        match events.recv().await {
            Some(event) => registry.store.read(|state| jobs.look_at(state, &event)),
            None => return,
        }
    }
}
