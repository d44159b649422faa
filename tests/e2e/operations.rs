//! What users ask of a run while its controller is killed all along: gates, a failure,
//! a resume, a skip, a stop. It ends as if nothing had happened.

use std::collections::BTreeMap;

use fleetdeck::api::{FleetMember, Gate, State, UpdateRun};
use kube::api::{ListParams, Patch, PatchParams};
use kube::{Api, ResourceExt};
use serde_json::{Value, json};

use crate::differences::differences;
use crate::stage::{Death, Stage, paused};

const RUN: &str = r#"
apiVersion: fleetdeck.io/v1alpha1
kind: UpdateRun
metadata: {name: w}
spec:
  upgrade: {type: ControlPlaneOnly, kubernetesVersion: 1.33.0}
  state: Run
  strategy:
    stages:
    - name: s
      beforeGates: [{displayName: Go, type: Approval}]
      afterStageWaitInSeconds: 600
      groups:
      - {name: a, maxConcurrency: "2", afterGates: [{displayName: Fine, type: Approval}]}
      - {name: b, beforeGates: [{displayName: B, type: Approval}]}
    - name: t
      groups: [{name: c}]
"#;

/// What is done between one standstill and the next.
const ACTS: [&str; 5] = ["begin", "approve", "resume", "skip and stop", "go on"];

async fn act(stage: &Stage, act: &str) {
    match act {
        "begin" => {
            for (name, group, outcome) in [
                ("a1", "a", "Succeed"),
                ("a2", "a", "FailFirst"),
                ("a3", "a", "Succeed"),
                ("b1", "b", "Succeed"),
                ("c1", "c", "Succeed"),
            ] {
                stage
                    .create::<FleetMember>(&format!(
                        "apiVersion: fleetdeck.io/v1alpha1\nkind: FleetMember\nmetadata: {{name: {name}}}\n\
                         spec: {{group: {group}, provider: {{simulated: {{kubernetesVersion: 1.32.0, outcome: {outcome}, failures: 1}}}}}}\n"
                    ))
                    .await;
            }
            stage.create::<UpdateRun>(RUN).await;
        }
        "approve" => approve(stage, "Go").await,
        "resume" => write(stage, json!({"attempt": 2})).await,
        "skip and stop" => {
            let skip = json!({"id": "s1", "targets": ["Group:b"]});
            write(stage, json!({"skips": [skip], "state": "Stop"})).await;
        }
        _ => {
            approve(stage, "Fine").await;
            write(stage, json!({"state": "Run"})).await;
        }
    }
}

async fn write(stage: &Stage, spec: Value) {
    let api: Api<UpdateRun> = Api::all(stage.client.clone());
    let patch = Patch::Merge(json!({"spec": spec}));
    api.patch("w", &PatchParams::default(), &patch)
        .await
        .unwrap();
}

async fn approve(stage: &Stage, display: &str) {
    let api: Api<Gate> = Api::all(stage.client.clone());
    let gates = api.list(&ListParams::default()).await.unwrap();
    let is_meant = |gate: &&Gate| gate.spec.display_name.as_deref() == Some(display);
    let gate = gates.iter().find(is_meant).unwrap();
    let patch = Patch::Merge(json!({"spec": {"state": "Completed"}}));
    api.patch(&gate.name_any(), &PatchParams::default(), &patch)
        .await
        .unwrap();
}

/// Everything that must be the same, after each act; and how many writes each took.
async fn play(killed: Option<(&str, Death)>) -> (Value, Vec<u32>) {
    let mut stage = Stage::open().await;
    let (mut outcomes, mut writes) = (Vec::new(), Vec::new());
    for name in ACTS {
        act(&stage, name).await;
        let deaths: Vec<_> = killed
            .into_iter()
            .filter_map(|(when, death)| (when == name).then_some(death))
            .collect();
        writes.push(stage.play(&deaths).await);
        outcomes.push(json!({"after": name, "is": outcome(&stage).await}));
    }
    (Value::Array(outcomes), writes)
}

async fn outcome(stage: &Stage) -> Value {
    let mut status = serde_json::to_value(stage.run("w").await.status.unwrap()).unwrap();
    scrub(&mut status);
    let mut members = BTreeMap::new();
    for (name, update) in stage.updates().await {
        let mut status = serde_json::to_value(update.status.unwrap()).unwrap();
        scrub(&mut status);
        members.insert(name, status);
    }
    let mut clusters = BTreeMap::new();
    for (name, member) in stage.members().await {
        let status = member.status.unwrap();
        clusters.insert(
            name,
            json!([status.kubernetes_version, status.operation_count]),
        );
    }
    json!({"run": status, "members": members, "clusters": clusters})
}

/// What a hub gives as it pleases: names that come from uids.
fn scrub(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for key in ["gateName", "operationId", "object", "message"] {
                fields.remove(key);
            }
            fields.values_mut().for_each(scrub);
        }
        Value::Array(items) => items.iter_mut().for_each(scrub),
        _ => {}
    }
}

#[test]
fn operations_survive_a_kill_at_any_write() {
    let (undisturbed, writes) = paused(play(None));
    let states: Vec<_> = undisturbed
        .as_array()
        .unwrap()
        .iter()
        .map(|o| o["is"]["run"]["state"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        states,
        ["Pending", "Failed", "Pending", "Stopped", "Completed"]
    );
    assert_eq!(
        undisturbed[4]["is"]["run"]["state"],
        State::Completed.to_string()
    );
    let mut wrong = Vec::new();
    for (name, writes) in ACTS.into_iter().zip(writes) {
        // Every other write, by turns done and not: the suite has to end some day.
        for write in (1..=writes).step_by(2) {
            let done = write % 4 == 1;
            let death = Death { write, done };
            let (outcome, _) = paused(play(Some((name, death))));
            let differs = differences(&undisturbed, &outcome);
            if !differs.is_empty() {
                wrong.push(format!("{name}, {death:?} of {writes}:\n{differs}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
