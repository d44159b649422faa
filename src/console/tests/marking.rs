//! Marks, and what is asked about marked rows together.

use std::sync::Arc;

use super::writing::write;
use crate::console::actions::marking;
use crate::console::effect::{Effect, Write};
use crate::console::fixture::*;
use crate::console::model::gates::GateKey;
use crate::console::msg::*;

/// The writes among effects, as kind and name.
fn writes(effects: &[Effect]) -> Vec<(Kind, String)> {
    effects
        .iter()
        .filter_map(|e| match e {
            Effect::Write(request) => Some((request.object.kind, request.object.name.clone())),
            _ => None,
        })
        .collect()
}

#[test]
fn marked_gates_are_approved_together_and_named() {
    let mut model = model(120, 40);
    model.session.environment = "lab".to_owned();
    press(&mut model, "2 *");
    let (marked, _) = marking::count(&model);
    assert!(marked > 2, "{marked}");
    press(&mut model, "A");
    insta::assert_snapshot!("dialog_approve_marked", screen(&model));
    let text = screen(&model);
    assert!(text.contains("Left out"), "{text}");
    assert!(
        text.contains("\"Approve late\" of eu-1.33.4: the run has not reached"),
        "{text}"
    );
    // One of them starts before its time: a reason is needed for all.
    let effects = press(&mut model, "'all_fine Tab Tab Enter");
    let written = writes(&effects);
    assert!(written.len() > 1, "{effects:?} {}", screen(&model));
    assert!(written.iter().all(|(kind, _)| *kind == Kind::Gate));
    let comment = |e: &Effect| match e {
        Effect::Write(request) => request.write.clone(),
        other => panic!("{other:?}"),
    };
    for effect in &effects {
        let why = Some("all fine".to_owned());
        assert_eq!(comment(effect), Write::Approve { comment: why });
    }
    // Each is under way on its own, and the marks are gone.
    assert_eq!(model.asked.len(), written.len());
    assert_eq!(marking::count(&model), (0, 0));
}

#[test]
fn marked_gates_that_a_filter_hides_are_named_and_left_out() {
    let mut model = model(120, 40);
    press(&mut model, "2 Space / 'us- Enter");
    assert!(
        screen(&model).contains("1 marked (1 hidden)"),
        "{}",
        screen(&model)
    );
    press(&mut model, "A");
    assert!(
        screen(&model).contains(
            "no marked gate can be approved; \"Approve prod-fr\" of eu-1.33.4: hidden by the filter"
        ),
        "{}",
        screen(&model)
    );
}

#[test]
fn marked_members_are_skipped_with_one_request() {
    let mut model = model(120, 40);
    press(&mut model, "Enter / 'weu-web-3 Enter *");
    let (marked, hidden) = marking::count(&model);
    assert!(marked > 1 && hidden == 0, "{marked} {hidden}");
    let effects = press(&mut model, "S");
    let [
        Effect::CheckSkip {
            targets, ticket, ..
        },
    ] = effects.as_slice()
    else {
        panic!("{effects:?} {}", screen(&model));
    };
    assert_eq!(targets.len(), marked);
    assert!(targets.iter().all(|t| t.starts_with("Member:weu-web-3")));
    let text = screen(&model);
    assert!(
        text.contains(&format!("Skip {marked} marked rows of eu-1.33.4?")),
        "{text}"
    );
    for target in targets {
        let name = target.trim_start_matches("Member:");
        assert!(text.contains(&format!("member {name}")), "{text}");
    }
    let found = Ok(Answer::Skip(Box::default()));
    tell(
        &mut model,
        Msg::Answer {
            ticket: *ticket,
            result: found,
        },
    );
    let effects = press(&mut model, "'broken Tab Tab Enter");
    let request = write(&effects);
    let Write::Skip { targets, .. } = &request.write else {
        panic!("{request:?}");
    };
    assert_eq!(targets.len(), marked);
    assert_eq!(marking::count(&model), (0, 0));
}

#[test]
fn marked_runs_are_stopped_one_by_one_and_many_need_the_hubs_name() {
    let mut model = model(120, 40);
    press(&mut model, "/ 'state:running,pending Enter *");
    let (marked, _) = marking::count(&model);
    assert!(marked > 2, "{marked}");
    press(&mut model, "X");
    insta::assert_snapshot!("dialog_stop_marked", screen(&model));
    assert_eq!(press(&mut model, "Tab Tab Enter"), []);
    let effects = press(&mut model, "Esc X 'fleet-eu Tab Tab Enter");
    assert_eq!(writes(&effects).len(), marked, "{}", screen(&model));
    assert_eq!(model.asked.len(), marked);
}

#[test]
fn a_marked_gate_that_changes_while_it_is_asked_turns_the_question_off() {
    let mut model = model(120, 40);
    model.session.environment = "lab".to_owned();
    press(&mut model, "2 Space A");
    assert!(
        screen(&model).contains("Approve 1 gate?"),
        "{}",
        screen(&model)
    );
    let named = model.gates.marks.iter().next().copied();
    let Some(GateKey::Reached(uid)) = named else {
        panic!("{named:?}");
    };
    let mut changed = model.store.gates.get(uid).unwrap().object.as_ref().clone();
    changed.metadata.generation = Some(9);
    tell(&mut model, batch(vec![Change::Gate(Arc::new(changed))]));
    assert!(screen(&model).contains("was changed by somebody else"));
    assert_eq!(press(&mut model, "y"), []);
}
