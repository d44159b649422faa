//! A hub in memory for tests: it applies decisions, plays the members' upgrades, and moves the time.

mod build;
mod fleet;

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::decide::{Begin, Decision, GateChange, decide};
use super::fact::Fact;
use super::identity;
use super::operation::{self, Verb};
use super::world::World;
use crate::api::*;
pub use build::*;
pub use fleet::*;

pub const START: &str = "2026-03-02T09:00:00Z";

#[derive(Clone)]
pub struct Kit {
    pub run: UpdateRun,
    pub updates: BTreeMap<String, Arc<MemberUpdate>>,
    pub gates: BTreeMap<String, Arc<Gate>>,
    pub fleet: TestFleet,
    pub scripts: BTreeMap<String, Script>,
    pub now: Timestamp,
    pub wake: Option<Timestamp>,
    pub facts: Vec<Fact>,
    /// Begins by member: operation ids in order.
    pub begun: BTreeMap<String, Vec<String>>,
    /// Most that were ever in flight at once.
    pub peak: i32,
    pub decisions: usize,
}

pub fn instant(text: &str) -> Timestamp {
    text.parse().unwrap()
}

impl Kit {
    /// A fleet at 1.32.9 and a run to 1.33.4 along the stages; none: the default strategy.
    pub fn new(stages: Vec<Stage>) -> Self {
        let mut run = UpdateRun::new(
            "r",
            UpdateRunSpec {
                strategy: (!stages.is_empty()).then_some(InlineStrategy { stages }),
                upgrade: Upgrade {
                    type_: UpgradeType::Full,
                    kubernetes_version: Some("1.33.4".into()),
                },
                attempt: 1,
                ..UpdateRunSpec::default()
            },
        );
        run.metadata.uid = Some("2b1c1b46-5f7c-4b4b-9d1a-0a8f3f1f0c11".into());
        run.metadata.generation = Some(1);
        run.metadata.creation_timestamp = Some(Time(instant(START)));
        Self {
            run,
            updates: BTreeMap::new(),
            gates: BTreeMap::new(),
            fleet: TestFleet::default(),
            scripts: BTreeMap::new(),
            now: instant(START),
            wake: None,
            facts: Vec::new(),
            begun: BTreeMap::new(),
            peak: 0,
            decisions: 0,
        }
    }

    /// Adds members, space-separated, to a group.
    pub fn members(mut self, group: &str, names: &str) -> Self {
        for name in names.split_whitespace() {
            self.add(name, group, "1.32.9");
        }
        self
    }

    pub fn add(&mut self, name: &str, group: &str, version: &str) {
        let mut member = FleetMember::new(
            name,
            FleetMemberSpec {
                group: (!group.is_empty()).then(|| group.to_owned()),
                provider: Provider {
                    simulated: Some(Simulated::default()),
                },
                ..FleetMemberSpec::default()
            },
        );
        member.metadata.uid = Some(format!("uid-{name}"));
        member.status = Some(FleetMemberStatus {
            state: "Ready".into(),
            kubernetes_version: version.into(),
            ..FleetMemberStatus::default()
        });
        self.fleet.members.insert(name.into(), Arc::new(member));
        self.scripts.insert(
            name.into(),
            Script {
                minutes: 10,
                fails: 0,
                hangs: false,
            },
        );
    }

    pub fn edit_member(&mut self, name: &str, change: impl FnOnce(&mut FleetMember)) {
        let member = self.fleet.members.get_mut(name).unwrap();
        change(Arc::make_mut(member));
    }

    pub fn script(mut self, names: &str, change: impl Fn(&mut Script)) -> Self {
        for name in names.split_whitespace() {
            change(self.scripts.get_mut(name).unwrap());
        }
        self
    }

    /// The members fail their first attempts.
    pub fn failing(self, names: &str, times: i32) -> Self {
        self.script(names, |script| script.fails = times)
    }

    pub fn minutes(self, names: &str, minutes: i64) -> Self {
        self.script(names, |script| script.minutes = minutes)
    }

    pub fn world<T>(&self, ask: impl FnOnce(&World<'_>) -> T) -> T {
        let updates: Vec<_> = self.updates.values().cloned().collect();
        let gates: Vec<_> = self.gates.values().cloned().collect();
        ask(&World {
            run: &self.run,
            updates: &updates,
            gates: &gates,
            fleet: &self.fleet,
        })
    }

    pub fn decide(&self) -> Decision {
        self.world(|world| decide(world, self.now))
    }

    /// Decides and applies until nothing changes.
    pub fn settle(&mut self) -> &mut Self {
        for _ in 0..6 {
            let decision = self.decide();
            self.decisions += 1;
            if self.is_quiet(&decision) {
                self.wake = decision.wake_at;
                return self;
            }
            self.apply(decision);
        }
        panic!("no fixpoint: {:?}", self.decide());
    }

    /// Whether a decision changes nothing.
    pub fn is_quiet(&self, decision: &Decision) -> bool {
        let same = self.run.status.as_ref() == Some(&decision.status);
        let nothing = decision.remove.is_empty()
            && decision.create.is_empty()
            && decision.gates.is_empty()
            && decision.updates.is_empty();
        if same && nothing {
            assert!(decision.facts.is_empty(), "{:?}", decision.facts);
        }
        same && nothing && decision.begins.is_empty()
    }

    pub fn apply(&mut self, decision: Decision) {
        self.apply_some(decision, usize::MAX);
    }

    /// Applies the first so many writes of a decision, in the order promised by [`Decision`].
    pub fn apply_some(&mut self, decision: Decision, mut budget: usize) -> usize {
        let mut spend = || {
            let go = budget > 0;
            budget = budget.saturating_sub(1);
            go
        };
        let mut done = 0;
        for name in decision.remove {
            if spend() {
                done += 1;
                self.updates.remove(&name);
            }
        }
        for spec in decision.create {
            if spend() {
                done += 1;
                let name = identity::member_update("r", &spec.member);
                let update = Arc::new(MemberUpdate::new(&name, spec));
                assert!(self.updates.insert(name, update).is_none(), "made twice");
            }
        }
        for change in decision.gates {
            // A gate and its status are two writes.
            match change {
                GateChange::Create { name, spec, status } => {
                    if spend() {
                        done += 1;
                        self.gates
                            .entry(name.clone())
                            .or_insert_with(|| Arc::new(Gate::new(&name, spec)));
                    }
                    if spend() {
                        done += 1;
                        Arc::make_mut(self.gates.get_mut(&name).unwrap()).status = Some(status);
                    }
                }
                GateChange::Status { name, status } => {
                    if spend() {
                        done += 1;
                        Arc::make_mut(self.gates.get_mut(&name).unwrap()).status = Some(status);
                    }
                }
            }
        }
        for (member, status) in decision.updates {
            if spend() {
                done += 1;
                let name = identity::member_update("r", &member);
                Arc::make_mut(self.updates.get_mut(&name).unwrap()).status = Some(status);
            }
        }
        if spend() {
            done += 1;
            self.run.status = Some(decision.status);
            self.facts.extend(decision.facts);
        }
        for begin in decision.begins {
            if spend() {
                done += 1;
                self.begin(begin);
            }
        }
        self.check_limits();
        done
    }

    fn begin(&mut self, begin: Begin) {
        let member = self.fleet.members.get_mut(&begin.member).unwrap();
        let member = Arc::make_mut(member);
        assert_eq!(
            member.metadata.uid.as_deref(),
            Some(begin.member_uid.as_str())
        );
        let status = member.status.get_or_insert_default();
        let ids = self.begun.entry(begin.member).or_default();
        if ids.contains(&begin.operation.id) {
            return;
        }
        ids.push(begin.operation.id.clone());
        assert!(status.operation.is_none(), "two operations at once");
        status.state = "Upgrading".into();
        status.operation = Some(begin.operation);
    }

    /// In flight, counted from the member updates themselves.
    fn check_limits(&mut self) {
        let status = self.run.status.clone().unwrap_or_default();
        let mut total = 0;
        for stage in &status.stages {
            let mut in_stage = 0;
            for group in &stage.groups {
                let running =
                    self.count(|spec, state| spec.group == group.name && state == State::Running);
                assert!(running <= group.max_concurrency, "group {}", group.name);
                in_stage += running;
            }
            assert!(in_stage <= stage.max_concurrency, "stage {}", stage.name);
            total += in_stage;
        }
        self.peak = self.peak.max(total);
    }

    pub fn count(&self, which: impl Fn(&MemberUpdateSpec, State) -> bool) -> i32 {
        let hits = self.updates.values().filter(|u| {
            which(
                &u.spec,
                u.status.as_ref().map(|s| s.state).unwrap_or_default(),
            )
        });
        hits.count() as i32
    }

    /// When the next upgrade ends.
    fn next_end(&self) -> Option<Timestamp> {
        self.fleet
            .members
            .keys()
            .filter_map(|name| self.end_of(name))
            .min()
    }

    fn end_of(&self, name: &str) -> Option<Timestamp> {
        let operation = self.fleet.members[name]
            .status
            .as_ref()?
            .operation
            .as_ref()?;
        let script = &self.scripts[name];
        (!script.hangs).then(|| operation.start_time.0 + SignedDuration::from_mins(script.minutes))
    }

    fn end_due(&mut self) {
        let due: Vec<_> = self
            .fleet
            .members
            .keys()
            .filter(|name| self.end_of(name).is_some_and(|end| end <= self.now))
            .cloned()
            .collect();
        for name in due {
            self.end(&name);
        }
    }

    /// The next instant at which something happens by itself.
    pub fn next_event(&self) -> Option<Timestamp> {
        let wake = self.wake.filter(|wake| *wake > self.now);
        [self.next_end(), wake].into_iter().flatten().min()
    }

    /// Moves to an instant and ends what is due then; decides nothing.
    pub fn advance(&mut self, to: Timestamp) {
        self.now = self.now.max(to);
        self.end_due();
    }

    /// Ends a member's upgrade as its script says.
    pub fn end(&mut self, name: &str) {
        let script = self.scripts.get_mut(name).unwrap();
        let fails = script.fails > 0;
        script.fails -= i32::from(fails);
        let now = self.now;
        self.edit_member(name, |member| {
            let status = member.status.as_mut().unwrap();
            let operation = status.operation.take().unwrap();
            status.state = "Ready".into();
            if !fails {
                if let Some(version) = &operation.kubernetes_version {
                    status.kubernetes_version.clone_from(version);
                }
                for target in &operation.pools {
                    let pool = status
                        .node_pools
                        .iter_mut()
                        .find(|p| p.name == target.name)
                        .unwrap();
                    if let Some(version) = &target.kubernetes_version {
                        pool.kubernetes_version.clone_from(version);
                    }
                    if let Some(image) = &target.node_image {
                        pool.node_image.clone_from(image);
                    }
                }
            }
            status.last_operation = Some(LastOperation {
                id: operation.id,
                run: operation.run,
                outcome: match fails {
                    true => OperationOutcome::Failed,
                    false => OperationOutcome::Succeeded,
                },
                completed_time: Time(now),
                error: fails.then(|| ErrorDetail {
                    code: "UpgradeFailed".into(),
                    message: format!("{name} broke"),
                    ..ErrorDetail::default()
                }),
            });
        });
    }

    /// Lets time pass to so many minutes after the start, deciding whenever something happens.
    pub fn to(&mut self, minutes: i64) -> &mut Self {
        let target = instant(START) + SignedDuration::from_mins(minutes);
        self.until(target)
    }

    pub fn until(&mut self, target: Timestamp) -> &mut Self {
        self.settle();
        while let Some(next) = self.next_event().filter(|next| *next <= target) {
            self.advance(next);
            self.settle();
        }
        self.advance(target);
        self.settle()
    }

    /// Until nothing can happen by itself.
    pub fn finish(&mut self) -> &mut Self {
        self.until(self.now + SignedDuration::from_hours(24 * 365))
    }

    fn edited(&mut self) {
        let generation = self.run.metadata.generation.unwrap_or(0);
        self.run.metadata.generation = Some(generation + 1);
    }

    /// Writes what the verb asks for, as a person would.
    pub fn ask(&mut self, verb: Verb) -> &mut Self {
        let intent = operation::intent(&self.run, verb).unwrap();
        self.write(intent.state, intent.attempt)
    }

    /// Writes a wish without looking whether it is legal.
    pub fn write(&mut self, state: RunIntent, attempt: i32) -> &mut Self {
        self.wish(state, attempt);
        self.settle()
    }

    pub fn wish(&mut self, state: RunIntent, attempt: i32) {
        self.run.spec.state = state;
        self.run.spec.attempt = attempt;
        self.edited();
    }

    pub fn start(&mut self) -> &mut Self {
        self.settle();
        self.ask(Verb::Start)
    }

    /// Asks to skip, space-separated targets together; the request's answer.
    pub fn skip(&mut self, targets: &str) -> RequestStatus {
        let id = format!("s{}", self.run.spec.skips.len());
        self.run.spec.skips.push(SkipRequest {
            id: id.clone(),
            targets: targets.split_whitespace().map(str::to_owned).collect(),
            by: Some("ana".into()),
            comment: None,
        });
        self.edited();
        self.settle();
        self.answer(&id)
    }

    pub fn answer(&self, id: &str) -> RequestStatus {
        self.status()
            .requests
            .iter()
            .find(|r| r.id == id)
            .unwrap()
            .clone()
    }

    pub fn gate(&self, display: &str) -> Option<Arc<Gate>> {
        let named = |gate: &&Arc<Gate>| gate.spec.display_name.as_deref() == Some(display);
        self.gates.values().find(named).cloned()
    }

    pub fn approve(&mut self, display: &str) -> &mut Self {
        let name = self.gate(display).unwrap().metadata.name.clone().unwrap();
        self.approve_named(&name);
        self.settle()
    }

    pub fn approve_named(&mut self, name: &str) {
        let gate = Arc::make_mut(self.gates.get_mut(name).unwrap());
        gate.spec.state = GateIntent::Completed;
        gate.spec.completed_by = Some("ana".into());
    }

    pub fn open_gates(&self) -> Vec<String> {
        let open = self
            .gates
            .iter()
            .filter(|(_, gate)| super::gate::is_pending(gate));
        open.map(|(name, _)| name.clone()).collect()
    }

    pub fn status(&self) -> &UpdateRunStatus {
        self.run.status.as_ref().unwrap()
    }

    pub fn stage(&self, name: &str) -> &StageStatus {
        self.status()
            .stages
            .iter()
            .find(|stage| stage.name == name)
            .unwrap()
    }

    pub fn group(&self, name: &str) -> &GroupStatus {
        let mut groups = self.status().stages.iter().flat_map(|stage| &stage.groups);
        groups.find(|group| group.name == name).unwrap()
    }

    pub fn member(&self, name: &str) -> MemberUpdateStatus {
        let update = &self.updates[&identity::member_update("r", name)];
        update.status.clone().unwrap_or_default()
    }

    /// States of space-separated places: `r` the run, `s:NAME` a stage, `g:NAME` a group, `w:NAME` a
    /// stage's wait, `gate:NAME`, else a member; one letter each: `n`ot started, `p`ending,
    /// `r`unning, stoppin`g`, s`t`opped, `f`ailed, s`k`ipped, `c`ompleted.
    pub fn states(&self, places: &str) -> String {
        let letter = |state: State| match state {
            State::NotStarted => 'n',
            State::Pending => 'p',
            State::Running => 'r',
            State::Stopping => 'g',
            State::Stopped => 't',
            State::Failed => 'f',
            State::Skipped => 'k',
            State::Completed => 'c',
        };
        places
            .split_whitespace()
            .map(|place| {
                let state = match place.split_once(':') {
                    None if place == "r" => self.status().state,
                    None => self.member(place).state,
                    Some(("s", name)) => self.stage(name).state,
                    Some(("g", name)) => self.group(name).state,
                    Some(("w", name)) => self.stage(name).after_stage_wait.state,
                    Some(("gate", name)) => self.entry(name).state,
                    Some(_) => panic!("{place}"),
                };
                letter(state)
            })
            .collect()
    }

    pub fn entry(&self, display: &str) -> &GateEntry {
        let named = |gate: &&GateEntry| gate.display_name.as_deref() == Some(display);
        let stages = self.status().stages.iter();
        let mut entries = stages.flat_map(|stage| {
            let own = stage.before_gates.iter().chain(&stage.after_gates);
            let groups = stage.groups.iter();
            own.chain(groups.flat_map(|g| g.before_gates.iter().chain(&g.after_gates)))
        });
        entries.find(named).unwrap()
    }

    /// Codes of what the run waits for.
    pub fn waits_for(&self) -> Vec<String> {
        self.status()
            .waiting_for
            .iter()
            .map(|w| w.code.clone())
            .collect()
    }

    /// Reasons of the facts so far.
    pub fn reasons(&self) -> Vec<&str> {
        self.facts.iter().map(|fact| fact.reason.as_str()).collect()
    }
}

/// Minutes after the start.
pub fn minutes(time: &Option<Time>) -> Option<i64> {
    let time = time.as_ref()?;
    Some((time.0.as_second() - instant(START).as_second()) / 60)
}
