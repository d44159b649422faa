//! `run.delete`: the run and its gates go; what is in flight goes on untracked. It has no key.

use tui_input::Input;

use crate::console::effect::{Effect, Write};
use crate::console::model::layers::{Check, Dialog, Fact, Focus, Layer, Level};
use crate::console::model::{Model, runs};
use crate::console::msg::Kind;
use crate::console::view::say;
use crate::engine::operation::{Verb, allowed};
use crate::text::counted;

use super::{Action, Section, may_write, place, reason, run_object, the_run};

/// The action.
pub const ACTION: Action = Action {
    id: "run.delete",
    label: "delete",
    section: Section::Write,
    hint: 0,
    belongs: super::anywhere,
    enabled,
    act,
};

fn enabled(model: &Model) -> Result<(), String> {
    may_write(model, "delete", Kind::Run)?;
    let run = the_run(model)?;
    allowed(run, Verb::Delete).map_err(reason)
}

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
    let gates = model
        .store
        .gates
        .present()
        .filter(|(_, g)| g.spec.run == name)
        .count();
    let mut facts = vec![
        Fact::new("Run", format!("{name}          {}", place(model))),
        Fact::new(
            "Goes",
            format!(
                "the run, {}, {}",
                counted(gates, "gate"),
                counted(counts.total, "member update")
            ),
        ),
    ];
    if counts.running > 0 {
        let flight = say::in_flight(model, run, 8);
        facts.push(Fact::new(
            "Go on",
            format!("{} in flight go on untracked: {flight}", counts.running),
        ));
    }
    facts.push(Fact::new(
        "Not",
        "nothing is rolled back; members stay as they are",
    ));
    facts.push(Fact::new("Undo", "none"));
    facts.push(Fact::new("Type", format!("the name to go on: {name}")));
    super::not_marked(model, &mut facts);
    Some(Dialog {
        action: ACTION.id,
        uid,
        object: run_object(model)?,
        write: Write::Delete,
        title: format!("Delete {name}?"),
        confirm: "Delete".to_owned(),
        facts,
        effect: Vec::new(),
        check: Check::Settled,
        level: Level::Name,
        reason: None,
        name: Some((name.to_owned(), Input::default())),
        command: model.session.command(&format!("run delete {name}")),
        focus: Focus::Cancel,
        opened: model.pressed,
        refused: None,
        changed: None,
        scroll: 0,
        batch: Vec::new(),
        marked: false,
    })
}
