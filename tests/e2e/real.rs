//! The controller on a real kube-apiserver.

use std::time::{Duration, Instant};

use fleetdeck::api::{
    FleetMember, FleetMemberSpec, Provider, Simulated, UpdateStrategy, UpdateStrategySpec,
};
use fleetdeck::clock::Clock;
use fleetdeck::controller::{self, DriverState, lead};
use kube::api::PostParams;
use kube::{Api, Client};

use crate::apiserver::{ApiServer, apiserver};

const PATIENCE: Duration = Duration::from_secs(20);

/// There is one lease on the server, and one test at a time that has to do with it.
static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

async fn hub(server: &ApiServer) -> Client {
    let client = server.client().await;
    fleetdeck::hub::kinds::install(&client).await.unwrap();
    client
}

fn controller(client: &Client, identity: &str) -> controller::Controller {
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn members_and_strategies_get_their_status() {
    let Some(server) = apiserver() else { return };
    let _alone = ALONE.lock().await;
    let client = hub(server).await;
    let controller = controller(&client, "one");
    let members: Api<FleetMember> = Api::all(client.clone());
    let simulated = Simulated {
        kubernetes_version: "1.32.1".to_owned(),
        ..Simulated::default()
    };
    let spec = FleetMemberSpec {
        region: Some("westeurope".to_owned()),
        provider: Provider {
            simulated: Some(simulated),
        },
        ..FleetMemberSpec::default()
    };
    let member = FleetMember::new("status-1", spec);
    members
        .create(&PostParams::default(), &member)
        .await
        .unwrap();
    eventually("the member is Ready and labelled", async || {
        let member = members.get("status-1").await.unwrap();
        let status = member.status?;
        let labels = member.metadata.labels?;
        (status.state == "Ready"
            && status.kubernetes_version == "1.32.1"
            && labels.get("fleet.azure.com/location")? == "westeurope")
            .then_some(())
    })
    .await;
    let strategies: Api<UpdateStrategy> = Api::all(client.clone());
    let spec: UpdateStrategySpec = serde_json::from_value(serde_json::json!({
        "stages": [{"name": "a", "groups": [{"name": "g1"}, {"name": "g2"}]},
                   {"name": "b", "memberSelector": {"byLabel": "env=prod"}}]
    }))
    .unwrap();
    strategies
        .create(&PostParams::default(), &UpdateStrategy::new("status", spec))
        .await
        .unwrap();
    eventually("the strategy is counted and Valid", async || {
        let status = strategies.get("status").await.unwrap().status?;
        let valid = status
            .conditions
            .iter()
            .any(|c| c.type_ == "Valid" && c.status == "True");
        (status.stage_count == 2 && status.group_count == 3 && valid).then_some(())
    })
    .await;
    controller.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_standby_takes_over_from_a_dead_leader_and_from_one_that_leaves() {
    let Some(server) = apiserver() else { return };
    let _alone = ALONE.lock().await;
    let client = hub(server).await;
    let first = controller(&client, "first");
    eventually("the first leads", async || leads(&first)).await;
    let second = controller(&client, "second");
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
    let third = controller(&client, "third");
    eventually("the third knows who leads", async || {
        let holder = "second".to_owned();
        (*third.status.borrow() == DriverState::Standby { holder }).then_some(())
    })
    .await;
    let left = Instant::now();
    second.stop().await;
    eventually("the third leads", async || leads(&third)).await;
    assert!(
        left.elapsed() < settings.lease_duration,
        "a lease handed over is taken without waiting for its end"
    );
    third.stop().await;
}

fn leads(controller: &controller::Controller) -> Option<()> {
    matches!(*controller.status.borrow(), DriverState::Leading { .. }).then_some(())
}
