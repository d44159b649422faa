//! The controller is killed at any of its writes, done or not, and started again: the run ends as
//! if nothing had happened, no member is upgraded twice, and no limit is ever broken.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use fleetdeck::api::{FleetMember, FleetMemberStatus, UpdateRun, UpdateRunStatus};
use futures::{FutureExt, StreamExt};
use serde_json::{Value, json};

use crate::differences::differences;
use crate::stage::{Death, Stage, paused};

const MEMBERS: usize = 60;
const STAGE_LIMIT: usize = 8;
const GROUP_LIMITS: [(&str, usize); 3] = [("a", 5), ("b", 4), ("c", 6)];

/// Sixty members in three groups of two stages, durations that overlap, some failures within the
/// tolerance, a gate between the stages and a wait.
async fn scene(stage: &Stage) {
    for number in 0..MEMBERS {
        let group = ["a", "b", "c"][number % 3];
        let minutes = 5 + number % 7;
        let outcome = if number % 20 == 7 { "Fail" } else { "Succeed" };
        stage
            .create::<FleetMember>(&format!(
                "apiVersion: fleetdeck.io/v1alpha1\nkind: FleetMember\nmetadata: {{name: m{number:02}}}\n\
                 spec: {{group: {group}, provider: {{simulated: {{kubernetesVersion: 1.32.0, upgradeDuration: {minutes}m, outcome: {outcome}}}}}}}\n"
            ))
            .await;
    }
    stage
        .create::<UpdateRun>(
            r#"
apiVersion: fleetdeck.io/v1alpha1
kind: UpdateRun
metadata: {name: big}
spec:
  upgrade: {type: ControlPlaneOnly, kubernetesVersion: 1.33.0}
  state: Run
  strategy:
    stages:
    - name: first
      maxConcurrency: "8"
      maxAllowedFailures: "10"
      afterStageWaitInSeconds: 600
      groups:
      - {name: a, maxConcurrency: "5", maxAllowedFailures: "5"}
      - {name: b, maxConcurrency: "4", maxAllowedFailures: "5"}
    - name: second
      maxConcurrency: "8"
      maxAllowedFailures: "10"
      beforeGates:
      - displayName: Morning
        type: ScheduledStart
        scheduledStartConfiguration: {startDay: Tuesday, startTime: "06:00", utcOffset: "+00:00"}
      groups:
      - {name: c, maxConcurrency: "6", maxAllowedFailures: "5"}
"#,
        )
        .await;
}

/// What must be the same however often the controller dies.
async fn outcome(stage: &Stage) -> Value {
    let run = stage.run("big").await.status.unwrap();
    let mut members = BTreeMap::new();
    for (name, update) in stage.updates().await {
        let status = update.status.unwrap();
        members.insert(
            name,
            json!({
                "state": status.state, "attempt": status.attempt, "message": status.message,
                "start": status.start_time, "end": status.completed_time,
            }),
        );
    }
    let mut clusters = BTreeMap::new();
    for (name, member) in stage.members().await {
        let FleetMemberStatus {
            kubernetes_version,
            operation_count,
            operation,
            ..
        } = member.status.unwrap();
        assert_eq!(
            operation_count, 1,
            "{name} was upgraded {operation_count} times"
        );
        assert_eq!(operation, None, "{name} is still being upgraded");
        clusters.insert(name, kubernetes_version);
    }
    let UpdateRunStatus {
        state,
        start_time,
        completed_time,
        failure_count,
        counts,
        progress,
        mut stages,
        ..
    } = run;
    // Gate names come from the run's uid, which a hub gives as it pleases.
    for stage in &mut stages {
        for gate in &mut stage.before_gates {
            gate.gate_name = None;
        }
    }
    json!({
        "run": [state.to_string(), progress], "start": start_time, "end": completed_time,
        "failures": failure_count, "counts": counts, "stages": stages,
        "members": members, "clusters": clusters,
    })
}

/// Follows every committed write and complains of the first that breaks a limit.
#[derive(Default)]
struct Referee {
    group_of: BTreeMap<String, String>,
    running: BTreeSet<String>,
    upgrading: BTreeSet<String>,
    revision: u64,
}

impl Referee {
    fn see(&mut self, revision: u64, new: &Value) {
        assert!(revision > self.revision, "revisions go forward");
        self.revision = revision;
        let text = |pointer: &str| new.pointer(pointer).and_then(Value::as_str).unwrap_or("");
        match text("/kind") {
            "MemberUpdate" => {
                let member = text("/spec/member").to_owned();
                self.group_of
                    .insert(member.clone(), text("/spec/group").to_owned());
                if text("/status/state") == "Running" {
                    self.running.insert(member);
                } else {
                    self.running.remove(&member);
                }
            }
            "FleetMember" => {
                let member = text("/metadata/name").to_owned();
                if text("/status/operation/id").is_empty() {
                    self.upgrading.remove(&member);
                } else {
                    assert!(
                        self.running.contains(&member),
                        "at revision {revision}: {member} is upgraded before its update says Running"
                    );
                    self.upgrading.insert(member);
                }
            }
            _ => return,
        }
        for busy in [&self.running, &self.upgrading] {
            for (group, limit) in GROUP_LIMITS {
                let many = busy.iter().filter(|m| self.group_of[*m] == group).count();
                assert!(
                    many <= limit,
                    "at revision {revision}: {many} of {group} in flight"
                );
            }
            let first = busy.iter().filter(|m| self.group_of[*m] != "c").count();
            assert!(
                first <= STAGE_LIMIT,
                "at revision {revision}: {first} of first in flight"
            );
            assert!(
                first == 0 || first == busy.len(),
                "at revision {revision}: two stages in flight"
            );
        }
    }
}

async fn play(deaths: &[Death]) -> (Value, u32) {
    refereed(async |stage| stage.play(deaths).await).await
}

async fn refereed(play: impl AsyncFnOnce(&mut Stage) -> u32) -> (Value, u32) {
    let mut stage = Stage::open().await;
    let mut changes = Box::pin(stage.hub.changes());
    scene(&stage).await;
    let writes = play(&mut stage).await;
    let mut referee = Referee::default();
    while let Some(Some(change)) = changes.next().now_or_never() {
        if let Some(new) = &change.new {
            referee.see(change.revision, new);
        }
    }
    (outcome(&stage).await, writes)
}

/// What happens when nobody dies, and in how many writes.
fn undisturbed() -> &'static (Value, u32) {
    static ONCE: OnceLock<(Value, u32)> = OnceLock::new();
    ONCE.get_or_init(|| {
        let (outcome, writes) = paused(play(&[]));
        assert_eq!(outcome["run"], json!(["Completed", "60/60"]));
        assert_eq!(outcome["counts"]["failed"], 3);
        (outcome, writes)
    })
}

/// Two halves, so that they share the machine's cores.
fn killed_at(seed: u64) {
    let (undisturbed, writes) = undisturbed();
    let mut dice = fastrand::Rng::with_seed(seed);
    for _ in 0..25 {
        let death = Death {
            write: dice.u32(1..=*writes),
            done: dice.bool(),
        };
        let (outcome, _) = paused(play(&[death]));
        let differs = differences(undisturbed, &outcome);
        assert!(
            differs.is_empty(),
            "killed at {death:?} of {writes} writes:\n{differs}"
        );
    }
}

#[test]
fn a_controller_killed_at_any_write_changes_nothing() {
    killed_at(60);
}

#[test]
fn a_controller_killed_at_any_other_write_changes_nothing() {
    killed_at(61);
}

#[test]
fn a_controller_killed_again_and_again_gets_there() {
    let (undisturbed, _) = undisturbed();
    let mut dice = fastrand::Rng::with_seed(7);
    // At least one write must get done in each life, or no program could get there.
    let deaths: Vec<_> = (0..100)
        .map(|_| Death {
            write: dice.u32(2..=9),
            done: dice.bool(),
        })
        .collect();
    let (outcome, _) = paused(play(&deaths));
    let differs = differences(undisturbed, &outcome);
    assert!(differs.is_empty(), "{differs}");
}

#[test]
fn a_hub_that_fails_every_fifth_write_changes_nothing() {
    let (undisturbed, _) = undisturbed();
    let play = refereed(async |stage| stage.play_on_a_flaky_hub(5).await);
    let (outcome, failed) = paused(play);
    assert!(failed > 100, "only {failed} writes failed");
    let differs = differences(undisturbed, &outcome);
    assert!(differs.is_empty(), "{differs}");
}
