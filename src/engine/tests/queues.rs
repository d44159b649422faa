//! Why a member's turn has not come.

use crate::engine::queue::{self, Slots};
use crate::engine::testkit::*;

fn why(kit: &Kit, stage: &str, group: &str) -> (String, String) {
    let flying = |slots| match slots {
        Slots::Group => vec!["c1".to_owned()],
        Slots::Stage => vec!["c1".to_owned(), "d1".to_owned()],
    };
    let (stage, group) = (kit.stage(stage), kit.group(group));
    let wait = queue::why("r", kit.status(), stage, group, &flying).unwrap();
    (wait.code, wait.message)
}

#[test]
fn a_member_in_line_names_what_it_waits_for() {
    let mut gated = group("gd", "1");
    gated.before_gates = vec![approval("late")];
    let mut kit = Kit::new(vec![
        stage("one", "", vec![group("c", "1"), gated]),
        stage("two", "", vec![group("e", "1")]),
    ])
    .members("c", "c1 c2")
    .members("gd", "d1")
    .members("e", "e1");
    kit.settle();
    assert_eq!(why(&kit, "one", "c").0, "NotStarted");
    kit.start();
    assert_eq!(
        why(&kit, "one", "c"),
        ("NoSlot".to_owned(), "slot: 1 of 1 used by c1".to_owned())
    );
    assert_eq!(why(&kit, "one", "gd").0, "GateOpen");
    assert_eq!(
        why(&kit, "two", "e"),
        (
            "StageAhead".to_owned(),
            "Stage two comes after stage one".to_owned()
        )
    );
}

#[test]
fn the_slots_of_the_stage_are_named_as_such() {
    let groups = vec![group("c", "2"), group("d", "2")];
    let mut kit = Kit::new(vec![stage("s", "2", groups)])
        .members("c", "c1 c2")
        .members("d", "d1 d2");
    kit.start();
    assert_eq!(
        why(&kit, "s", "c").1,
        "slot: 2 of 2 of the stage used by c1, d1"
    );
}
