//! One turn of the controller: take what is known, let the engine decide, write it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::StreamExt;
use kube::ResourceExt;
use kube::runtime::controller::{Action, Config};
use kube::runtime::reflector::{self, ObjectRef};
use kube::runtime::{Controller, WatchStreamExt};
use tokio_util::sync::CancellationToken;

use super::apply::{Apply, Stop};
use super::context::Context;
use super::feed;
use super::kinds::Cached;
use crate::api::UpdateRun;
use crate::engine::{World, decide};

/// Events that come this close together are decided upon together.
const DEBOUNCE: Duration = Duration::from_millis(2);
const FIRST_RETRY: Duration = Duration::from_millis(100);
const LONGEST_RETRY: Duration = Duration::from_secs(10);

/// What keeps a run from being decided at once after the hub failed it.
#[derive(Default)]
struct Failures(Mutex<BTreeMap<String, Duration>>);

struct Turn {
    context: Arc<Context>,
    failures: Failures,
}

#[derive(Debug, thiserror::Error)]
enum Never {}

/// Decides for runs as they are marked, until `stop`; then finishes the one in hand.
pub async fn run(
    context: Arc<Context>,
    marked: impl futures::Stream<Item = ObjectRef<UpdateRun>> + Send + 'static,
    stop: CancellationToken,
) {
    let (reader, writer) = reflector::store();
    // The world marks what must be decided, so kube's own trigger for each event is not needed;
    // and a watch that fails waits by itself, so the triggers need not wait for it.
    let runs = feed::feeding::<UpdateRun>(&context.client, &context.world)
        .reflect(writer)
        .filter_map(|event| {
            if let Err(error) = event {
                tracing::warn!(kind = UpdateRun::NAME, %error, "cannot watch; trying again");
            }
            std::future::ready(None)
        });
    // Under a manual clock what is decided in one instant must come in one order.
    let concurrency = if context.clock.is_manual() { 1 } else { 4 };
    let turn = Arc::new(Turn {
        context,
        failures: Failures::default(),
    });
    Controller::for_stream(runs, reader)
        .with_config(
            Config::default()
                .debounce(DEBOUNCE)
                .concurrency(concurrency),
        )
        .trigger_backoff(feed::Steps::default())
        .reconcile_on(
            marked
                .map(Ok::<_, Never>)
                .filter_map(|m| std::future::ready(m.ok())),
        )
        .graceful_shutdown_on(async move { stop.cancelled().await })
        .run(reconcile, |_, error: &Never, _| match *error {}, turn)
        .for_each(|result| {
            if let Err(error) = result {
                tracing::debug!(%error, "the work queue reports");
            }
            std::future::ready(())
        })
        .await;
}

/// kube's `Controller` never runs this twice at once for one run, so no run is decided by two turns
/// at a time. Under a manual clock, where there is one turn at a time anyway, all marks of the
/// instant are taken, in their order.
async fn reconcile(run: Arc<UpdateRun>, turn: Arc<Turn>) -> Result<Action, Never> {
    turn.context.world.synced().await;
    let _busy = turn.context.clock.busy();
    let marks = &turn.context.world.runs;
    if turn.context.clock.is_manual() {
        for run in marks.take() {
            turn.one(&run).await;
        }
    } else if marks.take_one(&run.name_any()) {
        turn.one(&run.name_any()).await;
    }
    Ok(Action::await_change())
}

impl Turn {
    async fn one(&self, name: &str) {
        let context = &self.context;
        let Some(snapshot) = context.world.snapshot(name) else {
            context.timers.set(name, None);
            return;
        };
        let decision = decide(
            &World {
                run: &snapshot.run,
                updates: &snapshot.updates,
                gates: &snapshot.gates,
                fleet: &snapshot.fleet,
            },
            context.clock.now(),
        );
        tracing::debug!(
            run = name,
            create = decision.create.len(),
            updates = decision.updates.len(),
            gates = decision.gates.len(),
            begins = decision.begins.len(),
            wake = ?decision.wake_at,
            "decided"
        );
        context.timers.set(name, decision.wake_at);
        let again = decision.again;
        // The rest goes first: a table whose earlier state is still held by somebody is copied at its
        // next change.
        let run = snapshot.run;
        drop((snapshot.updates, snapshot.gates, snapshot.fleet));
        match Apply::new(context, &run).write(decision).await {
            Ok(()) => {
                self.failures.clear(name);
                if again {
                    context.world.mark(name);
                }
            }
            Err(Stop::Conflict) => context.world.mark(name),
            Err(Stop::Gone) => context.timers.set(name, None),
            Err(Stop::Hub(error)) => self.retry(name, &error),
        }
    }

    /// Decides again later. The instant is not over until then.
    fn retry(&self, name: &str, error: &kube::Error) {
        let wait = self.failures.next(name);
        tracing::warn!(run = name, %error, ?wait, "cannot write what was decided; trying again");
        let (context, name) = (self.context.clone(), name.to_owned());
        tokio::spawn(async move {
            let _busy = context.clock.busy();
            tokio::time::sleep(wait).await;
            context.world.mark(&name);
        });
    }
}

impl Failures {
    fn clear(&self, name: &str) {
        let mut waits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waits.remove(name);
    }

    fn next(&self, name: &str) -> Duration {
        let mut waits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = waits.entry(name.to_owned()).or_insert(FIRST_RETRY);
        let now = *wait;
        *wait = now.saturating_mul(2).min(LONGEST_RETRY);
        now
    }
}
