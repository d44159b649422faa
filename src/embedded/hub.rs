//! The hub itself: opened, used in the process, served, closed.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Body;
use futures::{Stream, StreamExt};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tower::ServiceExt;

use super::catalog::{Builtin, Catalog, Resource};
use super::registry::{Part, Patch, Registry, WriteOptions};
use super::store::{Change, Disk, Key, Recent, Store};
use super::{Error, Serving, collect, http, serve};
use crate::clock::Clock;

/// Where the objects are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreKind {
    /// In memory: gone when the hub is.
    Memory,
    /// In this directory: every acknowledged write survives a kill.
    Dir(PathBuf),
}

/// How a hub is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where the objects are kept.
    pub store: StoreKind,
    /// Gives every timestamp.
    pub clock: Clock,
    /// Makes uids and generated names repeatable.
    pub seed: Option<u64>,
}

/// Namespaces that every hub has.
const NAMESPACES: &[&str] = &["default", "fleetdeck-system"];

/// A small Kubernetes API server. Cheap to clone; its tasks end with the last clone and client.
#[derive(Clone)]
pub struct Hub(Arc<Shared>);

struct Shared {
    registry: Arc<Registry>,
    store: StoreKind,
    /// Brings changes to the disk, if there is one.
    writer: Mutex<Option<JoinHandle<()>>>,
    tasks: Vec<tokio::task::AbortHandle>,
}

/// Carried by every router, so that the hub outlives its last request.
#[derive(Clone)]
struct KeepAlive(#[expect(dead_code, reason = "held, never read")] Arc<Shared>);

impl Drop for Shared {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

impl Hub {
    /// Opens a hub. On return fleetdeck's definitions are established and the namespaces
    /// `default` and `fleetdeck-system` exist.
    pub async fn open(options: Options) -> Result<Self, Error> {
        let Options {
            store: kind,
            clock,
            seed,
        } = options;
        let mut tasks = Vec::new();
        let (store, writer) = match &kind {
            StoreKind::Memory => (Store::in_memory(clock, seed), None),
            StoreKind::Dir(dir) => {
                let dir = dir.clone();
                let opened = tokio::task::spawn_blocking(move || Disk::open(&dir)).await;
                let (disk, contents) =
                    opened.map_err(|error| Error::Prepare(error.to_string()))??;
                let store = Store::on_disk(contents, clock, seed);
                let writer = tokio::spawn(store.clone().write_to(disk));
                tasks.push(writer.abort_handle());
                (store, Some(writer))
            }
        };
        let registry = Registry::new(store);
        tasks.push(tokio::spawn(collect::run(registry.clone())).abort_handle());
        let hub = Self(Arc::new(Shared {
            registry,
            store: kind,
            writer: Mutex::new(writer),
            tasks,
        }));
        hub.prepare().await?;
        Ok(hub)
    }

    /// Makes or updates what every hub has.
    async fn prepare(&self) -> Result<(), Error> {
        let registry = &self.0.registry;
        let catalog = registry.catalog();
        for namespace in NAMESPACES {
            let object = json!({
                "apiVersion": "v1",
                "kind": "Namespace",
                "metadata": {"name": namespace},
            });
            self.ensure(&catalog, "", "namespaces", object, false)?;
        }
        for definition in crate::api::crds::crds() {
            let object = serde_json::to_value(&definition)
                .map_err(|error| Error::Prepare(error.to_string()))?;
            self.ensure(
                &catalog,
                "apiextensions.k8s.io",
                "customresourcedefinitions",
                object,
                true,
            )?;
        }
        let revision = registry.store.read(|state| state.revision);
        let settled = registry.store.settled(revision).await;
        settled.map_err(|refusal| Error::Prepare(refusal.message))
    }

    /// Creates an object, or brings its spec up to date.
    fn ensure(
        &self,
        catalog: &Catalog,
        group: &str,
        plural: &str,
        object: Value,
        update: bool,
    ) -> Result<(), Error> {
        let registry = &self.0.registry;
        let resource: &Arc<Resource> = catalog
            .find(group, "v1", plural)
            .ok_or_else(|| Error::Prepare(format!("{plural} are not served")))?;
        let key = Key::of(&object);
        let options = WriteOptions {
            trusted: true,
            ..WriteOptions::default()
        };
        let known = registry
            .store
            .read(|state| state.get(&resource.table, &key).is_some());
        let outcome = if !known {
            registry.create(resource, "", object, &options).map(|_| ())
        } else if update && resource.is(Builtin::Definition) {
            let spec = json!({"spec": object.get("spec")});
            Patch::merge(spec.to_string().as_bytes(), false)
                .and_then(|patch| registry.patch(resource, &key, Part::Whole, &patch, &options))
                .map(|_| ())
        } else {
            Ok(())
        };
        outcome.map_err(|refusal| Error::Prepare(refusal.message))
    }

    /// A client inside the process: no socket, works on a paused clock.
    pub fn client(&self) -> kube::Client {
        let service = self
            .router()
            .into_service::<Body>()
            .map_request(|request: ::http::Request<kube::client::Body>| request.map(Body::new));
        kube::Client::new(service, "default")
    }

    /// Listens on a loopback address, with a certificate and a token that a data directory keeps
    /// from one start to the next.
    pub async fn serve(&self, listen: SocketAddr) -> Result<Serving, Error> {
        let dir = match &self.0.store {
            StoreKind::Memory => None,
            StoreKind::Dir(dir) => Some(dir.as_path()),
        };
        serve::serve(self.router(), listen, dir).await
    }

    /// The API; the hub's tasks live as long as anybody can send a request.
    fn router(&self) -> axum::Router {
        let shared = self.0.clone();
        http::router(self.0.registry.clone()).layer(axum::Extension(KeepAlive(shared)))
    }

    /// Every committed write from now on, in order.
    pub fn changes(&self) -> impl Stream<Item = Change> + Send + use<> {
        let events = self.0.registry.store.subscribe();
        tokio_stream::wrappers::UnboundedReceiverStream::new(events)
            .map(|event| Recent::default().change(&event))
    }

    /// The same of these resources (`plural.group`) alone; others are not even read.
    pub fn changes_of(
        &self,
        resources: &'static [&'static str],
    ) -> impl Stream<Item = Change> + Send + use<> {
        let events = self.0.registry.store.subscribe();
        let mut recent = Recent::default();
        tokio_stream::wrappers::UnboundedReceiverStream::new(events).filter_map(move |event| {
            let wanted = resources.contains(&&*event.table);
            std::future::ready(wanted.then(|| recent.change(&event)))
        })
    }

    /// Stops the hub cleanly: everything acknowledged is on disk, later writes are refused, and
    /// the directory is free for another hub.
    pub async fn close(self) {
        let store = &self.0.registry.store;
        let revision = store.read(|state| state.revision);
        if let Err(refusal) = store.settled(revision).await {
            tracing::error!(error = %refusal.message, "the hub could not be closed cleanly");
        }
        store.close();
        let writer = self
            .0
            .writer
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(writer) = writer {
            let _ = writer.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{FleetMember, FleetMemberSpec, FleetMemberStatus};
    use futures::TryStreamExt;
    use kube::api::{Api, DeleteParams, ListParams, Patch as ClientPatch, PatchParams, PostParams};
    use kube::runtime::watcher;

    async fn hub() -> Hub {
        let clock = Clock::manual("2026-03-02T09:00:00Z".parse().unwrap());
        let options = Options {
            store: StoreKind::Memory,
            clock,
            seed: Some(1),
        };
        Hub::open(options).await.unwrap()
    }

    fn member(name: &str) -> FleetMember {
        let spec: FleetMemberSpec = serde_json::from_value(json!({
            "group": "g",
            "provider": {"simulated": {"kubernetesVersion": "1.33.4"}},
        }))
        .unwrap();
        FleetMember::new(name, spec)
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_in_the_process_creates_reads_patches_and_deletes() {
        let hub = hub().await;
        let api: Api<FleetMember> = Api::all(hub.client());
        let made = api
            .create(&PostParams::default(), &member("a"))
            .await
            .unwrap();
        assert_eq!(made.metadata.generation, Some(1));
        let again = api
            .create(&PostParams::default(), &member("a"))
            .await
            .unwrap_err();
        assert!(matches!(again, kube::Error::Api(status) if status.is_already_exists()));
        let status = FleetMemberStatus {
            kubernetes_version: "1.33.4".into(),
            ..Default::default()
        };
        let patch = ClientPatch::Merge(json!({"status": status}));
        let patched = api
            .patch_status("a", &PatchParams::default(), &patch)
            .await
            .unwrap();
        assert_eq!(patched.metadata.generation, Some(1));
        assert_eq!(patched.status.unwrap().kubernetes_version, "1.33.4");
        assert_eq!(
            api.list(&ListParams::default()).await.unwrap().items.len(),
            1
        );
        api.delete("a", &DeleteParams::default()).await.unwrap();
        assert!(api.get_opt("a").await.unwrap().is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_watcher_sees_the_state_and_then_the_changes() {
        for streaming in [false, true] {
            let hub = hub().await;
            let api: Api<FleetMember> = Api::all(hub.client());
            api.create(&PostParams::default(), &member("a"))
                .await
                .unwrap();
            let config = watcher::Config::default();
            let config = if streaming {
                config.streaming_lists()
            } else {
                config
            };
            let events = watcher(api.clone(), config);
            let mut events = std::pin::pin!(events);
            assert!(matches!(
                events.try_next().await.unwrap(),
                Some(watcher::Event::Init)
            ));
            let first = events.try_next().await.unwrap();
            assert!(
                matches!(first, Some(watcher::Event::InitApply(m)) if m.metadata.name.as_deref() == Some("a"))
            );
            assert!(matches!(
                events.try_next().await.unwrap(),
                Some(watcher::Event::InitDone)
            ));
            api.create(&PostParams::default(), &member("b"))
                .await
                .unwrap();
            let next = events.try_next().await.unwrap();
            assert!(
                matches!(next, Some(watcher::Event::Apply(m)) if m.metadata.name.as_deref() == Some("b"))
            );
            api.delete("a", &DeleteParams::default()).await.unwrap();
            assert!(matches!(
                events.try_next().await.unwrap(),
                Some(watcher::Event::Delete(_))
            ));
        }
    }

    #[tokio::test]
    async fn time_does_not_go_back_when_a_directory_is_opened_again() {
        let dir = tempfile::tempdir().unwrap();
        let open = |clock: &Clock| {
            Hub::open(Options {
                store: StoreKind::Dir(dir.path().to_owned()),
                clock: clock.clone(),
                seed: Some(1),
            })
        };
        let made = |hub: &Hub, name: &'static str| {
            let api: Api<FleetMember> = Api::all(hub.client());
            async move {
                let made = api.create(&PostParams::default(), &member(name)).await;
                made.unwrap().metadata.creation_timestamp.unwrap().0
            }
        };
        let fast = Clock::system();
        let later = fast.now() + jiff::SignedDuration::from_hours(50);
        // Nothing is written after the jump: closing alone keeps the time.
        let hub = open(&fast).await.unwrap();
        fast.not_before(later);
        hub.close().await;

        let wall = Clock::system();
        let hub = open(&wall).await.unwrap();
        assert!(wall.now() >= later, "{:?} before {later}", wall.now());
        let jumped = later + jiff::SignedDuration::from_hours(7);
        wall.not_before(jumped);
        let first = made(&hub, "a").await;
        drop(hub); // as a kill: nothing is written any more

        let wall = Clock::manual_now();
        let hub = loop {
            match open(&wall).await {
                Err(Error::InUse { .. }) => tokio::task::yield_now().await,
                hub => break hub.unwrap(),
            }
        };
        assert!(made(&hub, "b").await >= first);
        assert!(wall.now() >= jumped);
        hub.close().await;
    }
}
