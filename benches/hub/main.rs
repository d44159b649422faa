//! The embedded hub: ready, creates, status patches, lists, watch fan-out.
//!
//! `cargo bench --bench hub` prints the time of each and how many a second that is, then, where
//! `KUBEBUILDER_ASSETS` is set, the same on kube-apiserver.
// A bench that cannot go on ends with a panic, and prints its figures.
#![allow(
    missing_docs,
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::print_stderr
)]

#[allow(dead_code)]
#[path = "../../tests/support/apiserver.rs"]
mod apiserver;
mod peer;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use fleetdeck::api::FleetMember;
use fleetdeck::clock::Clock;
use fleetdeck::embedded::{Hub, Options, StoreKind};
use futures::{AsyncBufReadExt, StreamExt};
use kube::api::{Api, ListParams, Patch, PatchParams, PostParams};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

fn main() {
    divan::main();
    peer::compare();
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}

async fn open(store: StoreKind) -> Hub {
    let options = Options {
        store,
        clock: Clock::system(),
        seed: Some(1),
    };
    Hub::open(options).await.expect("a hub")
}

fn member(number: usize) -> FleetMember {
    let member = json!({
        "apiVersion": "fleetdeck.io/v1alpha1",
        "kind": "FleetMember",
        "metadata": {"name": format!("member-{number:05}"), "labels": {"env": "prod", "tier": "web"}},
        "spec": {
            "group": "prod-weu",
            "region": "westeurope",
            "provider": {"simulated": {
                "kubernetesVersion": "1.33.4",
                "nodePools": [{"name": "np1", "count": 3, "kubernetesVersion": "1.33.4", "nodeImage": "AKSUbuntu-2204gen2containerd-202507.06.0"}]
            }}
        }
    });
    serde_json::from_value(member).expect("a member")
}

async fn fill(hub: &Hub, count: usize) -> Api<FleetMember> {
    let api: Api<FleetMember> = Api::all(hub.client());
    for number in 0..count {
        api.create(&PostParams::default(), &member(number))
            .await
            .expect("created");
    }
    api
}

/// From nothing to a first answered request.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn ready(bencher: Bencher<'_, '_>) {
    let runtime = runtime();
    bencher.bench_local(|| {
        runtime.block_on(async {
            let hub = open(StoreKind::Memory).await;
            let api: Api<FleetMember> = Api::all(hub.client());
            black_box(api.list(&ListParams::default()).await.expect("listed"))
        })
    });
}

/// The same with a directory that holds 1,000 members.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn ready_on_disk(bencher: Bencher<'_, '_>) {
    let runtime = runtime();
    let dir = tempfile::tempdir().expect("a folder");
    let store = StoreKind::Dir(dir.path().to_owned());
    runtime.block_on(async {
        let hub = open(store.clone()).await;
        let api: Api<FleetMember> = Api::all(hub.client());
        let made = (0..1000).map(|number| {
            let api = api.clone();
            async move {
                api.create(&PostParams::default(), &member(number))
                    .await
                    .map(drop)
            }
        });
        futures::future::try_join_all(made).await.expect("created");
        drop(api);
        hub.close().await;
    });
    bencher.bench_local(|| {
        runtime.block_on(async {
            let hub = open(store.clone()).await;
            let api: Api<FleetMember> = Api::all(hub.client());
            black_box(api.get("member-00001").await.expect("read"));
            drop(api);
            hub.close().await;
        })
    });
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn creates(bencher: Bencher<'_, '_>) {
    let runtime = runtime();
    bencher
        .counter(ItemsCount::new(1000_usize))
        .with_inputs(|| runtime.block_on(open(StoreKind::Memory)))
        .bench_local_values(|hub| runtime.block_on(fill(&hub, 1000)));
}

/// 64 at a time, each on disk before it is acknowledged.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn creates_on_disk(bencher: Bencher<'_, '_>) {
    let runtime = runtime();
    bencher
        .counter(ItemsCount::new(1000_usize))
        .with_inputs(|| {
            let dir = tempfile::tempdir().expect("a folder");
            let hub = runtime.block_on(open(StoreKind::Dir(dir.path().to_owned())));
            (dir, hub)
        })
        .bench_local_values(|(dir, hub)| {
            runtime.block_on(async {
                let api: Api<FleetMember> = Api::all(hub.client());
                let made = futures::stream::iter(0..1000).map(|number| {
                    let api = api.clone();
                    async move { api.create(&PostParams::default(), &member(number)).await }
                });
                let made: Vec<_> = made.buffer_unordered(64).collect().await;
                assert!(made.iter().all(Result::is_ok));
            });
            drop((hub, dir));
        });
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn status_patches(bencher: Bencher<'_, '_>) {
    let runtime = runtime();
    let hub = runtime.block_on(open(StoreKind::Memory));
    let api = runtime.block_on(fill(&hub, 100));
    let mut count = 0;
    bencher.counter(ItemsCount::new(2000_usize)).bench_local(|| {
        runtime.block_on(async {
            for number in 0..2000 {
                count += 1;
                let status = json!({"status": {
                    "kubernetesVersion": "1.33.4",
                    "poolSummary": count.to_string(),
                    "nodePools": [{"name": "np1", "count": 3, "kubernetesVersion": "1.33.4", "nodeImage": "AKSUbuntu-2204gen2containerd-202507.06.0"}],
                }});
                let name = format!("member-{:05}", number % 100);
                let patch = Patch::Merge(status);
                api.patch_status(&name, &PatchParams::default(), &patch).await.expect("patched");
            }
        });
    });
}

/// Into bytes, as a watcher cache or kubectl gets it.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn list_10000(bencher: Bencher<'_, '_>) {
    let runtime = runtime();
    let hub = runtime.block_on(open(StoreKind::Memory));
    let client = runtime.block_on(async {
        fill(&hub, 10_000).await;
        hub.client()
    });
    bencher
        .counter(ItemsCount::new(10_000_usize))
        .bench_local(|| {
            let request = http::Request::get("/apis/fleetdeck.io/v1alpha1/fleetmembers");
            let request = request.body(Vec::new()).expect("a request");
            runtime
                .block_on(client.request_text(request))
                .expect("listed")
                .len()
        });
}

/// 100 watchers, 200 changes: until everybody has seen everything.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn watch_fan_out(bencher: Bencher<'_, '_>) {
    const WATCHERS: usize = 100;
    const CHANGES: usize = 200;
    let runtime = runtime();
    let hub = runtime.block_on(open(StoreKind::Memory));
    let (api, client) = runtime.block_on(async { (fill(&hub, 1).await, hub.client()) });
    let mut count = 0;
    bencher.counter(ItemsCount::new(WATCHERS * CHANGES)).bench_local(|| {
        runtime.block_on(async {
            let list = api.list(&ListParams::default()).await.expect("listed");
            let revision = list.metadata.resource_version.expect("a revision");
            let watchers: Vec<_> = (0..WATCHERS)
                .map(|_| {
                    let path = format!("/apis/fleetdeck.io/v1alpha1/fleetmembers?watch=1&resourceVersion={revision}");
                    let request = http::Request::get(path).body(Vec::new()).expect("a request");
                    let client = client.clone();
                    tokio::spawn(async move {
                        let lines = client.request_stream(request).await.expect("watched").lines();
                        lines.take(CHANGES).map(|line| line.expect("a line").len()).collect::<Vec<_>>().await
                    })
                })
                .collect();
            for _ in 0..CHANGES {
                count += 1;
                let change: Value = json!({"metadata": {"annotations": {"n": count.to_string()}}});
                api.patch("member-00000", &PatchParams::default(), &Patch::Merge(change)).await.expect("patched");
            }
            for watcher in watchers {
                assert_eq!(watcher.await.expect("a watcher").len(), CHANGES);
            }
        });
    });
}
