//! The controller on the embedded hub and on a real kube-apiserver: the same tests, since nothing
//! in the program may tell the two apart.

use std::time::{Duration, Instant};

use fleetdeck::api::{FleetMember, Gate, MemberUpdate, State, UpdateRun, UpdateStrategy};
use fleetdeck::clock::Clock;
use fleetdeck::controller::{self, Controller, DriverState, lead};
use fleetdeck::embedded::{Hub, Options, StoreKind};
use futures::StreamExt;
use k8s_openapi::api::events::v1::Event;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client, ResourceExt};
use serde_json::json;

use crate::apiserver::apiserver;

const PATIENCE: Duration = Duration::from_secs(30);

/// There is one lease on the server, and one test at a time that has to do with it.
static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

async fn embedded() -> Client {
    let hub = Hub::open(Options {
        store: StoreKind::Memory,
        clock: Clock::system(),
        seed: None,
    })
    .await
    .unwrap();
    hub.client()
}

/// Makes two tests of a body that takes a client: one a hub.
macro_rules! on_both_hubs {
    ($($name:ident),* $(,)?) => {
        mod on_embedded {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name(&super::embedded().await).await;
            })*
        }
        mod on_kube_apiserver {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let Some(server) = super::apiserver() else { return };
                let _alone = super::ALONE.lock().await;
                let client = server.client().await;
                fleetdeck::hub::kinds::install(&client).await.unwrap();
                super::$name(&client).await;
            })*
        }
    };
}

on_both_hubs!(
    members_and_strategies_get_their_status,
    a_label_that_cannot_be_is_left_out_and_told_once,
    a_standby_takes_over_from_a_dead_leader_and_from_one_that_leaves,
    a_run_goes_to_its_end_with_its_gates_and_events,
    a_run_survives_its_controller,
    a_gate_that_goes_with_its_run_is_told,
    the_next_member_starts_soon_after_one_has_ended,
);

fn controller(client: &Client, identity: &str) -> Controller {
    controller::start(controller::Options {
        client: client.clone(),
        clock: Clock::system(),
        identity: identity.to_owned(),
        lease: lead::Settings::fast(),
    })
}

async fn eventually<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(
            begun.elapsed() < PATIENCE,
            "not within {PATIENCE:?}: {what}"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn api<K>(client: &Client) -> Api<K>
where
    K: kube::Resource<DynamicType = (), Scope = kube::core::ClusterResourceScope>,
{
    Api::all(client.clone())
}

async fn create<K>(client: &Client, object: serde_json::Value)
where
    K: kube::Resource<DynamicType = (), Scope = kube::core::ClusterResourceScope>
        + Clone
        + std::fmt::Debug
        + serde::Serialize
        + serde::de::DeserializeOwned,
{
    let object: K = serde_json::from_value(object).unwrap();
    api::<K>(client)
        .create(&PostParams::default(), &object)
        .await
        .unwrap();
}

async fn members(client: &Client, group: &str, many: usize) {
    for number in 1..=many {
        let member = json!({
            "apiVersion": "fleetdeck.io/v1alpha1", "kind": "FleetMember",
            "metadata": {"name": format!("{group}-{number}")},
            "spec": {"group": group, "region": "westeurope", "provider": {"simulated": {
                "kubernetesVersion": "1.32.1", "upgradeDuration": "1s"}}},
        });
        create::<FleetMember>(client, member).await;
    }
}

async fn run(client: &Client, name: &str, stages: serde_json::Value) {
    let run = json!({
        "apiVersion": "fleetdeck.io/v1alpha1", "kind": "UpdateRun", "metadata": {"name": name},
        "spec": {"upgrade": {"type": "ControlPlaneOnly", "kubernetesVersion": "1.33.0"},
                 "state": "Run", "strategy": {"stages": stages}},
    });
    create::<UpdateRun>(client, run).await;
}

async fn state(client: &Client, run: &str) -> Option<State> {
    let run = api::<UpdateRun>(client).get(run).await.unwrap();
    run.status.map(|status| status.state)
}

async fn completed(client: &Client, run: &str) {
    eventually(&format!("{run} is Completed"), async || {
        (state(client, run).await == Some(State::Completed)).then_some(())
    })
    .await;
}

async fn once_each(client: &Client, group: &str, many: usize) {
    for number in 1..=many {
        let member = api::<FleetMember>(client)
            .get(&format!("{group}-{number}"))
            .await
            .unwrap();
        let status = member.status.unwrap();
        assert_eq!(status.operation_count, 1, "{group}-{number}");
        assert_eq!(status.kubernetes_version, "1.33.0", "{group}-{number}");
    }
}

fn leads(controller: &Controller) -> Option<()> {
    matches!(*controller.status.borrow(), DriverState::Leading { .. }).then_some(())
}

async fn members_and_strategies_get_their_status(client: &Client) {
    let controller = controller(client, "one");
    members(client, "status", 1).await;
    eventually("the member is Ready and labelled", async || {
        let member = api::<FleetMember>(client).get("status-1").await.unwrap();
        let status = member.status?;
        let labels = member.metadata.labels?;
        (status.state == "Ready"
            && status.kubernetes_version == "1.32.1"
            && labels.get("fleet.azure.com/location")? == "westeurope")
            .then_some(())
    })
    .await;
    let strategy = json!({
        "apiVersion": "fleetdeck.io/v1alpha1", "kind": "UpdateStrategy",
        "metadata": {"name": "status"},
        "spec": {"stages": [{"name": "a", "groups": [{"name": "g1"}, {"name": "g2"}]},
                            {"name": "b", "memberSelector": {"byLabel": "env=prod"}}]},
    });
    create::<UpdateStrategy>(client, strategy).await;
    eventually("the strategy is counted and Valid", async || {
        let strategy = api::<UpdateStrategy>(client).get("status").await.unwrap();
        let status = strategy.status?;
        let valid = |c: &&_| -> bool {
            let c: &k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition = c;
            c.type_ == "Valid" && c.status == "True"
        };
        let valid = status.conditions.iter().find(valid).is_some();
        (status.stage_count == 2 && status.group_count == 3 && valid).then_some(())
    })
    .await;
    controller.stop().await;
}

async fn a_label_that_cannot_be_is_left_out_and_told_once(client: &Client) {
    let controller = controller(client, "one");
    let members: Api<FleetMember> = Api::all(client.clone());
    let name = "spaced";
    let member = json!({
        "apiVersion": "fleetdeck.io/v1alpha1",
        "kind": "FleetMember",
        "metadata": {"name": name},
        "spec": {"region": "West Europe", "provider": {"simulated": {"kubernetesVersion": "1.33.4"}}},
    });
    let member = serde_json::from_value(member).unwrap();
    members
        .create(&PostParams::default(), &member)
        .await
        .unwrap();
    let labeled = |m: &FleetMember, status: &str| {
        let conditions = &m.status.as_ref()?.conditions;
        let found = conditions.iter().find(|c| c.type_ == "Labeled")?;
        (found.status == status).then(|| found.message.clone())
    };
    let key = "fleet.azure.com/member-name";
    let (member, message) = eventually("the other labels", async || {
        let member = members.get(name).await.unwrap();
        let message = labeled(&member, "False")?;
        member
            .labels()
            .contains_key(key)
            .then_some((member, message))
    })
    .await;
    assert!(
        message.contains("location cannot be \"West Europe\""),
        "{message}"
    );
    assert!(!member.labels().contains_key("fleet.azure.com/location"));
    // Another change of the member says nothing new.
    let patch = |region| Patch::Merge(json!({"spec": {"region": region, "group": "g"}}));
    for region in ["West Europe", "westeurope"] {
        let patch = patch(region);
        let params = PatchParams::default();
        members.patch(name, &params, &patch).await.unwrap();
    }
    eventually("all labels", async || {
        let member = members.get(name).await.unwrap();
        let location = member.labels().get("fleet.azure.com/location").cloned();
        labeled(&member, "True")?;
        (location.as_deref() == Some("westeurope")).then_some(())
    })
    .await;
    controller.stop().await;
    let events: Api<Event> = Api::namespaced(client.clone(), "default");
    let told = eventually("an event", async || {
        let events = events.list(&ListParams::default()).await.unwrap();
        let of_us = |e: &&Event| {
            let regarding = e.regarding.as_ref().and_then(|r| r.uid.clone());
            regarding == member.uid() && e.reason.as_deref() == Some("LabelLeftOut")
        };
        Some(events.iter().filter(of_us).count()).filter(|told| *told > 0)
    })
    .await;
    assert_eq!(told, 1);
    members
        .delete(name, &DeleteParams::default())
        .await
        .unwrap();
}

async fn a_standby_takes_over_from_a_dead_leader_and_from_one_that_leaves(client: &Client) {
    let first = controller(client, "first");
    eventually("the first leads", async || leads(&first)).await;
    let second = controller(client, "second");
    eventually("the second knows who leads", async || {
        let holder = "first".to_owned();
        (*second.status.borrow() == DriverState::Standby { holder }).then_some(())
    })
    .await;
    let killed = Instant::now();
    first.abort();
    eventually("the second leads", async || leads(&second)).await;
    let took = killed.elapsed();
    let settings = lead::Settings::fast();
    assert!(
        took >= settings.lease_duration - settings.renew,
        "a lease that still held was taken after {took:?}"
    );
    let third = controller(client, "third");
    eventually("the third knows who leads", async || {
        let holder = "second".to_owned();
        (*third.status.borrow() == DriverState::Standby { holder }).then_some(())
    })
    .await;
    second.stop().await;
    let lease: Api<k8s_openapi::api::coordination::v1::Lease> =
        Api::namespaced(client.clone(), lead::NAMESPACE);
    let holder = lease
        .get(lead::LEASE)
        .await
        .unwrap()
        .spec
        .unwrap()
        .holder_identity;
    let holder = holder.unwrap_or_default();
    assert!(
        holder.is_empty() || holder == "third",
        "a leader that leaves hands its lease over, but {holder} has it"
    );
    eventually("the third leads", async || leads(&third)).await;
    third.stop().await;
}

async fn a_run_goes_to_its_end_with_its_gates_and_events(client: &Client) {
    let controller = controller(client, "one");
    members(client, "gated", 3).await;
    let stages = json!([{"name": "s", "beforeGates": [{"displayName": "Go", "type": "Approval"}],
                         "groups": [{"name": "gated", "maxConcurrency": "2"}]}]);
    run(client, "gated", stages).await;
    let gate = eventually("the gate is there", async || {
        let gates = api::<Gate>(client)
            .list(&ListParams::default())
            .await
            .unwrap();
        gates
            .into_iter()
            .find(|gate| gate.spec.run == "gated" && gate.status.is_some())
    })
    .await;
    assert_eq!(gate.labels()["fleetdeck.io/stage"], "s");
    assert_eq!(gate.owner_references()[0].name, "gated");
    let approve = Patch::Merge(json!({"spec": {"state": "Completed", "completedBy": "ana"}}));
    api::<Gate>(client)
        .patch(&gate.name_any(), &PatchParams::default(), &approve)
        .await
        .unwrap();
    completed(client, "gated").await;
    once_each(client, "gated", 3).await;
    let update = api::<MemberUpdate>(client)
        .get("gated.gated-2")
        .await
        .unwrap();
    assert_eq!(update.labels()["fleetdeck.io/member"], "gated-2");
    assert_eq!(update.status.unwrap().attempt, 1);
    let gate = api::<Gate>(client).get(&gate.name_any()).await.unwrap();
    assert_eq!(gate.status.unwrap().completed_by.as_deref(), Some("ana"));
    controller.stop().await;
    let events: Api<Event> = Api::namespaced(client.clone(), "default");
    let events = events.list(&ListParams::default()).await.unwrap();
    let told = |kind: &str, name: &str, reason: &str| {
        events.iter().any(|event| {
            let regarding = event.regarding.clone().unwrap_or_default();
            regarding.kind.as_deref() == Some(kind)
                && regarding.name.as_deref() == Some(name)
                && regarding.uid.is_some()
                && event.reason.as_deref() == Some(reason)
        })
    };
    assert!(told(
        "Gate",
        &gate.metadata.name.clone().unwrap(),
        "FleetGateCreated"
    ));
    assert!(told(
        "Gate",
        &gate.metadata.name.unwrap(),
        "FleetGateUpdated"
    ));
    let of_run: Vec<_> = events
        .iter()
        .filter(|e| e.regarding.as_ref().and_then(|r| r.name.as_deref()) == Some("gated"))
        .filter_map(|e| e.reason.clone())
        .collect();
    assert!(!of_run.is_empty(), "nothing is told of the run itself");
}

/// A kube-apiserver alone collects nothing, so the gate is deleted here as its collector would.
async fn a_gate_that_goes_with_its_run_is_told(client: &Client) {
    let controller = controller(client, "one");
    members(client, "goes", 1).await;
    let stages = json!([{"name": "s", "groups": [
        {"name": "goes", "beforeGates": [{"displayName": "Never", "type": "Approval"}]}]}]);
    run(client, "goes", stages).await;
    let gate = eventually("the gate is there", async || {
        let gates = api::<Gate>(client)
            .list(&ListParams::default())
            .await
            .unwrap();
        gates
            .into_iter()
            .find(|gate| gate.spec.run == "goes" && gate.status.is_some())
    })
    .await;
    let delete = DeleteParams::default();
    api::<UpdateRun>(client)
        .delete("goes", &delete)
        .await
        .unwrap();
    let _ = api::<Gate>(client).delete(&gate.name_any(), &delete).await;
    let events: Api<Event> = Api::namespaced(client.clone(), "default");
    eventually("the deletion is told", async || {
        let events = events.list(&ListParams::default()).await.unwrap();
        let told = |event: &&Event| {
            event.reason.as_deref() == Some("FleetGateDeleted")
                && event.regarding.as_ref().and_then(|r| r.name.clone()) == gate.metadata.name
        };
        let event = events.iter().find(told)?;
        event.note.as_deref()?.contains("Never").then_some(())
    })
    .await;
    controller.stop().await;
}

async fn a_run_survives_its_controller(client: &Client) {
    let first = controller(client, "first");
    members(client, "outlive", 8).await;
    let stages = json!([{"name": "s", "groups": [{"name": "outlive", "maxConcurrency": "3"}]}]);
    run(client, "outlive", stages).await;
    eventually("two members are done", async || {
        let run = api::<UpdateRun>(client).get("outlive").await.unwrap();
        (run.status?.counts.completed >= 2).then_some(())
    })
    .await;
    let second = controller(client, "second");
    first.abort();
    completed(client, "outlive").await;
    once_each(client, "outlive", 8).await;
    second.stop().await;
}

/// Prints how long it takes; what a loaded machine needs for it proves nothing.
async fn the_next_member_starts_soon_after_one_has_ended(client: &Client) {
    let controller = controller(client, "one");
    members(client, "soon", 5).await;
    eventually("the members are Ready", async || {
        let all = api::<FleetMember>(client)
            .list(&ListParams::default())
            .await
            .unwrap();
        let ready = |m: &FleetMember| m.status.as_ref().is_some_and(|s| s.state == "Ready");
        all.iter()
            .filter(|m| m.name_any().starts_with("soon-"))
            .all(ready)
            .then_some(())
    })
    .await;
    let events = watcher(api::<FleetMember>(client), watcher::Config::default()).applied_objects();
    let mut events = Box::pin(events);
    run(
        client,
        "soon",
        json!([{"name": "s", "groups": [{"name": "soon"}]}]),
    )
    .await;
    let (mut ended, mut waits) = (None, Vec::new());
    while waits.len() < 4 {
        let next = tokio::time::timeout(PATIENCE, events.next()).await.unwrap();
        let member = next.unwrap().unwrap();
        let status = member.status.clone().unwrap_or_default();
        if !member.name_any().starts_with("soon-") {
            continue;
        }
        if status.operation.is_some() {
            if let Some(ended) = ended.take() {
                waits.push(Instant::now().duration_since(ended));
            }
        } else if status.last_operation.is_some() {
            ended = Some(Instant::now());
        }
    }
    println!("from one member's end to the next one's start: {waits:?}");
    completed(client, "soon").await;
    controller.stop().await;
}
