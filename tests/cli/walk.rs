//! A whole update by command line: import, create, start, gates, a failure, a skip, a stop, a resume.

use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};
use kube::Api;
use kube::api::PostParams;
use serde_json::json;

use super::apiserver;
use super::program::{Hub, members};

const STAGES: &str = r#"{"stages": [
  {"name": "canary", "maxConcurrency": "2", "groups": [{"name": "a", "maxConcurrency": "2"}],
   "beforeGates": [{"displayName": "go"}]},
  {"name": "prod", "maxAllowedFailures": "1",
   "groups": [{"name": "b", "maxAllowedFailures": "1"},
              {"name": "c", "beforeGates": [{"displayName": "us", "type": "Approval"}]}]}
]}"#;

/// The walk; `tag` keeps its objects apart from those of other tests on the same server.
fn walk(hub: &Hub, tag: &str) {
    let of = |text: &str| text.replace('@', tag);
    let line = |text: &str| hub.line(&of(text));
    let groups = [
        ("a1", "a"),
        ("a2", "a"),
        ("b1", "b"),
        ("b2", "b"),
        ("c1", "c"),
        ("c2", "c"),
    ];
    let named: Vec<(String, String)> = groups
        .iter()
        .map(|(m, g)| (format!("{tag}{m}"), format!("{tag}{g}")))
        .collect();
    let of_fleet: Vec<(&str, &str, &str)> = named
        .iter()
        .map(|(m, g)| {
            (
                m.as_str(),
                g.as_str(),
                if m.ends_with("b2") { "Fail" } else { "Succeed" },
            )
        })
        .collect();
    hub.apply(&members(&of_fleet)).expect(0);
    let mut stages = STAGES.to_owned();
    for group in ["a", "b", "c"] {
        stages = stages.replace(
            &format!("{{\"name\": \"{group}\""),
            &format!("{{\"name\": \"{tag}{group}\""),
        );
    }
    let file = hub.file("stages.json", &stages).display().to_string();
    line(&format!("strategy import {file} --name @rings")).expect(0);
    line("run create @run --strategy @rings --kubernetes-version 1.33.4").expect(0);
    line("run start @run").expect(0);

    // At the first gate.
    line("run wait @run --until gate --timeout 60s").expect(6);
    let refused = line("run start @run");
    assert_eq!(refused.code, 1, "{refused:#?}");
    assert!(
        refused.err.contains("[InvalidOperation]"),
        "{}",
        refused.err
    );
    let gates = line("gate list --run @run -o json").json();
    assert_eq!(gates["items"][0]["spec"]["displayName"], "go");
    let shown = line("run show @run").expect(0);
    assert!(shown.contains("GateOpen"), "{shown}");

    // Stop and go on while it waits; the gate stays as it is.
    line("run stop @run").expect(0);
    line("run wait @run --until stopped --timeout 60s").expect(5);
    line("run resume @run").expect(0);
    line("run wait @run --until gate --timeout 60s").expect(6);
    line("run skip @run Member:@c2 --comment not-this-one").expect(0);

    let approved = line(
        "--as kim gate approve --run @run --stage canary --timing before --comment fine -o json",
    );
    let approved = approved.json();
    assert_eq!(approved["spec"]["state"], "Completed");
    assert_eq!(approved["spec"]["completedBy"], "kim");
    let name = approved["metadata"]["name"].as_str().unwrap();
    let again = line(&format!("gate approve {name}"));
    assert_eq!(again.code, 1);
    assert!(again.err.contains("[GateNotPending]"), "{}", again.err);

    // The gate before the last group, once everything else is done.
    line("run wait @run --until gate --timeout 60s").expect(6);
    line("gate approve --run @run --stage prod --group @c --name us").expect(0);
    line("run wait @run --until completed --timeout 60s").expect(3);

    let run = line("get run @run -o json").json();
    assert_eq!(run["status"]["state"], "Completed");
    assert_eq!(run["status"]["failureCount"], 1);
    let counts = &run["status"]["counts"];
    assert_eq!(
        (counts["completed"].as_i64(), counts["skipped"].as_i64()),
        (Some(4), Some(1))
    );
    let list = line("run list").expect(0);
    assert!(list.contains("Completed with failures"), "{list}");
    // A run that has ended is told at once.
    line("run watch @run").expect(3);
    let refused = line("run skip @run Member:@a1");
    assert!(
        refused.err.contains("[InvalidOperation]"),
        "{}",
        refused.err
    );
    line("run delete @run").expect(0);
    assert_eq!(line("run show @run").code, 1);
}

#[test]
fn on_the_embedded_hub() {
    walk(&Hub::served(), "e");
}

#[test]
fn on_a_real_apiserver() {
    let Some(server) = apiserver::apiserver() else {
        return;
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    // Nobody has more rights than the shipped roles give.
    let users = [
        ("kim", "fleetdeck-approver"),
        ("driver", "fleetdeck-controller"),
    ];
    runtime.block_on(async { bind(server.client().await, &users).await });
    let kubeconfig = serde_json::to_string(server.kubeconfig()).unwrap();
    let hub = Hub::real(&kubeconfig, "driver");
    walk(&hub, "r");
    // Who may approve gates may do nothing else.
    let denied = hub.line("--as kim run list");
    assert_eq!(denied.code, 8, "{denied:#?}");
    assert!(denied.err.contains("[Forbidden]"), "{}", denied.err);
}

/// Gives users the rights of the shipped roles, each the one it needs.
async fn bind(client: kube::Client, users: &[(&str, &str)]) {
    let file = include_str!("../../assets/rbac.yaml");
    let roles: Api<ClusterRole> = Api::all(client.clone());
    let bindings: Api<ClusterRoleBinding> = Api::all(client);
    let params = PostParams::default();
    for role in serde_saphyr::from_multiple::<ClusterRole>(file).unwrap() {
        roles.create(&params, &role).await.unwrap();
    }
    for (user, role) in users {
        let binding: ClusterRoleBinding = serde_json::from_value(json!({
            "metadata": {"name": user},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}],
        }))
        .unwrap();
        bindings.create(&params, &binding).await.unwrap();
    }
}

#[test]
fn a_failure_over_the_limit_ends_the_wait_with_its_code() {
    let hub = Hub::served();
    hub.apply(&members(&[("m1", "g", "Fail"), ("m2", "g", "Succeed")]))
        .expect(0);
    hub.line("run create r --kubernetes-version 1.33.4 --start")
        .expect(0);
    hub.line("run wait r --timeout 60s").expect(4);
    let watched = hub.line("run watch r").expect(4);
    assert!(watched.starts_with("Run r is Failed."), "{watched}");
}

#[test]
fn a_run_is_watched_to_its_end() {
    let hub = Hub::served();
    hub.apply(&members(&[("m1", "g", "Succeed"), ("m2", "g", "Succeed")]))
        .expect(0);
    hub.line("run create r --kubernetes-version 1.33.4")
        .expect(0);
    let starter = std::thread::scope(|scope| {
        let watching = scope.spawn(|| hub.line("run watch r -o jsonl"));
        // Whether the start comes before or after the watch, the end is seen.
        hub.line("run start r").expect(0);
        watching.join().unwrap()
    });
    let lines = starter.expect(0);
    for line in lines.lines() {
        let entry: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(entry["object"].is_string(), "{line}");
    }
}

#[test]
fn a_plan_and_a_start_say_what_stands_in_the_way() {
    let hub = Hub::served();
    hub.apply(&members(&[("m1", "g", "Succeed"), ("m2", "g", "Succeed")]))
        .expect(0);
    let gated = r#"{"stages": [{"name": "s", "groups": [{"name": "g"}],
        "beforeGates": [{"displayName": "go", "type": "Approval"}]}]}"#;
    let gated = hub.file("gated.json", gated).display().to_string();
    hub.line(&format!(
        "run create one --strategy-file {gated} --kubernetes-version 1.33.4 --start"
    ))
    .expect(0);
    hub.line("run wait one --until gate --timeout 60s")
        .expect(6);
    let shared = "Warning: Run one is at work and has 2 of these to upgrade too: m1, m2";
    let plan = hub.line("run create two --kubernetes-version 1.33.4");
    let plan = plan.expect(0);
    assert!(plan.contains(shared), "{plan}");
    let started = hub.line("run start two").expect(0);
    assert!(started.contains(shared), "{started}");
    let plan = hub.line("run create far --kubernetes-version 1.99 --dry-run");
    let plan = plan.expect(0);
    assert!(plan.contains("no upgrade goes to 1.99"), "{plan}");
    let plan = hub.line("run create back --kubernetes-version 1.30.1 --dry-run");
    let plan = plan.expect(0);
    assert!(plan.contains("is newer than the target 1.30.1"), "{plan}");
    assert!(!plan.contains("At the target already"), "{plan}");
    // What a program reads is the object and nothing besides.
    hub.line("run stop one").expect(0);
    hub.line("run create three --kubernetes-version 1.33.4 -o json")
        .json();
}
