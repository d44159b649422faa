//! Details of the selected run beside or below the list.

use ratatui::layout::Rect;

use crate::api::{State, UpdateRun};
use crate::console::actions;
use crate::console::model::Model;
use crate::console::model::age::coarse;
use crate::console::model::names::Uid;
use crate::console::model::runs as model_runs;
use crate::console::model::size::Class;
use crate::console::model::tree;
use crate::console::theme::Role;
use crate::console::view::ends;
use crate::console::view::pen::{Pen, shown, span};
use crate::console::view::say;
use crate::console::view::wrap::wrap;

/// Draws them.
pub fn draw(model: &Model, area: Rect, pen: &mut Pen<'_>) {
    let class = model.size.class();
    let Some((uid, run)) = model.run() else {
        empty(class, area, pen);
        return;
    };
    match class {
        Class::L => tall(model, uid, run, area, pen),
        Class::M => wide(model, uid, run, area, pen),
        Class::S => short(model, uid, run, area, pen),
        Class::Compact | Class::Tiny | Class::TooSmall => {
            let text = format!("{}: {}", model_runs::name(run), first_wait(model, uid, run));
            pen.note((area.x + 1, area.y), area.width - 1, &text, Role::TextDim);
        }
    }
}

fn empty(class: Class, area: Rect, pen: &mut Pen<'_>) {
    if class >= Class::M {
        let inner = pen.frame(area, &[span("no run", Role::TextDim)], "", false);
        pen.put(
            (inner.x + 1, inner.y),
            inner.width,
            "Nothing is selected.",
            Role::TextDim,
        );
    }
}

fn first_wait(model: &Model, uid: Uid, run: &UpdateRun) -> String {
    if let Some(asked) = say::asked(model, uid, run) {
        return asked;
    }
    say::waits(model, run)
        .into_iter()
        .next()
        .map_or_else(|| standing(model, uid, run), |(_, text)| text)
}

/// What is said of a run that waits for nothing.
fn standing(model: &Model, uid: Uid, run: &UpdateRun) -> String {
    match model_runs::state(run) {
        State::Running => "nothing".to_owned(),
        _ => or(say::now(model, uid, run), "nothing"),
    }
}

fn short(model: &Model, uid: Uid, run: &UpdateRun, area: Rect, pen: &mut Pen<'_>) {
    pen.rule((area.x, area.y), area.width, model_runs::name(run));
    let mut lines = vec![("Waits", first_wait(model, uid, run))];
    let flight = say::in_flight(model, run, 4);
    lines.push(("Runs", or(flight, "nothing in flight")));
    lines.push(("Limits", say::limits(model, run)));
    lines.push(("Ends", ends::long(model, uid, run)));
    facts(pen, area, 1, 7, &lines);
}

fn or(text: String, other: &str) -> String {
    if text.is_empty() {
        other.to_owned()
    } else {
        text
    }
}

/// Labels with their texts, one line each.
pub fn facts(pen: &mut Pen<'_>, area: Rect, indent: u16, label: u16, lines: &[(&str, String)]) {
    for ((word, text), y) in lines.iter().zip(area.y + 1..area.bottom()) {
        let x = area.x + indent;
        pen.put((x, y), label, word, Role::TextDim);
        let width = area.width.saturating_sub(indent + label + 1 + 1);
        pen.note((x + label + 1, y), width, text, Role::Text);
    }
}

fn title(model: &Model, run: &UpdateRun) -> Vec<crate::console::view::pen::Span> {
    let state = shown(
        &model.look.glyphs,
        model_runs::state(run),
        model_runs::failures(run),
        model.is_stale(),
    );
    let doubt = if state.stale { "?" } else { "" };
    vec![
        span(model_runs::name(run).to_owned(), Role::Head),
        span("   ", Role::Text),
        span(format!("{} {}{doubt}", state.sign, state.word), state.role),
    ]
}

fn hint(model: &Model) -> String {
    let key = |id| actions::keys(model, id);
    format!("{} hide   {} open", key("pane.preview"), key("open"))
}

fn wide(model: &Model, uid: Uid, run: &UpdateRun, area: Rect, pen: &mut Pen<'_>) {
    pen.frame(area, &title(model, run), &hint(model), model.in_detail);
    let dot = pen.glyphs.dot;
    let images = say::images(run);
    let kind = match images.as_str() {
        "" => say::kind(model, uid, run),
        images => format!("{}, node {images}", say::kind(model, uid, run)),
    };
    let started = started(model, run);
    let mut lines = vec![("Kind", format!("{kind} {dot} {started}"))];
    let waits = say::waits(model, run);
    match waits.split_first() {
        None => lines.push(("Waits", standing(model, uid, run))),
        Some(((gate, first), rest)) => {
            let sign = if *gate {
                pen.glyphs.gate
            } else {
                pen.glyphs.pending
            };
            let more = match rest.len() {
                0 => String::new(),
                n => format!(" {dot} and {n} more"),
            };
            lines.push(("Waits", format!("{sign} {first}{more}")));
        }
    }
    lines.push((
        "Runs",
        or(say::in_flight(model, run, 6), "nothing in flight"),
    ));
    lines.push(("Next", next(model, run)));
    lines.push(("Limits", say::limits(model, run)));
    lines.push(("Stages", say::stages(model, run)));
    let failed = say::failed(model, run, 3);
    let failed: Vec<String> = failed
        .into_iter()
        .map(|(m, why)| format!("{m}: {why}"))
        .collect();
    lines.push(("Failed", or(failed.join(&format!(" {dot} ")), "none")));
    lines.push(("Ends", ends::long(model, uid, run)));
    lines.push(("Driver", say::driver(model)));
    let skip = model.detail_top.min(lines.len().saturating_sub(1));
    facts(pen, area, 2, 8, lines.get(skip..).unwrap_or_default());
}

/// What comes next by itself.
fn next(model: &Model, run: &UpdateRun) -> String {
    let waits = run.status.as_ref().map_or(&[][..], |s| &s.waiting_for);
    let next = waits.iter().find(|w| !w.next.is_empty());
    match (next, model_runs::state(run)) {
        (Some(wait), _) => say::in_our_time(&model.words(), wait, &wait.next),
        (None, State::Running) => "goes on by itself".to_owned(),
        (None, _) => "nothing by itself".to_owned(),
    }
}

fn started(model: &Model, run: &UpdateRun) -> String {
    let words = model.words();
    let status = run.status.as_ref();
    match status.and_then(|s| s.start_time.as_ref()) {
        Some(at) => {
            let ago = coarse(words.since(at.0));
            format!("started {}, {ago} ago", words.point(at.0))
        }
        None => "never started".to_owned(),
    }
}

/// A line of the tall form.
enum Line {
    Plain(String),
    Head(String),
    Stage(u16, Option<u16>),
    Blank,
}

fn tall(model: &Model, uid: Uid, run: &UpdateRun, area: Rect, pen: &mut Pen<'_>) {
    let inner = pen.frame(area, &title(model, run), &hint(model), model.in_detail);
    let lines = tall_lines(model, uid, run, usize::from(inner.width.saturating_sub(2)));
    let skip = model.detail_top.min(lines.len().saturating_sub(1));
    for (line, y) in lines.iter().skip(skip).zip(inner.top()..inner.bottom()) {
        let at = (inner.x + 1, y);
        let width = inner.width.saturating_sub(2);
        match line {
            Line::Plain(text) => {
                pen.note(at, width, text, Role::Text);
            }
            Line::Head(text) => {
                pen.note(at, width, text, Role::Head);
            }
            Line::Stage(s, g) => stage_line(pen, run, (*s, *g), at, width),
            Line::Blank => {}
        }
    }
}

fn tall_lines(model: &Model, uid: Uid, run: &UpdateRun, width: usize) -> Vec<Line> {
    let g = model.look.glyphs;
    let dot = g.dot;
    let mut lines = Vec::new();
    let mut kind = say::kind(model, uid, run);
    let images = say::images(run);
    if !images.is_empty() {
        kind = format!("{kind} {dot} node {images}");
    }
    lines.push(Line::Plain(kind));
    let strategy = model_runs::strategy(run);
    lines.push(Line::Plain(format!(
        "strategy {strategy} {dot} {}",
        started(model, run)
    )));
    lines.push(Line::Blank);
    lines.push(Line::Head("WAITS".to_owned()));
    let status = run.status.as_ref();
    let waits = status.map_or(&[][..], |s| &s.waiting_for);
    for wait in waits.iter().take(3) {
        let sign = if model_runs::is_gate(wait) {
            g.gate
        } else {
            g.pending
        };
        let text = format!("{sign} {}", say::wait(model, wait));
        indented(&mut lines, " ", &text, width);
        let next = say::in_our_time(&model.words(), wait, &wait.next);
        for (label, text) in [("next", &next), ("who", &wait.who)] {
            if !text.is_empty() {
                indented(&mut lines, "   ", &format!("{label}: {text}"), width);
            }
        }
    }
    if waits.is_empty() {
        indented(&mut lines, " ", &standing(model, uid, run), width);
    }
    lines.push(Line::Blank);
    lines.push(Line::Head("STAGES".to_owned()));
    for (s, stage) in tree::stages(run).iter().enumerate() {
        let s = u16::try_from(s).unwrap_or(u16::MAX);
        lines.push(Line::Stage(s, None));
        if say::at_work(stage.state) {
            let groups = 0..u16::try_from(stage.groups.len()).unwrap_or(u16::MAX);
            lines.extend(groups.map(|g| Line::Stage(s, Some(g))));
        }
    }
    lines.push(Line::Blank);
    lines.push(Line::Head(format!("FAILED {}", model_runs::failures(run))));
    for (member, why) in say::failed(model, run, 4) {
        indented(&mut lines, " ", &format!("{member}  {why}"), width);
    }
    lines.push(Line::Blank);
    indented(&mut lines, "ENDS    ", &ends::long(model, uid, run), width);
    lines.push(Line::Blank);
    lines.push(Line::Plain(format!("DRIVER  {}", say::driver(model))));
    lines.push(Line::Blank);
    let (may, not) = actions::may(model);
    indented(&mut lines, "", &format!("YOU MAY  {may}"), width);
    if !not.is_empty() {
        indented(&mut lines, "", &format!("NOT      {not}"), width);
    }
    lines
}

fn indented(lines: &mut Vec<Line>, indent: &str, text: &str, width: usize) {
    for (i, line) in wrap(text, width.saturating_sub(indent.len() + 2))
        .into_iter()
        .enumerate()
    {
        let more = if i == 0 { "" } else { "  " };
        lines.push(Line::Plain(format!("{indent}{more}{line}")));
    }
}

fn stage_line(
    pen: &mut Pen<'_>,
    run: &UpdateRun,
    (s, g): (u16, Option<u16>),
    (x, y): (u16, u16),
    width: u16,
) {
    let found = match g {
        None => tree::stage(run, s).map(|t| {
            (
                t.state,
                t.failure_count,
                t.max_allowed_failures,
                t.counts,
                format!("{} {}", s + 1, t.name),
            )
        }),
        Some(g) => tree::group(run, s, g).map(|t| {
            (
                t.state,
                t.failure_count,
                t.max_allowed_failures,
                t.counts,
                t.name.clone(),
            )
        }),
    };
    let Some((state, failures, allowed, counts, name)) = found else {
        return;
    };
    let shown = shown(&pen.glyphs, state, failures, false);
    let indent = if g.is_some() { 4 } else { 1 };
    pen.put((x + indent, y), 2, shown.sign, shown.role);
    let at = x + indent + if g.is_some() { 2 } else { 3 };
    let name_width = 16u16.saturating_sub(at - x);
    pen.name((at, y), name_width, &name, Role::Text);
    let done = counts.completed + counts.failed + counts.skipped;
    pen.right(
        (x + 16, y),
        8,
        &format!("{done}/{}", counts.total),
        Role::Text,
    );
    let bar = width.saturating_sub(26 + 14).min(20);
    pen.bar((x + 26, y), bar, &counts);
    let text = format!("fail {failures}/{allowed}");
    pen.put((x + 26 + bar + 2, y), 12, &text, Role::Text);
}
