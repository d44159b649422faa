//! The list of runs (console guide §4.1).

use std::sync::Arc;

use ratatui::layout::Rect;

use crate::api::UpdateRun;
use crate::console::model::Model;
use crate::console::model::age::Times;
use crate::console::model::names::Uid;
use crate::console::model::runs as model_runs;
use crate::console::model::size::Class;
use crate::console::theme::Role;
use crate::console::view::layout::parts;
use crate::console::view::pen::{Pen, shown};
use crate::console::view::table::{Places, heads, left, place, right};
use crate::console::view::{say, states};

use super::{needs, run_detail};

/// Draws the page.
pub fn draw(model: &Model, pen: &mut Pen<'_>) {
    let parts = parts(model);
    list(model, parts.list, pen);
    if parts.detail.height > 0 && parts.detail.width > 0 {
        run_detail::draw(model, parts.detail, pen);
    }
    if parts.extra.height > 0 {
        needs::pane(model, parts.extra, pen);
    }
}

fn list(model: &Model, area: Rect, pen: &mut Pen<'_>) {
    if area.height == 0 {
        return;
    }
    let body = Rect {
        y: area.y + 1,
        height: area.height - 1,
        ..area
    };
    let inner = area.width.saturating_sub(4 + area.x);
    let x = area.x + 4;
    // The mark of doubt takes a cell more, and a state is never cut.
    let doubt = u16::from(model.is_stale());
    // Numbers are never cut: 11h40, 12 Jul, and Sat 00:42 where times are wanted.
    let (age, more) = match model.times {
        Times::Age => (6, 0),
        Times::Local | Times::Utc => (9, 2),
    };
    match model.size.class() {
        class @ (Class::L | Class::M) => {
            // Only the widths differ.
            let (name, strategy, bar, now, margin) = match class {
                Class::L => (16, 10, 28, 24, 1),
                _ => (15, 9, 22, 27, 0),
            };
            let cols = [
                left("STATE", 13 + doubt, 0),
                left("RUN", name - doubt, 1),
                left("STRATEGY", strategy, 0),
                left("TARGET", 6, 0),
                right("DONE", 7),
                left("PROGRESS", bar - age, 0),
                right("FAIL", 4),
                right("LEFT", 4),
                right("AGE", age),
                left("NOW / WAITS FOR", now, 2),
            ];
            let at = place(&cols, x, inner.saturating_sub(margin));
            heads(pen, &cols, &at, area.y);
            rows(model, body, pen, |pen, y, uid, run| {
                let [
                    state,
                    name,
                    strategy,
                    target,
                    done,
                    bar,
                    fail,
                    left,
                    age,
                    now,
                ] = at;
                let cells = [Some(state), Some(name), Some(target), Some(done), Some(bar)];
                base(model, pen, y, run, cells);
                tail(model, pen, y, run, [fail, left, age]);
                pen.name(
                    (strategy.0, y),
                    strategy.1,
                    model_runs::strategy(run),
                    Role::Text,
                );
                pen.note((now.0, y), now.1, &say::now(model, uid, run), Role::Text);
            });
        }
        Class::S => {
            let cols = [
                left("STATE", 13 + doubt, 0),
                left("RUN", 15 - doubt, 2),
                left("TARGET", 6, 0),
                right("DONE", 7),
                left("PROGRESS", 13 - more, 1),
                right("FAIL", 4),
                right("LEFT", 4),
                right("AGE", 7 + more),
            ];
            let at = place(&cols, x, inner);
            heads(pen, &cols, &at, area.y);
            rows(model, body, pen, |pen, y, _, run| {
                let [state, name, target, done, bar, fail, left, age] = at;
                let cells = [Some(state), Some(name), Some(target), Some(done), Some(bar)];
                base(model, pen, y, run, cells);
                tail(model, pen, y, run, [fail, left, age]);
            });
        }
        Class::Compact | Class::Tiny | Class::TooSmall => {
            let cols = [
                left("STATE", 13 + doubt, 0),
                left("RUN", 16 - doubt, 1),
                right("DONE", 7),
                left("NOW", 17, 1),
            ];
            let at: Places<4> = place(&cols, x, inner);
            heads(pen, &cols, &at, area.y);
            rows(model, body, pen, |pen, y, uid, run| {
                let [state, name, done, now] = at;
                base(
                    model,
                    pen,
                    y,
                    run,
                    [Some(state), Some(name), None, Some(done), None],
                );
                pen.note((now.0, y), now.1, &say::now(model, uid, run), Role::Text);
            });
        }
    }
}

fn rows(
    model: &Model,
    area: Rect,
    pen: &mut Pen<'_>,
    mut cells: impl FnMut(&mut Pen<'_>, u16, Uid, &Arc<UpdateRun>),
) {
    let page = &model.runs;
    if page.rows.is_empty() {
        states::no_runs(model, area, pen);
        return;
    }
    let visible = page.rows.iter().enumerate().skip(page.cursor.top);
    for ((i, uid), y) in visible.zip(area.top()..area.bottom()) {
        let Some(held) = model.store.runs.get(*uid) else {
            continue;
        };
        pen.rows += 1;
        let attention = attention(model, *uid, &held.object);
        pen.put((area.x + 2, y), 1, attention.0, attention.1);
        if page.marks.contains(uid) {
            pen.put((area.x + 1, y), 1, pen.glyphs.mark, Role::Key);
        }
        cells(pen, y, *uid, &held.object);
        if let Some(at) = held.gone {
            let text = format!("{} gone {}", pen.glyphs.gone, model.words().clock(at));
            pen.put((area.x + 4, y), 13, &format!("{text:13}"), Role::Stale);
        }
        if i == page.cursor.at {
            let row = Rect {
                y,
                height: 1,
                ..area
            };
            pen.select(row);
        }
    }
}

/// Sign in front of a run: a gate that waits, something that is blocked, or doubt.
pub fn attention(model: &Model, uid: Uid, run: &UpdateRun) -> (&'static str, Role) {
    let g = model.look.glyphs;
    if model.is_stale() {
        (g.unknown, Role::Stale)
    } else if say::asked(model, uid, run).is_some() {
        (g.pending, Role::Pending)
    } else if model_runs::open_gates(run) > 0 {
        (g.gate, Role::Gate)
    } else if model_runs::blocker(run).is_some() {
        (g.stuck, Role::Warn)
    } else {
        ("", Role::Text)
    }
}

fn base(
    model: &Model,
    pen: &mut Pen<'_>,
    y: u16,
    run: &UpdateRun,
    [state, name, target, done, bar]: [Option<(u16, u16)>; 5],
) {
    let failures = model_runs::failures(run);
    let shown = shown(
        &pen.glyphs,
        model_runs::state(run),
        failures,
        model.is_stale(),
    );
    if let Some((x, width)) = state {
        pen.state((x, y), width, &shown);
    }
    if let Some((x, width)) = name {
        pen.name((x, y), width, model_runs::name(run), Role::Text);
    }
    if let Some((x, width)) = target {
        pen.name((x, y), width, model_runs::target(run), Role::Text);
    }
    let (ended, total) = model_runs::done(run);
    if let Some((x, width)) = done {
        pen.right((x, y), width, &format!("{ended}/{total}"), Role::Text);
    }
    if let Some((x, width)) = bar {
        let counts = run.status.as_ref().map(|s| s.counts).unwrap_or_default();
        pen.bar((x, y), width, &counts);
    }
}

fn tail(
    model: &Model,
    pen: &mut Pen<'_>,
    y: u16,
    run: &UpdateRun,
    [fail, left, age]: [(u16, u16); 3],
) {
    let failures = model_runs::failures(run);
    let role = if failures > 0 {
        Role::Failed
    } else {
        Role::Text
    };
    pen.right((fail.0, y), fail.1, &failures.to_string(), role);
    let text = say::left(run);
    let role = match text.as_str() {
        "over" => Role::Error,
        "0" => Role::Warn,
        _ => Role::Text,
    };
    pen.right((left.0, y), left.1, &text, role);
    if let Some(created) = model_runs::created(run) {
        pen.right(
            (age.0, y),
            age.1,
            &model.words().column(created),
            Role::TextDim,
        );
    }
}
