//! update-runs §4: what happens at a member's turn, and what a plan says beforehand.

use std::sync::Arc;

use crate::api::*;
use crate::engine::catalog::{Catalog, Region};
use crate::engine::plan::plan;
use crate::engine::testkit::*;

fn pool(name: &str, version: &str, image: &str) -> NodePool {
    NodePool {
        name: name.into(),
        count: 1,
        kubernetes_version: version.into(),
        node_image: image.into(),
    }
}

/// One member `m` in region `east` at a version with pools, and a run over it.
fn one(type_: UpgradeType, version: &str, pools: &[NodePool]) -> Kit {
    let mut kit = Kit::new(vec![]);
    kit.add("m", "", version);
    kit.edit_member("m", |member| {
        member.spec.region = Some("east".into());
        member.status.as_mut().unwrap().node_pools = pools.to_vec();
    });
    kit.run.spec.upgrade.type_ = type_;
    if type_ == UpgradeType::NodeImageOnly {
        kit.run.spec.upgrade.kubernetes_version = None;
    }
    kit
}

fn select(kit: &mut Kit, type_: NodeImageSelectionType, images: &[&str]) {
    kit.run.spec.node_image_selection = Some(NodeImageSelection {
        type_,
        custom_node_image_versions: images
            .iter()
            .map(|image| NodeImageVersion {
                version: (*image).to_owned(),
            })
            .collect(),
    });
}

/// Publishes images of family F in regions.
fn publish(kit: &mut Kit, regions: &[(&str, &[&str])]) {
    let mut catalog = Catalog {
        published: true,
        ..Catalog::default()
    };
    for (name, images) in regions {
        let mut region = Region::default();
        for image in *images {
            region.add_image("F", image);
        }
        let version = crate::engine::version::Version::parse("1.33.4").unwrap();
        region.versions.insert(version);
        catalog.regions.insert((*name).to_owned(), region);
    }
    kit.fleet.catalog = Some(Arc::new(catalog));
}

fn operation(kit: &Kit) -> Operation {
    kit.fleet.members["m"]
        .status
        .as_ref()
        .unwrap()
        .operation
        .clone()
        .unwrap()
}

#[test]
fn rules_1_and_2_gone_and_unsupported() {
    let mut kit = one(UpgradeType::Full, "1.32.9", &[]);
    kit.settle();
    let member = kit.fleet.members.remove("m").unwrap();
    kit.start();
    assert_eq!(kit.states("r m"), "kk");
    assert!(kit.member("m").message.contains("has left the fleet"));

    // A member made anew under the name is another one.
    let mut kit = one(UpgradeType::Full, "1.32.9", &[]);
    kit.settle();
    let mut other = member.as_ref().clone();
    other.metadata.uid = Some("another".into());
    kit.fleet.members.insert("m".into(), Arc::new(other));
    kit.start();
    assert_eq!(kit.states("m"), "k");

    let mut kit = one(UpgradeType::Full, "1.32.9", &[]);
    kit.edit_member("m", |member| member.spec.provider.simulated = None);
    kit.start();
    assert_eq!(kit.states("m"), "k");
    assert!(kit.member("m").start_time.is_some());
}

#[test]
fn rules_3_to_5_at_the_target() {
    use UpgradeType::{ControlPlaneOnly, Full, NodeImageOnly};
    let new = "F-0815";
    let cases = [
        (
            ControlPlaneOnly,
            "1.33.4",
            vec![pool("a", "1.31.0", "F-0801")],
            'k',
        ),
        (ControlPlaneOnly, "1.34.0", vec![], 'k'),
        (ControlPlaneOnly, "1.33.3", vec![], 'r'),
        (Full, "1.33.4", vec![pool("a", "1.33.4", new)], 'k'),
        (Full, "1.33.5", vec![pool("a", "1.33.5", "F-0816")], 'k'),
        (Full, "1.33.4", vec![pool("a", "1.33.3", new)], 'r'),
        (Full, "1.33.4", vec![pool("a", "1.33.4", "F-0801")], 'r'),
        (
            Full,
            "1.33.4",
            vec![pool("a", "1.33.4", new), pool("b", "1.33.4", "F-0801")],
            'r',
        ),
        (NodeImageOnly, "1.20.0", vec![pool("a", "1.20.0", new)], 'k'),
        (
            NodeImageOnly,
            "1.20.0",
            vec![pool("a", "1.20.0", "F-0808")],
            'r',
        ),
        (NodeImageOnly, "1.20.0", vec![], 'k'),
    ];
    for (type_, version, pools, want) in cases {
        let mut kit = one(type_, version, &pools);
        publish(&mut kit, &[("east", &["0801", "0808", "0815"])]);
        let planned = plan(&kit.run.spec, &kit.fleet).unwrap();
        assert_eq!(
            planned.at_target.len() + planned.newer.len(),
            usize::from(want == 'k'),
            "{type_} {pools:?}"
        );
        kit.start();
        assert_eq!(
            kit.states("m"),
            want.to_string(),
            "{type_} {version} {pools:?}"
        );
    }
}

#[test]
fn a_full_upgrade_does_what_is_behind() {
    let pools = [
        pool("a", "1.32.9", "F-0801"),
        pool("b", "1.33.4", "F-0815"),
        pool("c", "", "G-1"),
    ];
    let mut kit = one(UpgradeType::Full, "1.32.9", &pools);
    publish(&mut kit, &[("east", &["0801", "0815"])]);
    kit.start();
    let begun = operation(&kit);
    assert_eq!(begun.kubernetes_version.as_deref(), Some("1.33.4"));
    let targets: Vec<_> = begun
        .pools
        .iter()
        .map(|p| {
            (
                p.name.as_str(),
                p.kubernetes_version.as_deref(),
                p.node_image.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        targets,
        [
            ("a", Some("1.33.4"), Some("F-0815")),
            ("c", Some("1.33.4"), None)
        ]
    );
    kit.finish();
    assert_eq!(kit.states("r m"), "cc");
    let m = kit.member("m");
    assert_eq!(
        m.message,
        "Left alone, at the target or not in this run: pool b"
    );
    assert_eq!(m.from_version.as_deref(), Some("1.32.9"));

    // The control plane at the target and a pool behind is no skip.
    let mut kit = one(UpgradeType::Full, "1.33.4", &[pool("a", "1.32.9", "")]);
    kit.start();
    let begun = operation(&kit);
    assert_eq!(begun.kubernetes_version, None);
    assert_eq!(begun.pools[0].kubernetes_version.as_deref(), Some("1.33.4"));
}

#[test]
fn latest_is_the_newest_in_the_members_own_region() {
    let mut kit = one(
        UpgradeType::NodeImageOnly,
        "1.32.9",
        &[pool("a", "", "F-0801")],
    );
    kit.add("n", "", "1.32.9");
    kit.edit_member("n", |member| {
        member.spec.region = Some("west".into());
        member.status.as_mut().unwrap().node_pools = vec![pool("a", "", "F-0808")];
    });
    kit.add("o", "", "1.32.9");
    kit.edit_member("o", |member| {
        member.spec.region = Some("east".into());
        member.status.as_mut().unwrap().node_pools =
            vec![pool("a", "", "F-0815"), pool("w", "", "G-9")];
    });
    // Nothing is published: what is seen on members stands in for it.
    kit.start();
    assert_eq!(
        operation(&kit).pools[0].node_image.as_deref(),
        Some("F-0815")
    );
    kit.finish();
    assert_eq!(kit.states("r m n o"), "cckk");
    assert_eq!(kit.status().target, "node image");
}

#[test]
fn rule_6_consistent_without_a_common_image() {
    let mut kit = one(
        UpgradeType::NodeImageOnly,
        "1.32.9",
        &[pool("a", "", "F-0801")],
    );
    select(&mut kit, NodeImageSelectionType::Consistent, &[]);
    kit.add("n", "", "1.32.9");
    kit.edit_member("n", |member| {
        member.spec.region = Some("west".into());
        member.status.as_mut().unwrap().node_pools = vec![pool("a", "", "F-0801")];
    });
    publish(
        &mut kit,
        &[
            ("east", &["0801", "0808", "0815"]),
            ("west", &["0801", "0808"]),
        ],
    );
    kit.settle();
    assert_eq!(
        kit.status().selected_node_image_versions[0].version,
        "F-0808"
    );
    // A pool with a family that was not there when the run was made.
    kit.edit_member("n", |member| {
        member
            .status
            .as_mut()
            .unwrap()
            .node_pools
            .push(pool("b", "", "G-1"));
    });
    kit.start().finish();
    assert_eq!(kit.states("r m n"), "cck");
    assert!(kit.member("n").message.contains("pool b"));
    let status = kit.fleet.members["m"].status.clone().unwrap();
    assert_eq!(status.node_pools[0].node_image, "F-0808");

    let mut kit = one(
        UpgradeType::NodeImageOnly,
        "1.32.9",
        &[pool("a", "", "F-0801")],
    );
    select(&mut kit, NodeImageSelectionType::Consistent, &[]);
    kit.add("n", "", "1.32.9");
    kit.edit_member("n", |member| {
        member.spec.region = Some("west".into());
        member.status.as_mut().unwrap().node_pools = vec![pool("a", "", "F-0801")];
    });
    publish(&mut kit, &[("east", &["0815"]), ("west", &["0801"])]);
    kit.start().finish();
    assert!(kit.status().selected_node_image_versions.is_empty());
    assert_eq!(kit.states("r m n"), "kkk");
}

#[test]
fn custom_leaves_other_families_alone() {
    let pools = [
        pool("a", "", "F-0801"),
        pool("b", "", "G-1"),
        pool("c", "", "F-0900"),
    ];
    let mut kit = one(UpgradeType::NodeImageOnly, "1.32.9", &pools);
    select(&mut kit, NodeImageSelectionType::Custom, &["F-0815"]);
    kit.start();
    assert_eq!(
        kit.status().selected_node_image_versions[0].version,
        "F-0815"
    );
    let begun = operation(&kit);
    assert_eq!(begun.pools.len(), 1);
    kit.finish();
    assert_eq!(
        kit.member("m").message,
        "Left alone, at the target or not in this run: pool b, c"
    );

    let mut kit = one(
        UpgradeType::NodeImageOnly,
        "1.32.9",
        &[pool("b", "", "G-1")],
    );
    select(&mut kit, NodeImageSelectionType::Custom, &["F-0815"]);
    kit.start();
    assert_eq!(kit.states("r m"), "kk");
}

#[test]
fn rule_8_not_yet_in_the_region() {
    let mut kit = one(UpgradeType::Full, "1.32.9", &[]);
    publish(&mut kit, &[("west", &[])]);
    kit.start();
    assert_eq!(kit.states("r s:default g:default m"), "pppp");
    let m = kit.member("m");
    assert_eq!(m.error.unwrap().code, "KubernetesVersionNotAvailable");
    assert!(
        m.message.contains("1.33.4") && m.message.contains("east"),
        "{}",
        m.message
    );
    assert!(m.message.contains("release catalogue"));
    assert_eq!(minutes(&m.start_time), Some(0));
    kit.to(60);
    publish(&mut kit, &[("east", &[])]);
    kit.settle();
    assert_eq!(kit.states("r m"), "rr");
    assert_eq!(minutes(&kit.member("m").start_time), Some(0));

    let mut kit = one(
        UpgradeType::NodeImageOnly,
        "1.32.9",
        &[pool("a", "", "F-0801")],
    );
    select(&mut kit, NodeImageSelectionType::Custom, &["F-0815"]);
    publish(&mut kit, &[("east", &["0801"])]);
    kit.start();
    let m = kit.member("m");
    assert_eq!(m.error.unwrap().code, "NodeImageVersionNotAvailable");
    assert!(
        m.message.contains("F-0815") && m.message.contains("pool a"),
        "{}",
        m.message
    );
}

#[test]
fn rule_9_preflight_failures() {
    type Change = fn(&mut FleetMemberStatus);
    let cases: [(Change, &str); 6] = [
        (|s| s.state = "Stopped".into(), "ClusterStopped"),
        (|s| s.state = "Busy".into(), "ClusterBusy"),
        (|s| s.state = "Unreachable".into(), "ClusterUnreachable"),
        (
            |s| s.kubernetes_version = "1.31.9".into(),
            "VersionPathIllegal",
        ),
        (
            |s| s.kubernetes_version = "0.99.1".into(),
            "VersionPathIllegal",
        ),
        (
            |s| {
                s.kubernetes_version = String::new();
                s.state = "Unreachable".into();
            },
            "ClusterUnreachable",
        ),
    ];
    for (change, code) in cases {
        let mut kit = one(UpgradeType::Full, "1.32.9", &[]);
        kit.edit_member("m", |member| change(member.status.as_mut().unwrap()));
        kit.start();
        let m = kit.member("m");
        assert_eq!(
            (kit.states("r m").as_str(), m.error.unwrap().code.as_str()),
            ("ff", code)
        );
        assert!(!m.message.is_empty());
    }
    // Skipping goes before failing: a stopped cluster at the target is no failure.
    let mut kit = one(UpgradeType::Full, "1.33.4", &[]);
    kit.edit_member("m", |member| {
        member.status.as_mut().unwrap().state = "Stopped".into()
    });
    kit.start();
    assert_eq!(kit.states("r m"), "kk");
    // A control plane alone may not run ahead of its pools.
    let mut kit = one(
        UpgradeType::ControlPlaneOnly,
        "1.32.9",
        &[pool("a", "1.29.0", "")],
    );
    kit.start();
    let m = kit.member("m");
    assert_eq!(m.error.unwrap().code, "VersionPathIllegal");
    assert!(m.message.contains("pool a"), "{}", m.message);
}

/// §11.2: the trace of one group with windows.
#[test]
fn windows_order_a_group() {
    let mut kit = Kit::new(vec![]).members("", "a b c d e");
    for name in ["a", "b", "c", "d", "e"] {
        kit = kit.minutes(name, 30);
    }
    let noon = instant("2026-03-02T12:00:00Z");
    kit.now = noon;
    let at = |text: &str| instant(&format!("2026-03-0{text}:00Z"));
    let windows = &mut kit.fleet.windows;
    windows.insert("b".into(), vec![(at("2T12:20"), at("2T16:20"))]);
    windows.insert("c".into(), vec![(at("2T11:00"), at("2T14:00"))]);
    windows.insert("d".into(), vec![(at("3T01:00"), at("3T05:00"))]);
    kit.start();
    assert_eq!(kit.states("r a b c d e"), "rnnrnn");
    kit.until(at("2T12:30"));
    assert_eq!(kit.states("a b c d e"), "nrcnn");
    kit.until(at("2T13:00"));
    assert_eq!(kit.states("a b c d e"), "rccnn");
    kit.until(at("2T13:30"));
    assert_eq!(kit.states("a b c d e"), "cccnr");
    kit.until(at("2T14:00"));
    assert_eq!(kit.states("r s:default g:default a b c d e"), "pppcccpc");
    assert_eq!(
        kit.member("d").error.unwrap().code,
        "MaintenanceWindowClosed"
    );
    assert!(
        kit.member("d")
            .message
            .contains("aksManagedAutoUpgradeSchedule")
    );
    assert!(kit.member("d").message.contains("2026-03-03T01:00:00Z"));
    assert_eq!(kit.wake, Some(at("3T01:00")));
    assert_eq!(kit.waits_for(), ["MaintenanceWindowClosed"]);
    kit.until(at("3T01:30"));
    assert_eq!(kit.states("r d"), "cc");
}

/// A pending member holds no slot: a member without a window starts in the same pass.
#[test]
fn pending_holds_no_slot() {
    let mut kit = Kit::new(vec![]).members("", "a b");
    let opens = instant("2026-03-02T10:00:00Z");
    let closes = instant("2026-03-02T12:00:00Z");
    kit.fleet.windows.insert("a".into(), vec![(opens, closes)]);
    kit.start();
    assert_eq!(kit.states("r g:default a b"), "rrpr");
    kit.to(10);
    assert_eq!(kit.states("r g:default a b"), "pppc");
    kit.to(60);
    assert_eq!(kit.states("r a"), "rr");
}

#[test]
fn a_plan_shows_what_would_be_made() {
    let mut one = stage(
        "s",
        "25%/2",
        vec![group("a", "50%/25%"), group("b", "9"), group("z", "")],
    );
    one.member_selector = Some(MemberSelector {
        by_label: "!lab".into(),
    });
    let mut kit = Kit::new(vec![one])
        .members("a", "a1 a2 a3 a4 a5 a6 a7 a8")
        .members("b", "b1 b2 b3 b4")
        .members("x", "x1");
    kit.add("a9", "a", "1.33.4");
    kit.edit_member("b4", |member| {
        member.metadata.labels = Some([("lab".to_owned(), String::new())].into());
    });
    kit.run.spec.upgrade.kubernetes_version = Some("v1.33".into());
    let plan = plan(&kit.run.spec, &kit.fleet).unwrap();
    let s = &plan.stages[0];
    assert_eq!(
        (s.members, s.max_concurrency, s.max_allowed_failures),
        (12, 3, 2)
    );
    assert_eq!(
        s.rounding,
        "at once 25% of 12 = 3, rounded down, at least 1"
    );
    let [a, b, z] = s.groups.as_slice() else {
        panic!()
    };
    assert_eq!(
        (a.members.len(), a.max_concurrency, a.max_allowed_failures),
        (9, 3, 3)
    );
    assert_eq!(a.rule, "group a, of those with !lab");
    assert_eq!(
        (b.members.join(","), b.max_concurrency),
        ("b1,b2,b3".into(), 3)
    );
    assert!(z.members.is_empty());
    assert_eq!(plan.unplaced, ["b4", "x1"]);
    assert_eq!(
        plan.kubernetes_version.as_deref(),
        Some("1.33.4"),
        "newest patch seen"
    );
    assert_eq!(plan.at_target, ["a9"]);
    let about = |text: &str| {
        plan.warnings
            .iter()
            .any(|warning| warning.message.contains(text))
    };
    assert!(about("group b does not: its first failure stops the run"));
    assert!(about("Group z of stage s has no members"));
    assert!(about("Group b of stage s asks for 9 at once and gets 3"));
    assert!(about("Group a of stage s asks for 4 at once and gets 3"));
}

#[test]
fn a_plan_that_cannot_be_made_names_every_reason() {
    let kit = Kit::new(vec![
        stage("S", "0", vec![]),
        stage("t", "51", vec![group("a", "/x")]),
    ]);
    let codes: Vec<_> = plan(&kit.run.spec, &kit.fleet)
        .unwrap_err()
        .iter()
        .map(|refusal| refusal.code)
        .collect();
    assert_eq!(
        codes,
        [
            "InvalidName",
            "RequiredPropertyMissing",
            "InvalidLimit",
            "InvalidLimit",
            "InvalidLimit"
        ]
    );
}

#[test]
fn an_implicit_group_takes_the_stages_limits() {
    let mut one = stage("s", "50%/1", vec![]);
    one.member_selector = Some(MemberSelector {
        by_label: "fleet.azure.com/member-name!=zz".into(),
    });
    let mut kit = Kit::new(vec![one])
        .members("", "m1 m2 m3 m4")
        .failing("m1", 1);
    kit.start();
    assert_eq!(kit.group("s").max_concurrency, 2);
    assert_eq!(kit.group("s").max_allowed_failures, 1);
    assert_eq!(kit.states("r s:s g:s m1 m2 m3"), "rrrrrn");
    assert!(
        kit.status()
            .conditions
            .iter()
            .all(|c| c.type_ != "LimitsCapped")
    );
    kit.finish();
    assert_eq!(kit.states("r s:s g:s"), "ccc");
}
