//! Watches that feed the [`World`].

use std::sync::Arc;
use std::time::Duration;

use futures::{Stream, StreamExt, TryStreamExt, stream};
use kube::runtime::WatchStreamExt;
use kube::runtime::utils::Backoff;
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, Client, ResourceExt};

use super::kinds::Cached;
use super::world::World;
use crate::hub::{self, Class};

/// Waits between attempts of a watch: doubling, and without the usual jitter, so that a rehearsal
/// is the same every time.
#[derive(Clone, Debug)]
pub struct Steps {
    next: Duration,
}

const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(10);

impl Default for Steps {
    fn default() -> Self {
        Self { next: FIRST }
    }
}

impl Iterator for Steps {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        let now = self.next;
        self.next = now.saturating_mul(2).min(LONGEST);
        Some(now)
    }
}

impl Backoff for Steps {
    fn reset(&mut self) {
        self.next = FIRST;
    }
}

/// A watch on all objects of a kind, without what nobody here reads.
pub fn events<K: Cached>(
    client: &Client,
) -> impl Stream<Item = Result<Event<K>, watcher::Error>> + Send + use<K> {
    let events = watcher(Api::<K>::all(client.clone()), watcher::Config::default());
    patient(events).modify(|object| object.managed_fields_mut().clear())
}

/// Pauses after each error, longer every time. That a list is about to be asked for is no success
/// yet, and does not make the pauses short again.
fn patient<K: Cached>(
    events: impl Stream<Item = Result<Event<K>, watcher::Error>> + Send,
) -> impl Stream<Item = Result<Event<K>, watcher::Error>> + Send {
    let begin = (Box::pin(events), Steps::default(), None);
    stream::unfold(begin, |(mut events, mut steps, pause)| async move {
        if let Some(pause) = pause {
            tokio::time::sleep(pause).await;
        }
        let event = events.next().await?;
        let pause = match &event {
            Err(_) => steps.next(),
            Ok(Event::Init) => None,
            Ok(_) => {
                steps.reset();
                None
            }
        };
        Some((event, (events, steps, pause)))
    })
}

/// The same, and the world takes in each event.
pub fn feeding<K: Cached>(
    client: &Client,
    world: &Arc<World>,
) -> impl Stream<Item = Result<Event<K>, watcher::Error>> + Send + use<K> {
    let world = world.clone();
    events::<K>(client).inspect_ok(move |event| world.take(event))
}

/// Feeds the world for ever.
pub async fn feed<K: Cached>(client: Client, world: Arc<World>) {
    let mut events = std::pin::pin!(feeding::<K>(&client, &world));
    while let Some(event) = events.next().await {
        if let Err(error) = event {
            let error = reason(&error);
            tracing::warn!(kind = K::NAME, error, "cannot watch; trying again");
        }
    }
}

/// What is wrong, and what to do where that is known.
fn reason(error: &watcher::Error) -> String {
    let hub = match error {
        watcher::Error::InitialListFailed(error)
        | watcher::Error::WatchStartFailed(error)
        | watcher::Error::WatchFailed(error) => hub::Error::of(error, ""),
        other => return other.to_string(),
    };
    match hub.class {
        Class::KindsMissing => format!("the hub does not serve the kind. {}", hub.hint),
        _ => hub.reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Gate;
    use crate::clock::Clock;
    use crate::embedded::{Hub, Options, StoreKind};
    use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
    use kube::api::DeleteParams;

    #[tokio::test(start_paused = true)]
    async fn a_kind_that_is_gone_is_asked_for_less_and_less_often() {
        let hub = Hub::open(Options {
            store: StoreKind::Memory,
            clock: Clock::manual_now(),
            seed: Some(1),
        });
        let hub = hub.await.unwrap();
        let definitions: Api<CustomResourceDefinition> = Api::all(hub.client());
        let params = DeleteParams::default();
        definitions
            .delete("gates.fleetdeck.io", &params)
            .await
            .unwrap();
        let mut events = std::pin::pin!(events::<Gate>(&hub.client()));
        let mut errors = Vec::new();
        let begin = tokio::time::Instant::now();
        while errors.len() < 10 {
            if let Some(Err(error)) = events.next().await {
                errors.push((begin.elapsed().as_secs(), reason(&error)));
            }
        }
        let (last, text) = errors.pop().unwrap();
        assert!(last >= 30, "ten attempts within {last} s");
        assert!(text.contains("fleetdeck crds install"), "{text}");
    }
}
