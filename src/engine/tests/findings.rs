//! What is said of a run before it is started.

use std::sync::Arc;

use crate::engine::findings::{Finding, Other, of_run};
use crate::engine::plan::{Plan, plan};
use crate::engine::testkit::*;

fn planned(kit: &Kit) -> Plan {
    plan(&kit.run.spec, &kit.fleet).unwrap()
}

fn target(kit: &mut Kit, version: &str) {
    kit.run.spec.upgrade.kubernetes_version = Some(version.into());
}

fn said(findings: &[Finding]) -> Vec<(&str, String)> {
    let line = |finding: &Finding| (finding.code, finding.message.clone());
    findings.iter().map(line).collect()
}

#[test]
fn a_target_that_no_upgrade_leads_to_is_said_beforehand() {
    let mut kit = Kit::new(vec![]).members("", "a b");
    kit.add("c", "", "1.98.4");
    target(&mut kit, "1.99");
    let plan = planned(&kit);
    let [found] = plan.warnings.as_slice() else {
        panic!("{:?}", plan.warnings)
    };
    assert_eq!(found.code, "VersionPathIllegal");
    assert_eq!(found.members, ["a", "b"]);
    assert_eq!(
        found.message,
        "2 members will fail: no upgrade goes to 1.99, since the control plane is at 1.32.9 and \
         1.99 is 67 minor versions ahead; an upgrade moves one minor at a time (a, b)"
    );
    // What was foretold is what happens.
    kit.start();
    assert_eq!(kit.states("r a"), "ff");
    assert_eq!(kit.member("a").error.unwrap().code, found.code);
}

#[test]
fn members_ahead_of_the_target_are_not_said_to_be_at_it() {
    let mut kit = Kit::new(vec![]);
    for (name, version) in [("a", "1.33.4"), ("b", "1.30.1"), ("c", "1.30.0")] {
        kit.add(name, "", version);
    }
    target(&mut kit, "1.30.1");
    let plan = planned(&kit);
    assert_eq!(
        (plan.at_target, plan.newer),
        (vec!["b".into()], vec!["a".into()])
    );
    assert_eq!(
        said(&plan.warnings),
        [(
            "NewerThanTarget",
            "1 member will be skipped: 1.33.4 is newer than the target 1.30.1 (a)".to_owned()
        )]
    );
    kit.start();
    kit.finish();
    assert_eq!(kit.states("a b c"), "kkc");
    assert_eq!(kit.member("a").message, "a is at 1.33.4, newer than 1.30.1");
    assert_eq!(kit.member("b").message, "b is at 1.30.1 already");
    // Any patch of the minor is what an alias asks for, where nothing tells which is the newest.
    let mut kit = Kit::new(vec![]).members("", "a");
    target(&mut kit, "1.32");
    let plan = planned(&kit);
    assert_eq!((plan.at_target.len(), plan.newer.len()), (1, 0));
}

#[test]
fn clusters_that_cannot_be_upgraded_now_are_said_by_cause() {
    let mut kit = Kit::new(vec![]).members("", "a b c d e f");
    for (name, state) in [
        ("a", "Stopped"),
        ("b", "Stopped"),
        ("c", "Busy"),
        ("d", "Unreachable"),
    ] {
        kit.edit_member(name, |member| {
            member.status.as_mut().unwrap().state = state.into()
        });
    }
    kit.edit_member("e", |member| member.spec.provider.simulated = None);
    let plan = planned(&kit);
    let members: Vec<_> = plan
        .warnings
        .iter()
        .map(|found| (found.code, found.members.join(" ")))
        .collect();
    let owned = |code, members: &str| (code, members.to_owned());
    assert_eq!(
        members,
        [
            owned("ClusterBusy", "c"),
            owned("ClusterStopped", "a b"),
            owned("ClusterUnreachable", "d"),
            owned("UnsupportedCluster", "e"),
        ]
    );
    assert_eq!(
        plan.warnings[1].message,
        "2 members would fail as things are: the cluster is stopped (a, b)"
    );
}

/// OP-37: runs may share members, and whoever starts the second one is told.
#[test]
fn runs_at_work_with_the_same_members_are_named() {
    let mut first = Kit::new(vec![]).members("", "a b c d");
    first.run.metadata.name = Some("first".into());
    first.settle();
    let other = |kit: &Kit| {
        let updates = kit.updates.values().cloned().collect();
        let run = Arc::new(kit.run.clone());
        [Other { run, updates }]
    };
    let mut second = Kit::new(vec![]).members("", "b c d x");
    let beside = |others: &[Other]| planned(&second).beside("r", others).warnings;
    assert_eq!(beside(&other(&first)), [], "it has not been started");

    first.start();
    first.to(10);
    assert_eq!(first.states("r a b c"), "rcrn");
    first.run.metadata.name = Some("first".into());
    let found = beside(&other(&first));
    assert_eq!(
        said(&found),
        [(
            "SharedMembers",
            "Run first is at work and has 3 of these to upgrade too: b, c, d; where both meet, the \
             later one fails with ClusterBusy"
                .to_owned()
        )]
    );
    assert_eq!(beside(&[]), []);
    let itself = planned(&second).beside("first", &other(&first)).warnings;
    assert_eq!(itself, [], "a run is not beside itself");

    // The same of a run that is made: of what it has still to do.
    second.settle();
    let before = second.world(|world| of_run(world, &other(&first)));
    assert_eq!(before, found);
    first.finish();
    assert_eq!(second.world(|world| of_run(world, &other(&first))), []);
}

#[test]
fn a_run_that_is_made_is_judged_by_what_it_has_still_to_do() {
    let mut kit = Kit::new(vec![]).members("", "a b");
    target(&mut kit, "1.33.4");
    kit.settle();
    kit.edit_member("b", |member| {
        member.status.as_mut().unwrap().kubernetes_version = "1.30.0".into();
    });
    let codes = |kit: &Kit| {
        let found = kit.world(|world| of_run(world, &[]));
        let line = |f: Finding| format!("{} {}", f.code, f.members.join(" "));
        found.into_iter().map(line).collect::<Vec<_>>()
    };
    assert_eq!(codes(&kit), ["VersionPathIllegal b"]);
    kit.start();
    kit.finish();
    assert_eq!(kit.states("r a b"), "fcf");
    assert_eq!(
        codes(&kit),
        ["VersionPathIllegal b"],
        "it would be tried again"
    );
    // Before there is a tree, the plan stands in for it.
    kit.run.status = None;
    assert_eq!(codes(&kit), ["VersionPathIllegal b"]);
}
