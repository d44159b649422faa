//! update-runs §10.5: skips, and what they leave alone.

use crate::api::*;
use crate::engine::operation::Verb;
use crate::engine::skip::{self, Target};
use crate::engine::testkit::*;

fn kit() -> Kit {
    let mut one = stage("s", "", vec![group("a", ""), group("b", "")]);
    one.groups[0].before_gates = vec![approval("a-before")];
    one.groups[0].after_gates = vec![approval("a-after")];
    one.before_gates = vec![approval("s-before")];
    one.after_gates = vec![approval("s-after")];
    one.after_stage_wait_in_seconds = Some(3600);
    Kit::new(vec![one, stage("t", "", vec![group("c", "")])])
        .members("a", "a1 a2")
        .members("b", "b1 b2")
        .members("c", "c1")
}

#[test]
fn on_a_run_that_is_not_started_it_takes_effect_at_once_in_the_tree() {
    let mut kit = kit();
    kit.settle();
    assert!(kit.skip("Group:a").accepted);
    assert_eq!(
        kit.states("r s:s g:a a1 a2 gate:a-before gate:a-after"),
        "nnkkkkk"
    );
    let a1 = kit.member("a1");
    assert!(a1.start_time.is_none() && a1.completed_time.is_some());
    assert_eq!(a1.message, "Skipped on request of ana");
    assert!(kit.group("a").completed_time.is_some());
    assert!(kit.entry("a-before").completed_time.is_some());
    assert!(kit.gates.is_empty());
    // The last group of a stage that is not reached: the stage stays.
    kit.skip("Group:b");
    assert_eq!(kit.states("r s:s g:b gate:s-before"), "nnkn");
    kit.start();
    assert_eq!(kit.states("r s:s s:t w:s gate:s-before c1"), "rkrkkr");
    assert!(kit.gates.is_empty());
    kit.finish();
    assert_eq!(kit.states("r"), "c");
}

#[test]
fn the_last_member_of_a_group_takes_the_gates_with_it() {
    let mut kit = kit();
    kit.settle();
    kit.skip("Member:a1");
    assert_eq!(kit.states("g:a gate:a-before"), "nn");
    kit.skip("Member:a2");
    assert_eq!(kit.states("g:a gate:a-before gate:a-after"), "kkk");
}

#[test]
fn what_is_in_flight_or_upgraded_is_refused_as_a_member_and_left_alone_in_a_group() {
    let mut kit = kit();
    kit.start().approve("s-before");
    assert_eq!(kit.states("b1 b2"), "rn");
    let answer = kit.skip("Member:b2 Member:b1");
    assert_eq!(
        (answer.accepted, answer.code.as_str()),
        (false, "TargetInProgress")
    );
    assert_eq!(kit.states("b1 b2"), "rn", "together or not at all");
    assert!(kit.skip("Group:b").accepted);
    assert_eq!(kit.states("g:b b1 b2"), "rrk");
    kit.to(10);
    assert_eq!(kit.states("g:b b1 b2"), "cck");
    let answer = kit.skip("Member:b1");
    assert_eq!(answer.code, "TargetFinished");
    assert!(kit.skip("Member:b2").accepted, "no effect, accepted");
    assert!(kit.skip("Group:b").accepted);
    assert_eq!(kit.states("g:b b1 b2"), "cck");
    for (target, code) in [
        ("Member:zz", "TargetNotFound"),
        ("Group:s", "TargetNotFound"),
        ("Stage:a", "TargetNotFound"),
        ("AfterStageWait:a", "TargetNotFound"),
        ("Gate:a-before", "InvalidTarget"),
        ("a1", "InvalidTarget"),
    ] {
        assert_eq!(kit.skip(target).code, code, "{target}");
    }
}

#[test]
fn a_failure_in_a_skipped_group_still_counts() {
    let mut kit = kit().failing("b1", 1);
    kit.start().approve("s-before");
    kit.skip("Group:b");
    kit.to(10);
    assert_eq!(kit.states("r s:s g:b b1 b2"), "ffffk");
}

#[test]
fn skipping_a_pending_gate_with_its_group() {
    let mut kit = kit();
    kit.start().approve("s-before");
    assert_eq!(kit.states("g:a gate:a-before"), "pp");
    kit.skip("Group:a");
    assert_eq!(kit.states("g:a gate:a-before gate:a-after"), "kkk");
    let gate = kit.gate("a-before").unwrap().status.clone().unwrap();
    assert_eq!(gate.state, GateState::Skipped);
    assert!(gate.completed_time.is_some());
    assert!(
        kit.facts
            .iter()
            .any(|f| f.reason == "FleetGateUpdated" && f.note.contains("Skipped"))
    );
    kit.finish();
    assert_eq!(kit.states("g:b gate:s-after"), "cp");
}

#[test]
fn a_stage_skipped_while_members_are_in_flight_ends_completed() {
    let mut kit = kit();
    kit.start().approve("s-before");
    kit.skip("Stage:s");
    assert_eq!(
        kit.states("r s:s g:a g:b b1 b2 gate:s-after w:s"),
        "rrkrrkkk"
    );
    kit.to(10);
    assert_eq!(kit.states("r s:s g:b s:t c1"), "rccrr");
}

#[test]
fn a_stage_waiting_on_its_gate_is_skipped_whole() {
    let mut kit = kit();
    kit.start();
    kit.skip("Stage:s");
    assert_eq!(
        kit.states("r s:s g:a g:b gate:s-before w:s s:t c1"),
        "rkkkkkrr"
    );
    assert_eq!(
        kit.gate("s-before").unwrap().status.clone().unwrap().state,
        GateState::Skipped
    );
}

#[test]
fn only_the_wait() {
    for before in [true, false] {
        let mut kit = kit();
        kit.start().approve("s-before").approve("a-before");
        if before {
            assert!(kit.skip("AfterStageWait:s").accepted);
        }
        kit.to(20).approve("a-after");
        if !before {
            assert_eq!(kit.states("w:s"), "r");
            assert!(kit.skip("AfterStageWait:s").accepted);
        }
        assert_eq!(kit.states("w:s s:s gate:s-after"), "kpp");
        kit.approve("s-after");
        assert_eq!(kit.states("s:s"), "c");
    }
    let mut kit = kit();
    kit.start()
        .approve("s-before")
        .approve("a-before")
        .to(20)
        .approve("a-after")
        .approve("s-after");
    kit.to(80);
    assert_eq!(kit.states("w:s"), "c");
    assert_eq!(kit.skip("AfterStageWait:s").code, "TargetFinished");
}

#[test]
fn past_a_failed_member() {
    let mut kit = Kit::new(vec![stage("s", "", vec![group("a", "")])])
        .members("a", "a1 a2")
        .failing("a1", 9);
    kit.start().to(10);
    assert_eq!(kit.states("r s:s g:a a1 a2"), "ffffn");
    assert!(kit.skip("Member:a1").accepted);
    // A mix changes its group only in the next pass; run and stage stay as they are.
    assert_eq!(kit.states("r s:s g:a a1 a2"), "fffkn");
    assert_eq!(
        (kit.status().failure_count, kit.group("a").failure_count),
        (0, 0)
    );
    kit.ask(Verb::Resume);
    assert_eq!(kit.states("r s:s g:a a1 a2"), "rrrkr");
    kit.finish();
    assert_eq!(kit.states("r s:s g:a"), "ccc");
}

#[test]
fn a_group_of_a_failed_run_takes_its_end_state_at_once() {
    let mut kit = Kit::new(vec![stage("s", "", vec![group("a", "")])])
        .members("a", "a1 a2 a3")
        .failing("a2", 9);
    kit.start().to(20);
    assert_eq!(kit.states("r g:a a1 a2 a3"), "ffcfn");
    kit.skip("Group:a");
    assert_eq!(kit.states("r s:s g:a a1 a2 a3"), "ffcckk");
    assert!(kit.group("a").error.is_none());
    kit.ask(Verb::Resume);
    assert_eq!(kit.states("r s:s g:a"), "ccc");
}

#[test]
fn a_skip_and_a_resume_at_once() {
    // With the skip the stage is within its limit again: the tolerated failure of the finished group
    // is not retried.
    let groups = vec![group("a", "/1"), group("b", "/1")];
    let mut kit = Kit::new(vec![stage("s", "/1", groups)])
        .members("a", "a1 a2")
        .members("b", "b1 b2 b3")
        .failing("a1 b3", 1);
    kit.start().to(30);
    assert_eq!(kit.states("r g:a g:b"), "fcc");
    kit.run.spec.attempt = 2;
    kit.skip("Member:b3");
    assert_eq!(kit.states("r s:s g:a g:b a1 b3"), "ccccfk");
}

#[test]
fn a_pending_member_can_be_skipped() {
    let mut kit = Kit::new(vec![]).members("", "m1");
    kit.edit_member("m1", |m| m.status = None);
    kit.start();
    assert_eq!(kit.states("r m1"), "pp");
    kit.skip("Member:m1");
    assert_eq!(kit.states("r s:default g:default m1"), "kkkk");
    assert!(kit.member("m1").error.is_none() && kit.member("m1").waiting_for.is_empty());
}

#[test]
fn purely_skipped_or_mixed() {
    let mut kit = Kit::new(vec![stage("s", "", vec![group("a", "")])]).members("a", "a1 a2");
    kit.start().to(10);
    kit.skip("Group:a");
    assert_eq!(kit.states("r g:a a1 a2"), "rrcr");
    kit.finish();
    assert_eq!(kit.states("r s:s g:a"), "ccc");
}

#[test]
fn the_effect_is_told_beforehand() {
    let mut kit = kit();
    kit.start().approve("s-before");
    let targets =
        |text: &str| -> Vec<Target> { text.split(' ').map(|t| t.parse().unwrap()).collect() };
    let effect = kit
        .world(|world| skip::check(world, &targets("Stage:s")))
        .unwrap();
    assert_eq!(effect.members, ["a1", "a2", "b2"]);
    assert_eq!(effect.in_flight, ["b1"]);
    assert_eq!(effect.waits, ["s"]);
    assert_eq!(
        effect.gates,
        [
            "after stage s: s-after",
            "before group s/a: a-before",
            "after group s/a: a-after"
        ]
    );
    let effect = kit
        .world(|world| skip::check(world, &targets("Member:a1")))
        .unwrap();
    assert!(effect.gates.is_empty());
    let effect = kit
        .world(|w| skip::check(w, &targets("Member:a1 Member:a2")))
        .unwrap();
    assert_eq!(effect.gates.len(), 2);
    let refusal = kit
        .world(|world| skip::check(world, &targets("Member:b1")))
        .unwrap_err();
    assert_eq!(refusal.code, "TargetInProgress");
}
