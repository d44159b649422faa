//! Reasons and facts: what a row says of why it stands still.

use crate::api::{State, UpdateRun};
use crate::console::fixture::*;
use crate::console::msg::*;
use std::sync::Arc;

use super::{Model, run};

fn changed(columns: u16, rows: u16, change: impl FnOnce(&mut UpdateRun)) -> Model {
    let mut model = model(columns, rows);
    let mut eu = run(&model, "eu-1.33.4");
    change(&mut eu);
    tell(&mut model, batch(vec![Change::Run(Arc::new(eu))]));
    model
}

#[test]
fn a_member_in_line_names_who_has_its_slot() {
    let mut model = changed(200, 60, |run| {
        let stages = &mut run.status.as_mut().unwrap().stages;
        stages[2].groups[1].max_concurrency = 1;
    });
    press(&mut model, "Enter");
    let text = screen(&model);
    let row = text.lines().find(|l| l.contains("neu-api-21")).unwrap();
    assert!(row.contains("slot: 1 of 1 used by neu-api-11"), "{row}");
    press(&mut model, "/ 'neu-api-21 Enter G");
    let text = screen(&model);
    assert!(
        text.contains("prod-neu ← neu-api-21 ← slot: 1 of 1 used by neu-api-11"),
        "{text}"
    );
}

#[test]
fn ages_are_whole_at_every_width() {
    for (columns, rows) in [(80, 24), (120, 40), (200, 60)] {
        let mut model = changed(columns, rows, |run| {
            let made = ago(700);
            run.metadata.creation_timestamp =
                Some(k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(made));
        });
        let row = |model: &Model| {
            let text = screen(model);
            let row = text
                .lines()
                .find(|l| l.contains("eu-1.33.4") && l.contains("26/47"));
            row.unwrap_or_default().to_owned()
        };
        assert!(row(&model).contains("11h40"), "{}", row(&model));
        press(&mut model, "t");
        assert!(row(&model).contains(" 03:00"), "{}", row(&model));
    }
}

#[test]
fn the_first_selection_is_a_run_and_not_the_first_row() {
    let mut model = model(80, 24);
    let selected = model.runs.cursor.key;
    let mut first = run(&model, "eu-1.33.4");
    first.status.as_mut().unwrap().state = State::Completed;
    first.status.as_mut().unwrap().stages.clear();
    first.status.as_mut().unwrap().waiting_for.clear();
    tell(&mut model, batch(vec![Change::Run(Arc::new(first))]));
    assert_ne!(model.runs.rows[0], selected.unwrap());
    assert_eq!(model.runs.cursor.key, selected);
}

#[test]
fn what_a_filter_hid_is_selected_again_when_it_is_given_up() {
    let mut model = model(80, 24);
    press(&mut model, "j");
    let selected = model.runs.cursor.key;
    press(&mut model, "/ 'lab");
    assert_ne!(model.runs.cursor.key, selected);
    press(&mut model, "Esc");
    assert_eq!(model.runs.cursor.key, selected);
    // A filter that is kept keeps what it found.
    press(&mut model, "/ 'lab Enter");
    let found = model.runs.cursor.key;
    press(&mut model, "Esc");
    assert_eq!(model.runs.cursor.key, found);
}

#[test]
fn what_would_do_nothing_is_off_with_its_reason() {
    let mut model = model(120, 40);
    press(&mut model, "/ 'edge Enter X");
    assert!(model.layers.is_empty());
    assert!(
        screen(&model).contains("stop is off: it is stopping already"),
        "{}",
        screen(&model)
    );
    let mut model = super::super::fixture::model(120, 40);
    press(&mut model, "Enter / 'weu-web-21 Enter G S");
    assert!(model.layers.is_empty());
    assert!(
        screen(&model).contains("its upgrade is in flight"),
        "{}",
        screen(&model)
    );
    // A stage that has ended.
    press(&mut model, "/ ctrl-u Enter g g S");
    assert!(model.layers.is_empty());
    assert!(
        screen(&model).contains("skip is off: it has ended"),
        "{}",
        screen(&model)
    );
}

#[test]
fn a_failure_is_told_with_what_is_left() {
    let mut model = model(120, 40);
    let mut failing = run(&model, "sec-2026-08");
    failing.status.as_mut().unwrap().failure_count += 1;
    tell(&mut model, batch(vec![Change::Run(Arc::new(failing))]));
    let text = screen(&model);
    assert!(text.contains("sec-2026-08: 1 failed; "), "{text}");
}

#[test]
fn going_back_from_the_first_page_says_how_to_leave() {
    let mut model = model(80, 24);
    press(&mut model, "q");
    assert!(screen(&model).contains(":q or ctrl-c twice leaves"));
}
