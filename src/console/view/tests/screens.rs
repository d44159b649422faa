//! Pages at every size.

use crate::console::fixture::{model, plain, press, screen, styled};
use crate::console::model::Model;

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
    insta::assert_snapshot!("tree_80x24_mono_styled", styled(&plain(model)));
}
