//! Details of the selected gate: what is known around it, what passing it does, and who passed
//! others lately.

use ratatui::layout::Rect;

use crate::api::{GateState, Timing, UpdateRun};
use crate::console::actions;
use crate::console::model::Model;
use crate::console::model::age::length;
use crate::console::model::gates::{self, GateInfo, display};
use crate::console::model::layers::Fact;
use crate::console::model::size::Class;
use crate::console::model::tree;
use crate::console::theme::Role;
use crate::console::view::pen::{Pen, span};
use crate::console::view::say;
use crate::console::view::wrap::wrap;

use super::gates::{behind, may, reason};

/// Draws them.
pub fn draw(model: &Model, area: Rect, pen: &mut Pen<'_>) {
    let class = model.size.class();
    let Some(info) = model.gate_info() else {
        if class >= Class::S {
            pen.rule((area.x, area.y), area.width, "No gate is selected");
        }
        return;
    };
    match class {
        Class::Compact | Class::Tiny | Class::TooSmall => {
            let text = format!("{}: {}", info.name, reason(model, &info));
            pen.note((area.x + 1, area.y), area.width - 1, &text, Role::TextDim);
        }
        Class::S => {
            let title = format!(
                "{} · {} {} of {}",
                info.name,
                kind(&info),
                info.place(),
                info.run_name
            );
            let title = if pen.glyphs.ascii {
                title.replace('·', "-")
            } else {
                title
            };
            pen.rule((area.x, area.y), area.width, &title);
            let body = Rect {
                y: area.y + 1,
                height: area.height - 1,
                ..area
            };
            let mut all = around(model, &info);
            all.extend(effect(model, &info));
            let skip = model.detail_top.min(all.len().saturating_sub(1));
            facts(pen, body, all.get(skip..).unwrap_or_default());
        }
        Class::M | Class::L => {
            let left = if class == Class::M { 72 } else { 88 };
            let middle = if class == Class::M { 48 } else { 56 };
            let [a, b, c] = thirds(area, left, middle);
            let title = [span(format!("Around \"{}\"", info.name), Role::Head)];
            let hint = format!(
                "{} copy   {} open the run",
                actions::keys(model, "copy.name"),
                actions::keys(model, "open")
            );
            let inner = pen.frame(a, &title, &hint, model.in_detail);
            let known = around(model, &info);
            let skip = model.detail_top.min(known.len().saturating_sub(1));
            facts(pen, inner, known.get(skip..).unwrap_or_default());
            let title = match info.opens {
                Some(_) => "If you start it now",
                None => "If you approve",
            };
            let hint = format!(
                "{} {}",
                actions::keys(model, "gate.approve"),
                actions::label(model, "gate.approve")
            );
            let inner = pen.frame(b, &[span(title, Role::Head)], &hint, false);
            facts(pen, inner, &effect(model, &info));
            if c.width > 0 {
                members(model, &info, c, pen);
            }
        }
    }
}

fn thirds(area: Rect, left: u16, middle: u16) -> [Rect; 3] {
    let part = |x: u16, width: u16| Rect {
        x: area.x + x,
        width,
        ..area
    };
    if area.width < left + middle + 20 {
        let left = area.width * left / (left + middle);
        return [
            part(0, left),
            part(left, area.width - left),
            Rect::default(),
        ];
    }
    [
        part(0, left),
        part(left, middle),
        part(left + middle, area.width - left - middle),
    ]
}

fn kind(info: &GateInfo<'_>) -> &'static str {
    match info.opens {
        Some(_) => "scheduled start",
        None => "approval",
    }
}

/// Labels with wrapped texts.
pub fn facts(pen: &mut Pen<'_>, area: Rect, facts: &[Fact]) {
    let label = 11;
    let mut y = area.y;
    for fact in facts {
        let width = usize::from(area.width.saturating_sub(label + 2));
        for (i, line) in wrap(&fact.text, width).iter().enumerate() {
            if y >= area.bottom() {
                return;
            }
            if i == 0 {
                pen.put((area.x + 1, y), label - 1, &fact.label, Role::TextDim);
            }
            pen.put(
                (area.x + label + 1, y),
                area.width.saturating_sub(label + 1),
                line,
                Role::Text,
            );
            y += 1;
        }
    }
}

/// What is known around a gate. Checks of the fleet behind it are not made here, so none is shown.
pub fn around(model: &Model, info: &GateInfo<'_>) -> Vec<Fact> {
    let words = model.words();
    let dot = model.look.glyphs.dot;
    let mut facts = vec![Fact::new(
        "ready",
        match info.standing {
            gates::Standing::Ready => "yes: nothing else is waited for here".to_owned(),
            _ => reason(model, info),
        },
    )];
    if let Some(at) = info.since {
        facts.push(Fact::new(
            "waits",
            format!("since {}, {}", words.point(at), length(words.since(at))),
        ));
    }
    if let Some(start) = info.gate.and_then(|g| g.spec.scheduled_start.as_ref()) {
        let text = format!(
            "{:?} {} {} ({} yours)",
            start.start_day,
            start.start_time,
            start.utc_offset,
            words.point(start.absolute_start_time.0)
        );
        facts.push(Fact::new("opens", text));
    }
    let Some((_, run)) = info.run else {
        return facts;
    };
    facts.push(Fact::new(
        "run",
        format!("{} {dot} {}", info.run_name, say::stages(model, run)),
    ));
    let siblings = siblings(model, info, run);
    if !siblings.is_empty() {
        facts.push(Fact::new("siblings", siblings));
    }
    facts.push(Fact::new("limits", say::limits(model, run)));
    let failed = say::failed(model, run, 3);
    for (member, why) in failed {
        facts.push(Fact::new("failed", format!("{member}: {why}")));
    }
    facts
}

fn siblings(model: &Model, info: &GateInfo<'_>, run: &UpdateRun) -> String {
    let Some(spot) = info.spot else {
        return String::new();
    };
    let dot = model.look.glyphs.dot;
    let groups = tree::stage(run, spot.of.0).map_or(&[][..], |s| &s.groups);
    let mine = spot.of.1.map(usize::from);
    groups
        .iter()
        .enumerate()
        .filter(|(i, _)| Some(*i) != mine)
        .map(|(_, g)| {
            let done = g.counts.completed + g.counts.failed + g.counts.skipped;
            format!(
                "{} {done}/{} {}",
                g.name,
                g.counts.total,
                crate::console::view::pen::word(g.state)
            )
        })
        .collect::<Vec<_>>()
        .join(&format!(" {dot} "))
}

/// What passing a gate lets go on. What begins at once is the engine's to say: the question does.
pub fn effect(model: &Model, info: &GateInfo<'_>) -> Vec<Fact> {
    let mut facts = Vec::new();
    let place = info.group.as_ref().unwrap_or(&info.stage);
    let at_once = at_once(info);
    match info.timing {
        Timing::Before => facts.push(Fact::new(
            "lets on",
            format!("{place}: {}{at_once}", behind(info)),
        )),
        Timing::After if info.group.is_some() => {
            facts.push(Fact::new("ends", format!("group {place}")));
        }
        Timing::After => facts.push(Fact::new(
            "ends",
            format!("stage {place}; behind it {}", behind(info)),
        )),
    }
    let first = first_in_line(model, info);
    if !first.is_empty() {
        facts.push(Fact::new("in line", first));
    }
    if !info.why.is_empty() && info.standing == gates::Standing::NotReady {
        facts.push(Fact::new("but", info.why.clone()));
    }
    facts.push(Fact::new(
        "does not",
        "override limits, or make a version or an image available",
    ));
    facts.push(Fact::new(
        "undo",
        "an approval cannot be taken back; stop the run instead",
    ));
    facts.push(Fact::new(
        "you",
        format!("{}: {}", model.person(), may(model, info)),
    ));
    if let Some(gate) = info.gate {
        let name = gate.metadata.name.as_deref().unwrap_or_default();
        facts.push(Fact::new(
            "writes",
            format!("Gate/{name} spec.state: Completed"),
        ));
        facts.push(Fact::new(
            "same as",
            model.session.command(&format!("gate approve {name}")),
        ));
    }
    facts
}

fn at_once(info: &GateInfo<'_>) -> String {
    let (Some((_, run)), Some(spot)) = (info.run, info.spot) else {
        return String::new();
    };
    let most = match spot.of {
        (s, Some(g)) => tree::group(run, s, g).map(|g| g.max_concurrency),
        (s, None) => tree::stage(run, s).map(|s| s.max_concurrency),
    };
    most.map_or(String::new(), |n| format!(", {n} at once"))
}

/// Members of the group behind a gate that come first.
pub fn first_in_line(model: &Model, info: &GateInfo<'_>) -> String {
    let names: Vec<&str> = behind_ids(model, info)
        .into_iter()
        .filter_map(|id| model.store.updates.get(id))
        .filter(|u| u.state == crate::api::State::NotStarted)
        .take(4)
        .map(|u| model.store.names.text(u.member))
        .collect();
    names.join(", ")
}

fn behind_ids(model: &Model, info: &GateInfo<'_>) -> Vec<u32> {
    let names = &model.store.names;
    let (Some(group), Some(run), Some(stage)) = (
        info.group.as_deref().and_then(|g| names.find(g)),
        names.find(&info.run_name),
        names.find(&info.stage),
    ) else {
        return Vec::new();
    };
    if info.timing == Timing::After {
        return Vec::new();
    }
    model.store.updates.of_group(run, stage, group).to_vec()
}

fn members(model: &Model, info: &GateInfo<'_>, area: Rect, pen: &mut Pen<'_>) {
    let ids = behind_ids(model, info);
    let place = info.group.clone().unwrap_or_else(|| info.stage.clone());
    let title = format!("{place}   {}", behind(info));
    let inner = pen.frame(area, &[span(title, Role::Head)], "", false);
    if inner.height == 0 {
        return;
    }
    if ids.is_empty() {
        let text = "The run tree shows the members of this stage.";
        pen.note((inner.x + 1, inner.y), inner.width - 2, text, Role::TextDim);
        return;
    }
    pen.put((inner.x + 3, inner.y), 20, "MEMBER", Role::Head);
    pen.put((inner.x + 24, inner.y), 10, "VERSION", Role::Head);
    pen.put((inner.x + 36, inner.y), 12, "REGION", Role::Head);
    let store = &model.store;
    let room = usize::from(inner.height.saturating_sub(2));
    let more = ids.len().saturating_sub(room);
    for (id, y) in ids.iter().take(room).zip(inner.y + 1..) {
        let Some(update) = store.updates.get(*id) else {
            continue;
        };
        let shown = crate::console::view::pen::shown(&pen.glyphs, update.state, 0, false);
        pen.put((inner.x + 1, y), 1, shown.sign, shown.role);
        pen.name(
            (inner.x + 3, y),
            20,
            store.names.text(update.member),
            Role::Text,
        );
        if let Some(member) = store.members.named(update.member) {
            pen.name(
                (inner.x + 24, y),
                11,
                store.names.text(member.version),
                Role::Text,
            );
            let room = inner.width.saturating_sub(37);
            pen.name(
                (inner.x + 36, y),
                room,
                store.names.text(member.region),
                Role::Text,
            );
        }
    }
    if more > 0 {
        let text = format!("and {more} more");
        pen.put((inner.x + 3, inner.bottom() - 1), 20, &text, Role::TextDim);
    }
}

/// Gates that were passed or skipped, the newest first.
pub fn decided(model: &Model, area: Rect, pen: &mut Pen<'_>) {
    let inner = pen.frame(area, &[span("Decided lately", Role::Head)], "", false);
    if inner.height == 0 {
        return;
    }
    let x = inner.x + 1;
    let heads = [
        (3, "WHEN"),
        (20, "WHO"),
        (37, "GATE"),
        (62, "RUN"),
        (81, "REASON"),
        (122, "WHERE"),
    ];
    for (at, head) in heads {
        pen.put((x + at, inner.y), 20, head, Role::Head);
    }
    let mut all: Vec<_> = model
        .store
        .gates
        .present()
        .filter(|(_, g)| gates::state(g) != GateState::Pending)
        .filter_map(|(_, g)| {
            let status = g.status.as_ref()?;
            Some((status.completed_time.as_ref()?.0, status, g))
        })
        .collect();
    all.sort_by_key(|(at, ..)| std::cmp::Reverse(*at));
    if all.is_empty() {
        pen.put(
            (x + 3, inner.y + 1),
            60,
            "No gate was passed yet.",
            Role::TextDim,
        );
    }
    let words = model.words();
    for ((at, status, gate), y) in all.into_iter().zip(inner.y + 1..inner.bottom()) {
        let (sign, role) = match status.state {
            GateState::Skipped => (pen.glyphs.skipped, Role::Skipped),
            GateState::Pending | GateState::Completed => (pen.glyphs.done, Role::Done),
        };
        pen.put((x, y), 1, sign, role);
        pen.note((x + 3, y), 16, &words.clock(at), Role::Text);
        let by = status.completed_by.as_deref().unwrap_or("-");
        pen.name((x + 20, y), 16, by, Role::Text);
        let name = display(gate.spec.display_name.as_deref(), gate.spec.type_);
        pen.name((x + 37, y), 24, &name, Role::Text);
        pen.name((x + 62, y), 18, &gate.spec.run, Role::Text);
        pen.note(
            (x + 81, y),
            40,
            gate.spec.comment.as_deref().unwrap_or(""),
            Role::Text,
        );
        let place = match &gate.spec.group {
            Some(group) => format!("{}/{group}", gate.spec.stage),
            None => gate.spec.stage.clone(),
        };
        let timing = match gate.spec.timing {
            Timing::Before => "before",
            Timing::After => "after",
        };
        let room = inner.width.saturating_sub(124);
        pen.note((x + 122, y), room, &format!("{timing} {place}"), Role::Text);
    }
}
