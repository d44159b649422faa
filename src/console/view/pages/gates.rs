//! The list of gates (console guide §4.3).

use ratatui::layout::Rect;

use crate::console::actions;
use crate::console::model::Model;
use crate::console::model::age::coarse;
use crate::console::model::gates::{self, GateInfo, GateKey, Standing};
use crate::console::model::size::Class;
use crate::console::theme::Role;
use crate::console::view::layout::parts;
use crate::console::view::pen::Pen;
use crate::console::view::states;
use crate::console::view::table::{heads, left, place, right};
use crate::text::counted;

use super::gate_detail;

/// Draws the page.
pub fn draw(model: &Model, pen: &mut Pen<'_>) {
    let parts = parts(model);
    list(model, parts.list, pen);
    if parts.detail.height > 0 {
        gate_detail::draw(model, parts.detail, pen);
    }
    if parts.extra.height > 0 {
        gate_detail::decided(model, parts.extra, pen);
    }
}

fn list(model: &Model, area: Rect, pen: &mut Pen<'_>) {
    if area.height == 0 {
        return;
    }
    let x = area.x + 4;
    let inner = area.width.saturating_sub(4);
    let body = Rect {
        y: area.y + 1,
        height: area.height - 1,
        ..area
    };
    match model.size.class() {
        Class::L => {
            let cols = [
                left("READY", 9, 0),
                left("GATE", 24, 0),
                left("RUN", 18, 0),
                left("WHERE", 27, 0),
                right("SINCE", 5),
                left("UNBLOCKS", 12, 0),
                left("YOU", 14, 0),
                left("WHY (NOT)", 79, 1),
            ];
            let at = place(&cols, x, inner);
            heads(pen, &cols, &at, area.y);
            rows(model, body, pen, |pen, y, info| {
                let [ready, gate, run, place, since, unblocks, you, why] = at;
                base(model, pen, y, info, [ready, gate, run, place, since]);
                pen.note((unblocks.0, y), unblocks.1, &behind(info), Role::Text);
                pen.note((you.0, y), you.1, &may(model, info), Role::Text);
                pen.note((why.0, y), why.1, &reason(model, info), Role::Text);
            });
        }
        Class::M => {
            let cols = [
                left("READY", 9, 0),
                left("GATE", 22, 0),
                left("RUN", 17, 1),
                left("WHERE", 24, 1),
                right("SINCE", 5),
                left("UNBLOCKS", 11, 0),
                left("YOU", 22, 1),
            ];
            let at = place(&cols, x, inner);
            heads(pen, &cols, &at, area.y);
            rows(model, body, pen, |pen, y, info| {
                let [ready, gate, run, place, since, unblocks, you] = at;
                base(model, pen, y, info, [ready, gate, run, place, since]);
                pen.note((unblocks.0, y), unblocks.1, &behind(info), Role::Text);
                pen.note((you.0, y), you.1, &may(model, info), Role::Text);
            });
        }
        Class::S => {
            let cols = [
                left("READY", 9, 0),
                left("GATE", 17, 1),
                left("RUN", 11, 1),
                left("WHERE", 21, 1),
                right("SINCE", 5),
                right("STARTS", 8),
            ];
            let at = place(&cols, x, inner);
            heads(pen, &cols, &at, area.y);
            rows(model, body, pen, |pen, y, info| {
                let [ready, gate, run, place, since, starts] = at;
                base(model, pen, y, info, [ready, gate, run, place, since]);
                pen.right(
                    (starts.0, y),
                    starts.1,
                    &info.members().to_string(),
                    Role::Text,
                );
            });
        }
        Class::Compact | Class::Tiny | Class::TooSmall => {
            let cols = [
                left("READY", 9, 0),
                left("GATE", 18, 1),
                left("WHERE", 21, 1),
                right("SINCE", 5),
            ];
            let at = place(&cols, x, inner);
            heads(pen, &cols, &at, area.y);
            rows(model, body, pen, |pen, y, info| {
                let [ready, gate, place, since] = at;
                base(model, pen, y, info, [ready, gate, (0, 0), place, since]);
            });
        }
    }
}

fn rows(
    model: &Model,
    area: Rect,
    pen: &mut Pen<'_>,
    mut cells: impl FnMut(&mut Pen<'_>, u16, &GateInfo<'_>),
) {
    let page = &model.gates;
    if page.rows.is_empty() {
        states::no_gates(model, area, pen);
        return;
    }
    let visible = page.rows.iter().enumerate().skip(page.cursor.top);
    for ((i, key), y) in visible.zip(area.top()..area.bottom()) {
        let Some(info) = gates::info(&model.store, *key) else {
            continue;
        };
        pen.rows += 1;
        if page.marks.contains(key) {
            pen.put((area.x + 1, y), 1, pen.glyphs.mark, Role::Key);
        }
        cells(pen, y, &info);
        if i == page.cursor.at {
            pen.select(Rect {
                y,
                height: 1,
                ..area
            });
        }
    }
}

fn base(
    model: &Model,
    pen: &mut Pen<'_>,
    y: u16,
    info: &GateInfo<'_>,
    [ready, gate, run, place, since]: [(u16, u16); 5],
) {
    let g = pen.glyphs;
    let (sign, word, role) = match info.standing {
        _ if model.is_stale() => (g.unknown, "unknown", Role::Stale),
        Standing::Ready => (g.gate, "ready", Role::Gate),
        Standing::NotReady => (g.gate, "not ready", Role::Gate),
        Standing::ByItself => (g.pending, "by itself", Role::Pending),
        Standing::Later => (g.idle, "later", Role::Idle),
    };
    pen.put((ready.0 - 2, y), 1, sign, role);
    let asked =
        matches!(info.key, GateKey::Reached(uid) if model.asked.iter().any(|a| a.uid == uid));
    let (word, role) = if asked {
        ("asked", Role::Pending)
    } else {
        (word, role)
    };
    pen.put((ready.0, y), ready.1, word, role);
    pen.name((gate.0, y), gate.1, &info.name, Role::Text);
    pen.name((run.0, y), run.1, &info.run_name, Role::Text);
    pen.name((place.0, y), place.1, &info.place(), Role::Text);
    if let Some(at) = info.since {
        let text = coarse(model.words().since(at));
        pen.right((since.0, y), since.1, &text, Role::TextDim);
    }
}

/// What is behind a gate.
pub fn behind(info: &GateInfo<'_>) -> String {
    match info.members() {
        0 if info.timing == crate::api::Timing::After => "the end".to_owned(),
        0 => "no member".to_owned(),
        n => counted(n, "member"),
    }
}

/// What the person may do with a gate.
pub fn may(model: &Model, info: &GateInfo<'_>) -> String {
    if let GateKey::Reached(uid) = info.key
        && let Some(asked) = model.asked.iter().find(|a| a.uid == uid)
    {
        return crate::console::view::say::asked_note(model, asked.at);
    }
    let off = actions::writes_off(model).is_some()
        || actions::denied(model, "patch", crate::console::msg::Kind::Gate);
    match info.standing {
        Standing::Later => "when reached".to_owned(),
        _ if off => "may only look".to_owned(),
        Standing::ByItself => "may start now".to_owned(),
        Standing::Ready | Standing::NotReady => "may approve".to_owned(),
    }
}

/// Why a gate is or is not ready.
pub fn reason(model: &Model, info: &GateInfo<'_>) -> String {
    let words = model.words();
    match (info.standing, info.opens) {
        (Standing::ByItself, Some(at)) => format!(
            "opens {}, in {}; may be started early",
            words.point(at),
            words.until(at)
        ),
        (Standing::Ready, _) => "nothing else is waited for here".to_owned(),
        _ => info.why.clone(),
    }
}
