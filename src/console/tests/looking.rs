//! Looking: selection, filter, folds, pages, copies, leaving.

use crate::api::{GateState, State};
use crate::console::effect::Effect;
use crate::console::fixture::*;
use crate::console::model::Page;
use crate::console::msg::*;
use std::sync::Arc;

use super::run;

#[test]
fn the_selection_stays_on_its_run_when_rows_move() {
    let mut model = model(80, 24);
    press(&mut model, "j j j");
    let selected = model.runs.cursor.key;
    let mut failed = run(&model, "uk-1.33.4");
    failed.status.as_mut().unwrap().state = State::Failed;
    tell(&mut model, batch(vec![Change::Run(Arc::new(failed))]));
    assert_eq!(model.runs.cursor.key, selected);
    press(&mut model, "o Down Enter");
    assert_eq!(model.runs.cursor.key, selected);
    tell(
        &mut model,
        Msg::Resize {
            columns: 120,
            rows: 40,
        },
    );
    assert_eq!(model.runs.cursor.key, selected);
}

#[test]
fn rows_keep_their_places_for_a_moment_after_a_movement() {
    let mut model = model(80, 24);
    press(&mut model, "j");
    let before = model.runs.rows.clone();
    let mut failed = run(&model, "uk-1.33.4");
    failed.status.as_mut().unwrap().state = State::Failed;
    tell(&mut model, batch(vec![Change::Run(Arc::new(failed))]));
    assert_eq!(model.runs.rows, before);
    let soon = now() + jiff::SignedDuration::from_millis(500);
    assert_eq!((model.rows_due, model.wake), (Some(soon), Some(soon)));
    tell(&mut model, Msg::Time(soon));
    assert_ne!(model.runs.rows, before);
}

#[test]
fn a_run_that_goes_stays_as_gone_until_the_selection_leaves() {
    let mut model = model(80, 24);
    press(&mut model, "j");
    let gone = Change::Gone {
        kind: Kind::Run,
        uid: uid("us-1.33.4"),
    };
    tell(&mut model, batch(vec![gone]));
    let text = screen(&model);
    assert!(
        text.contains("† gone 14:40") && text.contains("us-1.33.4"),
        "{text}"
    );
    press(&mut model, "X");
    assert!(screen(&model).contains("run us-1.33.4 is gone"));
    press(&mut model, "k");
    tell(&mut model, batch(Vec::new()));
    assert!(!screen(&model).contains("us-1.33.4  "));
}

#[test]
fn a_filter_narrows_while_typing_and_explains_what_it_does_not_know() {
    let mut model = model(80, 24);
    press(&mut model, "/ 'is:gate");
    assert_eq!(model.runs.rows.len(), 2);
    press(&mut model, "Esc");
    assert_eq!(model.runs.rows.len(), 10);
    press(&mut model, "/ 'state:faild");
    let text = screen(&model);
    assert!(
        text.contains("\"faild\" is no state. Did you mean  state:failed ?"),
        "{text}"
    );
    press(&mut model, "Tab Enter");
    assert_eq!(model.runs.rows.len(), 1);
    press(&mut model, "Esc");
    assert_eq!(model.page(), Page::Runs);
    assert_eq!(model.runs.rows.len(), 10);
    // Without a filter runs that ended long ago are left out; any filter brings them in.
    press(&mut model, "/ 'age:>10d Enter");
    assert_eq!(model.runs.rows.len(), 1);
}

#[test]
fn a_filter_in_the_tree_keeps_the_parents_of_hits() {
    let mut model = model(80, 24);
    press(&mut model, "Enter / 'late-04 Enter");
    let text = screen(&model);
    assert!(
        text.contains("4 late") && text.contains("late-a") && text.contains("late-04"),
        "{text}"
    );
    assert!(!text.contains("1 canary"), "{text}");
    // What was found stays selected and in view.
    press(&mut model, "G Esc");
    let text = screen(&model);
    assert!(
        text.contains("prod-fr") && text.contains("late-04"),
        "{text}"
    );
    press(&mut model, "f");
    let text = screen(&model);
    assert!(
        text.contains("weu-web-11") && text.contains("weu-web-31"),
        "{text}"
    );
    assert!(!text.contains("late-a"), "{text}");
}

#[test]
fn folds_open_close_and_show_more() {
    let mut model = model(80, 24);
    press(&mut model, "Enter z M");
    assert_eq!(model.tree().unwrap().tree.rows.len(), 5);
    press(&mut model, "j j l j j");
    let text = screen(&model);
    assert!(text.contains("prod-weu"), "{text}");
    press(&mut model, "l G");
    press(&mut model, "g g } } } j j l");
    press(&mut model, "z R");
    assert!(model.tree().unwrap().tree.rows.len() > 20);
}

#[test]
fn enter_shows_the_members_behind_more() {
    let mut model = model(80, 24);
    press(&mut model, "Enter / 'x");
    press(&mut model, "Esc");
    let at = model
        .tree()
        .unwrap()
        .tree
        .rows
        .iter()
        .position(|r| matches!(r, crate::console::model::tree::Row::More(..)))
        .unwrap();
    let before = model.tree().unwrap().tree.rows.len();
    for _ in 0..at {
        press(&mut model, "j");
    }
    press(&mut model, "Enter");
    assert_eq!(model.tree().unwrap().tree.rows.len(), before + 8);
}

#[test]
fn the_palette_leaves_and_opens_runs() {
    let mut model = model(80, 24);
    press(&mut model, ": 'sec-2026 Enter");
    assert!(
        screen(&model).contains("Runs › sec-2026-08"),
        "{}",
        screen(&model)
    );
    // This console drives, so it asks.
    assert_eq!(press(&mut model, ": 'q Enter"), []);
    assert_eq!(press(&mut model, "y"), [Effect::Quit]);
}

#[test]
fn ctrl_c_cancels_first_and_leaves_at_the_second_time() {
    let mut model = model(80, 24);
    press(&mut model, "X");
    assert_eq!(press(&mut model, "ctrl-c"), []);
    assert!(model.layers.is_empty());
    assert_eq!(press(&mut model, "ctrl-c"), []);
    assert!(screen(&model).contains("ctrl-c again or :q leaves"));
    assert_eq!(press(&mut model, "ctrl-c"), []);
    assert!(screen(&model).contains("Leave?"));
    assert_eq!(press(&mut model, "y"), [Effect::Quit]);
}

#[test]
fn a_chord_waits_and_shows_its_choices() {
    let mut model = model(80, 24);
    assert_eq!(press(&mut model, "c"), []);
    assert!(
        screen(&model).contains("copy the name"),
        "{}",
        screen(&model)
    );
    assert_eq!(
        press(&mut model, "c"),
        [Effect::Copy("eu-1.33.4".to_owned())]
    );
    press(&mut model, "c Esc");
    assert!(model.chord.is_empty());
}

#[test]
fn the_menu_lists_what_is_off_with_its_reason() {
    let mut model = model(80, 24);
    press(&mut model, "a");
    let text = screen(&model);
    assert!(text.contains("off: it runs already"), "{text}");
    // A key of the menu does its action.
    press(&mut model, "X");
    assert!(screen(&model).contains("Stop eu-1.33.4?"));
}

#[test]
fn marks_are_copied_together_and_left_out_of_an_act_on_one_run() {
    let mut model = model(80, 24);
    press(&mut model, "Space Space");
    assert!(screen(&model).contains("2 marked"));
    let effects = press(&mut model, "c c");
    let [Effect::Copy(names)] = effects.as_slice() else {
        panic!("{effects:?}")
    };
    assert_eq!(names.lines().count(), 2);
    press(&mut model, "k : 'delete Enter");
    assert!(
        screen(&model).contains("2 marked runs are left out"),
        "{}",
        screen(&model)
    );
    press(&mut model, "Esc / 'is:marked Enter");
    assert_eq!(model.runs.rows.len(), 2);
    press(&mut model, "\\");
    assert!(model.runs.marks.is_empty());
}

#[test]
fn pasted_text_is_never_keys() {
    let mut model = model(80, 24);
    assert_eq!(tell(&mut model, Msg::Paste("X\ty\n:q\n".to_owned())), []);
    assert!(model.layers.is_empty());
    press(&mut model, "/");
    tell(&mut model, Msg::Paste("eu-1\n".to_owned()));
    assert_eq!(model.runs.rows.len(), 1);
}

#[test]
fn yaml_and_why_are_pages_of_text() {
    let mut model = model(80, 24);
    let effects = press(&mut model, "y");
    let [Effect::LoadYaml { ticket, name, .. }] = effects.as_slice() else {
        panic!()
    };
    assert_eq!(name, "eu-1.33.4");
    let yaml = "kind: UpdateRun\nspec:\n  state: Run\n".to_owned();
    tell(
        &mut model,
        Msg::Answer {
            ticket: *ticket,
            result: Ok(Answer::Yaml(yaml)),
        },
    );
    assert!(screen(&model).contains("  state: Run"));
    press(&mut model, "Esc w");
    let text = screen(&model);
    assert!(text.contains("anyone who may approve gates"), "{text}");
    press(&mut model, "q");
    assert!(model.layers.is_empty());
}

#[test]
fn frozen_rows_take_in_what_waited_when_they_thaw() {
    let mut model = model(80, 24);
    press(&mut model, "=");
    let mut failed = run(&model, "uk-1.33.4");
    failed.status.as_mut().unwrap().state = State::Failed;
    tell(&mut model, batch(vec![Change::Run(Arc::new(failed))]));
    assert!(screen(&model).contains("frozen 14:40, 1 change waits"));
    press(&mut model, "=");
    assert_eq!(
        crate::console::model::runs::state(&run(&model, "uk-1.33.4")),
        State::Failed
    );
}

#[test]
fn gates_that_open_and_runs_that_end_are_told() {
    let mut model = model(80, 24);
    let (_, gate) = model
        .store
        .gate_named(&uid("gate Release train 35"))
        .unwrap();
    let mut gate = gate.as_ref().clone();
    gate.metadata.uid = Some(uid("another"));
    tell(
        &mut model,
        batch(vec![Change::Gate(Arc::new(gate.clone()))]),
    );
    assert!(
        screen(&model).contains("gate opened: \"Release train 35\""),
        "{}",
        screen(&model)
    );
    gate.status.as_mut().unwrap().state = GateState::Completed;
    let mut done = run(&model, "sec-2026-08");
    done.status.as_mut().unwrap().state = State::Completed;
    tell(
        &mut model,
        batch(vec![
            Change::Gate(Arc::new(gate)),
            Change::Run(Arc::new(done)),
        ]),
    );
    assert!(
        screen(&model).contains("sec-2026-08 completed"),
        "{}",
        screen(&model)
    );
}

#[test]
fn wake_ups_come_only_for_texts_that_change_and_twice_a_minute_at_most() {
    let mut model = model(80, 24);
    let mut wakes = 0;
    let mut now = now();
    let end = now + jiff::SignedDuration::from_mins(10);
    while now < end {
        let effects = crate::console::update(&mut model, Msg::Time(now));
        let next = effects.iter().find_map(|e| match e {
            Effect::WakeAt(at) => Some(*at),
            _ => None,
        });
        let Some(next) = next.or(model.wake) else {
            break;
        };
        assert!(next > now);
        now = next;
        wakes += 1;
    }
    assert!((1..=20).contains(&wakes), "{wakes} wake-ups in ten minutes");
    let silent = silent(80, 24);
    assert_eq!(silent.wake, None);
}

#[test]
fn every_bound_action_exists_and_every_id_is_unique() {
    use crate::console::actions;
    let mut ids: Vec<&str> = actions::all().map(|a| a.id).collect();
    for preset in crate::console::input::PRESETS {
        for binding in crate::console::input::preset(preset).unwrap().bindings() {
            let known = ids.contains(&binding.action.as_str()) || binding.action == "none";
            assert!(known, "{preset}: {}", binding.action);
        }
    }
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all);
}

#[test]
fn copies_take_the_name_the_command_the_row_and_the_yaml() {
    let mut model = model(80, 24);
    let row = press(&mut model, "c r");
    assert_eq!(
        row,
        [Effect::Copy(
            "eu-1.33.4  Running  1.33.4  26/47  2 failed  gate before prod/prod-fr".to_owned()
        )]
    );
    let effects = press(&mut model, "c y");
    let [Effect::LoadYaml { ticket, .. }] = effects.as_slice() else {
        panic!()
    };
    let answer = Msg::Answer {
        ticket: *ticket,
        result: Ok(Answer::Yaml("kind: UpdateRun".to_owned())),
    };
    assert_eq!(
        tell(&mut model, answer),
        [Effect::Copy("kind: UpdateRun".to_owned())]
    );
    assert_eq!(
        press(&mut model, "c f"),
        [Effect::Copy("fleetdeck run show eu-1.33.4".to_owned())]
    );
    model.session.words = " --context eu".to_owned();
    assert_eq!(
        press(&mut model, "c f"),
        [Effect::Copy(
            "fleetdeck --context eu run show eu-1.33.4".to_owned()
        )]
    );
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(96))]
    #[test]
    fn no_size_and_no_keys_break_the_screen(
        columns in 1u16..220,
        rows in 1u16..70,
        keys in proptest::collection::vec(0usize..KEYS.len(), 0..24),
        ascii: bool,
    ) {
        let mut model = model(columns, rows);
        if ascii {
            model = plain(model);
        }
        let text = screen(&model);
        proptest::prop_assert!(!text.trim().is_empty());
        for key in keys {
            press(&mut model, KEYS[key]);
            screen(&model);
        }
        tell(&mut model, Msg::Resize { columns: rows, rows: columns });
        screen(&model);
    }
}

const KEYS: [&str; 34] = [
    "j", "k", "G", "Home", "Enter", "Esc", "l", "h", "z", "M", "R", "!", "1", "2", "/", "'state:f",
    "a", "o", "A", "S", "X", "+", "Tab", "?", "w", "d", ":", "c", "p", "m", "ctrl-d", "t", "f",
    "ctrl-e",
];

#[test]
fn filters_that_were_kept_come_back_with_the_arrow() {
    let mut model = model(120, 40);
    press(
        &mut model,
        "/ 'state:failed Enter Esc / 'us- Enter Esc / 'x",
    );
    press(&mut model, "Up");
    assert_eq!(model.runs.filter.text, "us-");
    press(&mut model, "Up Up");
    assert_eq!(model.runs.filter.text, "state:failed");
    press(&mut model, "Down Down");
    assert_eq!(model.runs.filter.text, "");
}

#[test]
fn a_filter_asks_labels_versions_and_expressions_of_each_page() {
    let mut model = model(120, 40);
    let mut labelled = run(&model, "us-1.33.4");
    labelled.metadata.labels = Some([("team".to_owned(), "us".to_owned())].into());
    tell(&mut model, batch(vec![Change::Run(Arc::new(labelled))]));
    press(&mut model, "/ 'label:team=us Enter");
    assert_eq!(model.runs.rows.len(), 1);
    press(&mut model, "Esc / 'target:<1.33 Enter");
    assert!(screen(&model).contains("edge-1.32.9"), "{}", screen(&model));
    assert!(!screen(&model).contains("us-1.33.4"), "{}", screen(&model));
    press(&mut model, "Esc / '/^(us|eu)-\\d/ Enter");
    let text = screen(&model);
    assert!(
        text.contains("eu-1.33.4") && !text.contains("edge-"),
        "{text}"
    );
    // What is wrong is said, and the rows are not just gone.
    press(&mut model, "Esc / '/us-( Enter");
    let text = screen(&model);
    assert!(
        text.contains("is no regular expression: unclosed group"),
        "{text}"
    );
    press(&mut model, "Esc Enter / '/weu-web-[2-3]1$/ Enter");
    let members = model.tree().unwrap().tree.rows.iter();
    let members = members.filter(|r| matches!(r, crate::console::model::tree::Row::Member(_)));
    assert_eq!(members.count(), 2);
    press(&mut model, "Esc / 'version:<1.33 Enter");
    let all = model.tree().unwrap().tree.rows.len();
    press(&mut model, "Esc / 'version:>=1.33 Enter");
    assert_ne!(model.tree().unwrap().tree.rows.len(), all);
    press(&mut model, "Esc 2 / 'by:nobody Enter");
    assert!(model.gates.rows.is_empty());
}
