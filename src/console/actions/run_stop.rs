//! `run.stop`: nothing more is scheduled; what is in flight finishes.

use tui_input::Input;

use crate::api::{State, UpdateRun};
use crate::console::effect::{Effect, Write};
use crate::console::model::layers::{Check, Dialog, Fact, Focus, Layer, Level};
use crate::console::model::names::Uid;
use crate::console::model::{Model, Page, runs};
use crate::console::msg::Kind;
use crate::console::view::say;
use crate::engine::operation::{Verb, allowed};
use crate::text::counted;

use super::{
    Action, LeftOut, Section, level, may_write, not_asked, object, place, reason, the_run,
};

/// The action.
pub const ACTION: Action = Action {
    id: "run.stop",
    label: "stop",
    section: Section::Write,
    hint: 82,
    belongs: super::anywhere,
    enabled,
    act,
};

fn enabled(model: &Model) -> Result<(), String> {
    if !is_bulk(model) {
        return the_run(model).and_then(may_stop);
    }
    may_write(model, "patch", Kind::Run)?;
    let (those, left) = marked(model);
    match (those.is_empty(), left.into_iter().next()) {
        (true, Some((name, why))) => Err(format!("no marked run can be stopped; {name}: {why}")),
        _ => Ok(()),
    }
}

/// A second stop is accepted and does nothing; a person who asks for it is told why.
fn may_stop(run: &UpdateRun) -> Result<(), String> {
    allowed(run, Verb::Stop).map_err(reason)?;
    let in_flight = run.status.as_ref().map_or(0, |s| s.counts.running);
    match runs::state(run) {
        State::Stopping => Err(format!(
            "it is stopping already: {} in flight to finish",
            in_flight
        )),
        _ => Ok(()),
    }
}

/// Whether the marked runs are meant, and not the selected one.
fn is_bulk(model: &Model) -> bool {
    model.page() == Page::Runs && !model.runs.marks.is_empty()
}

/// The marked runs that can be stopped, and those that are left out with the reason.
fn marked(model: &Model) -> (Vec<(Uid, &UpdateRun)>, Vec<LeftOut>) {
    let (mut those, mut left) = (Vec::new(), Vec::new());
    let page = &model.runs;
    let shown = page.rows.iter().filter(|k| page.marks.contains(k));
    let hidden = page.marks.iter().filter(|k| !page.rows.contains(k));
    for uid in shown.chain(hidden) {
        let Some(held) = model.store.runs.get(*uid) else {
            continue;
        };
        let run = held.object.as_ref();
        let why = match () {
            () if !model.runs.rows.contains(uid) => Err("hidden by the filter".to_owned()),
            () if held.gone.is_some() => Err("it is gone".to_owned()),
            () => not_asked(model, *uid).and_then(|()| may_stop(run)),
        };
        match why {
            Ok(()) => those.push((*uid, run)),
            Err(why) => left.push((runs::name(run).to_owned(), why)),
        }
    }
    (those, left)
}

fn act(model: &mut Model) -> Vec<Effect> {
    let dialog = match is_bulk(model) {
        true => together(model),
        false => model.run().map(|(uid, run)| dialog(model, uid, run)),
    };
    if let Some(dialog) = dialog {
        model.layers.push(Layer::Dialog(Box::new(dialog)));
    }
    Vec::new()
}

/// So many runs are stopped without a name to type, also on a protected hub.
const FEW: usize = 2;

fn together(model: &Model) -> Option<Dialog> {
    let (those, left) = marked(model);
    let mut facts = vec![Fact::new("Hub", place(model))];
    for (_, run) in &those {
        let counts = run.status.as_ref().map(|s| s.counts).unwrap_or_default();
        let flight = match counts.running {
            0 => "nothing in flight".to_owned(),
            1 => "1 in flight finishes".to_owned(),
            n => format!("{n} in flight finish"),
        };
        let text = format!(
            "{}: {flight}, {} not started",
            runs::name(run),
            counts.not_started
        );
        facts.push(Fact::new("Run", text));
    }
    for (name, why) in left {
        facts.push(Fact::new("Left out", format!("{name}: {why}")));
    }
    facts.push(Fact::new(
        "Later",
        "resume goes on: failed members of stopped groups, then the rest",
    ));
    let batch = those.iter().map(|(uid, run)| dialog(model, *uid, run));
    let batch: Vec<Dialog> = batch.collect();
    let first = batch.first()?.clone();
    let level = match batch.len() > FEW {
        true => level(model, Level::Ask, Level::Name),
        false => Level::Ask,
    };
    let commands: Vec<&str> = batch.iter().map(|d| d.command.as_str()).collect();
    let count = counted(batch.len(), "run");
    let hub = model.session.hub.clone();
    Some(Dialog {
        uid: Uid::default(),
        command: commands.join("; "),
        title: format!("Stop {count}?"),
        confirm: format!("Stop {count}"),
        facts,
        level,
        name: (level == Level::Name).then(|| (hub, Input::default())),
        batch,
        marked: true,
        ..first
    })
}

/// The question about a run.
fn dialog(model: &Model, uid: Uid, run: &UpdateRun) -> Dialog {
    let name = runs::name(run);
    let counts = run.status.as_ref().map(|s| s.counts).unwrap_or_default();
    let flight = say::in_flight(model, run, 8);
    let finish = match counts.running {
        0 => "nothing is in flight".to_owned(),
        n => format!("{n} in flight finish: {flight}"),
    };
    let facts = vec![
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
    Dialog {
        action: ACTION.id,
        uid,
        object: object(Kind::Run, &run.metadata),
        write: Write::Stop,
        title: format!("Stop {name}?"),
        confirm: "Stop".to_owned(),
        facts,
        effect: Vec::new(),
        check: Check::Settled,
        level: level(model, Level::Ask, Level::Ask),
        reason: None,
        name: None,
        command: model.session.command(&format!("run stop {name}")),
        focus: Focus::Cancel,
        opened: model.pressed,
        refused: None,
        changed: None,
        scroll: 0,
        batch: Vec::new(),
        marked: false,
    }
}
