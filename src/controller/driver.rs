//! The tasks of a leading controller. Dropped, they end where they stand, as in a kill.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use super::context::Context;
use super::events::Events;
use super::trigger::Triggers;
use super::world::World;
use super::{Options, feed, members, reconcile, strategies};
use crate::api::{FleetMember, Gate, MemberUpdate, UpdateStrategy};
use crate::member::simulated;

/// How long a clean stop waits for what is on its way.
const PATIENCE: Duration = Duration::from_secs(10);

/// Everything that a leader does.
pub struct Driver {
    tasks: JoinSet<()>,
    runs: AbortOnDrop,
    events: AbortOnDrop,
    stop: CancellationToken,
}

/// A task that ends with its owner.
struct AbortOnDrop(JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Driver {
    /// Starts to lead.
    pub fn start(options: &Options) -> Self {
        let Options {
            client,
            clock,
            identity,
            ..
        } = options;
        let (triggers, marked) = Triggers::new();
        let (gone, mut gates_gone) = mpsc::unbounded_channel();
        let world = Arc::new(World::new(triggers, gone));
        let (events, writer) = Events::new(client.clone(), clock.clone(), identity);
        let context = Arc::new(Context::new(
            client.clone(),
            clock.clone(),
            world.clone(),
            events.clone(),
        ));
        let stop = CancellationToken::new();
        let mut tasks = JoinSet::new();
        tasks.spawn(feed::feed::<FleetMember>(client.clone(), world.clone()));
        tasks.spawn(feed::feed::<UpdateStrategy>(client.clone(), world.clone()));
        tasks.spawn(feed::feed::<MemberUpdate>(client.clone(), world.clone()));
        tasks.spawn(feed::feed::<Gate>(client.clone(), world.clone()));
        let shared = context.clone();
        tasks.spawn(async move { shared.timers.serve(&shared.clock, &shared.world).await });
        let shared = context.clone();
        tasks.spawn(async move { members::observe(&shared).await });
        let shared = context.clone();
        tasks.spawn(async move { strategies::judge(&shared).await });
        let shared = context.clone();
        tasks.spawn(async move {
            simulated::play(shared.simulated(), &shared.clock, shared.world.as_ref()).await;
        });
        tasks.spawn(async move {
            while let Some(gate) = gates_gone.recv().await {
                events.gate_deleted(&gate);
            }
        });
        let runs = tokio::spawn(reconcile::run(context, marked, stop.clone()));
        Self {
            tasks,
            runs: AbortOnDrop(runs),
            events: AbortOnDrop(tokio::spawn(writer.write())),
            stop,
        }
    }

    /// Returns if one of the tasks ends, which none should.
    pub async fn ended(&mut self) {
        tokio::select! {
            biased;
            _ = &mut self.runs.0 => {}
            _ = self.tasks.join_next() => {}
        }
    }

    /// Finishes the decision in hand and the events on their way.
    pub async fn stop(mut self) {
        self.stop.cancel();
        let _ = tokio::time::timeout(PATIENCE, &mut self.runs.0).await;
        self.tasks.shutdown().await;
        let _ = tokio::time::timeout(PATIENCE, &mut self.events.0).await;
    }
}
