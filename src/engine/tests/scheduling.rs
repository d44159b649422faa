//! update-runs §2.5, §5.6, §6.2, §9.2: the tree, the scheduling pass and its states.

use crate::api::*;
use crate::engine::testkit::*;

#[test]
fn a_new_tree_is_complete_and_resolved() {
    let mut one = stage(
        "stage1",
        "7",
        vec![group("group1", "100%"), group("group2", "50%")],
    );
    one.after_stage_wait_in_seconds = Some(3600);
    one.before_gates = vec![approval("before")];
    one.groups[0].before_gates = vec![approval("nobody")];
    let mut kit = Kit::new(vec![one]).members("group2", "m1");
    kit.settle();
    assert_eq!(
        kit.states("r s:stage1 w:stage1 g:group1 g:group2 m1 gate:nobody"),
        "nnnknnk"
    );
    assert_eq!(kit.stage("stage1").max_concurrency, 7);
    assert_eq!(kit.group("group1").max_concurrency, 1);
    assert_eq!(kit.group("group2").max_concurrency, 1);
    assert_eq!(kit.stage("stage1").after_stage_wait.duration_seconds, 3600);
    assert_eq!(kit.status().progress, "0/1");
    assert!(kit.gates.is_empty());
    assert_eq!(kit.waits_for(), ["NotStarted"]);

    kit.start();
    assert_eq!(
        kit.states("r s:stage1 gate:before g:group1 g:group2 m1"),
        "pppknn"
    );
    assert!(kit.status().start_time.is_some());
    assert!(kit.stage("stage1").start_time.is_none());
    assert!(kit.entry("before").gate_name.is_some());
    assert!(kit.entry("before").start_time.is_some());
    assert_eq!(kit.waits_for(), ["GateOpen"]);
    assert_eq!(kit.status().waits, "gate before stage1");
}

#[test]
fn example_3_is_traced() {
    let groups = vec![group("a", "50%"), group("b", "25%")];
    let mut kit = Kit::new(vec![stage("s", "25%", groups)])
        .members("a", "a1 a2 a3 a4 a5 a6 a7 a8")
        .members("b", "b01 b02 b03 b04 b05 b06 b07 b08 b09 b10 b11 b12")
        .minutes("b01", 5);
    kit.start();
    let order: Vec<_> = kit
        .facts
        .iter()
        .filter(|f| f.reason == "UpgradeStarted")
        .collect();
    let order: Vec<_> = order
        .iter()
        .map(|f| f.note.split(' ').nth(4).unwrap())
        .collect();
    assert_eq!(order, ["a1,", "b01,", "a2,", "b02,", "a3,"]);
    assert_eq!(kit.states("a1 a2 a3 a4 b01 b02 b03"), "rrrnrrn");
    kit.to(5);
    assert_eq!(kit.states("a1 a2 a3 a4 b01 b02 b03"), "rrrncrr");
    kit.finish();
    assert_eq!(kit.states("r s:s g:a g:b"), "cccc");
    assert_eq!(kit.peak, 5);
}

#[test]
fn the_stage_ceiling_wins() {
    let groups = vec![group("a", "5"), group("b", "5")];
    let mut kit = Kit::new(vec![stage("s", "2", groups)])
        .members("a", "a1 a2 a3 a4 a5 a6")
        .members("b", "b1 b2 b3 b4 b5 b6");
    kit.start().finish();
    assert_eq!((kit.peak, kit.states("r")), (2, "c".into()));
    assert_eq!(kit.group("a").max_concurrency, 2);
    let capped = kit
        .status()
        .conditions
        .iter()
        .find(|c| c.type_ == "LimitsCapped")
        .unwrap();
    assert_eq!(capped.message, "group a 5 to 2; group b 5 to 2");
}

#[test]
fn the_default_strategy_goes_one_by_one_and_skips_in_the_same_pass() {
    let mut kit = Kit::new(vec![]).members("", "m1 m3");
    kit.add("m2", "any", "1.33.4");
    kit.start();
    assert_eq!(kit.states("r s:default g:default m1 m2 m3"), "rrrrnn");
    assert_eq!(kit.stage("default").max_concurrency, 50);
    assert_eq!(kit.group("default").max_concurrency, 1);
    kit.to(10);
    assert_eq!(kit.states("m1 m2 m3"), "ckr");
    assert_eq!(minutes(&kit.member("m2").start_time), Some(10));
    assert_eq!(kit.member("m2").message, "m2 is at 1.33.4 already");
    kit.to(20);
    assert_eq!(kit.states("r s:default g:default"), "ccc");
    assert_eq!(kit.status().progress, "3/3");
    assert_eq!(kit.peak, 1);
}

#[test]
fn stages_one_after_another_groups_in_parallel() {
    let mut kit = Kit::new(vec![
        stage("one", "", vec![group("a", "2"), group("b", "")]),
        stage("two", "", vec![group("c", "")]),
    ])
    .members("a", "a1 a2")
    .members("b", "b1")
    .members("c", "c1")
    .minutes("b1", 30);
    kit.start();
    assert_eq!(
        kit.states("s:one s:two g:a g:b g:c a1 a2 b1 c1"),
        "rnrrnrrrn"
    );
    kit.to(10);
    assert_eq!(kit.states("s:one s:two g:a g:b"), "rncr");
    kit.to(30);
    assert_eq!(kit.states("s:one s:two g:a g:b g:c c1"), "crccrr");
    assert_eq!(minutes(&kit.stage("two").start_time), Some(30));
    kit.to(40);
    assert_eq!(kit.states("r s:two"), "cc");
    assert_eq!(minutes(&kit.status().completed_time), Some(40));
}

#[test]
fn a_run_without_members_is_skipped_on_start() {
    let mut one = stage("s", "", vec![group("a", "")]);
    one.before_gates = vec![approval("g")];
    one.after_stage_wait_in_seconds = Some(60);
    let mut kit = Kit::new(vec![one]);
    kit.settle();
    assert_eq!(kit.states("r s:s g:a"), "nnk");
    kit.start();
    assert_eq!(kit.states("r s:s g:a w:s gate:g"), "kkkkk");
    assert!(kit.gates.is_empty());
    assert!(kit.waits_for().is_empty());
}

#[test]
fn a_member_that_joins_later_is_not_picked_up() {
    let mut kit = Kit::new(vec![]).members("", "m1");
    kit.settle();
    kit.add("m0", "", "1.32.9");
    kit.start().finish();
    assert_eq!(kit.states("r m1"), "cc");
    assert_eq!(kit.updates.len(), 1);
}

#[test]
fn a_group_waiting_for_a_slot_stays_not_started() {
    let mut kit = Kit::new(vec![stage("s", "1", vec![group("a", ""), group("b", "")])])
        .members("a", "a1")
        .members("b", "b1");
    kit.start();
    assert_eq!(kit.states("s:s g:a g:b"), "rrn");
    assert!(kit.group("b").start_time.is_none());
    assert!(kit.waits_for().is_empty());
    kit.to(10);
    assert_eq!(kit.states("s:s g:a g:b"), "rcr");
}

#[test]
fn editing_the_strategy_before_the_start_makes_the_tree_anew() {
    let mut kit = Kit::new(vec![stage("s", "", vec![group("a", ""), group("b", "")])])
        .members("a", "a1 a2")
        .members("b", "b1");
    kit.settle();
    kit.skip("Member:b1");
    kit.add("a0", "a", "1.32.9");
    kit.settle();
    assert_eq!(kit.updates.len(), 3, "a member that joins changes nothing");
    let stages = vec![stage("t", "3", vec![group("b", "2"), group("a", "2")])];
    kit.run.spec.strategy = Some(InlineStrategy { stages });
    kit.settle();
    assert_eq!(kit.updates.len(), 4);
    assert_eq!(kit.states("r s:t g:a g:b a0 a1 a2 b1"), "nnnknnnk");
    assert_eq!(kit.updates["r.a1"].spec.stage, "t");
    assert_eq!(kit.stage("t").max_concurrency, 3);
    let stages = vec![stage("t", "3", vec![group("a", "2")])];
    kit.run.spec.strategy = Some(InlineStrategy { stages });
    kit.settle();
    assert!(!kit.updates.contains_key("r.b1"));
}

#[test]
fn editing_the_upgrade_before_the_start_keeps_the_members() {
    let mut kit = Kit::new(vec![]).members("", "m1");
    kit.settle();
    kit.add("m2", "", "1.32.9");
    kit.run.spec.upgrade.kubernetes_version = Some("v1.33.5".into());
    kit.settle();
    assert_eq!(kit.status().target, "1.33.5");
    assert_eq!(kit.updates.len(), 1);
    kit.start().finish();
    assert_eq!(kit.states("r m1"), "cc");
    let status = kit.fleet.members["m1"].status.clone().unwrap();
    assert_eq!(status.kubernetes_version, "1.33.5");
}

#[test]
fn a_tree_that_cannot_be_made_says_why_and_is_tried_again() {
    let mut kit = Kit::new(vec![]).members("a", "m1");
    kit.run.spec.strategy_name = Some("rings".into());
    kit.settle();
    assert_eq!(kit.states("r"), "n");
    assert_eq!(
        kit.status().error.as_ref().unwrap().code,
        "StrategyNotFound"
    );
    assert_eq!(kit.waits_for(), ["StrategyNotFound"]);
    assert!(kit.status().stages.is_empty());
    kit.write(RunIntent::Run, 1);
    let answer = kit.answer("start");
    assert!(!answer.accepted);
    assert_eq!(answer.code, "StrategyNotFound");

    let spec = UpdateStrategySpec {
        stages: vec![stage("s", "", vec![group("a", "")])],
    };
    let strategy = UpdateStrategy::new("rings", spec);
    kit.fleet.strategies.insert("rings".into(), strategy.into());
    kit.settle();
    assert_eq!(kit.states("r s:s m1"), "nnn");
    assert!(kit.status().error.is_none());
    assert_eq!(kit.status().strategy.as_ref().unwrap().name, "rings");
    // A refused start stays refused; asking again is a new wish.
    kit.fleet.strategies.clear();
    kit.settle();
    assert_eq!(kit.states("r m1"), "nn");
    kit.start();
    assert_eq!(kit.states("r m1"), "rr");
    assert!(kit.answer("start-2").accepted);
}

#[test]
fn ambiguous_members_keep_the_run_from_being_made() {
    let mut both = stage("s", "", vec![group("a", ""), group("b", "")]);
    both.groups[1].member_selector = Some(MemberSelector {
        by_label: "fleet.azure.com/member-name=a1".into(),
    });
    let mut kit = Kit::new(vec![both]).members("a", "a1 a2");
    kit.settle();
    let error = kit.status().error.clone().unwrap();
    assert_eq!(error.code, "AmbiguousMembership");
    assert!(error.message.contains("a1 (a, b)"), "{}", error.message);
    assert!(kit.updates.is_empty());
    kit.edit_member("a1", |member| member.spec.group = None);
    kit.settle();
    assert_eq!(kit.states("r a1 a2"), "nnn");
}

#[test]
fn a_member_update_deleted_by_hand_is_made_again() {
    let one = || Kit::new(vec![stage("s", "", vec![group("a", "2")])]).members("a", "m1 m2 m3 m4");
    // Before the start, in flight, and not begun yet.
    let mut kit = one();
    kit.settle();
    kit.updates.remove("r.m2").unwrap();
    kit.start();
    assert_eq!(kit.states("r m1 m2 m3 m4"), "rrrnn");
    for gone in ["r.m1", "r.m4"] {
        kit.updates.remove(gone).unwrap();
    }
    kit.settle();
    assert_eq!(kit.states("r m1 m2 m3 m4"), "rrrnn");
    // Ended while its object was away.
    kit.updates.remove("r.m1").unwrap();
    kit.end("m1");
    kit.settle();
    assert_eq!(kit.states("m1 m2 m3 m4"), "crrn");
    kit.finish();
    assert_eq!(kit.states("r m1 m2 m3 m4"), "ccccc");
    assert!(kit.begun.values().all(|ids| ids.len() == 1));
    // Of a group that has ended nothing is missed.
    kit.updates.remove("r.m2").unwrap();
    kit.settle();
    assert_eq!(kit.status().progress, "4/4");
}

#[test]
fn a_member_update_deleted_by_hand_stays_skipped() {
    let mut kit = Kit::new(vec![stage("s", "", vec![group("a", "1")])]).members("a", "m1 m2 m3");
    kit.start();
    assert!(kit.skip("Member:m3").accepted);
    kit.updates.remove("r.m3").unwrap();
    kit.finish();
    assert_eq!(kit.states("r m1 m2 m3"), "ccck");
}

#[test]
fn a_member_update_that_nobody_can_make_again_is_given_up() {
    let mut kit = Kit::new(vec![stage("s", "", vec![group("a", "1")])]).members("a", "m1 m2 m3");
    kit.start();
    kit.updates.remove("r.m3").unwrap();
    kit.fleet.members.remove("m3");
    kit.finish();
    assert_eq!(kit.states("r m1 m2"), "ccc");
    assert_eq!(kit.status().progress, "2/2");
    let lost = kit.facts.iter().filter(|f| f.reason == "MemberUpdatesLost");
    assert_eq!(lost.count(), 1);
}

#[test]
fn a_member_that_hangs_says_so() {
    let mut kit = Kit::new(vec![])
        .members("", "m1 m2")
        .script("m1", |s| s.hangs = true);
    kit.start().to(119);
    assert!(kit.waits_for().is_empty());
    kit.to(120);
    assert_eq!(kit.waits_for(), ["SlowUpgrade"]);
    assert_eq!(kit.member("m1").waiting_for[0].code, "SlowUpgrade");
    assert_eq!(kit.wake, None);
    kit.to(600);
    assert_eq!(
        kit.facts
            .iter()
            .filter(|f| f.reason == "SlowUpgrade")
            .count(),
        1
    );
    kit.end("m1");
    kit.settle();
    assert!(kit.waits_for().is_empty() && kit.member("m1").waiting_for.is_empty());
}

#[test]
fn what_is_usual_comes_from_the_run_itself() {
    let mut kit = Kit::new(vec![stage("s", "", vec![group("a", "4")])])
        .members("a", "m1 m2 m3 m4")
        .script("m4", |s| s.hangs = true);
    kit.start().to(29);
    assert!(kit.waits_for().is_empty());
    kit.to(30);
    assert_eq!(kit.waits_for(), ["SlowUpgrade"]);
}
