//! `run.stop`: nothing more is scheduled; what is in flight finishes.

use crate::console::effect::{Effect, Write};
use crate::console::model::layers::{Check, Dialog, Fact, Focus, Layer, Level};
use crate::console::model::{Model, runs};
use crate::console::view::say;
use crate::engine::operation::{Verb, allowed};

use super::{Action, Section, level, place, reason, run_object, the_run};

/// The action.
pub const ACTION: Action = Action {
    id: "run.stop",
    label: "stop",
    section: Section::Write,
    hint: 82,
    belongs: super::anywhere,
    enabled: |m| the_run(m).and_then(|run| allowed(run, Verb::Stop).map_err(reason)),
    act,
};

fn act(model: &mut Model) -> Vec<Effect> {
    if let Some(dialog) = dialog(model) {
        model.layers.push(Layer::Dialog(Box::new(dialog)));
    }
    Vec::new()
}

/// The question about the selected run.
pub fn dialog(model: &Model) -> Option<Dialog> {
    let (uid, run) = model.run()?;
    let name = runs::name(run);
    let counts = run.status.as_ref().map(|s| s.counts).unwrap_or_default();
    let flight = say::in_flight(model, run, 8);
    let finish = match counts.running {
        0 => "nothing is in flight".to_owned(),
        n => format!("{n} in flight finish: {flight}"),
    };
    let mut facts = vec![
        Fact::new("Run", format!("{name}          {}", place(model))),
        Fact::new("Now", "nothing more is started"),
        Fact::new("Finish", finish),
        Fact::new(
            "Stay",
            format!(
                "{} not started, {} pending; open gates stay open",
                counts.not_started, counts.pending
            ),
        ),
        Fact::new(
            "Later",
            "resume goes on: failed members of stopped groups, then the rest",
        ),
    ];
    super::not_marked(model, &mut facts);
    Some(Dialog {
        action: ACTION.id,
        uid,
        object: run_object(model)?,
        write: Write::Stop,
        title: format!("Stop {name}?"),
        confirm: "Stop".to_owned(),
        facts,
        effect: Vec::new(),
        check: Check::Settled,
        level: level(model, Level::Ask, Level::Ask),
        reason: None,
        name: None,
        command: format!("fleetdeck run stop {name}"),
        focus: Focus::Cancel,
        opened: model.pressed,
        refused: None,
        changed: None,
        scroll: 0,
    })
}
