//! Whose members are watched, and what is kept of them.

use std::sync::Arc;

use super::*;
use crate::api::MemberUpdate;
use crate::console::effect::Effect;
use crate::console::fixture::{everything, model, now, press, screen, silent};
use crate::console::model::Page;
use crate::console::msg::{Change, HubBatch, Kind, Link, Msg, Ticket};
use crate::console::update;

/// A console on a hub whose watches are served by the test alone.
fn unserved() -> (Model, Vec<Arc<MemberUpdate>>, Vec<Effect>) {
    let mut batch = everything();
    let mut members = Vec::new();
    batch.changes.retain(|change| match change {
        Change::Update(update) => {
            members.push(update.clone());
            false
        }
        Change::Relist(kind) | Change::Synced(kind) => *kind != Kind::Update,
        _ => true,
    });
    let mut model = silent(120, 40);
    update(&mut model, Msg::Link(Link::Live));
    let effects = update(&mut model, Msg::Hub(batch));
    (model, members, effects)
}

fn followed(effects: &[Effect]) -> Option<(Ticket, Option<&str>)> {
    effects.iter().find_map(|e| match e {
        Effect::Follow { ticket, run } => Some((*ticket, run.as_deref())),
        _ => None,
    })
}

fn members(follow: Ticket, updates: &[Arc<MemberUpdate>], complete: bool) -> Msg {
    let mut changes = vec![Change::Relist(Kind::Update)];
    changes.extend(updates.iter().cloned().map(Change::Update));
    changes.extend(complete.then_some(Change::Synced(Kind::Update)));
    Msg::Hub(HubBatch {
        generation: 1,
        follow: Some(follow),
        changes,
    })
}

fn key(model: &mut Model, key: &str) -> Vec<Effect> {
    let at = model.pressed + 1_000;
    let key = key.parse().unwrap();
    update(model, Msg::Key { key, at })
}

#[test]
fn the_selected_run_is_followed_and_the_next_one_after_a_rest() {
    let (mut model, _, effects) = unserved();
    let (first, run) = followed(&effects).unwrap();
    assert_eq!(run, Some("eu-1.33.4"));
    // Opening what is followed already asks for nothing.
    assert_eq!(followed(&key(&mut model, "Enter")), None);
    key(&mut model, "Esc");
    // Running through the list asks for nothing; resting does.
    assert_eq!(followed(&key(&mut model, "j")), None);
    assert_eq!(followed(&key(&mut model, "j")), None);
    let due = model.wake.unwrap();
    let effects = update(&mut model, Msg::Time(due));
    let (second, run) = followed(&effects).unwrap();
    let selected = model.run().unwrap().1.metadata.name.clone();
    assert_eq!(run, selected.as_deref());
    assert!(second > first);
    // Without a pane that names members nobody needs them.
    let effects = key(&mut model, "p");
    assert_eq!(followed(&effects).unwrap().1, None);
    // The tree of a run does at once.
    let effects = key(&mut model, "Enter");
    assert_eq!(followed(&effects).unwrap().1, selected.as_deref());
    let effects = key(&mut model, "Esc");
    assert_eq!(followed(&effects).unwrap().1, None);
    assert!(model.store.updates.is_empty());
}

#[test]
fn members_of_another_run_are_not_kept() {
    let (mut model, updates, effects) = unserved();
    let (ticket, _) = followed(&effects).unwrap();
    let mut other = updates[0].as_ref().clone();
    other.spec.run = "us-1.33.4".to_owned();
    other.metadata.uid = Some("other".to_owned());
    let mut all = updates.clone();
    all.push(Arc::new(other));
    update(&mut model, members(ticket, &all, true));
    assert_eq!(model.store.updates.len(), updates.len());

    // What an older watch still brings is dropped, and so is what it says of being complete.
    key(&mut model, "j");
    let due = model.wake.unwrap();
    let effects = update(&mut model, Msg::Time(due));
    let (next, run) = followed(&effects).unwrap();
    assert_ne!(run, Some("eu-1.33.4"));
    assert_eq!(model.store.updates.len(), 0);
    update(&mut model, members(ticket, &updates, true));
    assert_eq!(model.store.updates.len(), 0);
    let waits = model.store.sync(Kind::Update);
    assert_eq!(waits, crate::console::model::store::Sync::Waiting);
    update(&mut model, members(next, &[], true));
    let ready = model.store.sync(Kind::Update);
    assert_eq!(ready, crate::console::model::store::Sync::Ready);
}

#[test]
fn a_tree_says_that_its_members_are_coming_or_may_not_be_listed() {
    let (mut model, updates, effects) = unserved();
    let (ticket, _) = followed(&effects).unwrap();
    assert!(screen(&model).contains("(names are loading)"));
    key(&mut model, "Enter");
    update(&mut model, members(ticket, &updates[..3], false));
    insta::assert_snapshot!("tree_members_loading", screen(&model));
    let text = screen(&model);
    assert!(text.contains("members: 3 of 47 here"), "{text}");
    press(&mut model, "/ 'weu-web-31 Enter");
    assert!(screen(&model).contains("Loading memberupdates: 3 so far."));
    press(&mut model, "Esc");
    update(&mut model, members(ticket, &updates, true));
    assert!(!screen(&model).contains("members: "), "{}", screen(&model));
    let denied = HubBatch {
        generation: 1,
        follow: Some(ticket),
        changes: vec![Change::Denied(Kind::Update)],
    };
    update(&mut model, Msg::Hub(denied));
    insta::assert_snapshot!("tree_members_denied", screen(&model));
}

#[test]
fn a_selected_member_is_selected_again_when_its_tree_is_opened_again() {
    let mut model = model(120, 40);
    press(&mut model, "Enter ! !");
    let selected = model.tree().unwrap().tree.cursor.key;
    let (eu, other) = {
        let uid = |name| model.store.run_named(name).unwrap().0;
        (uid("eu-1.33.4"), uid("us-1.33.4"))
    };
    assert!(matches!(
        selected,
        Some(crate::console::model::tree::RowKey::Member(_))
    ));
    let updates: Vec<_> = everything()
        .changes
        .into_iter()
        .filter_map(|c| match c {
            Change::Update(u) => Some(u),
            _ => None,
        })
        .collect();
    for uid in [other, eu] {
        crate::console::actions::open_run(&mut model, uid);
        let effects = update(&mut model, Msg::Time(now()));
        let (ticket, _) = followed(&effects).unwrap();
        assert_eq!(model.page(), Page::Tree(uid));
        if uid == eu {
            assert_ne!(model.tree().unwrap().tree.cursor.key, selected);
            update(&mut model, members(ticket, &updates, true));
        }
    }
    assert_eq!(model.tree().unwrap().tree.cursor.key, selected);
}

#[test]
fn a_run_opened_in_a_freeze_is_shown() {
    let (mut model, updates, effects) = unserved();
    let (ticket, _) = followed(&effects).unwrap();
    key(&mut model, "Enter");
    key(&mut model, "=");
    update(&mut model, members(ticket, &updates, true));
    assert_eq!(model.store.updates.len(), updates.len());
    let mut later = updates[0].as_ref().clone();
    later.status.get_or_insert_default().attempt = 9;
    update(&mut model, members(ticket, &[Arc::new(later)], false));
    assert!(
        screen(&model).contains("2 changes wait"),
        "{}",
        screen(&model)
    );
}
