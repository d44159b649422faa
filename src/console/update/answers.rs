//! Answers to effects that carried a ticket. An answer that nobody waits for is dropped.

use crate::console::actions::{gate_approve, member_skip};
use crate::console::effect::Effect;
use crate::console::model::Model;
use crate::console::model::age::Words;
use crate::console::model::layers::{Check, Fact, Layer, TextSource};
use crate::console::model::plan::PlanState;
use crate::console::msg::{Answer, Rank, Refused, RefusedClass, Ticket};

use super::taken;

/// Takes an answer in.
pub fn answer(model: &mut Model, ticket: Ticket, result: Result<Answer, Refused>) -> Vec<Effect> {
    if let Some(at) = model.asked.iter().position(|a| a.ticket == ticket) {
        written(model, at, result);
        return Vec::new();
    }
    if model.copying == Some(ticket) {
        model.copying = None;
        return match result {
            Ok(Answer::Yaml(text)) => vec![Effect::Copy(text)],
            Ok(_) => Vec::new(),
            Err(refused) => {
                let text = format!("nothing copied: {}", refused.message);
                model.notices.tell(model.now, Rank::Warning, "", text);
                Vec::new()
            }
        };
    }
    let form = model.layers.iter_mut().find_map(|layer| match layer {
        Layer::Form(form) if form.waiting == Some(ticket) => Some(form),
        _ => None,
    });
    if let Some(form) = form {
        form.waiting = None;
        return super::form::planned(model, result);
    }
    if let Some(plan) = &mut model.plan
        && matches!(plan.state, PlanState::Loading(t) if t == ticket)
    {
        match result {
            Ok(Answer::Plan(found)) => {
                plan.open.extend((0..found.stages.len()).map(|s| (s, None)));
                plan.state = PlanState::Ready(found);
            }
            Ok(_) => {}
            Err(refused) => plan.state = PlanState::Refused(refused),
        }
        return Vec::new();
    }
    let (zone, now, times) = (&model.session.zone, model.now, model.times);
    let words = Words { now, times, zone };
    for layer in &mut model.layers {
        match layer {
            Layer::Dialog(dialog) if dialog.check == Check::Waiting(ticket) => {
                dialog.check = match &result {
                    Ok(Answer::Skip(found)) => {
                        dialog.effect = member_skip::effect(found);
                        Check::Settled
                    }
                    Ok(Answer::Approval(found)) => {
                        dialog.effect = gate_approve::effect(&words, found);
                        Check::Settled
                    }
                    // Who may approve and not read the whole run may approve all the same.
                    Err(refused) if gate_approve::may_go_unread(dialog, refused) => {
                        let text = format!("unknown: {}", refused.message);
                        dialog.effect = vec![Fact::new("Starts", text)];
                        Check::Settled
                    }
                    Ok(_) => Check::Settled,
                    Err(refused) => Check::Refused(refused.clone()),
                };
            }
            Layer::Text(page) if page.source == TextSource::Loading(ticket) => {
                page.source = match &result {
                    Ok(Answer::Yaml(text)) => {
                        TextSource::Lines(text.lines().map(str::to_owned).collect())
                    }
                    Ok(_) => TextSource::Lines(Vec::new()),
                    Err(refused) => TextSource::Refused(refused.clone()),
                };
            }
            _ => {}
        }
    }
    Vec::new()
}

fn written(model: &mut Model, at: usize, result: Result<Answer, Refused>) {
    match result {
        Ok(Answer::Written {
            generation,
            request,
        }) => {
            if let Some(asked) = model.asked.get_mut(at) {
                asked.generation = Some(generation);
                asked.request = request;
            }
            // The controller may have been faster than the answer.
            taken::compare(model);
        }
        Ok(_) => {}
        Err(refused) => {
            let asked = model.asked.remove(at);
            match refused.class {
                RefusedClass::Gone => {
                    let text = format!("{}: {}", asked.what, refused.message);
                    model.notices.tell(model.now, Rank::Error, "", text);
                }
                RefusedClass::Rule
                | RefusedClass::Conflict
                | RefusedClass::Denied
                | RefusedClass::Link => taken::come_back(model, asked.dialog, refused),
            }
        }
    }
}
