//! The fixed lines above the body: header, tabs or crumb, filter or summary.

use ratatui::layout::Rect;

use crate::api::Counts;
use crate::console::actions;
use crate::console::model::age::{Times, coarse};
use crate::console::model::filter::Filter;
use crate::console::model::runs;
use crate::console::model::size::Class;
use crate::console::model::store::Sync;
use crate::console::model::{Mode, Model, Page};
use crate::console::msg::{Kind, Link};
use crate::console::theme::Role;
use crate::text::{self, count, counted};

use super::pen::{Pen, Span, shown, span};
use super::say;

/// Where we are, how the link is, what we may do, who drives; at the right what waits.
pub fn header(model: &Model, area: Rect, pen: &mut Pen<'_>) {
    if area.height == 0 {
        return;
    }
    let class = model.size.class();
    let compact = class <= Class::Compact;
    let mut left = Vec::new();
    let gap = if compact { " " } else { "  " };
    let environment = &model.session.environment;
    if !environment.is_empty() {
        let tag = format!(" {} ", environment.to_uppercase());
        left.push(span(tag, Role::of_environment(environment)));
    }
    let hub = format!(
        "{}{}",
        if compact || environment.is_empty() {
            ""
        } else {
            " "
        },
        model.session.hub
    );
    left.push(span(
        if environment.is_empty() {
            format!(" {hub}")
        } else {
            hub
        },
        Role::Text,
    ));
    left.push(span(gap, Role::Text));
    left.push(link(model));
    left.push(span(gap, Role::Text));
    left.push(mode(model, compact));
    if !compact {
        left.push(span("  driver: ", Role::Text));
        let role = match say::driver_word(&model.driver) {
            "none" | "stopped" => Role::Warn,
            _ => Role::Text,
        };
        left.push(span(say::driver_word(&model.driver), role));
    }
    if class >= Class::M {
        let members = counted(model.store.len(Kind::Member), "member");
        left.push(span(format!("   {members}"), Role::Text));
    }
    if class >= Class::L {
        left.push(span(
            format!("   {}", counted(active(model), "active run")),
            Role::Text,
        ));
    }
    let right = waits(model, compact);
    write_both(pen, area, &left, &right);
}

fn link(model: &Model) -> Span {
    let ascii = model.look.glyphs.ascii;
    let age = |since: jiff::Timestamp| coarse(model.words().since(since));
    match &model.link {
        Link::Connecting => span(
            format!("{} connecting", model.look.glyphs.pending),
            Role::Pending,
        ),
        Link::Live => span(if ascii { "* live" } else { "● live" }, Role::Done),
        Link::Lost { since, .. } => span(
            format!("{} lost {}", model.look.glyphs.pending, age(*since)),
            Role::Warn,
        ),
        Link::SignIn { .. } => span(format!("{} sign in", model.look.glyphs.pending), Role::Warn),
        Link::KindsMissing { .. } => span(
            format!("{} no fleet kinds", model.look.glyphs.pending),
            Role::Warn,
        ),
    }
}

fn mode(model: &Model, compact: bool) -> Span {
    let off = super::super::actions::writes_off(model).is_some();
    match model.session.mode {
        Mode::ReadOnly if compact => span("ro", Role::Warn),
        Mode::ReadOnly => span("read-only", Role::Warn),
        Mode::ReadWrite if off => span("writes off", Role::Warn),
        Mode::ReadWrite if compact => span("rw", Role::Text),
        Mode::ReadWrite => span("read-write", Role::Text),
    }
}

fn waits(model: &Model, compact: bool) -> Vec<Span> {
    let mut right = Vec::new();
    if model.size.class() >= Class::L {
        let zone = match model.times {
            Times::Utc => "UTC".to_owned(),
            Times::Age | Times::Local => model.words().zone_name(),
        };
        right.push(span(format!("times in {zone}   "), Role::TextDim));
    }
    if model.is_stale() {
        let since = match &model.link {
            Link::Lost { since, .. } | Link::SignIn { since, .. } => *since,
            Link::Connecting | Link::Live | Link::KindsMissing { .. } => model.now,
        };
        right.push(span(
            format!("as of {}  ", model.words().clock(since)),
            Role::Stale,
        ));
    } else {
        // What is not known is not 0.
        let known = model.store.sync(Kind::Gate) == Sync::Ready;
        let open = open_gates(model);
        let role = if open > 0 { Role::Gate } else { Role::TextDim };
        let gates = if known {
            open.to_string()
        } else {
            "?".to_owned()
        };
        let sign = model.look.glyphs.gate;
        let text = match compact {
            true => format!("{sign}{gates}"),
            false => format!("{sign} gates {gates}  "),
        };
        right.push(span(text, role));
    }
    if !compact {
        right.push(span(model.person().to_owned(), Role::Text));
    }
    right.push(span(" ", Role::Text));
    right
}

/// Gates that wait for a person.
fn open_gates(model: &Model) -> usize {
    model.gates.totals.0
}

fn active(model: &Model) -> usize {
    model
        .store
        .runs
        .present()
        .filter(|(_, run)| say::at_work(runs::state(run)))
        .count()
}

/// Tabs of the lists, or the way to a page below them.
pub fn crumb(model: &Model, area: Rect, pen: &mut Pen<'_>) {
    if area.height == 0 {
        return;
    }
    match model.page() {
        Page::Runs | Page::Gates => tabs(model, area, pen),
        Page::Tree(uid) => {
            let Some(held) = model.store.runs.get(uid) else {
                return;
            };
            let run = &held.object;
            let mut left = path(model, &["Runs", runs::name(run)]);
            let state = shown(
                &model.look.glyphs,
                runs::state(run),
                runs::failures(run),
                model.is_stale(),
            );
            let doubt = if state.stale { "?" } else { "" };
            left.push(span(
                format!("   {} {}{doubt}", state.sign, state.word),
                state.role,
            ));
            left.push(span(
                format!("   {}", say::kind(model, uid, run)),
                Role::Text,
            ));
            let images = say::images(run);
            if !images.is_empty() {
                left.push(span(format!("   {images}"), Role::Text));
            }
            let mut right = Vec::new();
            if model.size.class() >= Class::M {
                left.push(span(
                    format!("   strategy {}", runs::strategy(run)),
                    Role::Text,
                ));
                if let Some(created) = runs::created(run) {
                    let text = match model.size.class() {
                        Class::L => format!("made {} ", model.words().point(created)),
                        _ => format!("made {} ago ", coarse(model.words().since(created))),
                    };
                    right.push(span(text, Role::TextDim));
                }
            }
            write_both(pen, area, &left, &right);
        }
        Page::Plan => {
            let Some(plan) = &model.plan else {
                return;
            };
            let mut left = path(model, &["Plan", &plan.name]);
            let made = if plan.run.is_some() {
                "Not started"
            } else {
                "not made yet"
            };
            left.push(span(
                format!("   {} {made}", model.look.glyphs.idle),
                Role::Idle,
            ));
            let strategy = plan.spec.strategy_name.as_deref().unwrap_or("none");
            left.push(span(format!("   strategy {strategy}"), Role::Text));
            pen.spans((area.x, area.y), area.width, &left);
        }
    }
}

fn path(model: &Model, steps: &[&str]) -> Vec<Span> {
    let crumb = model.look.glyphs.crumb;
    let mut spans = Vec::new();
    for (i, step) in steps.iter().enumerate() {
        let role = if i + 1 == steps.len() {
            Role::Text
        } else {
            Role::TextDim
        };
        let lead = if i == 0 {
            " ".to_owned()
        } else {
            format!(" {crumb} ")
        };
        spans.push(span(lead, Role::TextDim));
        spans.push(span((*step).to_owned(), role));
    }
    spans
}

fn tabs(model: &Model, area: Rect, pen: &mut Pen<'_>) {
    let wide = model.size.class() >= Class::M;
    let runs = if wide {
        format!(" {}", active(model))
    } else {
        String::new()
    };
    let gates = match open_gates(model) {
        0 => String::new(),
        n => format!(" {n}"),
    };
    let tabs = [
        (Page::Runs, format!("1 Runs{runs}")),
        (Page::Gates, format!("2 Gates{gates}")),
    ];
    let mut x = area.x;
    for (page, text) in tabs {
        let (text, role) = if model.page() == page {
            (format!("[{text}]"), Role::BorderFocus)
        } else {
            (format!(" {text} "), Role::Text)
        };
        x = pen.put((x, area.y), area.right().saturating_sub(x), &text, role);
    }
}

/// What is shown of all, the filter, the order; or how far a run is.
pub fn summary(model: &Model, area: Rect, pen: &mut Pen<'_>) {
    if area.height == 0 {
        return;
    }
    if let Link::Lost {
        reason, next_try, ..
    } = &model.link
        && model.size.class() > Class::Compact
        && !matches!(model.page(), Page::Tree(_) | Page::Plan)
    {
        let next = next_try.map_or(String::new(), |at| {
            format!(" Next try {},", model.words().clock(at))
        });
        let key = super::super::actions::keys(model, "link.retry");
        let text = format!(" Link lost: {reason}.{next} {key} tries now");
        pen.note((area.x, area.y), area.width, &text, Role::Warn);
        return;
    }
    match model.page() {
        Page::Runs => {
            let page = &model.runs;
            let all = model.store.runs.present().count();
            let hidden_old = page.filter.text.is_empty() && !page.faults;
            let mut left = vec![span(" Runs", Role::Text)];
            left.push(shown_of(page.rows.len(), all));
            let default = if hidden_old && all > 0 { "age<10d" } else { "" };
            left.extend(filter(model, &page.filter, page.faults, default));
            left.extend(marked(model));
            let right = order(model, page.order.word(), page.turned);
            write_both(pen, area, &left, &right);
        }
        Page::Gates => {
            let page = &model.gates;
            let (person, itself, later) = page.totals;
            let plural = |n: usize, one: &'static str, more: &'static str| {
                if n == 1 { one } else { more }
            };
            let mut text = format!(
                "  {person} {} for you, {itself} {}",
                plural(person, "waits", "wait"),
                plural(itself, "opens by itself", "open by themselves")
            );
            if model.size.class() >= Class::M {
                text.push_str(&format!(", {later} not reached"));
            }
            let mut left = vec![span(" Gates", Role::Text)];
            if page.faults || !page.filter.text.is_empty() {
                left.push(shown_of(page.rows.len(), person + itself + later));
            }
            left.push(span(text, Role::Text));
            left.extend(filter(model, &page.filter, page.faults, ""));
            left.extend(marked(model));
            let right = order(model, page.order.word(), page.turned);
            write_both(pen, area, &left, &right);
        }
        Page::Tree(uid) => progress(model, uid, area, pen),
        Page::Plan => plan_summary(model, area, pen),
    }
}

/// `3 marked (1 hidden)`.
fn marked(model: &Model) -> Option<Span> {
    let text = match actions::marking::count(model) {
        (0, _) => return None,
        (n, 0) => format!("   {n} marked"),
        (n, hidden) => format!("   {n} marked ({hidden} hidden)"),
    };
    Some(span(text, Role::Key))
}

fn shown_of(shown: usize, all: usize) -> Span {
    let text = if shown == all {
        format!("  {}", count(all))
    } else {
        format!("  {} of {}", count(shown), count(all))
    };
    span(text, Role::Text)
}

fn filter(model: &Model, filter: &Filter, faults: bool, default: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    if faults {
        spans.push(span("   faults only", Role::Key));
    }
    let text = if filter.text.is_empty() {
        default
    } else {
        &filter.text
    };
    if !text.is_empty() {
        let role = if filter.faults.is_empty() {
            Role::Match
        } else {
            Role::Error
        };
        spans.push(span("   / ", Role::TextDim));
        spans.push(span(text.to_owned(), role));
    }
    if let Some(at) = model.frozen {
        let waiting: usize = model.held_back.iter().map(|b| b.changes.len()).sum();
        let wait = if waiting == 1 { "waits" } else { "wait" };
        let text = format!(
            "   frozen {}, {} {wait}",
            model.words().clock(at),
            counted(waiting, "change")
        );
        spans.push(span(text, Role::Warn));
    }
    spans
}

fn order(model: &Model, word: &str, turned: bool) -> Vec<Span> {
    let g = model.look.glyphs;
    let sign = if turned { g.rising } else { g.open };
    vec![span(format!("order: {word} {sign} "), Role::TextDim)]
}

fn progress(model: &Model, uid: crate::console::model::names::Uid, area: Rect, pen: &mut Pen<'_>) {
    let Some(held) = model.store.runs.get(uid) else {
        return;
    };
    let run = &held.object;
    let class = model.size.class();
    let counts: Counts = run.status.as_ref().map(|s| s.counts).unwrap_or_default();
    let (done, total) = runs::done(run);
    let failed = runs::failures(run);
    let ends = format!("{} ", super::ends::short(model, uid, run));
    if class <= Class::Compact {
        let state = shown(
            &model.look.glyphs,
            runs::state(run),
            failed,
            model.is_stale(),
        );
        let left = [
            span(format!(" {} ", runs::name(run)), Role::Text),
            span(state.sign, state.role),
            span(format!(" {done}/{total}  {failed} failed"), Role::Text),
        ];
        let right = [span(&ends, Role::TextDim)];
        let right = if class == Class::Tiny {
            &right[..0]
        } else {
            &right[..]
        };
        write_both(pen, area, &left, right);
        return;
    }
    let cells = match class {
        Class::L => 90,
        Class::M => 40,
        _ => 24,
    };
    pen.bar((area.x + 1, area.y), cells, &counts);
    let (word, gap) = if class >= Class::M {
        (" done", "   ")
    } else {
        ("", "  ")
    };
    let text = format!(
        "  {done}/{total}{word}{gap}{} in flight{gap}{failed} failed",
        counts.running
    );
    let mut left = vec![span(text, Role::Text)];
    match model.store.sync(Kind::Update) {
        Sync::Ready => {}
        Sync::Denied => {
            let text = "   no members: no right \"list memberupdates\"";
            left.push(span(text, Role::Warn));
        }
        Sync::Waiting | Sync::Loading => {
            let here = count(model.store.len(Kind::Update));
            left.push(span(
                format!("   members: {here} of {total} here"),
                Role::Warn,
            ));
        }
    }
    if let Some(page) = model.trees.get(&uid) {
        left.extend(filter(model, &page.filter, page.faults, ""));
        left.extend(marked(model));
    }
    let at = area.x + 1 + cells;
    let rest = Rect {
        x: at,
        width: area.width.saturating_sub(at),
        ..area
    };
    write_both(pen, rest, &left, &[span(&ends, Role::TextDim)]);
}

fn plan_summary(model: &Model, area: Rect, pen: &mut Pen<'_>) {
    use crate::console::model::plan::PlanState;
    let Some(page) = &model.plan else {
        return;
    };
    let text = match &page.state {
        PlanState::Loading(_) => " Working out the plan".to_owned(),
        PlanState::Refused(refused) => format!(" No plan: {}", refused.message),
        PlanState::Ready(plan) => {
            let members: usize = plan.stages.iter().map(|s| s.members).sum();
            format!(
                " {} in {}   {} at target   {} in no stage   {}",
                counted(members, "member"),
                counted(plan.stages.len(), "stage"),
                plan.at_target.len(),
                plan.unplaced.len(),
                counted(plan.warnings.len(), "warning")
            )
        }
    };
    write_both(pen, area, &[span(text, Role::Text)], &[]);
}

/// Pieces at the left, pieces at the right; the right ones give way.
pub fn write_both(pen: &mut Pen<'_>, area: Rect, left: &[Span], right: &[Span]) {
    let end = pen.spans((area.x, area.y), area.width, left);
    let width: usize = right.iter().map(|s| text::width(&s.text)).sum();
    let width = u16::try_from(width).unwrap_or(u16::MAX);
    let at = area.right().saturating_sub(width);
    if at > end {
        pen.spans((at, area.y), width, right);
    }
}
