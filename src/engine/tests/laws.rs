//! Laws that hold for every run, whatever is asked of it and whenever the controller dies.

use proptest::collection::vec;
use proptest::prelude::*;

use crate::api::*;
use crate::engine::decide::{Decision, GateChange, decide};
use crate::engine::operation::{self, Verb};
use crate::engine::testkit::*;
use jiff::SignedDuration;

#[derive(Clone, Debug)]
enum Action {
    Pass(i64),
    Ask(Verb),
    Write(RunIntent),
    Skip(Vec<usize>),
    Approve(usize),
    Toggle(usize, &'static str),
    Leave(usize),
    Forget(usize),
}

#[derive(Clone, Debug)]
struct Case {
    stages: Vec<Stage>,
    /// Group index, attempts that fail, minutes, hangs.
    members: Vec<(usize, i32, i64, bool)>,
    actions: Vec<Action>,
    /// After how many writes the controller dies, decision by decision.
    crashes: Vec<usize>,
}

fn limit() -> impl Strategy<Value = String> {
    let concurrency = prop_oneof![Just(""), Just("1"), Just("2"), Just("3"), Just("40%")];
    let failures = prop_oneof![Just(""), Just("1"), Just("2"), Just("50%")];
    (concurrency, failures).prop_map(|(c, f)| format!("{c}/{f}"))
}

fn gate_lists() -> impl Strategy<Value = (u8, u8)> {
    (
        prop_oneof![4 => Just(0u8), 1 => Just(1), 1 => Just(2), 1 => Just(3)],
        prop_oneof![4 => Just(0u8), 1 => Just(1)],
    )
}

fn configs(kind: u8) -> Vec<GateConfig> {
    match kind {
        0 => vec![],
        1 => vec![approval("g")],
        2 => vec![scheduled("g", Weekday::Monday, "10:30")],
        _ => vec![approval("g"), scheduled("h", Weekday::Monday, "09:40")],
    }
}

fn stages() -> impl Strategy<Value = Vec<Stage>> {
    let one_group = (limit(), gate_lists());
    let one_stage = (
        limit(),
        gate_lists(),
        vec(one_group, 1..4),
        prop_oneof![Just(0), Just(900)],
    );
    vec(one_stage, 1..4).prop_map(|stages| {
        let mut number = 0;
        let make = |(limits, gates, groups, wait): (String, (u8, u8), Vec<_>, i32)| {
            number += 1;
            let groups = groups
                .into_iter()
                .map(|(limits, gates): (String, (u8, u8))| {
                    number += 1;
                    let mut group = group(&format!("g{number}"), &limits);
                    group.before_gates = configs(gates.0);
                    group.after_gates = configs(gates.1);
                    group
                });
            let mut stage = stage("s", &limits, groups.collect());
            stage.name = format!("s{number}");
            stage.before_gates = configs(gates.0);
            stage.after_gates = configs(gates.1);
            stage.after_stage_wait_in_seconds = Some(wait);
            stage
        };
        stages.into_iter().map(make).collect()
    })
}

fn action() -> impl Strategy<Value = Action> {
    let verb = prop_oneof![Just(Verb::Stop), Just(Verb::Resume)];
    let state = prop_oneof![
        Just(RunIntent::Initialize),
        Just(RunIntent::Run),
        Just(RunIntent::Stop)
    ];
    let word = prop_oneof![
        Just("Ready"),
        Just("Busy"),
        Just("Stopped"),
        Just("Unreachable")
    ];
    prop_oneof![
        6 => (1i64..40).prop_map(Action::Pass),
        4 => verb.prop_map(Action::Ask),
        2 => state.prop_map(Action::Write),
        3 => vec(any::<usize>(), 1..4).prop_map(Action::Skip),
        4 => any::<usize>().prop_map(Action::Approve),
        2 => (any::<usize>(), word).prop_map(|(i, w)| Action::Toggle(i, w)),
        1 => any::<usize>().prop_map(Action::Leave),
        1 => any::<usize>().prop_map(Action::Forget),
    ]
}

fn case() -> impl Strategy<Value = Case> {
    let member = (
        0usize..6,
        prop_oneof![5 => Just(0), 2 => Just(1), 1 => Just(9)],
        5i64..25,
        prop::bool::weighted(0.05),
    );
    (
        stages(),
        vec(member, 0..14),
        vec(action(), 1..25),
        vec(0usize..12, 0..12),
    )
        .prop_map(|(stages, members, actions, crashes)| Case {
            stages,
            members,
            actions,
            crashes,
        })
}

struct Play {
    kit: Kit,
    crashes: std::vec::IntoIter<usize>,
    /// Whether people go on asking before the controller is back.
    interrupted: bool,
}

impl Play {
    fn new(case: &Case, crashes: Vec<usize>, interrupted: bool) -> Self {
        let mut kit = Kit::new(case.stages.clone());
        let groups: Vec<_> = case
            .stages
            .iter()
            .flat_map(|s| &s.groups)
            .map(|g| g.name.clone())
            .collect();
        for (index, (group, fails, minutes, hangs)) in case.members.iter().enumerate() {
            let name = format!("m{index:02}");
            let group = groups.get(*group).cloned().unwrap_or_default();
            kit.add(&name, &group, "1.32.9");
            let script = kit.scripts.get_mut(&name).unwrap();
            (script.fails, script.minutes, script.hangs) = (*fails, *minutes, *hangs);
        }
        Self {
            kit,
            crashes: crashes.into_iter(),
            interrupted,
        }
    }

    fn settle(&mut self) {
        for _ in 0..60 {
            let decision = self.kit.decide();
            if self.kit.is_quiet(&decision) {
                self.kit.wake = decision.wake_at;
                stands_with_a_reason(&self.kit);
                return;
            }
            obeys(&self.kit, &decision);
            match self.crashes.next() {
                Some(writes) => {
                    self.kit.apply_some(decision, writes);
                    if self.interrupted {
                        return;
                    }
                }
                None => {
                    let (again, wake) = (decision.again, decision.wake_at);
                    self.kit.apply(decision);
                    stages_in_order(&self.kit);
                    if !again {
                        nothing_is_left(&self.kit, wake);
                    }
                }
            }
        }
        panic!("no fixpoint: {:#?}", self.kit.decide());
    }

    fn pass(&mut self, minutes: i64) {
        let target = self.kit.now + SignedDuration::from_mins(minutes);
        loop {
            self.settle();
            let next = self.kit.next_event().filter(|next| *next <= target);
            let step = next.unwrap_or(target);
            // Nothing changes between two instants at which the engine said that something can.
            let half = (step.as_second() + self.kit.now.as_second()) / 2;
            let half = jiff::Timestamp::from_second(half).unwrap();
            if half > self.kit.now && !self.interrupted {
                let between = self.kit.world(|world| decide(world, half));
                assert!(self.kit.is_quiet(&between), "{between:#?}");
            }
            self.kit.advance(step);
            if next.is_none() {
                break;
            }
        }
        self.settle();
    }

    fn act(&mut self, action: &Action) {
        let members: Vec<_> = self.kit.fleet.members.keys().cloned().collect();
        let pick = |index: usize| (!members.is_empty()).then(|| &members[index % members.len()]);
        match action {
            Action::Pass(minutes) => return self.pass(*minutes),
            Action::Ask(verb) => {
                if let Ok(intent) = operation::intent(&self.kit.run, *verb) {
                    self.kit.wish(intent.state, intent.attempt);
                }
            }
            Action::Write(state) => {
                // Nothing goes back to Initialize; admission sees to that.
                let back = *state == RunIntent::Initialize;
                if !back || self.kit.run.spec.state == RunIntent::Initialize {
                    let attempt = self.kit.run.spec.attempt;
                    self.kit.wish(*state, attempt + 1);
                }
            }
            Action::Skip(places) => {
                let targets = targets(&self.kit, places);
                return self.skip(targets);
            }
            Action::Approve(index) => {
                let open: Vec<_> = self.kit.open_gates();
                if let Some(name) = (!open.is_empty()).then(|| open[index % open.len()].clone()) {
                    self.kit.approve_named(&name);
                }
            }
            Action::Toggle(index, word) => {
                if let Some(name) = pick(*index) {
                    self.kit.edit_member(name, |member| {
                        if let Some(status) = member.status.as_mut() {
                            status.state = (*word).to_owned();
                        }
                    });
                }
            }
            Action::Leave(index) => {
                if let Some(name) = pick(*index) {
                    self.kit.fleet.members.remove(name);
                }
            }
            Action::Forget(index) => {
                if let Some(name) = pick(*index) {
                    self.kit.edit_member(name, |member| {
                        if let Some(status) = member.status.as_mut() {
                            status.kubernetes_version = String::new();
                        }
                    });
                }
            }
        }
        self.settle();
    }

    fn skip(&mut self, targets: Vec<String>) {
        let id = format!("s{}", self.kit.run.spec.skips.len());
        let before = self.kit.clone();
        self.kit.run.spec.skips.push(SkipRequest {
            id: id.clone(),
            targets,
            ..SkipRequest::default()
        });
        self.settle();
        if self.interrupted {
            return;
        }
        let status = self.kit.status();
        let answer = status.requests.iter().find(|r| r.id == id).unwrap();
        if answer.accepted {
            return;
        }
        // A refused request changes nothing but its answer.
        assert_eq!(self.kit.updates, before.updates);
        assert_eq!(self.kit.gates, before.gates);
        let without = UpdateRunStatus {
            requests: vec![],
            ..status.clone()
        };
        let was = UpdateRunStatus {
            requests: vec![],
            ..before.status().clone()
        };
        assert_eq!(without, was);
    }
}

fn targets(kit: &Kit, places: &[usize]) -> Vec<String> {
    let none = UpdateRunStatus::default();
    let mut all: Vec<String> = kit
        .updates
        .values()
        .map(|u| format!("Member:{}", u.spec.member))
        .collect();
    for stage in &kit.run.status.as_ref().unwrap_or(&none).stages {
        all.push(format!("Stage:{}", stage.name));
        all.push(format!("AfterStageWait:{}", stage.name));
        all.extend(stage.groups.iter().map(|g| format!("Group:{}", g.name)));
    }
    all.push("Member:nobody".into());
    places
        .iter()
        .map(|place| all[place % all.len()].clone())
        .collect()
}

/// A halted run starts nothing: no member is begun, no gate is made.
fn obeys(kit: &Kit, decision: &Decision) {
    let Some(old) = &kit.run.status else { return };
    let halted = |state| matches!(state, State::Stopping | State::Stopped | State::Failed);
    if !halted(old.state) || !halted(decision.status.state) {
        return;
    }
    let resumed = decision.status.requests.len() > old.requests.len()
        && decision
            .status
            .requests
            .iter()
            .skip(old.requests.len())
            .any(|r| r.accepted && r.action == RequestAction::Resume);
    if resumed {
        return;
    }
    for (name, status) in &decision.updates {
        let was = kit.member(name);
        let begins = status.state == State::Running && was.state != State::Running;
        assert!(
            !begins && status.attempt == was.attempt,
            "{name} begun by a halted run"
        );
    }
    let makes = |change: &GateChange| matches!(change, GateChange::Create { name, .. } if !kit.gates.contains_key(name));
    assert!(
        !decision.gates.iter().any(makes),
        "a gate made by a halted run"
    );
    assert!(
        decision
            .begins
            .iter()
            .all(|b| kit.member(&b.member).state == State::Running)
    );
}

/// What a decision writes is no reason to decide again: the controller does not wake for it. So all
/// that is to be done now is in the decision, and the first instant at which something can happen too.
fn nothing_is_left(kit: &Kit, wake: Option<jiff::Timestamp>) {
    let next = kit.decide();
    assert!(kit.is_quiet(&next), "left undone: {next:#?}");
    let missed = next.wake_at.filter(|at| wake.is_none_or(|wake| *at < wake));
    assert_eq!(missed, None, "said to wake at {wake:?}");
}

/// No stage begins before the one before it is terminal.
fn stages_in_order(kit: &Kit) {
    let Some(status) = &kit.run.status else {
        return;
    };
    let mut earlier_done = true;
    for stage in &status.stages {
        let group_gates = stage
            .groups
            .iter()
            .flat_map(|g| g.before_gates.iter().chain(&g.after_gates));
        let gates = stage
            .before_gates
            .iter()
            .chain(&stage.after_gates)
            .chain(group_gates);
        let begun = stage.start_time.is_some()
            || gates.into_iter().any(|gate| gate.gate_name.is_some())
            || kit.updates.values().any(|update| {
                update.spec.stage == stage.name
                    && update
                        .status
                        .as_ref()
                        .is_some_and(|s| s.start_time.is_some())
            });
        assert!(earlier_done || !begun, "{} has begun too early", stage.name);
        earlier_done &= matches!(stage.state, State::Completed | State::Skipped);
    }
}

/// Whatever stands still says why.
fn stands_with_a_reason(kit: &Kit) {
    let status = kit.status();
    let ended = matches!(status.state, State::Completed | State::Skipped);
    let in_flight = kit.count(|_, state| state == State::Running);
    assert!(!ended || in_flight == 0);
    assert_eq!(
        status.waiting_for.is_empty() && in_flight == 0,
        ended,
        "{:?}",
        status.state
    );
    let members = kit.updates.values().filter_map(|u| u.status.as_ref());
    let entries = members.clone().flat_map(|status| &status.waiting_for);
    for entry in entries.chain(&status.waiting_for) {
        let texts = [
            &entry.code,
            &entry.object,
            &entry.who,
            &entry.next,
            &entry.message,
        ];
        assert!(texts.iter().all(|text| !text.is_empty()), "{entry:?}");
        let dated = entry.since.is_some() || entry.code == "InFlight";
        assert!(dated, "{entry:?}");
    }
    for member in members {
        match member.state {
            State::Pending => {
                assert!(!member.waiting_for.is_empty() && member.error.is_some());
            }
            State::Stopped => assert!(!member.waiting_for.is_empty()),
            State::Failed => assert!(member.error.is_some()),
            State::Skipped => assert!(!member.message.is_empty()),
            _ => {}
        }
    }
    if matches!(
        status.state,
        State::Pending | State::Stopping | State::Stopped | State::Failed
    ) {
        assert!(!status.waits.is_empty());
    }
    // Counts are those of the members.
    for stage in &status.stages {
        for group in &stage.groups {
            let failed =
                kit.count(|spec, state| spec.group == group.name && state == State::Failed);
            assert_eq!(group.failure_count, failed);
        }
    }
}

fn same<T: std::fmt::Debug>(whole: &T, broken: &T) {
    let lines = |value| format!("{value:#?}");
    let (whole, broken) = (lines(whole), lines(broken));
    let differ: Vec<_> = whole
        .lines()
        .zip(broken.lines())
        .filter(|(a, b)| a != b)
        .collect();
    assert!(
        differ.is_empty() && whole.len() == broken.len(),
        "{differ:#?}"
    );
}

fn play(case: &Case, crashes: Vec<usize>, interrupted: bool) -> Kit {
    let mut play = Play::new(case, crashes, interrupted);
    play.settle();
    if let Ok(intent) = operation::intent(&play.kit.run, Verb::Start) {
        play.kit.wish(intent.state, intent.attempt);
    }
    play.settle();
    for action in &case.actions {
        play.act(action);
    }
    play.interrupted = false;
    play.pass(600);
    play.kit
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 400, ..ProptestConfig::default() })]

    /// The laws hold, and a controller that dies at any write comes to the very same end: no member
    /// is upgraded twice for one attempt, nothing is lost, nothing is done in another order.
    #[test]
    fn crash_or_not_it_is_the_same(case in case()) {
        let whole = play(&case, vec![], false);
        let broken = play(&case, case.crashes.clone(), false);
        same(&whole.run.status, &broken.run.status);
        same(&whole.updates, &broken.updates);
        same(&whole.gates, &broken.gates);
        same(&whole.begun, &broken.begun);
        for (member, ids) in &whole.begun {
            let attempts = whole.member(member).attempt;
            prop_assert_eq!(ids.len(), usize::try_from(attempts).unwrap());
        }
    }

    /// People ask for things while the controller is down in the middle of a decision: the laws hold
    /// all the same, and the run can still be brought to its end.
    #[test]
    fn asked_while_the_controller_is_down(case in case()) {
        let kit = play(&case, case.crashes.clone(), true);
        for (member, ids) in &kit.begun {
            let attempts = kit.member(member).attempt;
            prop_assert!(ids.len() <= usize::try_from(attempts).unwrap());
        }
        if kit.status().state == State::NotStarted {
            prop_assert_eq!(kit.count(|_, state| !matches!(state, State::NotStarted | State::Skipped)), 0);
        }
        if matches!(kit.status().state, State::Stopped | State::Failed) {
            prop_assert_eq!(kit.count(|_, state| state == State::Running), 0);
        }
    }
}
