//! `member.skip`: leaves out a member, a group, a stage, or the wait after a stage. What it would do
//! is worked out by the engine before it can be confirmed.

use tui_input::Input;

use crate::console::effect::{Effect, Write};
use crate::console::model::layers::{Check, Dialog, Fact, Focus, Layer, Level};
use crate::console::model::tree::{self, Row};
use crate::console::model::{Model, runs};
use crate::engine::operation::{Verb, allowed};
use crate::engine::skip::{SkipEffect, Target};

use super::{Action, Section, level, place, reason, run_object, some, the_run};

/// The action.
pub const ACTION: Action = Action {
    id: "member.skip",
    label: "skip",
    section: Section::Write,
    hint: 84,
    belongs: super::in_tree,
    enabled,
    act,
};

fn enabled(model: &Model) -> Result<(), String> {
    let run = the_run(model)?;
    allowed(run, Verb::Skip).map_err(reason)?;
    target(model).map(|_| ())
}

/// What the selected row stands for.
fn target(model: &Model) -> Result<Target, String> {
    let (_, run) = model.run().ok_or("no run is selected")?;
    match model.row().ok_or("no row is selected")? {
        Row::Stage(s) => tree::stage(run, s).map(|s| Target::Stage(s.name.clone())),
        Row::Group(s, g) => tree::group(run, s, g).map(|g| Target::Group(g.name.clone())),
        Row::Wait(s) => tree::stage(run, s).map(|s| Target::AfterStageWait(s.name.clone())),
        Row::Member(id) => model
            .store
            .updates
            .get(id)
            .filter(|u| u.gone.is_none())
            .map(|u| Target::Member(model.store.names.text(u.member).to_owned())),
        Row::Gate(_) => {
            return Err(
                "a gate cannot be skipped alone: approve it, or skip its stage or group".to_owned(),
            );
        }
        Row::More(..) => return Err("show the members first and choose one".to_owned()),
        Row::Apart => return Err("these members are not in the plan".to_owned()),
    }
    .ok_or_else(|| "the row is gone".to_owned())
}

fn act(model: &mut Model) -> Vec<Effect> {
    let Ok(target) = target(model) else {
        return Vec::new();
    };
    let ticket = model.ticket();
    let Some(dialog) = dialog(model, &target, ticket) else {
        return Vec::new();
    };
    let run = dialog.object.name.clone();
    model.layers.push(Layer::Dialog(Box::new(dialog)));
    vec![Effect::CheckSkip {
        ticket,
        run,
        targets: vec![target.to_string()],
    }]
}

fn dialog(model: &Model, target: &Target, ticket: u64) -> Option<Dialog> {
    let (uid, run) = model.run()?;
    let name = runs::name(run);
    let (what, of, level) = match target {
        Target::Member(m) => ("member", m, level(model, Level::Ask, Level::Reason)),
        Target::Group(g) => ("group", g, level(model, Level::Reason, Level::Name)),
        Target::Stage(s) => ("stage", s, level(model, Level::Reason, Level::Name)),
        Target::AfterStageWait(s) => (
            "the wait after stage",
            s,
            level(model, Level::Ask, Level::Reason),
        ),
    };
    Some(Dialog {
        action: ACTION.id,
        uid,
        object: run_object(model)?,
        write: Write::Skip {
            targets: vec![target.to_string()],
            comment: None,
        },
        title: format!("Skip {what} {of}?"),
        confirm: "Skip".to_owned(),
        facts: vec![Fact::new(
            "Run",
            format!("{name}          {}", place(model)),
        )],
        effect: Vec::new(),
        check: Check::Waiting(ticket),
        level,
        reason: Some(Input::default()),
        name: (level == Level::Name).then(|| (of.clone(), Input::default())),
        command: format!("fleetdeck run skip {name} {target}"),
        focus: Focus::Cancel,
        opened: model.pressed,
        refused: None,
        changed: None,
        scroll: 0,
    })
}

/// What the engine found, for the dialog.
pub fn effect(found: &SkipEffect) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut push = |label: &str, names: &[String]| {
        if !names.is_empty() {
            facts.push(Fact::new(
                label,
                format!("{}: {}", names.len(), some(names)),
            ));
        }
    };
    push("Skips", &found.members);
    push("Gates", &found.gates);
    push("Waits", &found.waits);
    push("Finish", &found.in_flight);
    push("Stay", &found.untouched);
    if found.failures_forgiven > 0 {
        facts.push(Fact::new(
            "Failures",
            format!("{} fewer are counted", found.failures_forgiven),
        ));
    }
    if facts.is_empty() {
        facts.push(Fact::new("Skips", "nothing: all of it is skipped already"));
    }
    facts.push(Fact::new(
        "Undo",
        "none: what is skipped stays skipped in this run",
    ));
    facts
}
