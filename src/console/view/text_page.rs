//! Pages of text: help, why, details, YAML, notices.

use ratatui::layout::Rect;

use crate::console::actions::{self, Section};
use crate::console::model::layers::{Fact, Layer, TextPage, TextSource};
use crate::console::model::{Model, Page, runs};
use crate::console::theme::Role;
use crate::text;

use super::dialog::centered;
use super::pages::{gate_detail, tree_detail};
use super::pen::{Pen, span};
use super::say;
use super::wrap::wrap;

/// Draws it over the page.
pub fn draw(model: &Model, page: &TextPage, screen: Rect, pen: &mut Pen<'_>) {
    let area = centered(
        screen,
        screen.width.min(110),
        screen.height.saturating_sub(2),
    );
    pen.clear(area);
    let lines = lines(model, page, usize::from(area.width.saturating_sub(4)));
    let room = usize::from(area.height.saturating_sub(2));
    let top = page.top.min(lines.len().saturating_sub(1));
    let hint = if lines.len() > room {
        format!(
            "{} to {} of {}   Esc close",
            top + 1,
            (top + room).min(lines.len()),
            lines.len()
        )
    } else {
        "Esc close".to_owned()
    };
    let inner = pen.frame(area, &[span(page.title.clone(), Role::Head)], &hint, true);
    for (line, y) in lines.iter().skip(top).zip(inner.top()..inner.bottom()) {
        pen.put(
            (inner.x + 1, y),
            inner.width.saturating_sub(2),
            &line.0,
            line.1,
        );
    }
}

/// Number of lines of the topmost page of text.
pub fn count(model: &Model) -> usize {
    match model.layers.last() {
        Some(Layer::Text(page)) => {
            let width = model.size.columns.min(110).saturating_sub(4);
            lines(model, page, usize::from(width)).len()
        }
        _ => 0,
    }
}

fn lines(model: &Model, page: &TextPage, width: usize) -> Vec<(String, Role)> {
    match &page.source {
        TextSource::Help => help(model, width),
        TextSource::Why => facts(&why(model), width),
        TextSource::Detail => facts(&detail(model), width),
        TextSource::Notices => notices(model, width),
        TextSource::Loading(_) => vec![("Loading.".to_owned(), Role::TextDim)],
        TextSource::Lines(lines) => lines.iter().map(|l| (l.clone(), Role::Text)).collect(),
        TextSource::Refused(refused) => [
            Fact::new("Code", refused.code.clone()),
            Fact::new("Message", refused.message.clone()),
            Fact::new("Hint", refused.hint.clone()),
        ]
        .iter()
        .flat_map(|f| fact(f, width))
        .collect(),
    }
}

fn facts(facts: &[Fact], width: usize) -> Vec<(String, Role)> {
    facts.iter().flat_map(|f| fact(f, width)).collect()
}

fn fact(fact: &Fact, width: usize) -> Vec<(String, Role)> {
    const LABEL: usize = 12;
    if fact.text.is_empty() {
        return vec![(fact.label.clone(), Role::Head)];
    }
    wrap(&fact.text, width.saturating_sub(LABEL))
        .into_iter()
        .enumerate()
        .map(|(i, line)| {
            let label = if i == 0 { fact.label.as_str() } else { "" };
            (format!("{}{line}", text::pad(label, LABEL)), Role::Text)
        })
        .collect()
}

/// Everything that stands still around the selection.
fn why(model: &Model) -> Vec<Fact> {
    let Some((_, run)) = model.run() else {
        return vec![Fact::new("why", "no run is selected")];
    };
    let mut facts = Vec::new();
    if let Some(row) = model.row() {
        let about = tree_detail::about(model, run, row);
        facts.push(Fact::new(about.name.clone(), ""));
        facts.push(Fact::new("why", tree_detail::cause(model, run, &about)));
        for wait in &about.waits {
            facts.extend(say::wait_facts(model, wait));
            facts.push(Fact::new(" ", ""));
        }
    }
    let waits = run.status.as_ref().map_or(&[][..], |s| &s.waiting_for);
    facts.push(Fact::new(format!("The run {}", runs::name(run)), ""));
    if waits.is_empty() {
        facts.push(Fact::new("why", "nothing of it stands still"));
    }
    for wait in waits {
        facts.extend(say::wait_facts(model, wait));
        facts.push(Fact::new(" ", ""));
    }
    facts.push(Fact::new("limits", say::limits(model, run)));
    facts.push(Fact::new("driver", say::driver(model)));
    facts
}

/// Everything known of the selection.
fn detail(model: &Model) -> Vec<Fact> {
    if model.page() == Page::Gates
        && let Some(info) = model.gate_info()
    {
        let mut facts = gate_detail::around(model, &info);
        facts.extend(gate_detail::effect(model, &info));
        return facts;
    }
    let Some((uid, run)) = model.run() else {
        return vec![Fact::new("detail", "nothing is selected")];
    };
    if let Some(row) = model.row() {
        let about = tree_detail::about(model, run, row);
        let mut facts = vec![Fact::new("name", about.name.clone())];
        if let Some(state) = about.state {
            facts.push(Fact::new("state", super::pen::word(state)));
        }
        facts.push(Fact::new("about", about.tags.join("   ")));
        facts.extend(tree_detail::facts(model, run, &about));
        return facts;
    }
    let mut facts = vec![
        Fact::new("run", runs::name(run)),
        Fact::new("state", super::pen::word(runs::state(run))),
        Fact::new(
            "kind",
            format!("{} {}", say::kind(model, uid, run), say::images(run)),
        ),
        Fact::new("strategy", runs::strategy(run)),
        Fact::new("stages", say::stages(model, run)),
        Fact::new("limits", say::limits(model, run)),
        Fact::new("in flight", say::in_flight(model, run, 50)),
    ];
    for (member, why) in say::failed(model, run, 50) {
        facts.push(Fact::new("failed", format!("{member}: {why}")));
    }
    let requests = run.status.as_ref().map_or(&[][..], |s| &s.requests);
    for request in requests.iter().rev() {
        let at = request
            .time
            .as_ref()
            .map(|t| model.words().point(t.0))
            .unwrap_or_default();
        let what = format!("{:?} {}", request.action, request.id);
        let text = match request.accepted {
            true => format!("{at}  {what}: taken"),
            false => format!(
                "{at}  {what}: refused, {}: {}",
                request.code, request.message
            ),
        };
        facts.push(Fact::new("request", text));
    }
    facts.retain(|f| !f.text.trim().is_empty());
    facts
}

fn notices(model: &Model, width: usize) -> Vec<(String, Role)> {
    let words = model.words();
    let mut lines = Vec::new();
    for notice in model.notices.all.iter().rev() {
        let text = format!("{}  {}", words.clock(notice.at), notice.text);
        lines.extend(wrap(&text, width).into_iter().map(|l| (l, Role::Text)));
    }
    if lines.is_empty() {
        lines.push(("Nothing was told yet.".to_owned(), Role::TextDim));
    }
    lines
}

fn help(model: &Model, width: usize) -> Vec<(String, Role)> {
    let mut lines = Vec::new();
    let columns = (width / 36).max(1);
    for (section, head) in [
        (Section::Move, "MOVE"),
        (Section::Look, "LOOK"),
        (Section::Write, "WRITE (asks first)"),
        (Section::Select, "SELECT"),
        (Section::General, "GENERAL"),
    ] {
        lines.push((head.to_owned(), Role::Head));
        let mut cells = Vec::new();
        for (action, keys) in actions::sheet(model, section) {
            let text = format!(
                "{} {}",
                text::pad(&keys, 14),
                actions::label(model, action.id)
            );
            cells.push(text);
        }
        for row in cells.chunks(columns) {
            let cells: Vec<String> = row
                .iter()
                .map(|c| text::fit(c, 35, model.look.glyphs.ellipsis).into_owned())
                .collect();
            lines.push((cells.join(" "), Role::Text));
        }
        lines.push((String::new(), Role::Text));
    }
    let small = "No small letter writes. : lists every command.";
    lines.push((small.to_owned(), Role::TextDim));
    lines.push((String::new(), Role::Text));
    lines.push(("SIGNS".to_owned(), Role::Head));
    lines.extend(legend(model));
    lines
}

fn legend(model: &Model) -> Vec<(String, Role)> {
    let g = model.look.glyphs;
    let states: Vec<String> = crate::api::State::ALL
        .iter()
        .map(|s| format!("{} {}", g.state(*s), super::pen::word(*s)))
        .collect();
    vec![
        (states.join("   "), Role::Text),
        (
            format!(
                "{} completed with failures   {} gate waits   {} blocked   {} gone   {} unknown",
                g.done_with_failures, g.gate, g.stuck, g.gone, g.unknown
            ),
            Role::Text,
        ),
        (
            format!(
                "bars   {} done   {} failed   {} in flight   {} to do   {} skipped",
                g.bar_done, g.bar_failed, g.bar_running, g.bar_todo, g.bar_skipped
            ),
            Role::Text,
        ),
    ]
}
