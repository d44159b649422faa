//! States of a pane, questions, menus and pages of text.

use crate::console::effect::Effect;
use crate::console::fixture::{
    ago, batch, everything, model, now, plain, press, screen, silent, tell,
};
use crate::console::model::Model;
use crate::console::msg::{
    Answer, Change, Driver, HubBatch, Kind, Link, Msg, Refused, RefusedClass, Rights,
};

fn synced(model: &mut Model) {
    tell(model, Msg::Link(Link::Live));
    let mut changes: Vec<Change> = Kind::ALL.into_iter().map(Change::Relist).collect();
    changes.extend(Kind::ALL.into_iter().map(Change::Synced));
    tell(model, batch(changes));
}

fn lost(since: i64) -> Msg {
    Msg::Link(Link::Lost {
        since: ago(since),
        reason: "connection refused".to_owned(),
        next_try: Some(now() + jiff::SignedDuration::from_secs(20)),
    })
}

#[test]
fn before_the_first_word() {
    insta::assert_snapshot!("state_connecting", screen(&silent(80, 24)));
}

#[test]
fn while_the_first_lists_come() {
    let mut model = silent(80, 24);
    tell(&mut model, Msg::Link(Link::Live));
    insta::assert_snapshot!("state_loading", screen(&model));
    tell(&mut model, batch(vec![Change::Relist(Kind::Run)]));
    insta::assert_snapshot!("state_loading_nothing_yet", screen(&model));
}

#[test]
fn nothing_there() {
    let mut model = silent(80, 24);
    synced(&mut model);
    insta::assert_snapshot!("state_empty_runs", screen(&model));
    press(&mut model, "2");
    insta::assert_snapshot!("state_empty_gates", screen(&model));
}

#[test]
fn nothing_matches() {
    let mut model = model(80, 24);
    press(&mut model, "/ 'state:faild");
    insta::assert_snapshot!("state_no_match_typing", screen(&model));
    press(&mut model, "Enter");
    insta::assert_snapshot!("state_no_match", screen(&model));
}

#[test]
fn the_link_is_lost() {
    let mut model = model(80, 24);
    tell(&mut model, lost(2));
    insta::assert_snapshot!("state_lost", screen(&model));
    insta::assert_snapshot!("state_lost_ascii", screen(&plain(model)));
    let mut model = silent(80, 24);
    tell(&mut model, lost(0));
    insta::assert_snapshot!("state_never_reached", screen(&model));
}

#[test]
fn a_sign_in_is_needed() {
    let mut model = silent(80, 24);
    tell(
        &mut model,
        Msg::Link(Link::SignIn {
            since: now(),
            reason: "Please run az login".to_owned(),
            command: Some("kubelogin get-token --login azurecli".to_owned()),
        }),
    );
    insta::assert_snapshot!("state_sign_in", screen(&model));
}

#[test]
fn the_kinds_are_missing() {
    let mut model = silent(80, 24);
    tell(
        &mut model,
        Msg::Link(Link::KindsMissing {
            missing: vec!["updateruns".to_owned(), "gates".to_owned()],
        }),
    );
    insta::assert_snapshot!("state_no_kinds", screen(&model));
}

#[test]
fn a_list_is_denied() {
    let mut model = silent(80, 24);
    tell(&mut model, Msg::Link(Link::Live));
    tell(
        &mut model,
        Msg::Rights(Rights {
            user: "ana".to_owned(),
            groups: vec!["dev-readers".to_owned()],
            denied: vec![("patch".to_owned(), Kind::Gate)],
        }),
    );
    tell(
        &mut model,
        Msg::Hub(HubBatch {
            generation: 1,
            follow: None,
            changes: vec![
                Change::Denied(Kind::Gate),
                Change::Relist(Kind::Run),
                Change::Synced(Kind::Run),
                Change::Relist(Kind::Member),
                Change::Synced(Kind::Member),
            ],
        }),
    );
    press(&mut model, "2");
    insta::assert_snapshot!("state_denied", screen(&model));
}

#[test]
fn standing_by_and_without_a_driver() {
    let mut model = model(120, 40);
    tell(
        &mut model,
        Msg::Driver(Driver::StandingBy {
            holder: "ops-2".to_owned(),
        }),
    );
    insta::assert_snapshot!("driver_standing_by", screen(&model));
    tell(&mut model, Msg::Driver(Driver::Elsewhere { holder: None }));
    let text = screen(&model);
    assert!(
        text.contains("driver: none") && text.contains("nothing moves"),
        "{text}"
    );
}

#[test]
fn questions() {
    let mut model = model(80, 24);
    press(&mut model, "A 'fr_has_its_own_registry");
    insta::assert_snapshot!("dialog_approve", screen(&model));
    insta::assert_snapshot!("dialog_approve_ascii", screen(&plain(model)));
    let mut model = self::model(80, 24);
    press(&mut model, "X");
    insta::assert_snapshot!("dialog_stop", screen(&model));
    press(&mut model, "Esc / 'lab Enter R");
    insta::assert_snapshot!("dialog_resume", screen(&model));
    press(&mut model, "Esc Esc : 'delete Enter");
    insta::assert_snapshot!("dialog_delete", screen(&model));
}

#[test]
fn a_skip_waits_for_the_engine_and_shows_its_refusal() {
    let mut model = model(80, 24);
    press(&mut model, "Enter / 'fr-web-01 Enter G");
    let effects = press(&mut model, "S");
    insta::assert_snapshot!("dialog_skip_waiting", screen(&model));
    let Some(Effect::CheckSkip { ticket, .. }) = effects.first() else {
        panic!("{effects:?}");
    };
    let refused = Refused {
        class: RefusedClass::Rule,
        code: "TargetInProgress".to_owned(),
        message: "cannot skip member fr-web-01: its upgrade is in flight".to_owned(),
        hint: String::new(),
    };
    tell(
        &mut model,
        Msg::Answer {
            ticket: *ticket,
            result: Err(refused),
        },
    );
    insta::assert_snapshot!("dialog_skip_refused", screen(&model));
}

#[test]
fn menus_and_pages() {
    let mut model = model(80, 24);
    press(&mut model, "a");
    insta::assert_snapshot!("menu_actions", screen(&model));
    press(&mut model, "Esc o");
    insta::assert_snapshot!("menu_order", screen(&model));
    press(&mut model, "Esc c");
    insta::assert_snapshot!("chord_copy", screen(&model));
    press(&mut model, "Esc : 'run");
    insta::assert_snapshot!("palette", screen(&model));
    press(&mut model, "Esc ?");
    insta::assert_snapshot!("help_runs", screen(&model));
    press(&mut model, "Esc Enter ?");
    insta::assert_snapshot!("help_tree", screen(&model));
    press(&mut model, "Esc w");
    insta::assert_snapshot!("why_tree", screen(&model));
    press(&mut model, "Esc Esc d");
    insta::assert_snapshot!("detail_run", screen(&model));
}

#[test]
fn the_detail_follows_the_selected_row() {
    for (name, columns, rows) in [("s", 80, 24), ("m", 120, 40), ("l", 200, 60)] {
        let mut model = model(columns, rows);
        press(&mut model, "Enter ! !");
        insta::assert_snapshot!(format!("tree_problem_{name}"), screen(&model));
    }
    let mut model = model(120, 40);
    press(&mut model, "Enter / 'weu-web-31 Enter G");
    insta::assert_snapshot!("tree_filtered", screen(&model));
}

#[test]
fn a_new_run_and_its_plan() {
    for (columns, rows) in [(80, 24), (120, 40), (200, 60)] {
        let mut model = model(columns, rows);
        press(&mut model, "+");
        insta::assert_snapshot!(format!("form_{columns}x{rows}"), screen(&model));
        press(&mut model, "Tab Tab '1.34.0 Tab Tab 'eu-1.34.0 Tab");
        let effects = press(&mut model, "Enter");
        let Some(Effect::Plan { ticket, .. }) = effects.first() else {
            panic!("{effects:?}\n{}", screen(&model));
        };
        let plan = Answer::Plan(Box::new(crate::console::tests::plan()));
        tell(
            &mut model,
            Msg::Answer {
                ticket: *ticket,
                result: Ok(plan),
            },
        );
        insta::assert_snapshot!(format!("plan_{columns}x{rows}"), screen(&model));
        press(&mut model, "R");
        insta::assert_snapshot!(format!("plan_question_{columns}x{rows}"), screen(&model));
    }
}

#[test]
fn hostile_names_break_nothing() {
    let mut batch = everything();
    for change in &mut batch.changes {
        if let Change::Update(update) = change {
            let mut changed = update.as_ref().clone();
            changed.spec.member = format!(
                "{}\u{1b}[31m界界界界界界界界界界界界\u{202e}x",
                update.spec.member
            );
            *update = std::sync::Arc::new(changed);
        }
    }
    let mut model = silent(80, 24);
    tell(&mut model, Msg::Link(Link::Live));
    tell(&mut model, Msg::Hub(batch));
    press(&mut model, "Enter");
    let text = screen(&model);
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));
    insta::assert_snapshot!("hostile_names", text);
}

#[test]
fn only_visible_rows_are_built() {
    use crate::console::view::{layout::list_rows, paint};
    for (columns, rows) in [(80, 24), (120, 40), (200, 60)] {
        let mut model = model(columns, rows);
        for keys in ["Esc", "2", "1", "Enter", "z", "R"] {
            press(&mut model, keys);
            let area = ratatui::layout::Rect::new(0, 0, columns, rows);
            let mut buffer = ratatui::buffer::Buffer::empty(area);
            let drawn = paint(&model, &mut buffer);
            assert!(drawn.rows <= list_rows(&model) + 2, "{} rows", drawn.rows);
            assert!(drawn.cursor.is_some());
        }
    }
}
