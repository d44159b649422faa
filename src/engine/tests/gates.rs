//! update-runs §8: gates of both types, their order, and the wait after a stage.

use crate::api::*;
use crate::engine::operation::Verb;
use crate::engine::testkit::*;
use crate::engine::{gate, refusal};

fn gated() -> Kit {
    let mut one = stage("s", "", vec![group("a", ""), group("b", "")]);
    one.before_gates = vec![approval("s-before-1"), approval("s-before-2")];
    one.after_gates = vec![approval("s-after")];
    one.groups[0].before_gates = vec![approval("a-before")];
    one.groups[0].after_gates = vec![approval("a-after")];
    one.after_stage_wait_in_seconds = Some(3600);
    let mut two = stage("t", "", vec![group("c", "")]);
    two.before_gates = vec![approval("t-before")];
    Kit::new(vec![one, two])
        .members("a", "a1")
        .members("b", "b1 b2")
        .members("c", "c1")
}

#[test]
fn the_order_of_a_stage() {
    let mut kit = gated();
    kit.start();
    // All gates of one list open together, and nothing else does.
    assert_eq!(kit.gates.len(), 2);
    assert_eq!(kit.waits_for(), ["GateOpen", "GateOpen"]);
    assert_eq!(kit.states("r s:s g:a g:b"), "ppnn");
    kit.to(5).approve("s-before-1");
    assert_eq!(
        kit.states("r s:s g:a gate:s-before-1 gate:s-before-2"),
        "ppncp"
    );
    kit.approve("s-before-2");
    // A group's gate holds only that group.
    assert_eq!(kit.states("r s:s g:a g:b a1 b1 gate:a-before"), "rrprnrp");
    assert_eq!(minutes(&kit.stage("s").start_time), Some(5));
    assert!(kit.group("a").start_time.is_none());
    kit.to(15);
    assert_eq!(kit.states("g:a g:b b1 b2"), "prcr");
    kit.approve("a-before");
    assert_eq!(minutes(&kit.group("a").start_time), Some(15));
    kit.to(25);
    assert_eq!(
        kit.states("r s:s g:a g:b gate:a-after gate:s-after w:s"),
        "pppcpnn"
    );
    kit.to(30).approve("a-after");
    // After gates and wait begin at the same instant.
    assert_eq!(kit.states("r s:s g:a g:b gate:s-after w:s s:t"), "ppccprn");
    assert_eq!(kit.waits_for(), ["GateOpen", "WaitRunning"]);
    kit.approve("s-after");
    assert_eq!(kit.states("r s:s w:s"), "rrr");
    assert_eq!(kit.waits_for(), ["WaitRunning"]);
    assert_eq!(kit.status().waits, "wait after s");
    kit.to(89);
    assert_eq!(kit.states("s:s s:t"), "rn");
    kit.to(90);
    assert_eq!(kit.states("r s:s w:s s:t gate:t-before"), "pccpp");
    kit.approve("t-before").finish();
    assert_eq!(kit.states("r s:t"), "cc");
}

#[test]
fn the_stage_ends_when_the_later_of_wait_and_gate_ends() {
    for (approve_at, ends_at) in [(20, 60), (90, 90)] {
        let mut one = stage("s", "", vec![group("a", "")]);
        one.after_gates = vec![approval("after")];
        one.after_stage_wait_in_seconds = Some(3600);
        let mut kit = Kit::new(vec![one]).members("a", "a1");
        kit.start().to(10 + approve_at).approve("after").finish();
        assert_eq!(kit.states("r s:s"), "cc");
        assert_eq!(minutes(&kit.stage("s").completed_time), Some(10 + ends_at));
    }
}

#[test]
fn no_wait_is_done_at_once() {
    let mut kit = Kit::new(vec![stage("s", "", vec![group("a", "")])]).members("a", "a1");
    kit.start();
    assert_eq!(kit.states("w:s"), "n");
    kit.to(10);
    assert_eq!(kit.states("r w:s"), "cc");
}

#[test]
fn the_last_stage_waits_too() {
    let mut one = stage("s", "", vec![group("a", "")]);
    one.after_stage_wait_in_seconds = Some(90);
    let mut kit = Kit::new(vec![one]).members("a", "a1");
    kit.start().to(11);
    assert_eq!(kit.states("r s:s w:s g:a"), "rrrc");
    assert_eq!(kit.wake, Some(instant("2026-03-02T09:11:30Z")));
    kit.to(12);
    assert_eq!(kit.states("r s:s w:s"), "ccc");
    assert_eq!(
        kit.status().completed_time.as_ref().unwrap().0,
        instant("2026-03-02T09:11:30Z")
    );
}

#[test]
fn a_scheduled_gate_opens_by_itself_or_earlier_by_a_person() {
    let mut one = stage("s", "", vec![group("a", ""), group("b", "")]);
    one.before_gates = vec![scheduled("night", Weekday::Wednesday, "02:00")];
    one.groups[0].before_gates = vec![scheduled("day", Weekday::Wednesday, "10:00")];
    let mut kit = Kit::new(vec![one]).members("a", "a1").members("b", "b1");
    kit.start();
    let night = kit.gate("night").unwrap();
    let at = night
        .spec
        .scheduled_start
        .as_ref()
        .unwrap()
        .absolute_start_time
        .0;
    assert_eq!(at, instant("2026-03-04T02:00:00Z"));
    assert_eq!(kit.wake, Some(at));
    assert_eq!(kit.waits_for(), ["GateScheduled"]);
    assert_eq!(kit.status().waiting_for[0].until.as_ref().unwrap().0, at);
    kit.until(instant("2026-03-04T01:59:59Z"));
    assert_eq!(kit.states("r gate:night"), "pp");
    kit.until(at);
    assert_eq!(kit.states("r g:a g:b gate:night gate:day"), "rprcp");
    let status = kit.gate("night").unwrap().status.clone().unwrap();
    assert_eq!(status.completed_by.as_deref(), Some("schedule"));
    assert_eq!(status.completed_time.as_ref().unwrap().0, at);
    kit.approve("day");
    assert_eq!(kit.states("g:a gate:day"), "rc");
    let status = kit.gate("day").unwrap().status.clone().unwrap();
    assert_eq!(status.completed_by.as_deref(), Some("ana"));
}

#[test]
fn reached_exactly_at_its_instant_it_completes_at_once() {
    let mut one = stage("s", "", vec![group("a", "")]);
    one.before_gates = vec![scheduled("now", Weekday::Monday, "09:00")];
    let mut kit = Kit::new(vec![one]).members("a", "a1");
    kit.start();
    assert_eq!(kit.states("r s:s gate:now a1"), "rrcr");
    let reasons = kit.reasons();
    assert!(reasons.contains(&"FleetGateCreated") && reasons.contains(&"FleetGateUpdated"));
}

#[test]
fn gates_of_a_stopped_or_failed_run_can_still_be_passed() {
    let mut one = stage("s", "", vec![group("a", ""), group("b", "")]);
    one.groups[0].before_gates = vec![
        approval("hand"),
        scheduled("clock", Weekday::Tuesday, "00:00"),
    ];
    let mut kit = Kit::new(vec![one])
        .members("a", "a1")
        .members("b", "b1")
        .failing("b1", 1);
    kit.start().to(10);
    assert_eq!(kit.states("r s:s g:a g:b a1"), "fftfn");
    assert_eq!(
        kit.waits_for(),
        ["MaxAllowedFailuresExceeded", "GateOpen", "GateScheduled"]
    );
    assert!(kit.wake.is_some());
    kit.approve("hand");
    assert_eq!(kit.states("r gate:hand gate:clock"), "fcp");
    kit.finish();
    assert_eq!(kit.states("r g:a gate:hand gate:clock a1"), "ftccn");
    let made = kit.gates.len();
    kit.ask(Verb::Resume);
    assert_eq!(kit.states("r g:a a1 b1"), "rrrr");
    assert_eq!(kit.gates.len(), made);
}

#[test]
fn gates_are_not_made_anew_on_resume() {
    let mut one = stage("s", "", vec![group("a", "")]);
    one.before_gates = vec![approval("g")];
    let mut kit = Kit::new(vec![one]).members("a", "a1");
    kit.start().ask(Verb::Stop);
    assert_eq!(kit.states("r s:s g:a gate:g"), "ttnp");
    kit.ask(Verb::Resume);
    assert_eq!(kit.states("r s:s g:a gate:g"), "ppnp");
    assert_eq!(kit.gates.len(), 1);
    kit.approve("g").finish();
    assert_eq!(kit.states("r"), "c");
}

#[test]
fn the_event_carries_the_payload() {
    let mut one = stage("s", "", vec![group("a", "")]);
    one.groups[0].before_gates = vec![approval("Go \"on\"")];
    let mut kit = Kit::new(vec![one]).members("a", "a1");
    kit.start();
    let fact = kit
        .facts
        .iter()
        .find(|f| f.reason == "FleetGateCreated")
        .unwrap()
        .clone();
    let name = kit.gates.keys().next().unwrap();
    assert_eq!(
        fact.note,
        format!(
            "Gate before group s/a: gate={name} displayName=\"Go \\\"on\\\"\" gateType=Approval state=Pending run=r runId={} stage=s group=a timing=Before",
            kit.run.metadata.uid.as_deref().unwrap()
        )
    );
}

#[test]
fn gates_can_be_found_by_their_place() {
    let mut kit = gated();
    kit.start();
    let gates: Vec<_> = kit.gates.values().cloned().collect();
    let find =
        |stage, group, display| gate::find(&gates, "r", stage, group, Timing::Before, display);
    assert_eq!(
        find("s", None, None).unwrap_err().code,
        refusal::code::GATE_NOT_FOUND
    );
    let one = find("s", None, Some("s-before-2")).unwrap();
    assert!(gate::can_approve(&one).is_ok());
    assert!(find("s", Some("a"), None).is_err(), "not reached yet");
    kit.approve("s-before-2");
    assert!(gate::can_approve(&kit.gate("s-before-2").unwrap()).is_err());
}

#[test]
fn a_gate_removed_by_force_is_made_again() {
    let mut kit = gated();
    kit.start();
    let name = kit.gates.keys().next().unwrap().clone();
    kit.gates.remove(&name);
    kit.settle();
    assert!(kit.gates.contains_key(&name));
}
