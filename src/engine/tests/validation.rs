//! update-runs §3.1: every code that can be told from an object alone, with the path of the field.

use crate::api::*;
use crate::engine::testkit::*;
use crate::engine::validate::{self, Violation};

fn found(violations: &[Violation]) -> Vec<(&'static str, String)> {
    violations
        .iter()
        .map(|v| (v.code, v.field.clone()))
        .collect()
}

fn only(stages: &[Stage], code: &'static str, field: &str) {
    let violations = validate::stages(stages);
    assert_eq!(found(&violations), [(code, field.to_owned())]);
    assert!(!violations[0].message.is_empty() && !violations[0].hint.is_empty());
}

fn good() -> Stage {
    stage("s", "25%/1", vec![group("a", "2"), group("b", "100%/0%")])
}

fn selector(text: &str) -> Option<MemberSelector> {
    Some(MemberSelector {
        by_label: text.into(),
    })
}

#[test]
fn names() {
    for name in ["a", "a-b", "0", "a0", "x".repeat(50).as_str()] {
        assert!(validate::name(name), "{name}");
    }
    for name in [
        "",
        "A",
        "-a",
        "a-",
        "a_b",
        "a.b",
        "ä",
        "x".repeat(51).as_str(),
    ] {
        assert!(!validate::name(name), "{name}");
    }
    assert!(validate::run_name("eu-1.33.4") && !validate::run_name(".a"));
}

#[test]
fn strategies() {
    assert!(validate::stages(&[good()]).is_empty());
    only(&[], "RequiredPropertyMissing", "stages");
    only(
        &[stage("s", "", vec![])],
        "RequiredPropertyMissing",
        "stages[0].groups",
    );
    only(
        &[stage("S", "", vec![group("a", "")])],
        "InvalidName",
        "stages[0].name",
    );
    only(
        &[stage("s", "", vec![group("-", "")])],
        "InvalidName",
        "stages[0].groups[0].name",
    );
    only(
        &[good(), stage("s", "", vec![group("c", "")])],
        "DuplicateStage",
        "stages[1].name",
    );
    only(
        &[good(), stage("t", "", vec![group("b", "")])],
        "DuplicateGroup",
        "stages[1].groups[0].name",
    );
    only(
        &[stage("s", "", vec![group("a", ""), group("a", "")])],
        "DuplicateGroup",
        "stages[0].groups[1].name",
    );
    // An implicit group has its stage's name.
    let mut implicit = stage("b", "", vec![]);
    implicit.member_selector = selector("env=prod");
    only(
        &[good(), implicit.clone()],
        "DuplicateGroup",
        "stages[1].name",
    );
    assert!(validate::stages(&[implicit]).is_empty());
    let many = (0..51).map(|i| group(&format!("g{i}"), "")).collect();
    only(&[stage("s", "", many)], "TooManyGroups", "stages[0].groups");
    let many: Vec<_> = (0..32)
        .map(|i| stage(&format!("s{i}"), "", vec![group(&format!("g{i}"), "")]))
        .collect();
    only(&many, "TooManyStages", "stages");
}

#[test]
fn limits() {
    for text in ["0", "0%", "03", "101%", "2.5", "25 %", "51"] {
        let field = "stages[0].maxConcurrency";
        only(
            &[stage("s", text, vec![group("a", "")])],
            "InvalidLimit",
            field,
        );
    }
    assert!(validate::stages(&[stage("s", "50", vec![group("a", "51")])]).is_empty());
    for text in ["/-1", "/03", "/101%", "/1.5%"] {
        let field = "stages[0].groups[0].maxAllowedFailures";
        only(
            &[stage("s", "", vec![group("a", text)])],
            "InvalidLimit",
            field,
        );
    }
    let mut empty = good();
    empty.max_allowed_failures = Some(String::new());
    only(&[empty], "InvalidLimit", "stages[0].maxAllowedFailures");
    let mut negative = good();
    negative.after_stage_wait_in_seconds = Some(-1);
    only(
        &[negative],
        "InvalidLimit",
        "stages[0].afterStageWaitInSeconds",
    );
}

#[test]
fn selectors() {
    for text in ["", " ", "k>1", "k in ()", &"k".repeat(513)] {
        let mut bad = good();
        bad.groups[1].member_selector = selector(text);
        let field = "stages[0].groups[1].memberSelector.byLabel";
        only(&[bad], "InvalidSelector", field);
    }
}

#[test]
fn gates() {
    let with = |change: fn(&mut GateConfig), after: bool| {
        let mut gate = scheduled("g", Weekday::Monday, "02:00");
        change(&mut gate);
        let mut stage = good();
        match after {
            true => stage.after_gates = vec![gate],
            false => stage.groups[0].before_gates = vec![gate],
        }
        stage
    };
    assert!(validate::stages(&[with(|_| (), false)]).is_empty());
    let path = "stages[0].groups[0].beforeGates[0]";
    type Change = fn(&mut GateConfig);
    let cases: [(Change, &str); 5] = [
        (
            |g| g.scheduled_start_configuration = None,
            ".scheduledStartConfiguration",
        ),
        (
            |g| g.type_ = GateType::Approval,
            ".scheduledStartConfiguration",
        ),
        (|g| g.display_name = Some(String::new()), ".displayName"),
        (
            |g| g.scheduled_start_configuration.as_mut().unwrap().start_time = "24:00".into(),
            ".scheduledStartConfiguration.startTime",
        ),
        (
            |g| g.scheduled_start_configuration.as_mut().unwrap().utc_offset = "+14:30".into(),
            ".scheduledStartConfiguration.utcOffset",
        ),
    ];
    for (change, field) in cases {
        only(
            &[with(change, false)],
            "InvalidGate",
            &format!("{path}{field}"),
        );
    }
    only(
        &[with(|_| (), true)],
        "InvalidGate",
        "stages[0].afterGates[0].type",
    );
    let mut many = good();
    many.before_gates = vec![approval("g"); 11];
    only(&[many], "InvalidGate", "stages[0].beforeGates");
}

fn spec() -> UpdateRunSpec {
    UpdateRunSpec {
        upgrade: Upgrade {
            type_: UpgradeType::Full,
            kubernetes_version: Some("1.33.4".into()),
        },
        ..UpdateRunSpec::default()
    }
}

fn images(type_: NodeImageSelectionType, versions: &[&str]) -> Option<NodeImageSelection> {
    let versions = versions.iter().map(|v| NodeImageVersion {
        version: (*v).to_owned(),
    });
    Some(NodeImageSelection {
        type_,
        custom_node_image_versions: versions.collect(),
    })
}

#[test]
fn runs() {
    use NodeImageSelectionType::{Custom, Latest};
    type Change = fn(&mut UpdateRunSpec);
    let cases: [(Change, &[&str]); 12] = [
        (|_| (), &[]),
        (|s| s.upgrade.kubernetes_version = Some("v1.33".into()), &[]),
        (
            |s| s.upgrade.kubernetes_version = None,
            &["VersionRequired"],
        ),
        (
            |s| s.upgrade.kubernetes_version = Some("1".into()),
            &["InvalidVersion"],
        ),
        (
            |s| s.upgrade.type_ = UpgradeType::NodeImageOnly,
            &["VersionForbidden"],
        ),
        (
            |s| {
                s.upgrade.type_ = UpgradeType::ControlPlaneOnly;
                s.node_image_selection = images(Latest, &[]);
            },
            &["ImageSelectionForbidden"],
        ),
        (
            |s| s.node_image_selection = images(Custom, &["F-1.2", "G-3"]),
            &[],
        ),
        (
            |s| s.node_image_selection = images(Custom, &[]),
            &["InvalidCustomImages"],
        ),
        (
            |s| s.node_image_selection = images(Latest, &["F-1"]),
            &["InvalidCustomImages"],
        ),
        (
            |s| s.node_image_selection = images(Custom, &["F-1", "F-2"]),
            &["InvalidCustomImages"],
        ),
        (
            |s| s.node_image_selection = images(Custom, &["nonsense"]),
            &["InvalidCustomImages"],
        ),
        (
            |s| {
                s.strategy_name = Some("x".into());
                s.strategy = Some(InlineStrategy { stages: vec![] });
            },
            &["StrategyConflict", "RequiredPropertyMissing"],
        ),
    ];
    for (index, (change, want)) in cases.into_iter().enumerate() {
        let mut spec = spec();
        change(&mut spec);
        let violations = validate::run_spec("r", &spec);
        let codes: Vec<_> = violations.iter().map(|v| v.code).collect();
        assert_eq!(codes, want, "case {index}");
    }
    let violations = validate::run_spec("R", &spec());
    assert_eq!(
        found(&violations),
        [("InvalidName", "metadata.name".to_owned())]
    );
    let mut inline = spec();
    inline.strategy = Some(InlineStrategy {
        stages: vec![stage("s", "0", vec![group("a", "")])],
    });
    let violations = validate::run_spec("r", &inline);
    assert_eq!(
        violations[0].field,
        "spec.strategy.stages[0].maxConcurrency"
    );
    assert!(
        violations[0]
            .refusal()
            .message
            .starts_with("spec.strategy.stages[0].maxConcurrency: ")
    );
}

/// The published sample of a stages file is a good strategy.
#[test]
fn the_published_sample() {
    let text = r#"{"stages":[{"name":"stage1","maxConcurrency":"7","maxAllowedFailures":"1",
        "memberSelector":{"byLabel":"team=fleet"},
        "beforeGates":[{"displayName":"stage before gate","type":"Approval"}],
        "groups":[{"name":"group1","maxConcurrency":"100%","maxAllowedFailures":"0",
            "memberSelector":{"byLabel":"team=fleet"}},{"name":"group2","maxConcurrency":"50%"}],
        "afterStageWaitInSeconds":3600}]}"#;
    let spec: UpdateStrategySpec = serde_json::from_str(text).unwrap();
    assert_eq!(validate::stages(&spec.stages), []);
}
