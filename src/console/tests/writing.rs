//! Writes: questions, what becomes of them, and what turns them off.

use crate::api::{RequestAction, RequestStatus, State};
use crate::console::effect::{Effect, Write};
use crate::console::fixture::*;
use crate::console::model::{Mode, Model, Page};
use crate::console::msg::*;
use std::sync::Arc;

use super::{plan, run};

pub fn write(effects: &[Effect]) -> &crate::console::effect::WriteRequest {
    match effects {
        [Effect::Write(request)] => request,
        other => panic!("no single write: {other:?}"),
    }
}

#[test]
fn a_gate_is_approved_with_a_reason_and_cancel_has_the_focus() {
    let mut model = model(80, 24);
    press(&mut model, "A");
    let text = screen(&model);
    assert!(text.contains("Approve gate \"Approve prod-fr\"?"), "{text}");
    assert!(text.contains("[ Cancel ]"), "{text}");
    assert!(
        text.contains("now 2 members: fr-web-01, fr-web-02"),
        "{text}"
    );
    // Cancel has the focus: Enter does nothing.
    assert_eq!(press(&mut model, "Enter"), []);
    assert!(model.layers.is_empty());
    // On a protected hub a reason is needed: text goes there whatever has the focus.
    let effects = press(&mut model, "A 'pilot_fine Tab Tab Enter");
    let request = write(&effects);
    assert_eq!(
        request.write,
        Write::Approve {
            comment: Some("pilot fine".to_owned())
        }
    );
    assert_eq!(request.object.kind, Kind::Gate);
    assert_eq!(request.object.generation, 1);
    assert!(!request.object.uid.is_empty());
    assert!(screen(&model).contains("asked"), "{}", screen(&model));
}

#[test]
fn a_reason_that_is_begun_without_going_to_its_field_confirms_nothing() {
    let mut model = model(80, 24);
    model.session.environment = "lab".to_owned();
    // The last letter would confirm, had the first ones been dropped.
    assert_eq!(press(&mut model, "A 'hurry"), []);
    let effects = press(&mut model, "Tab Tab Enter");
    assert_eq!(
        write(&effects).write,
        Write::Approve {
            comment: Some("hurry".to_owned())
        }
    );
}

#[test]
fn without_a_reason_a_protected_hub_does_not_confirm() {
    let mut model = model(80, 24);
    assert_eq!(press(&mut model, "A Tab Enter"), []);
    assert!(screen(&model).contains("A reason is needed."));
    assert_eq!(press(&mut model, "Esc"), []);
}

#[test]
fn elsewhere_y_confirms_and_keys_typed_ahead_are_dropped() {
    let mut model = model(80, 24);
    model.session.environment = "lab".to_owned();
    press(&mut model, "A");
    let at = model.pressed;
    let early = Msg::Key {
        key: Key::char('y'),
        at: at + 249,
    };
    assert_eq!(tell(&mut model, early), []);
    assert!(!model.layers.is_empty());
    let at_once = Msg::Key {
        key: Key::char('y'),
        at: at + 498,
    };
    assert_eq!(tell(&mut model, at_once), []);
    let seen = Msg::Key {
        key: Key::char('y'),
        at: at + 748,
    };
    assert_eq!(
        write(&tell(&mut model, seen)).write,
        Write::Approve { comment: None }
    );
}

#[test]
fn a_stop_is_asked_and_shown_until_the_controller_takes_it() {
    let mut model = model(120, 40);
    let effects = press(&mut model, "X Tab Enter");
    let ticket = write(&effects).ticket;
    assert_eq!(write(&effects).write, Write::Stop);
    assert!(screen(&model).contains("asked 14:40, not yet taken"));
    // A second one is off until then.
    press(&mut model, "X");
    assert!(model.layers.is_empty());
    assert!(screen(&model).contains("stop is off: stop eu-1.33.4: asked 14:40, not yet taken"));
    let written = Answer::Written {
        generation: 2,
        request: String::new(),
    };
    tell(
        &mut model,
        Msg::Answer {
            ticket,
            result: Ok(written),
        },
    );
    assert!(screen(&model).contains("not yet taken"));
    let mut stopping = run(&model, "eu-1.33.4");
    stopping.metadata.generation = Some(2);
    let status = stopping.status.as_mut().unwrap();
    status.state = State::Stopping;
    status.observed_generation = Some(2);
    tell(&mut model, batch(vec![Change::Run(Arc::new(stopping))]));
    assert!(model.asked.is_empty());
    assert!(
        screen(&model).contains("taken: stop eu-1.33.4"),
        "{}",
        screen(&model)
    );
}

#[test]
fn a_refused_write_brings_its_question_back_with_everything_typed() {
    let mut model = model(80, 24);
    let effects = press(&mut model, "A 'because Tab Tab Enter");
    let ticket = write(&effects).ticket;
    let refused = Refused {
        class: RefusedClass::Rule,
        code: "GateNotPending".to_owned(),
        message: "cannot approve gate: it is Completed already".to_owned(),
        hint: String::new(),
    };
    tell(
        &mut model,
        Msg::Answer {
            ticket,
            result: Err(refused),
        },
    );
    let text = screen(&model);
    assert!(text.contains("GateNotPending"), "{text}");
    assert!(text.contains("because"), "{text}");
    assert!(text.contains("[ Cancel ]"), "{text}");
}

#[test]
fn a_request_that_the_controller_refuses_comes_back_too() {
    let mut model = model(80, 24);
    press(&mut model, "Enter G");
    let effects = press(&mut model, "k S");
    assert!(
        matches!(effects.as_slice(), [Effect::CheckSkip { targets, .. }] if targets == &["Stage:late"]),
        "{effects:?}"
    );
    let Some(Effect::CheckSkip { ticket, .. }) = effects.first() else {
        panic!()
    };
    let found = crate::engine::skip::SkipEffect {
        members: vec!["late-01".to_owned(), "late-02".to_owned()],
        gates: vec!["before stage late: Approve late".to_owned()],
        ..Default::default()
    };
    tell(
        &mut model,
        Msg::Answer {
            ticket: *ticket,
            result: Ok(Answer::Skip(Box::new(found))),
        },
    );
    assert!(
        screen(&model).contains("2: late-01, late-02"),
        "{}",
        screen(&model)
    );
    // Level 3 on a protected hub: a reason and the name of the stage.
    assert_eq!(press(&mut model, "'frozen Tab 'lat Enter"), []);
    let effects = press(&mut model, "'e Enter");
    let request = write(&effects);
    let ticket = request.ticket;
    assert_eq!(
        request.write,
        Write::Skip {
            targets: vec!["Stage:late".to_owned()],
            comment: Some("frozen".to_owned())
        }
    );
    let written = Answer::Written {
        generation: 2,
        request: "s1".to_owned(),
    };
    tell(
        &mut model,
        Msg::Answer {
            ticket,
            result: Ok(written),
        },
    );
    let mut refused = run(&model, "eu-1.33.4");
    refused.metadata.generation = Some(2);
    let status = refused.status.as_mut().unwrap();
    status.observed_generation = Some(2);
    status.requests.push(RequestStatus {
        id: "s1".to_owned(),
        action: RequestAction::Skip,
        code: "TargetInProgress".to_owned(),
        message: "late-01 is in flight".to_owned(),
        ..RequestStatus::default()
    });
    tell(&mut model, batch(vec![Change::Run(Arc::new(refused))]));
    assert!(
        screen(&model).contains("TargetInProgress: late-01 is in flight"),
        "{}",
        screen(&model)
    );
    assert!(screen(&model).contains("frozen"));
}

#[test]
fn an_open_question_is_off_when_its_object_changes() {
    let mut model = model(80, 24);
    press(&mut model, "X");
    let mut changed = run(&model, "eu-1.33.4");
    changed.metadata.generation = Some(2);
    tell(&mut model, batch(vec![Change::Run(Arc::new(changed))]));
    assert!(screen(&model).contains("eu-1.33.4 was changed by somebody else."));
    assert_eq!(press(&mut model, "Tab Enter"), []);
    // r reads it again, and then it can be confirmed.
    let effects = press(&mut model, "r Tab Enter");
    assert_eq!(write(&effects).object.generation, 2);
}

#[test]
fn small_letters_never_write() {
    for page in ["Esc", "Enter", "2"] {
        let mut model = model(120, 40);
        press(&mut model, page);
        for c in ('a'..='z').chain("0123456789".chars()) {
            let at = model.pressed + 1_000;
            let effects = tell(
                &mut model,
                Msg::Key {
                    key: Key::char(c),
                    at,
                },
            );
            assert!(
                !effects.iter().any(|e| matches!(e, Effect::Write(_))),
                "{c}"
            );
        }
    }
}

#[test]
fn read_only_and_old_data_turn_writing_off_with_the_reason() {
    let mut model = model(80, 24);
    model.session.mode = Mode::ReadOnly;
    assert_eq!(press(&mut model, "X"), []);
    assert!(screen(&model).contains("stop is off: this session is read-only"));
    model.session.mode = Mode::ReadWrite;
    let lost = Link::Lost {
        since: ago(2),
        reason: "connection refused".to_owned(),
        next_try: None,
    };
    tell(&mut model, Msg::Link(lost));
    assert_eq!(press(&mut model, "X"), []);
    assert!(screen(&model).contains("the data is 2m old and the limit for writes is 30 s"));
    assert!(screen(&model).contains("Running?"));
    assert_eq!(press(&mut model, "ctrl-r"), [Effect::RetryLink]);
}

#[test]
fn a_missing_right_is_named() {
    let mut model = model(80, 24);
    let rights = Rights {
        user: "kim".to_owned(),
        denied: vec![("patch".to_owned(), Kind::Gate)],
        ..Rights::default()
    };
    tell(&mut model, Msg::Rights(rights));
    press(&mut model, "A");
    assert!(screen(&model).contains("approve is off: no right \"patch gates\""));
}

#[test]
fn the_gate_of_a_group_row_can_be_approved_from_the_tree() {
    let mut model = model(120, 40);
    press(&mut model, "2 Enter");
    assert!(matches!(model.page(), Page::Tree(_)));
    assert!(matches!(
        model.row(),
        Some(crate::console::model::tree::Row::Gate(_))
    ));
    press(&mut model, "A");
    assert!(screen(&model).contains("Approve gate \"Approve prod-fr\"?"));
}

#[test]
fn a_gate_that_is_ahead_cannot_be_approved_yet() {
    let mut model = model(80, 24);
    press(&mut model, "2 G A");
    assert!(
        screen(&model).contains("the run has not reached this gate yet"),
        "{}",
        screen(&model)
    );
    // A scheduled one is started now, with more care.
    press(&mut model, "g g j j A");
    assert!(
        screen(&model).contains("Start \"Scheduled start\" now?"),
        "{}",
        screen(&model)
    );
}

#[test]
fn a_new_run_shows_its_plan_before_anything_is_made() {
    let mut model = model(120, 40);
    press(&mut model, "+");
    assert!(screen(&model).contains("eu-rings"), "{}", screen(&model));
    // Wrong fields are named by the engine, and nothing is asked of the hub.
    assert_eq!(press(&mut model, "Tab Tab Tab Tab Tab Enter"), []);
    assert!(
        screen(&model).contains("VersionRequired") || screen(&model).contains("ersion"),
        "{}",
        screen(&model)
    );
    press(
        &mut model,
        "S-Tab 'eu-1.34.0 S-Tab S-Tab '1.34.0 Tab Tab Tab",
    );
    let effects = press(&mut model, "Enter");
    let [Effect::Plan { ticket, name, spec }] = effects.as_slice() else {
        panic!("{effects:?} {}", screen(&model));
    };
    assert_eq!(name, "eu-1.34.0");
    assert_eq!(spec.strategy_name.as_deref(), Some("eu-rings"));
    assert_eq!(spec.upgrade.kubernetes_version.as_deref(), Some("1.34.0"));
    tell(
        &mut model,
        Msg::Answer {
            ticket: *ticket,
            result: Ok(Answer::Plan(Box::new(plan()))),
        },
    );
    assert_eq!(model.page(), Page::Plan);
    assert!(screen(&model).contains("us-new-01"), "{}", screen(&model));
    press(&mut model, "+");
    assert!(
        screen(&model).contains("Make run eu-1.34.0?"),
        "{}",
        screen(&model)
    );
    let effects = press(&mut model, "Tab Enter");
    let request = write(&effects);
    assert_eq!(request.object.name, "eu-1.34.0");
    assert!(
        matches!(&request.write, Write::CreateRun { spec } if spec.state == crate::api::RunIntent::Initialize)
    );
}

#[test]
fn a_run_that_never_ran_shows_its_plan_before_it_starts() {
    let mut model = model(120, 40);
    press(&mut model, "/ 'us-image Enter");
    let effects = press(&mut model, "R");
    let [Effect::Plan { ticket, .. }] = effects.as_slice() else {
        panic!("{effects:?}")
    };
    tell(
        &mut model,
        Msg::Answer {
            ticket: *ticket,
            result: Ok(Answer::Plan(Box::new(plan()))),
        },
    );
    press(&mut model, "R");
    assert!(
        screen(&model).contains("Start us-image-w34?"),
        "{}",
        screen(&model)
    );
}

#[test]
fn resuming_past_a_limit_asks_for_the_name() {
    let mut model = model(80, 24);
    press(&mut model, "/ 'lab- Enter R");
    let text = screen(&model);
    assert!(text.contains("Resume lab-1.34.0?"), "{text}");
    assert!(text.contains("A limit may be"), "{text}");
    assert_eq!(press(&mut model, "Tab Enter"), []);
    let effects = press(&mut model, "Tab 'lab-1.34.0 Enter");
    assert_eq!(write(&effects).write, Write::Start);
}

#[test]
fn deleting_has_no_key_and_asks_for_the_name() {
    let mut model = model(80, 24);
    press(&mut model, ": 'delete Enter");
    assert!(
        screen(&model).contains("Delete eu-1.33.4?"),
        "{}",
        screen(&model)
    );
    assert!(screen(&model).contains("3 in flight go on untracked"));
    let effects = press(&mut model, "'eu-1.33.4 Enter");
    assert_eq!(write(&effects).write, Write::Delete);
}

#[test]
fn the_rest_of_an_ended_run_is_planned_anew() {
    let mut model = model(80, 24);
    press(&mut model, "/ 'nl-1 Enter");
    let effects = press(&mut model, "T");
    let [Effect::Plan { name, spec, .. }] = effects.as_slice() else {
        panic!("{effects:?}")
    };
    assert_eq!(name, "nl-1.33.4-rest");
    assert_eq!(spec.state, crate::api::RunIntent::Initialize);
    press(&mut model, "Esc Esc / 'eu-1 Enter T");
    assert!(
        screen(&model).contains("new run for the rest is off: it has not ended"),
        "{}",
        screen(&model)
    );
}

#[test]
fn what_a_filter_hides_is_not_acted_upon() {
    let mut model = model(80, 24);
    press(&mut model, "/ 'nothing-of-that-name Enter");
    assert_eq!(press(&mut model, "X"), []);
    assert!(
        screen(&model).contains("stop is off: no run is selected"),
        "{}",
        screen(&model)
    );
    assert_eq!(press(&mut model, "Enter"), []);
    assert_eq!(model.page(), Page::Runs);
}

#[test]
fn a_write_that_nobody_takes_is_told_after_fifteen_seconds_of_ours() {
    let mut model = model(80, 24);
    model.session.speed = 60.0;
    press(&mut model, "X Tab Enter");
    let later = |seconds| Msg::Time(now() + jiff::SignedDuration::from_secs(seconds));
    tell(&mut model, later(800));
    assert!(!screen(&model).contains("not taken yet: stop"));
    tell(&mut model, later(900));
    assert!(
        screen(&model).contains("not taken yet: stop eu-1.33.4"),
        "{}",
        screen(&model)
    );
}

#[test]
fn every_preset_opens_confirms_and_cancels() {
    for (preset, stop, back) in [
        ("vim", "X", "Esc"),
        ("arrows", "X", "Esc"),
        ("emacs", "ctrl-c ctrl-s", "ctrl-g"),
    ] {
        let mut model = model(80, 24);
        model.look.keys = crate::console::input::preset(preset).unwrap();
        press(&mut model, stop);
        assert!(
            screen(&model).contains("Stop eu-1.33.4?"),
            "{preset}\n{}",
            screen(&model)
        );
        press(&mut model, back);
        assert!(model.layers.is_empty(), "{preset}");
        press(&mut model, stop);
        assert_eq!(
            write(&press(&mut model, "Tab Enter")).write,
            Write::Stop,
            "{preset}"
        );
    }
}

/// The plan of a run that is to be made, with the question before it answered: the write.
fn made(model: &mut Model, keys: &str) -> u64 {
    press(model, "+ Tab Tab '1.34.0 Tab Tab 'eu-1.34.0 Tab");
    let effects = press(model, "Enter");
    let [Effect::Plan { ticket, .. }] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    let (ticket, result) = (*ticket, Ok(Answer::Plan(Box::new(plan()))));
    tell(model, Msg::Answer { ticket, result });
    let effects = press(model, keys);
    let ticket = write(&effects).ticket;
    let mut run = run(model, "eu-1.33.4");
    run.metadata.name = Some("eu-1.34.0".to_owned());
    run.metadata.uid = Some("made".to_owned());
    tell(model, batch(vec![Change::Run(Arc::new(run))]));
    ticket
}

fn written(ticket: u64) -> Msg {
    let result = Ok(Answer::Written {
        generation: 1,
        request: String::new(),
    });
    Msg::Answer { ticket, result }
}

#[test]
fn a_run_that_was_made_and_started_is_opened() {
    let mut model = model(120, 40);
    model.session.environment = "lab".to_owned();
    let ticket = made(&mut model, "R y");
    assert_eq!(model.page(), Page::Plan);
    tell(&mut model, written(ticket));
    let uid = model.store.run_named("eu-1.34.0").unwrap().0;
    assert_eq!(model.page(), Page::Tree(uid));
    press(&mut model, "Esc");
    assert_eq!(model.page(), Page::Runs);
}

#[test]
fn a_run_that_was_only_made_stays_at_its_plan_and_can_be_started_there() {
    let mut model = model(120, 40);
    model.session.environment = "lab".to_owned();
    let ticket = made(&mut model, "+ y");
    tell(&mut model, written(ticket));
    assert_eq!(model.page(), Page::Plan);
    let uid = model.store.run_named("eu-1.34.0").unwrap().0;
    assert_eq!(model.plan.as_ref().unwrap().run, Some(uid));
    // Whoever went on meanwhile is not pulled away.
    let mut model = self::model(120, 40);
    model.session.environment = "lab".to_owned();
    let ticket = made(&mut model, "R y");
    press(&mut model, "1");
    tell(&mut model, written(ticket));
    assert_eq!(model.page(), Page::Runs);
}
