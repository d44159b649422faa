//! Pages at every size.

use ratatui::style::Modifier;

use crate::console::fixture::{model, plain, press, screen, silent, styled};
use crate::console::model::Model;
use crate::console::theme::{Glyphs, NAMES, Role, shipped};
use crate::console::view::title;

const SIZES: [(u16, u16); 6] = [(38, 9), (40, 10), (60, 16), (80, 24), (120, 40), (200, 60)];

fn at_every_size(page: &str, open: impl Fn(&mut Model)) {
    for (columns, rows) in SIZES {
        let mut model = model(columns, rows);
        open(&mut model);
        insta::assert_snapshot!(format!("{page}_{columns}x{rows}"), screen(&model));
        let model = plain(model);
        insta::assert_snapshot!(format!("{page}_{columns}x{rows}_ascii"), screen(&model));
    }
}

#[test]
fn the_list_of_runs() {
    at_every_size("runs", |_| {});
}

#[test]
fn the_tree_of_a_run() {
    at_every_size("tree", |m| {
        press(m, "Enter");
    });
}

#[test]
fn the_list_of_gates() {
    at_every_size("gates", |m| {
        press(m, "2");
    });
}

#[test]
fn styles_are_roles_of_the_theme() {
    let mut model = model(80, 24);
    insta::assert_snapshot!("runs_80x24_styled", styled(&model));
    press(&mut model, "Enter");
    insta::assert_snapshot!("tree_80x24_styled", styled(&model));
}

/// Pages and questions with what stands on them, for the themes in which a distinction is easily
/// lost.
#[test]
fn the_themes_for_few_colours_keep_every_distinction() {
    let pages: [(&str, &str); 5] = [
        ("runs", "Space j"),
        ("tree", "Enter / 'prod"),
        ("gates", "2"),
        ("dialog", "A"),
        ("no_match", "/ 'state:faild Enter"),
    ];
    for theme in ["high-contrast", "mono"] {
        for (page, keys) in pages {
            let mut model = model(80, 24);
            press(&mut model, keys);
            model.look.theme = shipped(theme).unwrap();
            if theme == "mono" {
                model.look.glyphs = Glyphs::ASCII;
            }
            insta::assert_snapshot!(format!("{page}_80x24_{theme}_styled"), styled(&model));
        }
    }
}

#[test]
fn what_must_be_told_apart_differs_in_every_theme() {
    let pairs = [
        (Role::Text, Role::Head),
        (Role::Text, Role::Key),
        (Role::Text, Role::Warn),
        (Role::Text, Role::Error),
        (Role::Warn, Role::Error),
        (Role::Text, Role::Link),
        (Role::Text, Role::Match),
        (Role::Text, Role::Failed),
        (Role::Text, Role::Gate),
        (Role::Border, Role::BorderFocus),
    ];
    for name in NAMES {
        let theme = shipped(name).unwrap();
        for (one, other) in pairs {
            assert_ne!(
                theme.style(one),
                theme.style(other),
                "{name}: {one:?} looks like {other:?}"
            );
        }
        let select = theme.style(Role::Select);
        assert!(
            select.bg.is_some() || select.add_modifier.contains(Modifier::REVERSED),
            "{name}: a selected row looks like any other"
        );
    }
}

#[test]
fn the_title_names_the_hub_and_what_waits() {
    assert_eq!(title(&silent(80, 24)), "fleetdeck fleet-eu PROD");
    assert_eq!(
        title(&model(80, 24)),
        "fleetdeck fleet-eu PROD, 2 gates wait"
    );
}
