//! `gate.approve`: lets the stage or group behind a gate go on; a scheduled gate starts now. What
//! that starts is the engine's own next decision.

use tui_input::Input;

use crate::api::Gate;
use crate::console::effect::{Effect, Write};
use crate::console::model::age::Words;
use crate::console::model::gates::{self, GateInfo, GateKey, Standing};
use crate::console::model::layers::{Check, Dialog, Fact, Focus, Layer, Level};
use crate::console::model::names::Uid;
use crate::console::model::{Model, Page};
use crate::console::msg::{Kind, Refused, RefusedClass};
use crate::console::view::{pen, say};
use crate::engine::approval::ApprovalEffect;
use crate::engine::gate;
use crate::text::counted;

use super::{Action, LeftOut, Section, level, may_write, not_asked, object, place, reason, some};

/// The action.
pub const ACTION: Action = Action {
    id: "gate.approve",
    label: "approve, start now",
    section: Section::Write,
    hint: 88,
    belongs: |m| m.page() != Page::Plan,
    enabled,
    act,
};

/// What it does to the selected gate.
pub fn word(model: &Model) -> &'static str {
    match model.gate_info().map(|g| g.standing) {
        Some(Standing::ByItself) => "start now",
        Some(_) => "approve",
        None => "approve, start now",
    }
}

fn enabled(model: &Model) -> Result<(), String> {
    may_write(model, "patch", Kind::Gate)?;
    if is_bulk(model) {
        let (those, left) = marked(model);
        return match (those.is_empty(), left.into_iter().next()) {
            (true, Some((name, why))) => {
                Err(format!("no marked gate can be approved; {name}: {why}"))
            }
            _ => Ok(()),
        };
    }
    let info = model.gate_info().ok_or("there is no gate on this row")?;
    open_gate(model, &info).map(|_| ())
}

/// Whether the marked gates are meant, and not the selected one.
fn is_bulk(model: &Model) -> bool {
    model.page() == Page::Gates && !model.gates.marks.is_empty()
}

/// The gate of a row, if it can be approved now.
fn open_gate<'a>(model: &Model, info: &GateInfo<'a>) -> Result<(Uid, &'a Gate), String> {
    let (GateKey::Reached(uid), Some(gate)) = (info.key, info.gate) else {
        return Err("the run has not reached this gate yet".to_owned());
    };
    if model.store.gates.get(uid).is_none_or(|h| h.gone.is_some()) {
        return Err("the gate is gone".to_owned());
    }
    not_asked(model, uid)?;
    gate::can_approve(gate).map_err(reason)?;
    Ok((uid, gate))
}

/// Questions about the marked gates, and those that are left out with the reason.
fn marked(model: &Model) -> (Vec<(GateInfo<'_>, Dialog)>, Vec<LeftOut>) {
    let (mut those, mut left) = (Vec::new(), Vec::new());
    let page = &model.gates;
    let shown = page.rows.iter().filter(|k| page.marks.contains(k));
    let hidden = page.marks.iter().filter(|k| !page.rows.contains(k));
    for key in shown.chain(hidden) {
        let Some(info) = gates::info(&model.store, *key) else {
            continue;
        };
        let name = format!("\"{}\" of {}", info.name, info.run_name);
        if !model.gates.rows.contains(key) {
            left.push((name, "hidden by the filter".to_owned()));
            continue;
        }
        match open_gate(model, &info) {
            Ok((uid, gate)) => {
                let dialog = about(model, uid, gate, &info, Check::Settled);
                those.push((info, dialog));
            }
            Err(why) => left.push((name, why)),
        }
    }
    (those, left)
}

fn act(model: &mut Model) -> Vec<Effect> {
    let ticket = model.ticket();
    let asked = match is_bulk(model) {
        true => together(model, ticket),
        false => selected(model, ticket),
    };
    let Some((dialog, gates)) = asked else {
        return Vec::new();
    };
    model.layers.push(Layer::Dialog(Box::new(dialog)));
    vec![Effect::CheckApproval { ticket, gates }]
}

/// A question, and the run and name of each gate that it is about.
type Asked = (Dialog, Vec<(String, String)>);

fn selected(model: &Model, ticket: u64) -> Option<Asked> {
    let info = model.gate_info()?;
    let (uid, gate) = open_gate(model, &info).ok()?;
    let dialog = about(model, uid, gate, &info, Check::Waiting(ticket));
    let of = (info.run_name.clone(), dialog.object.name.clone());
    Some((dialog, vec![of]))
}

fn together(model: &Model, ticket: u64) -> Option<Asked> {
    let (those, left) = marked(model);
    let mut gates = Vec::new();
    let mut facts = vec![Fact::new("Hub", place(model))];
    for (info, dialog) in &those {
        gates.push((info.run_name.clone(), dialog.object.name.clone()));
        let text = format!("\"{}\" {} of {}", info.name, info.place(), info.run_name);
        facts.push(Fact::new("Gate", text));
    }
    for (name, why) in left {
        facts.push(Fact::new("Left out", format!("{name}: {why}")));
    }
    let batch: Vec<Dialog> = those.into_iter().map(|(_, dialog)| dialog).collect();
    let first = batch.first()?.clone();
    let level = batch.iter().map(|d| d.level).max().unwrap_or(Level::Name);
    let count = counted(batch.len(), "gate");
    let commands: Vec<&str> = batch.iter().map(|d| d.command.as_str()).collect();
    let hub = model.session.hub.clone();
    let dialog = Dialog {
        uid: Uid::default(),
        command: commands.join("; "),
        title: format!("Approve {count}?"),
        confirm: format!("Approve {count}"),
        facts,
        check: Check::Waiting(ticket),
        level,
        name: (level == Level::Name).then(|| (hub, Input::default())),
        batch,
        marked: true,
        ..first
    };
    Some((dialog, gates))
}

/// The question about a gate.
fn about(model: &Model, uid: Uid, gate: &Gate, info: &GateInfo<'_>, check: Check) -> Dialog {
    let level = match info.standing {
        Standing::Ready => level(model, Level::Ask, Level::Reason),
        Standing::NotReady | Standing::ByItself | Standing::Later => {
            level(model, Level::Reason, Level::Name)
        }
    };
    let scheduled = info.standing == Standing::ByItself;
    let name = if scheduled {
        &info.run_name
    } else {
        &info.name
    };
    let object = object(Kind::Gate, &gate.metadata);
    let mut facts = vec![Fact::new(
        "Run",
        format!(
            "{}, {}          {}",
            info.run_name,
            info.place(),
            place(model)
        ),
    )];
    super::not_marked(model, &mut facts);
    Dialog {
        action: ACTION.id,
        uid,
        command: model
            .session
            .command(&format!("gate approve {}", object.name)),
        title: match scheduled {
            true => format!("Start \"{}\" now?", info.name),
            false => format!("Approve gate \"{}\"?", info.name),
        },
        confirm: if scheduled { "Start now" } else { "Approve" }.to_owned(),
        object,
        write: Write::Approve { comment: None },
        facts,
        effect: Vec::new(),
        check,
        level,
        reason: Some(Input::default()),
        name: (level == Level::Name).then(|| (name.clone(), Input::default())),
        focus: Focus::Cancel,
        opened: model.pressed,
        refused: None,
        changed: None,
        scroll: 0,
        batch: Vec::new(),
        marked: false,
    }
}

/// Whether an approval may be confirmed although what it does cannot be read.
pub fn may_go_unread(dialog: &Dialog, refused: &Refused) -> bool {
    dialog.action == ACTION.id && refused.class == RefusedClass::Denied
}

/// What the engine found, for the dialog; of several runs with their names.
pub fn effect(words: &Words<'_>, found: &[(String, ApprovalEffect)]) -> Vec<Fact> {
    let mut facts = Vec::new();
    for (run, effect) in found {
        if found.len() > 1 {
            facts.push(Fact::new("In", run.clone()));
        }
        facts.extend(of_run(words, effect));
    }
    facts.push(Fact::new(
        "Not",
        "override limits, or make a version or an image available",
    ));
    facts.push(Fact::new("Undo", "none: an approval cannot be taken back"));
    facts
}

fn of_run(words: &Words<'_>, effect: &ApprovalEffect) -> Vec<Fact> {
    let mut facts = Vec::new();
    facts.push(Fact::new("Starts", starts(effect)));
    for (label, names) in [
        ("Done", &effect.settled),
        ("Held", &effect.held),
        ("Fails", &effect.fails),
        ("Ends", &effect.ends),
    ] {
        if !names.is_empty() {
            let what = match label {
                "Done" => "need no upgrade: ",
                "Held" => "must wait: ",
                "Fails" => "before their upgrade begins: ",
                _ => "",
            };
            facts.push(Fact::new(label, format!("{what}{}", some(names))));
        }
    }
    for wait in effect.waits.iter().take(WAITS) {
        facts.push(Fact::new(
            "Waits",
            say::in_our_time(words, wait, &wait.message),
        ));
    }
    let more = effect.waits.len().saturating_sub(WAITS);
    if more > 0 {
        facts.push(Fact::new("Waits", format!("and for {more} more")));
    }
    if effect.later > 0 {
        let text = format!(
            "{} behind it as turns come",
            counted(effect.later, "member")
        );
        facts.push(Fact::new("Later", text));
    }
    facts
}

/// Things that a dialog says it waits for.
const WAITS: usize = 3;

fn starts(effect: &ApprovalEffect) -> String {
    match (effect.on_resume, effect.starts.as_slice()) {
        (Some(state), []) => {
            let state = pen::word(state).to_lowercase();
            format!("no member: the run is {state}; it takes effect on resume")
        }
        (None, []) => "no member now".to_owned(),
        (_, names) => format!("now {}: {}", counted(names.len(), "member"), some(names)),
    }
}
