//! What needs the person: a pane on large terminals, all there is on tiny ones.

use ratatui::layout::Rect;

use crate::console::actions;
use crate::console::model::age::length;
use crate::console::model::gates::{self, GateKey, Standing};
use crate::console::model::runs as model_runs;
use crate::console::model::{Model, Page};
use crate::console::theme::Role;
use crate::console::view::pen::{Pen, span};
use crate::console::view::say;

/// One thing that needs the person.
struct Need {
    sign: &'static str,
    role: Role,
    what: String,
    place: String,
    since: Option<jiff::Timestamp>,
    key: String,
    on: String,
    short: String,
}

fn needs(model: &Model) -> Vec<Need> {
    let g = model.look.glyphs;
    let mut needs = Vec::new();
    let mut open: Vec<_> = model
        .store
        .gates
        .present()
        .filter(|(_, gate)| crate::engine::gate::can_approve(gate).is_ok())
        .filter_map(|(uid, _)| gates::info(&model.store, GateKey::Reached(uid)))
        .filter(|info| info.standing <= Standing::NotReady)
        .collect();
    open.sort_by_key(|info| info.since);
    for info in open {
        let on = match info.standing {
            Standing::Ready => format!("ready: {}", super::gates::behind(&info)),
            _ => info.why.clone(),
        };
        needs.push(Need {
            sign: g.gate,
            role: Role::Gate,
            what: format!("gate \"{}\"", info.name),
            place: format!("{} {}", info.run_name, info.place()),
            since: info.since,
            short: format!(
                "{}: gate, {} ({})",
                info.group.as_ref().unwrap_or(&info.stage),
                if info.standing == Standing::Ready {
                    "ready"
                } else {
                    "not ready"
                },
                actions::keys(model, "gate.approve")
            ),
            key: format!("{} approve", actions::keys(model, "gate.approve")),
            on,
        });
    }
    for (_, run) in model.store.runs.present() {
        if let Some(wait) = model_runs::blocker(run) {
            needs.push(Need {
                sign: g.stuck,
                role: Role::Warn,
                what: wait.message.clone(),
                place: model_runs::name(run).to_owned(),
                since: wait.since.as_ref().map(|t| t.0),
                key: format!("{} open", actions::keys(model, "open")),
                on: wait.next.clone(),
                short: wait.message.clone(),
            });
        }
        let error = run.status.as_ref().and_then(|s| s.error.as_ref());
        if let Some(error) = error {
            let status = run.status.as_ref();
            needs.push(Need {
                sign: g.failed,
                role: Role::Failed,
                what: error.message.clone(),
                place: model_runs::name(run).to_owned(),
                since: status.and_then(|s| s.completed_time.as_ref()).map(|t| t.0),
                key: format!("{} resume", actions::keys(model, "run.resume")),
                on: say::limits(model, run),
                short: error.message.clone(),
            });
        }
    }
    needs
}

/// The pane of large terminals.
pub fn pane(model: &Model, area: Rect, pen: &mut Pen<'_>) {
    let needs = needs(model);
    let title = [span(format!("Needs you {}", needs.len()), Role::Head)];
    let hint = format!("{} next one", actions::keys(model, "next.problem"));
    let inner = pen.frame(area, &title, &hint, false);
    let x = inner.x + 1;
    let at = [x + 2, x + 40, x + 79, x + 88, x + 103];
    let rest = inner.right().saturating_sub(x + 104);
    let [what, place, since, key, on] = at;
    for (at, head) in [
        (what, "WHAT"),
        (place, "WHERE"),
        (key, "KEY"),
        (on, "CAN IT GO ON?"),
    ] {
        pen.put((at, inner.y), 30, head, Role::Head);
    }
    pen.right((since, inner.y), 8, "SINCE", Role::Head);
    for (need, y) in needs.iter().zip(inner.y + 1..inner.bottom()) {
        pen.put((x, y), 1, need.sign, need.role);
        pen.note((what, y), 37, &need.what, Role::Text);
        pen.note((place, y), 38, &need.place, Role::Text);
        if let Some(at) = need.since {
            pen.right((since, y), 8, &length(model.words().since(at)), Role::Text);
        }
        pen.note((key, y), 14, &need.key, Role::Key);
        pen.note((on, y), rest, &need.on, Role::Text);
    }
    if needs.is_empty() {
        pen.put(
            (what, inner.y + 1),
            40,
            "Nothing needs you now.",
            Role::TextDim,
        );
    }
}

/// All there is on a tiny terminal.
pub fn tiny(model: &Model, area: Rect, pen: &mut Pen<'_>) {
    let needs = needs(model);
    let of_run = match model.page() {
        Page::Tree(_) => model.run().map(|(_, run)| model_runs::name(run)),
        Page::Runs | Page::Gates | Page::Plan => None,
    };
    let mut y = area.y;
    let here = |n: &&Need| of_run.is_none_or(|name| n.place.split(' ').next() == Some(name));
    for need in needs.iter().filter(here) {
        if y >= area.bottom() {
            break;
        }
        pen.put((area.x + 1, y), 1, need.sign, need.role);
        let run = need.place.split(' ').next().unwrap_or_default();
        let text = match of_run {
            Some(_) => need.short.clone(),
            None => format!("{run} {}", need.short),
        };
        pen.note(
            (area.x + 3, y),
            area.width.saturating_sub(4),
            &text,
            Role::Text,
        );
        y += 1;
    }
    let flight = model
        .run()
        .map(|(_, run)| say::in_flight(model, run, 3))
        .unwrap_or_default();
    if !flight.is_empty() && y < area.bottom() {
        pen.put((area.x + 1, y), 1, pen.glyphs.running, Role::Running);
        pen.note(
            (area.x + 3, y),
            area.width.saturating_sub(4),
            &flight,
            Role::Text,
        );
        y += 1;
    }
    if y + 1 < area.bottom() {
        let (columns, rows) = (model.size.columns, model.size.rows);
        let text = format!(
            " {columns}{}{rows}: list of what needs you only.",
            pen.glyphs.times
        );
        pen.note((area.x, y + 1), area.width, &text, Role::TextDim);
    }
}
