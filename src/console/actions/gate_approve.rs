//! `gate.approve`: lets the stage or group behind a gate go on; a scheduled gate starts now. What
//! that starts is the engine's own next decision.

use tui_input::Input;

use crate::console::effect::{Effect, Write};
use crate::console::model::Model;
use crate::console::model::age::Words;
use crate::console::model::gates::Standing;
use crate::console::model::layers::{Check, Dialog, Fact, Focus, Layer, Level};
use crate::console::msg::{Kind, Refused, RefusedClass};
use crate::console::view::{pen, say};
use crate::engine::approval::ApprovalEffect;
use crate::engine::gate;
use crate::text::counted;

use super::{Action, Section, level, may_write, not_asked, object, place, reason, some};

/// The action.
pub const ACTION: Action = Action {
    id: "gate.approve",
    label: "approve, start now",
    section: Section::Write,
    hint: 88,
    belongs: |m| m.page() != crate::console::model::Page::Plan,
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
    let info = model.gate_info().ok_or("there is no gate on this row")?;
    if info.standing == Standing::Later {
        return Err("the run has not reached this gate yet".to_owned());
    }
    let (uid, gate) = model.gate().ok_or("the gate is gone")?;
    not_asked(model, uid)?;
    gate::can_approve(gate).map_err(reason)
}

fn act(model: &mut Model) -> Vec<Effect> {
    let ticket = model.ticket();
    let Some(dialog) = dialog(model, ticket) else {
        return Vec::new();
    };
    let run = model.gate().map(|(_, g)| g.spec.run.clone());
    let gates = vec![(run.unwrap_or_default(), dialog.object.name.clone())];
    model.layers.push(Layer::Dialog(Box::new(dialog)));
    vec![Effect::CheckApproval { ticket, gates }]
}

/// The question about the selected gate.
fn dialog(model: &Model, ticket: u64) -> Option<Dialog> {
    let (uid, gate) = model.gate()?;
    let info = model.gate_info()?;
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
    Some(Dialog {
        action: ACTION.id,
        uid,
        command: format!("fleetdeck gate approve {}", object.name),
        title: match scheduled {
            true => format!("Start \"{}\" now?", info.name),
            false => format!("Approve gate \"{}\"?", info.name),
        },
        confirm: if scheduled { "Start now" } else { "Approve" }.to_owned(),
        object,
        write: Write::Approve { comment: None },
        facts: vec![Fact::new(
            "Run",
            format!(
                "{}, {}          {}",
                info.run_name,
                info.place(),
                place(model)
            ),
        )],
        effect: Vec::new(),
        check: Check::Waiting(ticket),
        level,
        reason: Some(Input::default()),
        name: (level == Level::Name).then(|| (name.clone(), Input::default())),
        focus: Focus::Cancel,
        opened: model.pressed,
        refused: None,
        changed: None,
        scroll: 0,
    })
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
