//! What the question before an approval says against what the engine then does.

use crate::api::{GateConfig, Stage, State};
use crate::console::actions::gate_approve;
use crate::console::effect::Effect;
use crate::console::fixture::{model, now, screen};
use crate::console::model::age::{Times, Words};
use crate::console::model::layers::{Fact, Layer};
use crate::console::msg::{Answer, Msg, Refused, RefusedClass};
use crate::console::update;
use crate::engine::approval;
use crate::engine::operation::Verb;
use crate::engine::testkit::{Kit, approval as gate, group, stage};

/// The lines of the question about these gates.
fn question(kit: &Kit, gates: &[&str]) -> Vec<Fact> {
    let names: Vec<String> = gates
        .iter()
        .map(|g| kit.gate(g).unwrap().metadata.name.clone().unwrap())
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let effect = kit.world(|w| approval::check(w, &names, kit.now)).unwrap();
    let words = Words {
        now: kit.now,
        times: Times::Age,
        zone: &jiff::tz::TimeZone::UTC,
    };
    gate_approve::effect(&words, &[("r".to_owned(), effect)])
}

fn text<'a>(facts: &'a [Fact], label: &str) -> &'a str {
    let fact = facts.iter().find(|f| f.label == label);
    fact.map_or("", |f| f.text.as_str())
}

/// Approves, and says who began because of it.
fn begun(kit: &mut Kit, gates: &[&str]) -> Vec<String> {
    let before = kit.begun.clone();
    for name in gates {
        let name = kit.gate(name).unwrap().metadata.name.clone().unwrap();
        kit.approve_named(&name);
    }
    kit.settle();
    let new =
        |(name, ids): &(&String, &Vec<String>)| before.get(*name).map_or(0, Vec::len) < ids.len();
    kit.begun
        .iter()
        .filter(new)
        .map(|(n, _)| n.clone())
        .collect()
}

/// Two stages of two groups each with three members.
fn kit(change: impl FnOnce(&mut Vec<Stage>)) -> Kit {
    let mut stages = vec![
        stage("pilot", "3", vec![group("a", "2"), group("b", "3")]),
        stage("prod", "", vec![group("c", "2"), group("d", "")]),
    ];
    change(&mut stages);
    Kit::new(stages)
        .members("a", "a1 a2 a3")
        .members("b", "b1 b2 b3")
        .members("c", "c1 c2 c3")
        .members("d", "d1 d2 d3")
}

fn one(name: &str) -> Vec<GateConfig> {
    vec![gate(name)]
}

/// A run that waits at its gate "g".
fn cases() -> Vec<(&'static str, Kit)> {
    let at = |minutes: i64, change: &dyn Fn(&mut Vec<Stage>)| {
        let mut kit = kit(|s| change(s));
        kit.start().to(minutes);
        kit
    };
    let mut cases = vec![
        ("before a stage", at(0, &|s| s[0].before_gates = one("g"))),
        (
            "before a group of a stage that is full",
            at(0, &|s| s[0].groups[0].before_gates = one("g")),
        ),
        (
            "before a group, when the others are done",
            at(300, &|s| s[0].groups[0].before_gates = one("g")),
        ),
        ("after a stage", at(300, &|s| s[0].after_gates = one("g"))),
        (
            "after a stage with a wait",
            at(300, &|s| {
                s[0].after_gates = one("g");
                s[0].after_stage_wait_in_seconds = Some(360_000);
            }),
        ),
        (
            "after a group",
            at(300, &|s| s[0].groups[0].after_gates = one("g")),
        ),
        (
            "one of two",
            at(0, &|s| s[0].before_gates = vec![gate("g"), gate("h")]),
        ),
        (
            "with one behind it",
            at(300, &|s| {
                s[0].after_gates = one("g");
                s[1].before_gates = one("h");
            }),
        ),
    ];
    let mut stopped = at(0, &|s| s[0].before_gates = one("g"));
    stopped.ask(Verb::Stop);
    cases.push(("stopped", stopped));
    let mut done = at(0, &|s| s[0].before_gates = one("g"));
    for name in ["a1", "a2", "a3", "b1"] {
        done.edit_member(name, |m| {
            m.status.as_mut().unwrap().kubernetes_version = "1.33.4".into();
        });
    }
    done.settle();
    cases.push(("members at the target", done));
    let mut busy = at(0, &|s| s[0].before_gates = one("g"));
    busy.edit_member("a1", |m| m.status.as_mut().unwrap().state = "Busy".into());
    busy.settle();
    cases.push(("a member that fails at its turn", busy));
    cases
}

#[test]
fn the_question_names_exactly_the_members_that_begin() {
    let mut starting = 0;
    for (case, mut kit) in cases() {
        let facts = question(&kit, &["g"]);
        let said = text(&facts, "Starts").to_owned();
        let begun = begun(&mut kit, &["g"]);
        match said.split_once(": ").filter(|_| said.starts_with("now ")) {
            Some((count, names)) => {
                let mut names: Vec<&str> = names.split(", ").collect();
                names.sort_unstable();
                assert_eq!(names, begun, "{case}: {said}");
                assert!(count.contains(&begun.len().to_string()), "{case}: {said}");
                starting += 1;
            }
            None => {
                assert!(said.starts_with("no member"), "{case}: {said}");
                assert_eq!(begun, [""; 0], "{case}: {said}");
            }
        }
    }
    // Both kinds of answer are looked at.
    assert_eq!(starting, 5);
}

#[test]
fn the_question_says_why_nothing_begins() {
    let all = |case: &str| {
        let (_, kit) = cases().into_iter().find(|(name, _)| *name == case).unwrap();
        question(&kit, &["g"])
    };
    assert!(text(&all("one of two"), "Waits").contains("\"h\""));
    assert!(text(&all("with one behind it"), "Waits").contains("\"h\""));
    assert!(text(&all("after a stage with a wait"), "Waits").contains("wait"));
    assert_eq!(text(&all("after a stage"), "Ends"), "stage pilot");
    let stopped = all("stopped");
    assert_eq!(
        text(&stopped, "Starts"),
        "no member: the run is stopped; it takes effect on resume"
    );
    let full = all("before a group of a stage that is full");
    assert_eq!(text(&full, "Starts"), "no member now");
    assert_eq!(text(&full, "Later"), "3 members behind it as turns come");
    assert_eq!(
        text(&all("members at the target"), "Done"),
        "need no upgrade: a1, a2, a3, b1"
    );
    let busy = all("a member that fails at its turn");
    assert_eq!(text(&busy, "Fails"), "before their upgrade begins: a1");
}

/// Presses `A` on a hub that has not answered yet.
fn asked() -> (crate::console::model::Model, u64) {
    let mut model = model(80, 24);
    model.session.environment = "lab".to_owned();
    let (key, at) = ("A".parse().unwrap(), model.pressed + 1_000);
    let effects = update(&mut model, Msg::Key { key, at });
    let Some(Effect::CheckApproval { ticket, gates }) = effects.first() else {
        panic!("{effects:?}");
    };
    assert_eq!(gates.len(), 1);
    assert_eq!(gates[0].0, "eu-1.33.4");
    (model, *ticket)
}

fn yes(model: &mut crate::console::model::Model) -> Vec<Effect> {
    let (key, at) = ("y".parse().unwrap(), model.pressed + 1_000);
    update(model, Msg::Key { key, at })
}

fn refusal(class: RefusedClass) -> Result<Answer, Refused> {
    Err(Refused {
        class,
        code: "Forbidden".to_owned(),
        message: "listing memberupdates is refused".to_owned(),
        hint: String::new(),
    })
}

#[test]
fn nothing_is_approved_before_its_effect_is_known() {
    let (mut model, ticket) = asked();
    assert!(screen(&model).contains("Reading what this would do."));
    assert!(
        !yes(&mut model)
            .iter()
            .any(|e| matches!(e, Effect::Write(_)))
    );
    let result = refusal(RefusedClass::Rule);
    update(&mut model, Msg::Answer { ticket, result });
    assert!(
        !yes(&mut model)
            .iter()
            .any(|e| matches!(e, Effect::Write(_)))
    );
    assert!(matches!(model.layers.last(), Some(Layer::Dialog(_))));
}

#[test]
fn who_may_approve_and_not_list_members_is_told_that_the_effect_is_unknown() {
    let (mut model, ticket) = asked();
    let result = refusal(RefusedClass::Denied);
    update(&mut model, Msg::Answer { ticket, result });
    let text = screen(&model);
    assert!(
        text.contains("unknown: listing memberupdates is refused"),
        "{text}"
    );
    assert!(
        yes(&mut model)
            .iter()
            .any(|e| matches!(e, Effect::Write(_)))
    );
}

#[test]
fn an_effect_is_told_for_each_run() {
    let effect = |names: &[&str], on_resume| approval::ApprovalEffect {
        starts: names.iter().map(|n| (*n).to_owned()).collect(),
        on_resume,
        ..approval::ApprovalEffect::default()
    };
    let words = Words {
        now: now(),
        times: Times::Age,
        zone: &jiff::tz::TimeZone::UTC,
    };
    let facts = gate_approve::effect(
        &words,
        &[
            ("eu".to_owned(), effect(&["m1"], None)),
            ("us".to_owned(), effect(&[], Some(State::Failed))),
        ],
    );
    let lines: Vec<String> = facts
        .iter()
        .take(4)
        .map(|f| format!("{} {}", f.label, f.text))
        .collect();
    assert_eq!(
        lines,
        [
            "In eu",
            "Starts now 1 member: m1",
            "In us",
            "Starts no member: the run is failed; it takes effect on resume"
        ]
    );
}
