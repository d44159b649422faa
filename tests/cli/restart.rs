//! A folder's hub that is opened again.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::program::{Hub, command};

const MEMBER: &str = "apiVersion: fleetdeck.io/v1alpha1\nkind: FleetMember\nmetadata: {name: NAME}\n\
    spec: {group: g, provider: {simulated: {kubernetesVersion: 1.33.4}}}\n";

/// A hub process on the folder, and the lines that it printed before it served.
fn serve(folder: &Path, words: &[&str], lines: usize) -> (Child, Vec<String>) {
    let mut child = command()
        .arg("--data-dir")
        .arg(folder)
        .arg("hub")
        .args(words)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let printed = BufReader::new(child.stdout.take().unwrap()).lines();
    let printed = printed.take(lines).map(Result::unwrap).collect();
    (child, printed)
}

fn created(hub: &Hub, name: &str) -> String {
    let file = hub.file("m.yaml", &MEMBER.replace("NAME", name));
    hub.run(&["apply", "-f", file.to_str().unwrap()]).expect(0);
    let member: Value = hub.line(&format!("get member {name} -o json")).json();
    member["metadata"]["creationTimestamp"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn the_time_of_a_fast_hub_goes_on_after_a_kill_at_whatever_speed() {
    let hub = Hub::in_folder();
    let fast = ["--speed", "1000000", "--no-controller"];
    let (mut process, _) = serve(hub.folder(), &fast, 2);
    let first = created(&hub, "a");
    process.kill().unwrap();
    process.wait().unwrap();

    // Opened by a command, and then served at the pace of the machine.
    let done = hub.line("member list");
    assert_eq!(done.code, 0, "{done:#?}");
    assert!(done.err.contains("ahead of the machine's"), "{done:#?}");
    let (mut process, lines) = serve(hub.folder(), &["--no-controller"], 3);
    assert!(lines[2].starts_with("This hub's time is "), "{lines:?}");
    let second = created(&hub, "b");
    process.kill().unwrap();
    process.wait().unwrap();
    assert!(second >= first, "{second} is before {first}");
}

#[test]
fn nobody_waits_for_a_hub_that_nobody_drives() {
    let hub = Hub::in_folder();
    created(&hub, "a");
    hub.line("run create w --kubernetes-version 1.33.4 --start")
        .expect(0);
    for line in ["run wait w --timeout 60s", "run watch w"] {
        let done = hub.line(line);
        assert_eq!(done.code, 1, "{done:#?}");
        assert!(done.err.contains("nobody drives the runs of"), "{done:#?}");
        assert!(done.err.contains("fleetdeck hub --data-dir"), "{done:#?}");
    }
    // Somebody else may come to drive a hub that is served: that is waited for.
    let (mut process, _) = serve(hub.folder(), &["--no-controller"], 2);
    let done = hub.line("run wait w --timeout 1s");
    process.kill().unwrap();
    process.wait().unwrap();
    assert_eq!(done.code, 7, "{done:#?}");
    assert!(done.err.contains("the time is over after 1s"), "{done:#?}");
}

#[test]
fn a_folder_that_is_open_and_not_served_is_called_so() {
    let hub = Hub::in_folder();
    let folder = hub.folder().to_owned();
    // A hub that was killed leaves its kubeconfig.
    let (mut process, _) = serve(&folder, &["--no-controller"], 2);
    process.kill().unwrap();
    process.wait().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let opened = runtime.block_on(fleetdeck::embedded::Hub::open(
        fleetdeck::embedded::Options {
            store: fleetdeck::embedded::StoreKind::Dir(folder),
            clock: fleetdeck::clock::Clock::system(),
            seed: None,
        },
    ));
    let opened = opened.unwrap();
    let done = hub.line("run list");
    assert_eq!(done.code, 9, "{done:#?}");
    assert!(done.err.contains("serves no hub there"), "{done:#?}");
    runtime.block_on(opened.close());
    hub.line("run list").expect(0);
}
