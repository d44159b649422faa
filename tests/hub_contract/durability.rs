//! A hub in a directory: what is acknowledged survives a kill, a directory has one hub.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use fleetdeck::clock::Clock;
use fleetdeck::embedded::{Error, Hub, Options, StoreKind};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, ListParams, PostParams};
use serde_json::json;

/// Set in the process that is going to be killed.
const VICTIM: &str = "FLEETDECK_TEST_VICTIM_DIR";

async fn open(dir: &Path) -> Result<Hub, Error> {
    Hub::open(Options {
        store: StoreKind::Dir(dir.to_owned()),
        clock: Clock::system(),
        seed: None,
    })
    .await
}

fn map(name: &str) -> ConfigMap {
    serde_json::from_value(json!({"metadata": {"name": name}, "data": {"k": "v".repeat(500)}}))
        .unwrap()
}

/// Writes until it is killed, and prints each name and revision once it is acknowledged.
#[tokio::test(flavor = "multi_thread")]
async fn victim() {
    let Some(dir) = std::env::var_os(VICTIM) else {
        return;
    };
    let hub = open(Path::new(&dir)).await.unwrap();
    let client = hub.client();
    let writers = (0..8).map(|writer| {
        let api: Api<ConfigMap> = Api::namespaced(client.clone(), "default");
        tokio::spawn(async move {
            for number in 0.. {
                let name = format!("w{writer}-{}-{number}", std::process::id());
                let made = api
                    .create(&PostParams::default(), &map(&name))
                    .await
                    .unwrap();
                println!("ack {name} {}", made.metadata.resource_version.unwrap());
            }
        })
    });
    futures::future::join_all(writers).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_acknowledged_write_survives_a_kill() {
    let dir = tempfile::tempdir().unwrap();
    let mut acknowledged: Vec<(String, String)> = Vec::new();
    for round in 0..3 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "durability::victim", "--nocapture"])
            .env(VICTIM, dir.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let enough = 150 + 70 * round;
        let mut killed = false;
        let mut seen = 0;
        // What is in the pipe when it dies was acknowledged too.
        for line in out.lines().map_while(Result::ok) {
            let Some(line) = line.split("ack ").nth(1) else {
                continue;
            };
            let Some((name, revision)) = line.split_once(' ') else {
                continue;
            };
            acknowledged.push((name.to_owned(), revision.to_owned()));
            seen += 1;
            if seen == enough && !killed {
                child.kill().unwrap();
                killed = true;
            }
        }
        child.wait().unwrap();
        assert!(killed, "the victim ended by itself");
    }
    let hub = open(dir.path()).await.unwrap();
    let api: Api<ConfigMap> = Api::namespaced(hub.client(), "default");
    let list = api.list(&ListParams::default()).await.unwrap();
    let newest: u64 = list.metadata.resource_version.unwrap().parse().unwrap();
    for (name, revision) in acknowledged {
        let object = list
            .items
            .iter()
            .find(|o| o.metadata.name.as_ref() == Some(&name));
        let object = object.unwrap_or_else(|| panic!("{name} is lost"));
        // A line cut short by the kill still begins the right revision.
        assert!(
            object
                .metadata
                .resource_version
                .as_ref()
                .unwrap()
                .starts_with(&revision)
        );
        assert!(revision.parse::<u64>().unwrap() <= newest);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hub_that_is_closed_opens_again_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let hub = open(dir.path()).await.unwrap();
    let api: Api<ConfigMap> = Api::namespaced(hub.client(), "default");
    let made = api
        .create(&PostParams::default(), &map("kept"))
        .await
        .unwrap();
    let serving = hub.serve("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let before = serde_json::to_value(&serving.kubeconfig).unwrap();
    serving.shutdown().await;
    drop(api);
    hub.close().await;
    let hub = open(dir.path()).await.unwrap();
    let api: Api<ConfigMap> = Api::namespaced(hub.client(), "default");
    assert_eq!(api.get("kept").await.unwrap(), made);
    let next = api
        .create(&PostParams::default(), &map("next"))
        .await
        .unwrap();
    let number = |map: &ConfigMap| {
        map.metadata
            .resource_version
            .as_ref()
            .unwrap()
            .parse::<u64>()
            .unwrap()
    };
    assert!(number(&next) > number(&made));
    let serving = hub.serve("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let after = serde_json::to_value(&serving.kubeconfig).unwrap();
    assert_eq!(before["users"], after["users"]);
    let authority = "/clusters/0/cluster/certificate-authority-data";
    assert_eq!(before.pointer(authority), after.pointer(authority));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_directory_has_one_hub() {
    let dir = tempfile::tempdir().unwrap();
    let _first = open(dir.path()).await.unwrap();
    let second = open(dir.path()).await.err().unwrap();
    assert!(matches!(second, Error::InUse { .. }));
    let text = second.to_string();
    assert!(
        text.contains("is in use by another process: stop it"),
        "{text}"
    );
}
