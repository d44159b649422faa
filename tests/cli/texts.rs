//! What people read: help, tables, JSON, on a hub that nobody drives.

use super::program::{self, Hub, members, plain};

const STAGES: &str = include_str!("stages.json");

#[test]
fn help_of_every_command() {
    let mut text = String::new();
    for words in [
        "",
        "run",
        "run create",
        "run skip",
        "run wait",
        "gate",
        "gate approve",
        "strategy",
        "strategy import",
        "member",
        "apply",
        "get",
        "delete",
        "crds",
        "hub",
        "demo",
        "controller",
        "rehearse",
        "completion",
        "keys",
    ] {
        let words: Vec<&str> = words.split_whitespace().chain(["-h"]).collect();
        let help = program::run(&words).expect(0);
        text.push_str(&format!("$ fleetdeck {}\n{help}\n", words.join(" ")));
    }
    insta::assert_snapshot!("help", text);
}

#[test]
fn tables_of_an_imported_strategy_and_its_run() {
    let hub = Hub::in_folder();
    hub.apply(&members(&[
        ("m1", "one", "Succeed"),
        ("m2", "two", "Fail"),
        ("other", "elsewhere", "Succeed"),
    ]))
    .expect(0);
    let stages = hub.file("stages.json", STAGES).display().to_string();
    let mut text = String::new();
    for line in [
        &format!("strategy import {stages} --name az"),
        &format!("strategy import {stages} --name az"),
        "strategy show az",
        "member list",
        "member show m1",
        "get fm m1 -o name",
        "run create weekly --strategy az --kubernetes-version 1.33.4 --dry-run",
        "run create weekly --strategy az --kubernetes-version 1.33.4",
        "run list",
        "run show weekly",
        "gate list",
        "gate list --run weekly --all",
        "run delete weekly",
        "run list",
        "run list -o json",
    ] {
        let shown = line.replace(&stages, "stages.json");
        let done = hub.line(line).expect(0).replace(&stages, "stages.json");
        let done = done.replace(&hub.folder().display().to_string(), "@");
        text.push_str(&format!("$ fleetdeck {shown}\n{}\n", plain(&done)));
    }
    insta::assert_snapshot!("tables", text);
}

#[test]
fn json_is_the_object_itself() {
    let hub = Hub::in_folder();
    hub.apply(&members(&[("m1", "g", "Succeed")])).expect(0);
    let member = hub.line("get member m1 -o json").json();
    assert_eq!(member["kind"], "FleetMember");
    assert_eq!(member["apiVersion"], "fleetdeck.io/v1alpha1");
    assert_eq!(member["spec"]["group"], "g");
    assert!(member["metadata"].get("managedFields").is_none());
    let list = hub.line("member list -o json").json();
    assert_eq!(list["items"].as_array().unwrap().len(), 1);
    let run = hub
        .line("run create r --kubernetes-version 1.33.4 --start -o json")
        .json();
    assert_eq!(run["spec"]["state"], "Run");
    let lines = hub.line("get fm -o jsonl").expect(0);
    assert_eq!(lines.lines().count(), 1);
    let yaml = hub.line("get fm m1 -o yaml").expect(0);
    assert!(yaml.contains("kind: FleetMember"));
}

#[test]
fn applying_twice_changes_nothing_and_a_changed_file_changes_that() {
    let hub = Hub::in_folder();
    let one = members(&[("m1", "g", "Succeed")]);
    assert_eq!(hub.apply(&one).expect(0), "FleetMember m1 created\n");
    assert_eq!(hub.apply(&one).expect(0), "FleetMember m1 unchanged\n");
    let other = one.replace("group: g", "group: h");
    assert_eq!(hub.apply(&other).expect(0), "FleetMember m1 configured\n");
    // A file that has a fault anywhere writes nothing.
    let faulty =
        other.replace("group: h", "group: i") + &other.replace("kind: Fleet", "kind: Flat");
    let done = hub.apply(&faulty);
    assert_eq!(done.code, 1, "{done:#?}");
    assert!(
        done.err.contains("document 2, FlatMember/m1"),
        "{}",
        done.err
    );
    let member = hub.line("get fm m1 -o json").json();
    assert_eq!(member["spec"]["group"], "h");
}

#[test]
fn the_keys_in_force_are_printed() {
    let text = program::run(&["keys"]).expect(0);
    assert!(text.lines().any(|l| l.contains("gate.approve")), "{text}");
}
