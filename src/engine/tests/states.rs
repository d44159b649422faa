//! update-runs §9.1–§9.4: the rows of the state tables that the other examples do not pass through.

use crate::engine::operation::Verb;
use crate::engine::testkit::*;

fn unobserved(kit: &mut Kit, names: &str) {
    for name in names.split(' ') {
        kit.edit_member(name, |member| member.status = None);
    }
}

#[test]
fn some_finished_and_the_rest_pending_is_pending() {
    let mut kit = Kit::new(vec![stage("s", "", vec![group("a", ""), group("b", "")])])
        .members("a", "a1 a2")
        .members("b", "b1");
    unobserved(&mut kit, "a2");
    kit.start();
    assert_eq!(kit.states("r s:s g:a g:b a1 a2 b1"), "rrrrrnr");
    kit.to(10);
    // One group is Completed, the other Pending: the stage is Pending.
    assert_eq!(kit.states("r s:s g:a g:b a1 a2"), "pppccp");
    let counts = kit.status().counts;
    assert_eq!((counts.completed, counts.pending), (2, 1));
}

#[test]
fn a_group_on_its_gate_beside_one_that_runs() {
    let mut one = stage("s", "", vec![group("a", ""), group("b", "")]);
    one.groups[0].before_gates = vec![approval("g")];
    let mut kit = Kit::new(vec![one]).members("a", "a1").members("b", "b1");
    kit.start();
    assert_eq!(kit.states("r s:s g:a g:b"), "rrpr");
    kit.to(10);
    assert_eq!(kit.states("r s:s g:a g:b"), "pppc");
}

#[test]
fn a_stage_on_its_after_gate_is_pending_though_its_wait_runs() {
    let mut one = stage("s", "", vec![group("a", "")]);
    one.after_gates = vec![approval("g")];
    one.after_stage_wait_in_seconds = Some(600);
    let mut kit = Kit::new(vec![one]).members("a", "a1");
    kit.start().to(10);
    assert_eq!(kit.states("r s:s g:a w:s"), "ppcr");
    kit.approve("g");
    assert_eq!(kit.states("r s:s w:s"), "rrr");
}

#[test]
fn a_skip_that_leaves_a_mix_shows_in_the_next_pass() {
    let mut kit = Kit::new(vec![stage("s", "1", vec![group("a", ""), group("b", "")])])
        .members("a", "a1")
        .members("b", "b1 b2");
    kit.start();
    assert_eq!(kit.states("g:a g:b"), "rn");
    kit.skip("Member:b1");
    // Work remains and not every member is untouched: Running by the table.
    assert_eq!(kit.states("g:a g:b b1 b2"), "rrkn");
    kit.ask(Verb::Stop);
    kit.to(10);
    // But its turn has not come, so it was not reached.
    assert_eq!(kit.states("r s:s g:a g:b"), "ttcn");
}

#[test]
fn a_later_stage_is_left_as_it_is_until_it_is_reached() {
    let mut kit = Kit::new(vec![
        stage("s", "", vec![group("a", "")]),
        stage("t", "", vec![group("b", ""), group("c", "")]),
    ])
    .members("a", "a1")
    .members("b", "b1 b2")
    .members("c", "c1");
    kit.start();
    kit.skip("Member:b1 Group:c");
    assert_eq!(kit.states("s:t g:b g:c b1"), "nnkk");
    kit.to(10);
    assert_eq!(kit.states("s:t g:b g:c b1 b2"), "rrkkr");
}

/// §9.4: from every active state the run can be halted and goes on.
#[test]
fn pending_runs_can_be_stopped_and_resumed_into_pending() {
    let mut kit = Kit::new(vec![]).members("", "m1");
    unobserved(&mut kit, "m1");
    kit.start();
    assert_eq!(kit.states("r"), "p");
    assert_eq!(kit.waits_for(), ["ClusterNotObserved"]);
    kit.ask(Verb::Stop);
    assert_eq!(kit.states("r"), "t");
    kit.ask(Verb::Resume);
    assert_eq!(kit.states("r"), "p");
    kit.skip("Member:m1");
    assert_eq!(kit.states("r s:default g:default"), "kkk");
}

#[test]
fn conditions_follow_the_state() {
    let mut kit = Kit::new(vec![]).members("", "m1").failing("m1", 1);
    let condition = |kit: &Kit, type_: &str| {
        let found = kit.status().conditions.iter().find(|c| c.type_ == type_);
        found
            .map(|c| format!("{} {}", c.status, c.reason))
            .unwrap_or_default()
    };
    kit.settle();
    assert_eq!(condition(&kit, "Initialized"), "True TreeMade");
    assert_eq!(condition(&kit, "Progressing"), "False NotStarted");
    kit.start();
    assert_eq!(condition(&kit, "Progressing"), "True Running");
    assert_eq!(condition(&kit, "Succeeded"), "");
    kit.to(10);
    assert_eq!(condition(&kit, "Progressing"), "False Failed");
    assert_eq!(condition(&kit, "Succeeded"), "False Failed");
    kit.ask(Verb::Resume).to(30);
    assert_eq!(condition(&kit, "Progressing"), "False Completed");
    assert_eq!(condition(&kit, "Succeeded"), "True Completed");
}

#[test]
fn facts_tell_the_story_once() {
    let mut kit = Kit::new(vec![stage("s", "", vec![group("a", "")])])
        .members("a", "a1 a2")
        .failing("a1", 1);
    kit.start().finish();
    kit.ask(Verb::Resume).finish();
    let story: Vec<_> = kit
        .reasons()
        .into_iter()
        .filter(|r| !r.starts_with("Request"))
        .collect();
    assert_eq!(
        story,
        [
            "Initialized",
            "RunRunning",
            "UpgradeStarted",
            "GroupRunning",
            "StageRunning",
            "UpgradeFailed",
            "GroupFailed",
            "StageFailed",
            "RunFailed",
            "MemberReset",
            "GroupRunning",
            "StageRunning",
            "RunRunning",
            "UpgradeStarted",
            "UpgradeSucceeded",
            "UpgradeStarted",
            "UpgradeSucceeded",
            "GroupCompleted",
            "StageCompleted",
            "RunCompleted",
        ]
    );
    assert!(kit.facts.iter().filter(|f| f.warning).count() == 4);
}
