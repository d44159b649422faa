//! Keys in the form for a new run.

use crate::console::actions::run_new;
use crate::console::effect::Effect;
use crate::console::model::Model;
use crate::console::model::form::{Field, Form};
use crate::console::model::layers::Layer;
use crate::console::model::plan::PlanState;
use crate::console::msg::{Answer, Key, KeyCode, Refused};
use crate::engine::validate;
use crate::text::sentence;

use super::{close_layer, dialog};

fn open(model: &mut Model) -> Option<&mut Form> {
    match model.layers.last_mut() {
        Some(Layer::Form(form)) => Some(form),
        _ => None,
    }
}

/// Handles a key.
pub fn key(model: &mut Model, key: Key) -> Vec<Effect> {
    let Some(form) = open(model) else {
        return Vec::new();
    };
    let in_text = form.input().is_some();
    match key.code {
        KeyCode::Esc => return close_layer(model),
        KeyCode::Tab if !key.shift => turn(form, true),
        KeyCode::Down => turn(form, true),
        KeyCode::Tab | KeyCode::BackTab | KeyCode::Up => turn(form, false),
        KeyCode::Left if !in_text => form.turn(false),
        KeyCode::Right if !in_text => form.turn(true),
        KeyCode::Char(' ') if !in_text => form.turn(true),
        KeyCode::Enter => match form.focus {
            Field::Cancel => return close_layer(model),
            Field::Preview => return preview(model),
            _ => turn(form, true),
        },
        _ => {
            if let Some(input) = form.input() {
                dialog::edit(input, key);
            }
        }
    }
    Vec::new()
}

/// Pasted text.
pub fn paste(model: &mut Model, text: &str) {
    if let Some(input) = open(model).and_then(Form::input) {
        dialog::insert(input, text);
    }
}

fn turn(form: &mut Form, forwards: bool) {
    let fields = form.fields();
    let at = fields.iter().position(|f| *f == form.focus).unwrap_or(0);
    let step = if forwards { 1 } else { fields.len() - 1 };
    form.focus = fields
        .get((at + step) % fields.len())
        .copied()
        .unwrap_or(Field::Strategy);
}

fn preview(model: &mut Model) -> Vec<Effect> {
    let ticket = model.ticket();
    let Some(form) = open(model) else {
        return Vec::new();
    };
    let (name, spec) = (form.name.value().trim().to_owned(), form.spec());
    form.wrong = validate::run_spec(&name, &spec)
        .into_iter()
        .map(|v| {
            format!("{}: {} {}", v.field, sentence(&v.message), v.hint)
                .trim()
                .to_owned()
        })
        .collect();
    if !form.wrong.is_empty() {
        return Vec::new();
    }
    form.waiting = Some(ticket);
    vec![Effect::Plan {
        ticket,
        name,
        spec: Box::new(spec),
    }]
}

/// The plan of the form is there, or cannot be made: then the form stays, with the reason.
pub fn planned(model: &mut Model, result: Result<Answer, Refused>) -> Vec<Effect> {
    let Some(at) = model
        .layers
        .iter()
        .position(|l| matches!(l, Layer::Form(_)))
    else {
        return Vec::new();
    };
    match result {
        Ok(Answer::Plan(plan)) => {
            let Layer::Form(form) = model.layers.remove(at) else {
                return Vec::new();
            };
            let name = form.name.value().trim().to_owned();
            // The plan is there already: nothing is asked for again.
            let _ = run_new::preview(model, name, form.spec(), None);
            if let Some(page) = &mut model.plan {
                page.open.extend((0..plan.stages.len()).map(|s| (s, None)));
                page.state = PlanState::Ready(plan);
            }
        }
        Ok(_) => {}
        Err(refused) => {
            if let Some(Layer::Form(form)) = model.layers.get_mut(at) {
                form.wrong = vec![format!(
                    "{}: {} {}",
                    refused.code,
                    sentence(&refused.message),
                    refused.hint
                )];
            }
        }
    }
    Vec::new()
}
