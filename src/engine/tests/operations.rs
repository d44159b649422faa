//! update-runs §10.1–§10.4: start, stop, resume, and requests that are refused.

use crate::api::*;
use crate::engine::operation::Verb;
use crate::engine::testkit::*;

fn two_groups() -> Kit {
    let groups = vec![group("a", "2"), group("b", "")];
    Kit::new(vec![
        stage("s", "", groups),
        stage("t", "", vec![group("c", "")]),
    ])
    .members("a", "a1 a2 a3")
    .members("b", "b1")
    .members("c", "c1")
}

#[test]
fn stopping_lets_what_is_in_flight_finish() {
    let mut kit = two_groups().minutes("a1", 30).minutes("b1", 20);
    kit.start().to(5).ask(Verb::Stop);
    assert_eq!(kit.states("r s:s g:a g:b a1 a2 a3 b1"), "ggggrrnr");
    assert!(kit.answer("stop-1").accepted);
    kit.to(20);
    assert_eq!(kit.states("r g:a g:b"), "ggc");
    kit.to(30);
    assert_eq!(kit.states("r s:s g:a g:b s:t g:c a3 c1"), "tttcnnnn");
    assert_eq!(kit.waits_for(), ["Stopped"]);
    assert_eq!(minutes(&kit.status().completed_time), Some(30));
    assert!(kit.status().error.is_none());
    kit.to(60);
    assert_eq!(kit.states("r a3"), "tn");
    kit.ask(Verb::Resume);
    assert_eq!(kit.states("r s:s g:a g:b a1 a3"), "rrrccr");
    kit.finish();
    assert_eq!(kit.states("r s:s s:t"), "ccc");
    assert_eq!(minutes(&kit.status().start_time), Some(0));
}

#[test]
fn a_stop_with_nothing_in_flight_stops_at_once() {
    let mut one = stage("s", "", vec![group("a", "")]);
    one.after_stage_wait_in_seconds = Some(3600);
    let mut kit = Kit::new(vec![one]).members("a", "a1");
    kit.start().to(20).ask(Verb::Stop);
    assert_eq!(kit.states("r s:s g:a w:s"), "ttct");
    assert_eq!(kit.wake, None);
    // Its clock goes on from its original start.
    kit.to(40).ask(Verb::Resume);
    assert_eq!(kit.states("r s:s w:s"), "rrr");
    kit.to(70);
    assert_eq!(kit.states("r w:s"), "cc");
    assert_eq!(minutes(&kit.stage("s").completed_time), Some(70));
}

#[test]
fn a_wait_that_elapsed_while_stopped_is_over_at_the_resume() {
    let mut one = stage("s", "", vec![group("a", "")]);
    one.after_stage_wait_in_seconds = Some(3600);
    let mut kit = Kit::new(vec![one]).members("a", "a1");
    kit.start().to(20).ask(Verb::Stop);
    kit.to(200);
    assert_eq!(kit.states("r w:s"), "tt");
    kit.ask(Verb::Resume);
    assert_eq!(kit.states("r s:s w:s"), "ccc");
}

#[test]
fn failing_too_much_while_stopping_ends_failed() {
    let mut kit = two_groups().failing("a1", 1);
    kit.start().to(5).ask(Verb::Stop);
    kit.to(10);
    assert_eq!(kit.states("r s:s g:a g:b"), "fffc");
    let mut kit = two_groups().failing("b1", 1);
    kit.run.spec.strategy.as_mut().unwrap().stages[0].max_allowed_failures = Some("1".into());
    kit.run.spec.strategy.as_mut().unwrap().stages[0].groups[1].max_allowed_failures =
        Some("1".into());
    kit.start().to(5).ask(Verb::Stop);
    kit.to(10);
    assert_eq!(kit.states("r s:s g:a g:b b1"), "tttcf");
}

#[test]
fn pending_members_of_a_halted_run_are_stopped_and_go_on() {
    let mut kit = Kit::new(vec![stage("s", "", vec![group("a", "")])]).members("a", "a1");
    kit.edit_member("a1", |m| m.status = None);
    kit.start();
    assert_eq!(kit.states("r s:s g:a a1"), "pppp");
    assert_eq!(kit.waits_for(), ["ClusterNotObserved"]);
    assert_eq!(kit.member("a1").error.unwrap().code, "ClusterNotObserved");
    kit.ask(Verb::Stop);
    assert_eq!(kit.states("r s:s g:a a1"), "tttt");
    assert_eq!(kit.status().counts.pending, 1);
    assert_eq!(kit.member("a1").waiting_for[0].code, "Stopped");
    kit.ask(Verb::Resume);
    assert_eq!(kit.states("r s:s g:a a1"), "pppp");
    kit.edit_member("a1", |m| {
        m.status = Some(FleetMemberStatus {
            kubernetes_version: "1.33.0".into(),
            ..FleetMemberStatus::default()
        });
    });
    kit.settle();
    assert_eq!(kit.states("r a1"), "rr");
    let a1 = kit.member("a1");
    assert!(a1.error.is_none() && a1.message.is_empty() && a1.waiting_for.is_empty());
    kit.finish();
    assert_eq!(kit.states("r"), "c");
}

/// Every row of §10.1 against a real run in that state; an illegal wish changes nothing but its
/// answer.
#[test]
fn illegal_wishes_are_answered_and_change_nothing() {
    let stuck = || two_groups().script("a1 b1", |s| s.hangs = true);
    type Make = fn(&mut Kit);
    let states: [(State, Make); 8] = [
        (State::NotStarted, |kit| {
            kit.settle();
        }),
        (State::Running, |kit| {
            kit.start();
        }),
        (State::Pending, |kit| {
            for name in ["a1", "a2", "a3", "b1"] {
                kit.edit_member(name, |m| m.status = None);
            }
            kit.start();
        }),
        (State::Stopping, |kit| {
            kit.start().ask(Verb::Stop);
        }),
        (State::Stopped, |kit| {
            for name in ["a1", "a2", "a3", "b1"] {
                kit.edit_member(name, |m| m.status = None);
            }
            kit.start().ask(Verb::Stop);
        }),
        (State::Failed, |kit| {
            kit.edit_member("a1", |m| {
                m.status.as_mut().unwrap().state = "Stopped".into()
            });
            kit.start();
        }),
        (State::Completed, |kit| {
            kit.scripts
                .values_mut()
                .for_each(|script| script.hangs = false);
            kit.start().finish();
        }),
        (State::Skipped, |kit| {
            kit.settle();
            kit.skip("Stage:s Stage:t");
            kit.start();
        }),
    ];
    for (state, make) in states {
        for verb in [Verb::Start, Verb::Stop, Verb::Skip] {
            let mut kit = stuck();
            make(&mut kit);
            assert_eq!(kit.status().state, state);
            let legal = crate::engine::operation::allowed(&kit.run, verb).is_ok();
            if legal {
                continue;
            }
            let before = kit.clone();
            let attempt = kit.run.spec.attempt;
            let answer = match verb {
                Verb::Stop => {
                    // A change is needed for it to be a wish at all.
                    if kit.run.spec.state == RunIntent::Stop {
                        kit.run.status.as_mut().unwrap().observed_state = Some(RunIntent::Run);
                    }
                    kit.write(RunIntent::Stop, attempt);
                    kit.status().requests.last().unwrap().clone()
                }
                Verb::Skip => kit.skip("Member:c1"),
                _ => {
                    kit.write(RunIntent::Run, attempt + 1);
                    kit.status().requests.last().unwrap().clone()
                }
            };
            assert!(!answer.accepted, "{verb:?} {state}");
            assert_eq!(answer.code, "InvalidOperation", "{verb:?} {state}");
            assert!(
                answer.message.contains(&format!("it is {state}")),
                "{}",
                answer.message
            );
            assert_eq!(kit.updates, before.updates, "{verb:?} {state}");
            assert_eq!(kit.gates, before.gates);
            let strip = |kit: &Kit| UpdateRunStatus {
                requests: vec![],
                observed_state: None,
                observed_attempt: None,
                observed_generation: None,
                ..kit.status().clone()
            };
            assert_eq!(strip(&kit), strip(&before), "{verb:?} {state}");
        }
    }
}

#[test]
fn a_second_stop_is_accepted_without_effect() {
    let mut kit = two_groups();
    kit.start().ask(Verb::Stop);
    kit.write(RunIntent::Run, 1);
    assert_eq!(kit.answer("resume-1").code, "InvalidOperation");
    assert_eq!(kit.states("r"), "g");
    kit.write(RunIntent::Stop, 1);
    assert!(kit.answer("stop-2").accepted);
    kit.finish();
    assert_eq!(kit.states("r"), "t");
    kit.ask(Verb::Resume).finish();
    assert_eq!(kit.states("r"), "c");
}

#[test]
fn an_ended_run_cannot_be_started_again() {
    let mut kit = Kit::new(vec![]).members("", "m1");
    kit.start().finish();
    kit.write(RunIntent::Run, 2);
    assert_eq!(kit.answer("resume-1").code, "InvalidOperation");
    assert_eq!(kit.skip("Member:m1").code, "InvalidOperation");
    assert_eq!(kit.states("r m1"), "cc");
}

#[test]
fn there_is_no_limit_on_resumes_and_each_is_a_new_attempt() {
    let mut kit = Kit::new(vec![]).members("", "m1").failing("m1", 3);
    kit.start().finish();
    for _ in 0..3 {
        assert_eq!(kit.states("r m1"), "ff");
        kit.ask(Verb::Resume);
        assert_eq!(kit.states("r m1"), "rr");
        kit.until(kit.now + jiff::SignedDuration::from_hours(1));
    }
    assert_eq!(kit.states("r m1"), "cc");
    assert_eq!(kit.member("m1").attempt, 4);
    let mut ids = kit.begun["m1"].clone();
    ids.dedup();
    assert_eq!(ids.len(), 4);
    assert_eq!(kit.member("m1").from_version.as_deref(), Some("1.32.9"));
}

#[test]
fn a_skip_is_answered_once_wherever_it_was_put() {
    let mut kit = Kit::new(vec![]).members("", "m1 m2");
    kit.start();
    for _ in 0..60 {
        kit.skip("Member:nobody");
    }
    assert_eq!(kit.status().requests.len(), 61);
    let front = SkipRequest {
        id: "front".into(),
        targets: vec!["Member:m2".into()],
        ..SkipRequest::default()
    };
    kit.run.spec.skips.insert(0, front);
    kit.settle();
    assert!(kit.answer("front").accepted);
    assert_eq!(kit.states("m2"), "k");
    let answers = kit.status().requests.clone();
    kit.settle();
    assert_eq!(kit.status().requests, answers);
}

#[test]
fn answers_beyond_the_newest_are_forgotten() {
    let mut kit = Kit::new(vec![]).members("", "m1");
    kit.start();
    kit.skip("Member:nobody");
    for attempt in 2..70 {
        kit.write(RunIntent::Run, attempt);
    }
    let answers = &kit.status().requests;
    assert_eq!(answers.len(), 51);
    assert_eq!(answers.last().unwrap().id, "resume-68");
    assert!(answers.iter().any(|answer| answer.id == "s0"));
}

#[test]
fn a_run_made_with_state_run_starts() {
    let mut kit = Kit::new(vec![]).members("", "m1");
    kit.run.spec.state = RunIntent::Run;
    kit.settle();
    assert_eq!(kit.states("r m1"), "rr");
    assert!(kit.answer("start").accepted);
}

#[test]
fn a_start_that_was_cut_short_is_issued_by_the_next_decision() {
    let mut kit = Kit::new(vec![stage("s", "", vec![group("a", "2")])]).members("a", "a1 a2 a3");
    kit.settle();
    kit.wish(RunIntent::Run, 1);
    let decision = kit.decide();
    assert!(decision.again && decision.updates.is_empty() && decision.begins.is_empty());
    kit.apply(decision);
    let decision = kit.decide();
    assert_eq!(decision.updates.len(), 2);
    // Both members are written, the run's counts and the upgrades are not.
    kit.apply_some(decision, 2);
    assert_eq!(kit.states("r a1 a2"), "rrr");
    let again = kit.decide();
    let begun: Vec<_> = again.begins.iter().map(|b| b.member.as_str()).collect();
    assert_eq!(begun, ["a1", "a2"]);
    assert!(again.updates.is_empty());
    kit.finish();
    assert_eq!(kit.states("r a1 a2 a3"), "cccc");
    assert!(kit.begun.values().all(|ids| ids.len() == 1));
}

#[test]
fn a_start_that_was_cut_short_and_withdrawn_leaves_nothing() {
    let mut kit = Kit::new(vec![stage("s", "", vec![group("a", "2")])]).members("a", "a1 a2 a3");
    kit.settle();
    kit.wish(RunIntent::Run, 1);
    let decision = kit.decide();
    kit.apply_some(decision, 0);
    kit.write(RunIntent::Stop, 1);
    assert_eq!(kit.answer("stop-1").code, "InvalidOperation");
    assert_eq!(kit.states("r a1 a2 a3"), "nnnn");
    assert!(kit.begun.is_empty());
    kit.ask(Verb::Start).finish();
    assert_eq!(kit.states("r a1 a2 a3"), "cccc");
}

#[test]
fn a_stop_that_was_cut_short_and_withdrawn_leaves_nothing() {
    let mut kit = Kit::new(vec![]).members("", "m1");
    kit.edit_member("m1", |member| {
        member.status.as_mut().unwrap().kubernetes_version = String::new();
    });
    kit.start();
    assert_eq!(kit.states("r m1"), "pp");
    kit.wish(RunIntent::Stop, 1);
    let decision = kit.decide();
    // The member is stopped, the run is not.
    kit.apply_some(decision, 1);
    assert_eq!(kit.states("r m1"), "pt");
    kit.write(RunIntent::Run, 2);
    assert_eq!(kit.answer("resume-1").code, "InvalidOperation");
    assert_eq!(kit.states("r m1"), "pp");
    assert_eq!(kit.waits_for(), ["ClusterNotObserved"]);
}
