//! The hub beside kube-apiserver, both over TLS in the same run. The hub syncs every write to disk,
//! etcd here does not.

use std::time::Instant;

use fleetdeck::api::FleetMember;
use fleetdeck::embedded::StoreKind;
use futures::{AsyncBufReadExt, StreamExt};
use kube::api::{Api, ListParams, Patch, PatchParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use serde_json::json;

use crate::apiserver::apiserver;
use crate::{member, open};

const MEMBERS: usize = 2000;
const WATCHERS: usize = 20;
const CHANGES: usize = 100;

/// What one server reached.
struct Figures {
    creates: f64,
    list_ms: f64,
    events: f64,
}

/// Prints both and their ratio; a line that says why not, where there is no peer.
pub fn compare() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    println!("\nmemory of this process with {}", memory(&runtime));
    let Some(server) = apiserver() else {
        return;
    };
    let dir = tempfile::tempdir().expect("a folder");
    let ours = runtime.block_on(async {
        let hub = open(StoreKind::Dir(dir.path().to_owned())).await;
        let serving = hub
            .serve("127.0.0.1:0".parse().expect("an address"))
            .await
            .expect("served");
        measure(&serving.kubeconfig).await
    });
    let theirs = runtime.block_on(async {
        let client = server.client().await;
        install(&client).await;
        measure(server.kubeconfig()).await
    });
    println!("over TLS, {MEMBERS} members       hub   kube-apiserver    ratio");
    let line = |name: &str, ours: f64, theirs: f64, ratio: f64| {
        println!("{name:<25} {ours:>9.1} {theirs:>16.1} {ratio:>8.1}");
    };
    line(
        "creates a second",
        ours.creates,
        theirs.creates,
        ours.creates / theirs.creates,
    );
    line(
        "list, milliseconds",
        ours.list_ms,
        theirs.list_ms,
        theirs.list_ms / ours.list_ms,
    );
    line(
        "watch events a second",
        ours.events,
        theirs.events,
        ours.events / theirs.events,
    );
}

fn memory(runtime: &tokio::runtime::Runtime) -> String {
    let hub = runtime.block_on(async {
        let hub = open(StoreKind::Memory).await;
        crate::fill(&hub, 10_000).await;
        hub
    });
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let resident = status.lines().find(|line| line.starts_with("VmRSS"));
    drop(hub);
    format!(
        "10,000 members: {}",
        resident.unwrap_or("not known on this system")
    )
}

async fn install(client: &kube::Client) {
    use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
    let api: Api<CustomResourceDefinition> = Api::all(client.clone());
    for definition in fleetdeck::api::crds::crds() {
        api.create(&PostParams::default(), &definition)
            .await
            .expect("defined");
    }
    let members: Api<FleetMember> = Api::all(client.clone());
    while members.list(&ListParams::default()).await.is_err() {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}

async fn measure(kubeconfig: &Kubeconfig) -> Figures {
    let options = KubeConfigOptions::default();
    let config = kube::Config::from_custom_kubeconfig(kubeconfig.clone(), &options).await;
    let client = kube::Client::try_from(config.expect("a config")).expect("a client");
    let api: Api<FleetMember> = Api::all(client.clone());
    let begin = Instant::now();
    let made = futures::stream::iter(0..MEMBERS).map(|number| {
        let api = api.clone();
        async move {
            api.create(&PostParams::default(), &member(number))
                .await
                .expect("created")
        }
    });
    made.buffer_unordered(32).for_each(|_| async {}).await;
    let creates = MEMBERS as f64 / begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    for _ in 0..5 {
        let request = http::Request::get("/apis/fleetdeck.io/v1alpha1/fleetmembers");
        let request = request.body(Vec::new()).expect("a request");
        client.request_text(request).await.expect("listed");
    }
    let list_ms = begin.elapsed().as_secs_f64() * 1000.0 / 5.0;
    Figures {
        creates,
        list_ms,
        events: fan_out(&client, &api).await,
    }
}

async fn fan_out(client: &kube::Client, api: &Api<FleetMember>) -> f64 {
    let list = api
        .list(&ListParams::default().limit(1))
        .await
        .expect("listed");
    let revision = list.metadata.resource_version.expect("a revision");
    let begin = Instant::now();
    let watchers: Vec<_> = (0..WATCHERS)
        .map(|_| {
            let path = format!(
                "/apis/fleetdeck.io/v1alpha1/fleetmembers?watch=1&resourceVersion={revision}"
            );
            let request = http::Request::get(path)
                .body(Vec::new())
                .expect("a request");
            let client = client.clone();
            tokio::spawn(async move {
                let lines = client
                    .request_stream(request)
                    .await
                    .expect("watched")
                    .lines();
                lines.take(CHANGES).count().await
            })
        })
        .collect();
    let changes = futures::stream::iter(0..CHANGES).map(|number| async move {
        let change = json!({"metadata": {"annotations": {"n": number.to_string()}}});
        let name = format!("member-{number:05}");
        api.patch(&name, &PatchParams::default(), &Patch::Merge(change))
            .await
            .expect("patched");
    });
    changes.buffer_unordered(16).for_each(|()| async {}).await;
    for watcher in watchers {
        assert_eq!(watcher.await.expect("a watcher"), CHANGES);
    }
    (WATCHERS * CHANGES) as f64 / begin.elapsed().as_secs_f64()
}
