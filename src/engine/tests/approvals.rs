//! What an approval says it does is what the run then does.

use crate::api::*;
use crate::engine::approval::{self, ApprovalEffect};
use crate::engine::operation::Verb;
use crate::engine::testkit::*;

/// Says what approving does, approves, and compares with what the run then does.
fn approve(kit: &mut Kit, gates: &[&str]) -> ApprovalEffect {
    let names: Vec<String> = gates
        .iter()
        .map(|g| kit.gate(g).unwrap().metadata.name.clone().unwrap())
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let said = kit.world(|w| approval::check(w, &names, kit.now)).unwrap();
    let before = kit.clone();
    for name in &names {
        kit.approve_named(name);
    }
    kit.settle();
    let begun = |kit: &Kit, name: &str| kit.begun.get(name).map_or(0, Vec::len);
    let mut started: Vec<&str> = kit
        .begun
        .keys()
        .map(String::as_str)
        .filter(|m| begun(kit, m) > begun(&before, m))
        .collect();
    started.sort_unstable();
    assert_eq!(sorted(&said.starts), started, "{said:?}");
    for (list, state) in [
        (&said.held, State::Pending),
        (&said.settled, State::Completed),
    ] {
        for member in list {
            let is = kit.member(member).state;
            assert!(is == state || is == State::Skipped, "{member} is {is:?}");
        }
    }
    said
}

fn sorted(names: &[String]) -> Vec<&str> {
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.sort_unstable();
    names
}

fn codes(said: &ApprovalEffect) -> Vec<&str> {
    said.waits.iter().map(|w| w.code.as_str()).collect()
}

/// A stage of two groups with a gate, another stage behind it.
fn kit(change: impl FnOnce(&mut Vec<Stage>)) -> Kit {
    let mut stages = vec![
        stage("s", "3", vec![group("a", "2"), group("b", "3")]),
        stage("t", "", vec![group("c", "")]),
    ];
    change(&mut stages);
    Kit::new(stages)
        .members("a", "a1 a2 a3")
        .members("b", "b1 b2 b3")
        .members("c", "c1 c2")
}

#[test]
fn before_a_stage_its_limits_hold() {
    let mut kit = kit(|s| s[0].before_gates = vec![approval("g")]);
    kit.start();
    let said = approve(&mut kit, &["g"]);
    // Two of group a, at most three in the stage.
    assert_eq!(sorted(&said.starts), ["a1", "a2", "b1"]);
    assert_eq!((said.later, said.on_resume), (3, None));
    assert_eq!(codes(&said), [""; 0]);
}

#[test]
fn before_a_group_only_that_group_goes_and_the_stage_may_be_full() {
    let mut kit = kit(|s| s[0].groups[0].before_gates = vec![approval("g")]);
    kit.start();
    // All three of the stage are taken by b.
    let said = approve(&mut kit, &["g"]);
    assert!(said.starts.is_empty(), "{said:?}");
    assert_eq!(said.later, 3);
    let mut kit = self::kit(|s| {
        s[0].groups[0].before_gates = vec![approval("g")];
        s[0].max_concurrency = Some("4".into());
    });
    kit.start();
    assert_eq!(approve(&mut kit, &["g"]).starts, ["a1"]);
}

#[test]
fn one_of_several_gates_starts_nothing_and_names_the_other() {
    let mut kit = kit(|s| s[0].before_gates = vec![approval("g"), approval("h")]);
    kit.start();
    let mut both = kit.clone();
    let said = approve(&mut kit, &["g"]);
    assert!(said.starts.is_empty());
    assert_eq!(codes(&said), ["GateOpen"]);
    assert_eq!(approve(&mut kit, &["h"]).starts.len(), 3);
    assert_eq!(approve(&mut both, &["g", "h"]).starts.len(), 3);
}

#[test]
fn after_a_stage_the_next_one_begins_or_waits() {
    let gated = |wait| {
        let mut kit = kit(|s| {
            s[0].after_gates = vec![approval("g")];
            s[0].after_stage_wait_in_seconds = wait;
        });
        kit.start().to(60);
        kit
    };
    let said = approve(&mut gated(None), &["g"]);
    assert_eq!(said.starts, ["c1"]);
    assert_eq!(said.ends, ["stage s"]);
    assert_eq!(said.later, 1);
    let said = approve(&mut gated(Some(36_000)), &["g"]);
    assert!(said.starts.is_empty() && said.ends.is_empty());
    assert_eq!(codes(&said), ["WaitRunning"]);
    assert_eq!(said.later, 2);
}

#[test]
fn a_gate_behind_the_gate_is_named() {
    let mut kit = kit(|s| {
        s[0].after_gates = vec![approval("g")];
        s[1].before_gates = vec![approval("h")];
    });
    kit.start().to(60);
    let said = approve(&mut kit, &["g"]);
    assert!(said.starts.is_empty());
    assert_eq!(codes(&said), ["GateOpen"]);
    assert!(said.waits[0].message.contains('h'), "{said:?}");
}

#[test]
fn in_a_stopped_run_it_takes_effect_on_resume() {
    let mut kit = kit(|s| s[0].groups[0].before_gates = vec![approval("g")]);
    kit.start().ask(Verb::Stop);
    let said = approve(&mut kit.clone(), &["g"]);
    assert!(said.starts.is_empty());
    assert_eq!(said.on_resume, Some(State::Stopping));
    kit.to(30);
    let said = approve(&mut kit, &["g"]);
    assert!(said.starts.is_empty());
    assert_eq!(said.on_resume, Some(State::Stopped));
}

#[test]
fn members_at_the_target_need_no_upgrade() {
    let mut kit = kit(|s| s[0].before_gates = vec![approval("g")]);
    kit.start();
    for name in ["a1", "a2"] {
        kit.edit_member(name, |m| {
            m.status.as_mut().unwrap().kubernetes_version = "1.33.4".into();
        });
    }
    kit.settle();
    let said = approve(&mut kit, &["g"]);
    assert_eq!(said.settled, ["a1", "a2"]);
    assert_eq!(sorted(&said.starts), ["a3", "b1", "b2"]);
}

#[test]
fn a_member_that_must_wait_is_held() {
    let mut kit = kit(|s| s[0].before_gates = vec![approval("g")]);
    kit.start();
    kit.edit_member("a1", |m| m.status = None);
    kit.settle();
    let said = approve(&mut kit, &["g"]);
    assert_eq!(said.held, ["a1"]);
    assert!(!said.starts.contains(&"a1".to_owned()));
    assert_eq!(codes(&said), ["ClusterNotObserved"]);
}

#[test]
fn a_member_that_fails_at_its_turn_is_named_and_what_it_stops_does_not_start() {
    let mut kit = kit(|s| s[0].before_gates = vec![approval("g")]);
    kit.start();
    kit.edit_member("a1", |m| m.status.as_mut().unwrap().state = "Busy".into());
    kit.settle();
    let said = approve(&mut kit, &["g"]);
    assert_eq!(said.fails, ["a1"]);
    assert_eq!(said.on_resume, Some(kit.status().state));
}

#[test]
fn a_gate_that_is_not_open_is_refused() {
    let mut kit = kit(|s| s[0].before_gates = vec![approval("g")]);
    kit.start();
    let name = kit.gate("g").unwrap().metadata.name.clone().unwrap();
    kit.approve("g");
    let ask = |name: &str| kit.world(|w| approval::check(w, &[name], kit.now));
    assert_eq!(ask(&name).unwrap_err().code, "GateNotPending");
    assert_eq!(ask("nobody").unwrap_err().code, "GateNotFound");
}
