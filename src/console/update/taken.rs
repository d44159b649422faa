//! Writes that are under way: taken or refused by the controller, or left lying.

use jiff::SignedDuration;

use crate::api::{RequestAction, RunIntent, UpdateRun};
use crate::console::actions::open_run;
use crate::console::effect::Write;
use crate::console::model::asked::Asked;
use crate::console::model::layers::{Dialog, Layer};
use crate::console::model::{Model, Page, gates};
use crate::console::msg::{Kind, Rank, Refused, RefusedClass};

/// Seconds of the person's after which it is told that nobody takes a write.
const PATIENCE: f64 = 15.0;

/// Looks for what became of each write.
pub fn compare(model: &mut Model) {
    let mut open = Vec::new();
    for asked in std::mem::take(&mut model.asked) {
        shown(model, &asked);
        match outcome(model, &asked) {
            Outcome::Open => open.push(asked),
            Outcome::Taken => {
                let text = format!("taken: {}", asked.what);
                model.notices.tell(model.now, Rank::Done, "", text);
            }
            Outcome::Refused(refused) => come_back(model, asked.dialog, refused),
        }
    }
    model.asked.extend(open);
}

/// A run that was made and started from its plan is shown in the plan's place, as soon as the hub
/// has it; one that was only made can be started there.
fn shown(model: &mut Model, asked: &Asked) {
    let name = &asked.dialog.object.name;
    let starts = match &asked.dialog.write {
        Write::CreateRun { spec } => spec.state == RunIntent::Run,
        Write::Start => true,
        Write::Stop | Write::Skip { .. } | Write::Approve { .. } | Write::Delete => return,
    };
    let here = model.page() == Page::Plan && model.layers.is_empty();
    let Some(plan) = model.plan.as_mut().filter(|p| here && p.name == *name) else {
        return;
    };
    let Some((uid, _)) = model
        .store
        .run_named(name)
        .filter(|_| asked.generation.is_some())
    else {
        return;
    };
    plan.run = Some(uid);
    if starts {
        model.pages.pop();
        open_run(model, uid);
    }
}

enum Outcome {
    Open,
    Taken,
    Refused(Refused),
}

fn outcome(model: &Model, asked: &Asked) -> Outcome {
    let Some(generation) = asked.generation else {
        return Outcome::Open;
    };
    match (&asked.dialog.write, asked.dialog.object.kind) {
        (Write::Delete, _) => match model.store.runs.get(asked.uid).filter(|h| h.gone.is_none()) {
            Some(_) => Outcome::Open,
            None => Outcome::Taken,
        },
        (Write::CreateRun { .. }, _) => match model.store.run_named(&asked.dialog.object.name) {
            Some((_, run)) if observed(run) >= generation => Outcome::Taken,
            _ => Outcome::Open,
        },
        (_, Kind::Gate) => match model.store.gates.get(asked.uid) {
            Some(held) if gates::state(&held.object) == crate::api::GateState::Pending => {
                Outcome::Open
            }
            _ => Outcome::Taken,
        },
        (write, _) => match model.store.runs.get(asked.uid) {
            None => Outcome::Taken,
            Some(held) if observed(&held.object) < generation => Outcome::Open,
            Some(held) => request(&held.object, asked, write),
        },
    }
}

fn observed(run: &UpdateRun) -> i64 {
    run.status
        .as_ref()
        .and_then(|s| s.observed_generation)
        .unwrap_or(0)
}

fn request(run: &UpdateRun, asked: &Asked, write: &Write) -> Outcome {
    let of_kind = |action: RequestAction| match write {
        Write::Start => matches!(action, RequestAction::Start | RequestAction::Resume),
        Write::Stop => action == RequestAction::Stop,
        Write::Skip { .. } => action == RequestAction::Skip,
        Write::Approve { .. } | Write::CreateRun { .. } | Write::Delete => false,
    };
    let requests = run.status.as_ref().map_or(&[][..], |s| &s.requests);
    let found = requests
        .iter()
        .rev()
        .find(|r| match asked.request.as_str() {
            "" => of_kind(r.action),
            id => r.id == id,
        });
    match found {
        Some(request) if !request.accepted => Outcome::Refused(Refused {
            class: RefusedClass::Rule,
            code: request.code.clone(),
            message: request.message.clone(),
            hint: String::new(),
        }),
        _ => Outcome::Taken,
    }
}

/// Opens a refused question again, with everything typed. It goes below what is open now, so that
/// nothing moves under the person's hands.
pub fn come_back(model: &mut Model, mut dialog: Box<Dialog>, refused: Refused) {
    let text = format!("refused: {}: {}", refused.code, refused.message);
    model.notices.tell(model.now, Rank::Error, "", text);
    dialog.refused = Some(refused);
    dialog.focus = crate::console::model::layers::Focus::Cancel;
    dialog.opened = model.pressed;
    model.layers.insert(0, Layer::Dialog(dialog));
}

/// Tells once of each write that nobody has taken for a while.
pub fn overdue(model: &mut Model) {
    let now = model.now;
    let driver = crate::console::view::say::driver(model);
    let patience = patience(model);
    for asked in &mut model.asked {
        if !asked.warned && now.duration_since(asked.at) >= patience {
            asked.warned = true;
            let text = format!("not taken yet: {} (driver: {driver})", asked.what);
            model.notices.tell(now, Rank::Warning, "", text);
        }
    }
}

/// When the next write is overdue.
pub fn next(model: &Model) -> Option<jiff::Timestamp> {
    let patience = patience(model);
    let due = |a: &Asked| a.at.checked_add(patience).ok();
    let open = model.asked.iter().filter(|a| !a.warned);
    open.filter_map(due).min()
}

/// How long that is on the hub's clock.
fn patience(model: &Model) -> SignedDuration {
    SignedDuration::try_from_secs_f64(PATIENCE * model.session.speed.max(0.001))
        .unwrap_or(SignedDuration::MAX)
}
