//! `gate.approve`: lets the stage or group behind a gate go on; a scheduled gate starts now.

use tui_input::Input;

use crate::console::effect::{Effect, Write};
use crate::console::model::Model;
use crate::console::model::gates::Standing;
use crate::console::model::layers::{Check, Dialog, Fact, Focus, Layer, Level};
use crate::console::msg::Kind;
use crate::console::view::pages::gate_detail;
use crate::engine::gate;

use super::{Action, Section, level, may_write, not_asked, object, place, reason};

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
    if let Some(dialog) = dialog(model) {
        model.layers.push(Layer::Dialog(Box::new(dialog)));
    }
    Vec::new()
}

/// The question about the selected gate.
pub fn dialog(model: &Model) -> Option<Dialog> {
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
    let mut facts = vec![Fact::new(
        "Run",
        format!(
            "{}, {}          {}",
            info.run_name,
            info.place(),
            place(model)
        ),
    )];
    for fact in gate_detail::effect(model, &info) {
        let label = match fact.label.as_str() {
            "starts" => "Starts",
            "ends" => "Ends",
            "first" => "First",
            "but" => "But",
            "does not" => "Not",
            "undo" => "Undo",
            _ => continue,
        };
        facts.push(Fact::new(label, fact.text));
    }
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
        facts,
        effect: Vec::new(),
        check: Check::Settled,
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
