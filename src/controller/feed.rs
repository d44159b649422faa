//! Watches that feed the [`World`].

use std::sync::Arc;
use std::time::Duration;

use futures::{Stream, StreamExt, TryStreamExt};
use kube::runtime::WatchStreamExt;
use kube::runtime::utils::Backoff;
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, Client, ResourceExt};

use super::kinds::Cached;
use super::world::World;

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
    watcher(Api::<K>::all(client.clone()), watcher::Config::default())
        .backoff(Steps::default())
        .modify(|object| object.managed_fields_mut().clear())
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
            tracing::warn!(kind = K::NAME, %error, "cannot watch; trying again");
        }
    }
}
