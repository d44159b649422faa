//! Reasons and facts: what a row says of why it stands still.

use crate::api::UpdateRun;
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
