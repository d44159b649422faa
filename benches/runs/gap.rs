//! From one member's end to the next one's start, at speed 1, members one by one.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use fleetdeck::api::{FleetMember, UpdateRun, crds};
use fleetdeck::clock::Clock;
use fleetdeck::controller::{self, lead};
use fleetdeck::embedded::{Hub, Options, StoreKind};
use futures::{StreamExt, TryStreamExt};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use kube::{Api, Client, ResourceExt};
use serde_json::json;

use super::Result;
use super::goals::Goals;

const MEMBERS: usize = 12;

/// On an embedded hub on disk, as `fleetdeck hub --data-dir` has it.
pub async fn embedded(goals: &mut Goals) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let store = StoreKind::Dir(folder.path().to_owned());
    let hub = Hub::open(Options {
        store,
        clock: Clock::system(),
        seed: None,
    })
    .await?;
    measure("embedded hub", hub.client(), goals).await?;
    hub.close().await;
    Ok(())
}

/// On the hub behind `client`.
pub async fn measure(name: &str, client: Client, goals: &mut Goals) -> Result<()> {
    install(&client).await?;
    let fleet: Api<FleetMember> = Api::all(client.clone());
    for n in 0..MEMBERS {
        let object = json!({
            "apiVersion": "fleetdeck.io/v1alpha1", "kind": "FleetMember",
            "metadata": {"name": format!("gap-{n:02}")},
            "spec": {"provider": {"simulated": {
                "kubernetesVersion": "1.33.4", "upgradeDuration": "1s"}}},
        });
        fleet
            .create(&PostParams::default(), &serde_json::from_value(object)?)
            .await?;
    }
    let controller = controller::start(controller::Options {
        client: client.clone(),
        clock: Clock::system(),
        identity: "bench".into(),
        lease: lead::Settings::fast(),
    });
    let run = json!({
        "apiVersion": "fleetdeck.io/v1alpha1", "kind": "UpdateRun", "metadata": {"name": "gap"},
        "spec": {"state": "Run", "upgrade": {"type": "Full", "kubernetesVersion": "1.34.1"}},
    });
    let version = fleet
        .list(&Default::default())
        .await?
        .metadata
        .resource_version
        .unwrap_or_default();
    let runs: Api<UpdateRun> = Api::all(client);
    runs.create(&PostParams::default(), &serde_json::from_value(run)?)
        .await?;
    let watching = watch(&fleet, &version);
    let (started, ended) = tokio::time::timeout(Duration::from_secs(120), watching).await??;
    controller.stop().await;

    let names: Vec<&String> = started.keys().collect();
    let mut gaps: Vec<f64> = names
        .windows(2)
        .filter_map(|pair| match pair {
            [before, after] => Some((*ended.get(*before)?, *started.get(*after)?)),
            _ => None,
        })
        .map(|(end, start)| start.saturating_duration_since(end).as_secs_f64() * 1000.0)
        .collect();
    let what = format!("end to next start, {name}");
    goals.median(&what, &mut gaps, "ms", Some(50.0));
    Ok(())
}

async fn install(client: &Client) -> Result<()> {
    let api: Api<CustomResourceDefinition> = Api::all(client.clone());
    for crd in crds::crds() {
        if api.get_opt(&crd.name_any()).await?.is_none() {
            api.patch(
                &crd.name_any(),
                &PatchParams::apply("bench"),
                &Patch::Apply(&crd),
            )
            .await?;
        }
    }
    // A real server serves a new kind a moment after it has taken the definition.
    tokio::time::sleep(Duration::from_secs(2)).await;
    Ok(())
}

type Instants = BTreeMap<String, Instant>;

/// When each member was first seen in flight, and at its end.
async fn watch(fleet: &Api<FleetMember>, version: &str) -> Result<(Instants, Instants)> {
    let (mut started, mut ended) = (Instants::new(), Instants::new());
    let mut stream = fleet.watch(&WatchParams::default(), version).await?.boxed();
    while let Some(event) = stream.try_next().await? {
        let (WatchEvent::Added(member) | WatchEvent::Modified(member)) = event else {
            continue;
        };
        let now = Instant::now();
        let status = member.status.clone().unwrap_or_default();
        if status.operation.is_some() {
            started.entry(member.name_any()).or_insert(now);
        }
        if status.last_operation.is_some() {
            ended.entry(member.name_any()).or_insert(now);
        }
        if ended.len() == MEMBERS {
            break;
        }
    }
    Ok((started, ended))
}
