//! update-runs §7.3–§7.6, §9.5: tolerances, and what exceeding one does.

use crate::api::*;
use crate::engine::operation::Verb;
use crate::engine::testkit::*;

fn one(stage_limits: &str, group_limits: &str, members: &str, failing: &str) -> Kit {
    Kit::new(vec![stage(
        "s",
        stage_limits,
        vec![group("g", group_limits)],
    )])
    .members("g", members)
    .failing(failing, 1)
}

#[test]
fn both_levels_must_allow_a_failure() {
    for (stage, group, want) in [
        ("", "", "fff"),
        ("", "/2", "ftf"),
        ("/2", "", "fff"),
        ("/2", "/2", "ccc"),
    ] {
        let mut kit = one(stage, group, "m1 m2", "m1");
        kit.start().finish();
        // In the second row the group is within its own limit, was reached and has work left.
        assert_eq!(kit.states("r g:g s:s"), want, "stage {stage} group {group}");
    }
}

/// The timeline of §9.5.
#[test]
fn the_timeline() {
    let mut kit = one("", "2", "m1 m2 m3", "m1").minutes("m2", 14);
    let row = |kit: &Kit| kit.states("m1 m2 m3 g:g s:s r");
    kit.start();
    assert_eq!(row(&kit), "rrnrrr");
    kit.to(10);
    assert_eq!(row(&kit), "frnggg");
    assert_eq!(kit.waits_for(), ["InFlight"]);
    assert!(kit.status().waiting_for[0].message.contains("m2"));
    kit.to(14);
    assert_eq!(row(&kit), "fcnfff");
    assert_eq!(minutes(&kit.status().completed_time), Some(14));
    assert_eq!(kit.status().failure_count, 1);
    kit.to(20).ask(Verb::Resume);
    assert_eq!(row(&kit), "rcrrrr");
    assert!(kit.status().completed_time.is_none() && kit.status().error.is_none());
    assert_eq!(kit.member("m1").attempt, 2);
    kit.to(30);
    assert_eq!(row(&kit), "cccccc");
    assert_eq!(kit.status().failure_count, 0);
    assert_eq!(minutes(&kit.status().start_time), Some(0));
    assert_eq!(minutes(&kit.status().completed_time), Some(30));
    assert_eq!(kit.begun["m1"].len(), 2);
}

#[test]
fn the_error_names_scope_count_limit_and_first_cause() {
    let mut kit = one("", "2", "m1 m2 m3", "m1").minutes("m2", 14);
    kit.start().to(14);
    let error = kit.status().error.clone().unwrap();
    assert_eq!(error.code, "MaxAllowedFailuresExceeded");
    assert_eq!(error.target, "Stage:s");
    assert_eq!(error.message, "1 failed in stage s, which allows 0");
    assert_eq!(error.details[0].target, "Member:m1");
    assert_eq!(error.details[0].message, "m1 broke");
    assert_eq!(kit.stage("s").error.as_ref(), Some(&error));
    assert_eq!(kit.group("g").error.as_ref().unwrap().target, "Group:g");
    assert_eq!(kit.waits_for(), ["MaxAllowedFailuresExceeded"]);
    assert_eq!(kit.status().waits, "resume after failure");
}

/// §7.6 example 1.
#[test]
fn a_group_fails_though_its_stage_stands() {
    let groups = vec![group("a", "/2"), group("b", "/3")];
    let mut kit = Kit::new(vec![stage("s", "/5", groups)])
        .members("a", "a1 a2 a3 a4")
        .members("b", "b1 b2 b3 b4")
        .failing("a1 a2 a3", 1);
    kit.start().to(29);
    assert_eq!(kit.states("r g:a g:b"), "rrr");
    kit.to(30);
    // b3 ends at the same moment; b4 is not begun any more.
    assert_eq!(kit.states("r s:s g:a g:b a4 b3 b4"), "ffftncn");
    assert_eq!(kit.status().error.as_ref().unwrap().target, "Group:a");
}

/// §7.6 example 1: the sixth failure in the stage fails it.
#[test]
fn the_stage_fails_at_its_own_limit() {
    let groups = vec![group("a", "/3"), group("b", "/3")];
    let mut kit = Kit::new(vec![stage("s", "/5", groups)])
        .members("a", "a1 a2 a3 a4")
        .members("b", "b1 b2 b3 b4")
        .failing("a1 a2 a3 b1 b2 b3", 1);
    kit.start().to(30);
    assert_eq!(kit.states("r s:s g:a g:b"), "fftt");
    assert_eq!(kit.status().error.as_ref().unwrap().target, "Stage:s");
}

/// §7.6 example 2.
#[test]
fn percentages_of_19_clusters() {
    let groups = vec![group("a", "/25%"), group("b", "/25%")];
    let mut kit = Kit::new(vec![stage("s", "/25%", groups)])
        .members("a", "a1 a2 a3 a4 a5 a6 a7")
        .members("b", "b01 b02 b03 b04 b05 b06 b07 b08 b09 b10 b11 b12");
    kit.settle();
    assert_eq!(kit.stage("s").max_allowed_failures, 5);
    assert_eq!(kit.group("a").max_allowed_failures, 2);
    assert_eq!(kit.group("b").max_allowed_failures, 3);
}

/// §7.6 examples 3 and 4.
#[test]
fn nobody_succeeds_and_the_group_is_completed() {
    for (limit, members) in [("/4", "m1 m2 m3 m4"), ("/2", "m1 m2")] {
        let mut kit = one(limit, limit, members, members);
        kit.start().finish();
        assert_eq!(kit.states("r s:s g:g m1 m2"), "cccff");
        let all = members.split(' ').count() as i32;
        assert_eq!(kit.group("g").failure_count, all);
        assert!(kit.reasons().contains(&"RunCompleted"));
        let succeeded = kit
            .status()
            .conditions
            .iter()
            .find(|c| c.type_ == "Succeeded")
            .unwrap();
        assert_eq!(succeeded.reason, "CompletedWithFailures");
    }
}

/// §7.6 example 5.
#[test]
fn two_of_ten_may_fail() {
    let members = "m0 m1 m2 m3 m4 m5 m6 m7 m8 m9";
    let mut kit = one("10/20%", "2/20%", members, "m3 m7");
    kit.start().finish();
    assert_eq!(kit.states("r s:s g:g"), "ccc");
    assert_eq!(kit.stage("s").failure_count, 2);
    let mut kit = one("10/20%", "2/20%", members, "m3 m7 m8");
    kit.start().finish();
    assert_eq!(kit.states("r s:s g:g m9"), "fffc");
}

/// §7.6 example 6.
#[test]
fn overrun_in_one_pass_and_one_by_one() {
    let members = "m0 m1 m2 m3 m4 m5 m6 m7 m8 m9";
    let mut kit = one("/1", "4/1", members, "m0 m1 m2 m3");
    kit.start().to(10);
    assert_eq!(kit.states("r s:s g:g m0 m1 m2 m3 m4 m9"), "fffffffnn");
    assert_eq!(kit.status().failure_count, 4);
    assert!(!kit.reasons().contains(&"RunStopping"));

    let mut kit = one("/1", "4/1", members, "m0 m1 m2 m3")
        .minutes("m1", 11)
        .minutes("m2", 12)
        .minutes("m3", 13);
    kit.start().to(10);
    assert_eq!(kit.states("r m0 m4"), "rfr");
    kit.to(11);
    assert_eq!(kit.states("r s:s g:g m1 m2 m3 m4 m5"), "gggfrrrn");
    kit.to(13);
    assert_eq!(kit.states("r m2 m3 m4"), "gffr");
    kit.to(20);
    assert_eq!(kit.states("r s:s g:g m4 m5"), "fffcn");
    assert_eq!(kit.status().failure_count, 4);
}

/// §7.6 example 7, and its resume.
#[test]
fn the_stage_fails_while_no_group_does() {
    let groups = vec![group("a", "2/2"), group("b", "2/2")];
    let mut kit = Kit::new(vec![stage("s", "/3", groups)])
        .members("a", "a1 a2 a3")
        .members("b", "b1 b2 b3")
        .failing("a1 a2 b1 b2", 1);
    kit.start().to(10);
    assert_eq!(kit.states("r s:s g:a g:b"), "fftt");
    assert_eq!(kit.stage("s").failure_count, 4);
    kit.ask(Verb::Resume);
    assert_eq!(kit.states("r s:s g:a g:b a1 a2 a3 b1 b2 b3"), "rrrrrrnrrn");
    kit.finish();
    assert_eq!(kit.states("r s:s g:a g:b"), "cccc");
}

#[test]
fn a_resume_leaves_tolerated_failures_of_finished_groups_alone() {
    let groups = vec![group("a", "/1"), group("b", "/0")];
    let mut kit = Kit::new(vec![stage("s", "/2", groups)])
        .members("a", "a1 a2")
        .members("b", "b1 b2 b3")
        .failing("a1 b3", 1);
    kit.start().to(30);
    assert_eq!(kit.states("r s:s g:a g:b"), "ffcf");
    kit.ask(Verb::Resume);
    assert_eq!(kit.states("r g:a g:b a1 b3"), "rcrfr");
    kit.finish();
    assert_eq!(kit.states("r s:s g:a g:b a1 b3"), "ccccfc");
    assert_eq!(kit.status().failure_count, 1);
}

#[test]
fn but_retries_them_when_the_stage_itself_was_exceeded() {
    let groups = vec![group("a", "/1"), group("b", "/1")];
    let mut kit = Kit::new(vec![stage("s", "/1", groups)])
        .members("a", "a1 a2")
        .members("b", "b1 b2 b3")
        .failing("a1 b3", 1);
    kit.start().to(30);
    assert_eq!(kit.states("r s:s g:a g:b a1 b3"), "ffccff");
    kit.ask(Verb::Resume);
    assert_eq!(kit.states("r s:s g:a g:b a1 b3"), "rrrrrr");
    kit.finish();
    assert_eq!(kit.states("r s:s g:a g:b"), "cccc");
    assert_eq!(kit.status().failure_count, 0);
}

#[test]
fn the_last_outcome_fails_a_run_in_which_everything_has_ended() {
    let mut kit = one("", "", "m1 m2", "m2");
    kit.start().finish();
    assert_eq!(kit.states("r s:s g:g m1 m2"), "fffcf");
}

#[test]
fn later_stages_and_unreached_groups_stay_untouched() {
    let mut kit = Kit::new(vec![
        stage(
            "s",
            "1",
            vec![group("a", ""), group("b", ""), group("c", "")],
        ),
        stage("t", "", vec![group("d", "")]),
    ])
    .members("a", "a1")
    .members("b", "b1 b2")
    .members("c", "c1")
    .members("d", "d1")
    .failing("b1", 1);
    kit.start().finish();
    assert_eq!(kit.states("r s:s g:a g:b g:c s:t g:d"), "ffcfnnn");
    assert_eq!(kit.states("a1 b1 b2 c1 d1"), "cfnnn");
}

#[test]
fn groups_settle_one_by_one() {
    let groups = vec![group("a", ""), group("b", ""), group("c", "")];
    let mut kit = Kit::new(vec![stage("s", "", groups)])
        .members("a", "a1 a2")
        .members("b", "b1 b2")
        .members("c", "c1")
        .failing("a1", 1)
        .minutes("b1", 20)
        .minutes("c1", 15);
    kit.start().to(10);
    assert_eq!(kit.states("r s:s g:a g:b g:c"), "ggfgg");
    assert_eq!(minutes(&kit.group("a").completed_time), Some(10));
    kit.to(15);
    assert_eq!(kit.states("r s:s g:a g:b g:c"), "ggfgc");
    kit.to(20);
    assert_eq!(kit.states("r s:s g:a g:b g:c b2"), "ffftcn");
}

#[test]
fn a_preflight_failure_halts_on_the_spot_and_uses_no_slot() {
    let mut kit = one("", "3", "m1 m2 m3", "m1");
    kit.edit_member("m2", |member| {
        member.status.as_mut().unwrap().state = "Stopped".into();
    });
    kit.start();
    assert_eq!(kit.states("r s:s g:g m1 m2 m3"), "gggrfn");
    let m2 = kit.member("m2");
    assert_eq!(m2.error.as_ref().unwrap().code, "ClusterStopped");
    assert_eq!(
        (
            m2.attempt,
            minutes(&m2.start_time),
            minutes(&m2.completed_time)
        ),
        (0, Some(0), Some(0))
    );
    let mut kit = one("/1", "1/1", "m1 m2 m3", "m1");
    kit.edit_member("m1", |member| {
        member.status.as_mut().unwrap().state = "Busy".into();
    });
    kit.start();
    assert_eq!(kit.states("r m1 m2 m3"), "rfrn");
}

#[test]
fn a_run_can_fail_at_once() {
    let mut kit = one("", "", "m1", "");
    kit.edit_member("m1", |member| {
        member.status.as_mut().unwrap().state = "Unreachable".into();
    });
    kit.start();
    assert_eq!(kit.states("r s:s g:g m1"), "ffff");
    assert_eq!(minutes(&kit.status().completed_time), Some(0));
    kit.edit_member("m1", |member| {
        member.status.as_mut().unwrap().state = "Ready".into();
    });
    kit.settle();
    assert_eq!(kit.states("r"), "f");
    kit.ask(Verb::Resume).finish();
    assert_eq!(kit.states("r m1"), "cc");
}

#[test]
fn a_member_that_leaves_in_flight_is_left_behind() {
    let mut kit = one("", "", "m1 m2", "");
    kit.start();
    kit.fleet.members.remove("m1");
    kit.settle();
    assert_eq!(kit.states("r m1 m2"), "rkr");
    assert!(kit.member("m1").message.contains("is not known"));
    kit.finish();
    assert_eq!(kit.states("r m2"), "cc");
}

#[test]
fn another_run_that_came_first_makes_the_member_fail() {
    let mut kit = one("", "", "m1", "");
    kit.settle();
    let decision = {
        let intent = crate::engine::operation::intent(&kit.run, Verb::Start).unwrap();
        kit.run.spec.state = intent.state;
        kit.decide()
    };
    kit.apply_some(decision, 2);
    kit.edit_member("m1", |member| {
        let other = Operation {
            id: "theirs".into(),
            run: "other".into(),
            start_time: k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(instant(START)),
            kubernetes_version: None,
            pools: vec![],
        };
        member.status.as_mut().unwrap().operation = Some(other);
    });
    kit.settle();
    let error = kit.member("m1").error.unwrap();
    assert_eq!(error.code, "ClusterBusy");
    assert!(error.message.contains("run other"));
}
