//! A run in memory of any size: what a decision costs is measured on it, with no hub in between.

use std::collections::BTreeMap;
use std::sync::Arc;

use fleetdeck::api::{
    FleetMember, FleetMemberSpec, FleetMemberStatus, Group, InlineStrategy, LastOperation,
    MemberUpdate, Operation, OperationOutcome, Provider, RunIntent, Simulated, Stage, UpdateRun,
    UpdateRunSpec, UpdateStrategy, Upgrade, UpgradeType,
};
use fleetdeck::engine::catalog::SeenImages;
use fleetdeck::engine::{Decision, Fleet, World, decide, identity};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

const GROUPS: usize = 10;
const RUN: &str = "bench";

/// Members by name, and the images seen on them as the controller keeps them; no strategies.
#[derive(Default)]
pub struct Members(BTreeMap<String, Arc<FleetMember>>, SeenImages);

impl Fleet for Members {
    fn member(&self, name: &str) -> Option<Arc<FleetMember>> {
        self.0.get(name).cloned()
    }
    fn members(&self) -> Vec<Arc<FleetMember>> {
        self.0.values().cloned().collect()
    }
    fn newest_image_seen(&self, region: &str, family: &str) -> Option<String> {
        self.1.newest(region, family)
    }
    fn strategy(&self, _: &str) -> Option<Arc<UpdateStrategy>> {
        None
    }
}

/// A run over members in two stages of ten groups each, 50 in flight at most.
pub struct Bed {
    run: UpdateRun,
    updates: Vec<Arc<MemberUpdate>>,
    places: BTreeMap<String, usize>,
    fleet: Members,
    now: Timestamp,
    /// Members in flight, in the order in which they were begun.
    flying: Vec<String>,
}

impl Bed {
    /// A run that has just been started.
    pub fn new(members: usize) -> Self {
        let mut bed = Self {
            run: run(),
            updates: Vec::new(),
            places: BTreeMap::new(),
            fleet: Members::default(),
            now: Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24 * 365 * 50),
            flying: Vec::new(),
        };
        for index in 0..members {
            let name = format!("member-{index:05}");
            let group = format!("group-{:02}", index % (2 * GROUPS));
            let member = member(&name, &group);
            bed.fleet.1.add(&member);
            bed.fleet.0.insert(name.clone(), Arc::new(member));
        }
        bed.step();
        bed
    }

    /// The same when half of the members are done.
    pub fn midway(members: usize) -> Self {
        let mut bed = Self::new(members);
        for _ in 0..members / 2 {
            bed.end_one();
            bed.step();
        }
        assert!(bed.done() > 0, "a run that is not at work shows nothing");
        bed.end_one();
        bed
    }

    /// The next decision, not applied.
    pub fn decide(&self) -> Decision {
        let world = World {
            run: &self.run,
            updates: &self.updates,
            gates: &[],
            fleet: &self.fleet,
        };
        decide(&world, self.now)
    }

    /// Decides and applies, and again where a decision only prepares the next one.
    pub fn step(&mut self) {
        loop {
            let decision = self.decide();
            let again = decision.again;
            self.apply(decision);
            if !again {
                break;
            }
        }
    }

    /// Plays the run to its end, one upgrade ending after another; how many decisions it took.
    pub fn play(&mut self) -> usize {
        let mut decisions = 0;
        while !self.flying.is_empty() {
            self.end_one();
            self.step();
            decisions += 1;
            // The write of the status comes back as a change and is looked at too.
            self.step();
            decisions += 1;
        }
        decisions
    }

    /// Members that are done.
    pub fn done(&self) -> i32 {
        self.run
            .status
            .as_ref()
            .map_or(0, |status| status.counts.completed)
    }

    fn end_one(&mut self) {
        if self.flying.is_empty() {
            return;
        }
        let name = self.flying.remove(0);
        self.now += SignedDuration::from_secs(10);
        let Some(member) = self.fleet.0.get_mut(&name) else {
            return;
        };
        let Some(status) = Arc::make_mut(member).status.as_mut() else {
            return;
        };
        let Some(operation) = status.operation.take() else {
            return;
        };
        status.kubernetes_version = operation.kubernetes_version.unwrap_or_default();
        status.last_operation = Some(LastOperation {
            id: operation.id,
            run: RUN.into(),
            outcome: OperationOutcome::Succeeded,
            completed_time: Time(self.now),
            error: None,
        });
    }

    fn apply(&mut self, decision: Decision) {
        for spec in decision.create {
            self.places.insert(spec.member.clone(), self.updates.len());
            let name = identity::member_update(RUN, &spec.member);
            self.updates.push(Arc::new(MemberUpdate::new(&name, spec)));
        }
        for (member, status) in decision.updates {
            let place = self
                .places
                .get(&member)
                .and_then(|place| self.updates.get_mut(*place));
            if let Some(update) = place {
                Arc::make_mut(update).status = Some(status);
            }
        }
        self.run.status = Some(decision.status);
        for begin in decision.begins {
            self.begin(&begin.member, begin.operation);
        }
    }

    fn begin(&mut self, name: &str, operation: Operation) {
        if let Some(member) = self.fleet.0.get_mut(name)
            && let Some(status) = Arc::make_mut(member).status.as_mut()
        {
            status.operation = Some(operation);
            self.flying.push(name.to_owned());
        }
    }
}

fn run() -> UpdateRun {
    let stages = (0..2)
        .map(|stage| Stage {
            name: format!("stage-{stage}"),
            max_concurrency: Some("50".into()),
            groups: (0..GROUPS)
                .map(|group| Group {
                    name: format!("group-{:02}", stage * GROUPS + group),
                    max_concurrency: Some("25%".into()),
                    ..Group::default()
                })
                .collect(),
            ..Stage::default()
        })
        .collect();
    let spec = UpdateRunSpec {
        strategy: Some(InlineStrategy { stages }),
        upgrade: Upgrade {
            type_: UpgradeType::Full,
            kubernetes_version: Some("1.33.4".into()),
        },
        state: RunIntent::Run,
        attempt: 1,
        ..UpdateRunSpec::default()
    };
    let mut run = UpdateRun::new(RUN, spec);
    run.metadata.uid = Some("0f6d3c57-7a0e-4b8e-8c06-2f1f5d9e7a11".into());
    run.metadata.generation = Some(1);
    run
}

fn member(name: &str, group: &str) -> FleetMember {
    let spec = FleetMemberSpec {
        group: Some(group.to_owned()),
        region: Some("westeurope".into()),
        provider: Provider {
            simulated: Some(Simulated::default()),
        },
        ..FleetMemberSpec::default()
    };
    let mut member = FleetMember::new(name, spec);
    member.metadata.uid = Some(format!("uid-{name}"));
    member.status = Some(FleetMemberStatus {
        state: "Ready".into(),
        kubernetes_version: "1.32.9".into(),
        node_pools: vec![fleetdeck::api::NodePool {
            name: "np1".into(),
            count: 3,
            kubernetes_version: "1.32.9".into(),
            node_image: "AKSUbuntu-2204gen2containerd-202507.06.0".into(),
        }],
        ..FleetMemberStatus::default()
    });
    member
}
