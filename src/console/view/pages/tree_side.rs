//! Panes beside the tree: its gates, and failures against the limits.

use ratatui::layout::Rect;

use crate::api::{State, Timing, UpdateRun};
use crate::console::actions;
use crate::console::model::Model;
use crate::console::model::age::length;
use crate::console::model::gates::{config, kind_word, spots};
use crate::console::model::runs as model_runs;
use crate::console::model::tree::{self, GateSpot};
use crate::console::theme::Role;
use crate::console::view::pen::{Pen, shown, span};

use super::tree_gate::gate_word;

/// Draws them.
pub fn draw(model: &Model, run: &UpdateRun, area: Rect, pen: &mut Pen<'_>) {
    let gates = lines(run);
    let wanted = u16::try_from(gates.len())
        .unwrap_or(u16::MAX)
        .saturating_add(5);
    let height = wanted.clamp(6, area.height / 2);
    let top = Rect { height, ..area };
    let bottom = Rect {
        y: area.y + height,
        height: area.height - height,
        ..area
    };
    gates_pane(model, run, &gates, top, pen);
    limits_pane(run, bottom, pen);
}

/// A gate or a wait of the run.
enum Line {
    Gate(GateSpot),
    Wait(u16),
}

fn lines(run: &UpdateRun) -> Vec<Line> {
    let mut lines: Vec<Line> = spots(run).into_iter().map(Line::Gate).collect();
    for (s, stage) in tree::stages(run).iter().enumerate() {
        if stage.after_stage_wait.duration_seconds == 0 {
            continue;
        }
        let s = u16::try_from(s).unwrap_or(u16::MAX);
        let at = lines.iter().rposition(|l| match l {
            Line::Gate(spot) => spot.of.0 <= s,
            Line::Wait(of) => *of <= s,
        });
        lines.insert(at.map_or(0, |at| at + 1), Line::Wait(s));
    }
    lines
}

fn gates_pane(model: &Model, run: &UpdateRun, lines: &[Line], area: Rect, pen: &mut Pen<'_>) {
    let g = pen.glyphs;
    let title = [span(format!("Gates {}", lines.len()), Role::Head)];
    let hint = format!(
        "{} approve   {} all gates",
        actions::keys(model, "gate.approve"),
        actions::keys(model, "view.2")
    );
    let inner = pen.frame(area, &title, &hint, false);
    if inner.height == 0 {
        return;
    }
    if lines.is_empty() {
        pen.put(
            (inner.x + 1, inner.y),
            inner.width,
            "This run has no gates.",
            Role::TextDim,
        );
        return;
    }
    let passed = lines
        .iter()
        .filter(|l| state(run, l) == State::Completed)
        .count();
    let room = usize::from(inner.height.saturating_sub(2));
    // What is still ahead matters more than what is over.
    let skip = lines.len().saturating_sub(room).min(
        lines
            .iter()
            .position(|l| !is_over(state(run, l)))
            .unwrap_or(0),
    );
    let wide = inner.width > 50;
    let (kind_at, word_at) = if wide { (15, 33) } else { (12, 23) };
    for (line, y) in lines.iter().skip(skip).take(room).zip(inner.y..) {
        let state = state(run, line);
        let shown = shown(&g, state, 0, false);
        let (sign, role) = match state {
            State::Pending => (g.gate, Role::Gate),
            _ => (shown.sign, shown.role),
        };
        let x = inner.x + 1;
        pen.put((x, y), 1, sign, role);
        let (place, kind, word, word_role) = texts(model, run, line);
        pen.name((x + 2, y), kind_at - 3, &place, Role::Text);
        pen.name((x + kind_at, y), word_at - kind_at - 1, &kind, Role::Text);
        let rest = inner.width.saturating_sub(word_at + 2);
        pen.note((x + word_at, y), rest, &word, word_role);
    }
    let text = format!("{passed} of {} passed", lines.len());
    pen.put(
        (inner.x + 1, inner.bottom() - 1),
        inner.width,
        &text,
        Role::TextDim,
    );
}

fn is_over(state: State) -> bool {
    matches!(state, State::Completed | State::Skipped)
}

fn state(run: &UpdateRun, line: &Line) -> State {
    match line {
        Line::Gate(spot) => tree::gate(run, *spot).map(|g| g.state).unwrap_or_default(),
        Line::Wait(s) => tree::stage(run, *s)
            .map(|s| s.after_stage_wait.state)
            .unwrap_or_default(),
    }
}

fn texts(model: &Model, run: &UpdateRun, line: &Line) -> (String, String, String, Role) {
    let words = model.words();
    let strip = |word: String| {
        word.split_once(' ')
            .map_or(word.clone(), |(_, w)| w.to_owned())
    };
    match line {
        Line::Wait(s) => {
            let wait = tree::stage(run, *s)
                .map(|s| s.after_stage_wait.clone())
                .unwrap_or_default();
            let kind = format!("Wait {}", length(i64::from(wait.duration_seconds)));
            let word = match (wait.state, &wait.completed_time, &wait.start_time) {
                (_, Some(at), _) => words.clock(at.0),
                (State::Running, None, Some(at)) => {
                    format!("since {}", words.clock(at.0))
                }
                (State::NotStarted, ..) => "not reached".to_owned(),
                (state, ..) => state.to_string(),
            };
            let role = Role::of(wait.state);
            (format!("{} after", s + 1), kind, word, role)
        }
        Line::Gate(spot) => {
            let Some(entry) = tree::gate(run, *spot) else {
                return (String::new(), String::new(), String::new(), Role::Text);
            };
            let (s, g) = spot.of;
            let stage = tree::stage(run, s).map_or("", |s| s.name.as_str());
            let group = g
                .and_then(|g| tree::group(run, s, g))
                .map(|g| g.name.as_str());
            let timing = match spot.timing {
                Timing::Before => "before",
                Timing::After => "after",
            };
            let type_ = config(run.status.as_ref(), stage, group, *spot)
                .map(|c| c.type_)
                .unwrap_or_default();
            let object = entry
                .gate_name
                .as_deref()
                .and_then(|n| model.store.gate_named(n));
            let (word, role) = gate_word(model, entry, object.map(|(_, g)| g.as_ref()));
            let place = match group {
                Some(group) => format!("{} {group}", s + 1),
                None => format!("{} {timing}", s + 1),
            };
            let kind = kind_word(run, *spot, type_, entry.display_name.as_deref());
            (place, kind, strip(word), role)
        }
    }
}

fn limits_pane(run: &UpdateRun, area: Rect, pen: &mut Pen<'_>) {
    let title = [span("Failures against the limits", Role::Head)];
    let inner = pen.frame(area, &title, "", false);
    if inner.height == 0 {
        return;
    }
    let wide = inner.width > 50;
    let x = inner.x + 1;
    pen.put((x, inner.y), 8, "WHERE", Role::Head);
    let (used, of, left) = if wide { (12, 21, 26) } else { (12, 18, 23) };
    pen.put((x + used, inner.y), 4, "USED", Role::Head);
    pen.right((x + of, inner.y), 3, "OF", Role::Head);
    pen.right((x + left, inner.y), 5, "LEFT", Role::Head);
    if wide {
        pen.put((x + 34, inner.y), 20, "THE NEXT FAILURE", Role::Head);
    }
    let mut y = inner.y + 1;
    let failures = model_runs::failures(run);
    pen.put((x, y), 10, "run", Role::Text);
    pen.right((x + used, y), 5, &failures.to_string(), Role::Text);
    pen.right((x + of, y), 3, "-", Role::Text);
    pen.right((x + left, y), 5, "-", Role::Text);
    if wide {
        pen.put((x + 34, y), 22, "no limit at this level", Role::TextDim);
    }
    for scope in scopes(run) {
        y += 1;
        if y >= inner.bottom() {
            return;
        }
        pen.name(
            (x + scope.indent, y),
            11 - scope.indent,
            &scope.name,
            Role::Text,
        );
        meter(pen, (x + used, y), scope.failures, scope.allowed);
        pen.right((x + used, y), 5, &scope.failures.to_string(), Role::Text);
        pen.right((x + of, y), 3, &scope.allowed.to_string(), Role::Text);
        let rest = scope.allowed - scope.failures;
        let (text, role) = match (is_over(scope.state), rest) {
            (true, _) => ("-".to_owned(), Role::Text),
            (false, n) if n < 0 => ("over".to_owned(), Role::Error),
            (false, 0) => ("0".to_owned(), Role::Warn),
            (false, n) => (n.to_string(), Role::Text),
        };
        pen.right((x + left, y), 5, &text, role);
        let say = match (is_over(scope.state), rest) {
            (true, _) if scope.failures > 0 && wide => format!("ended with {}", scope.failures),
            (true, _) => "ended".to_owned(),
            (false, n) if n < 0 => "stopped the run".to_owned(),
            (false, 0) if wide => "stops the run".to_owned(),
            (false, 0) => "last".to_owned(),
            (false, _) if scope.allowed >= scope.total && wide => {
                "never stops because of failures".to_owned()
            }
            (false, _) if wide => "goes on".to_owned(),
            (false, _) => String::new(),
        };
        let at = if wide { 34 } else { 30 };
        let room = inner.width.saturating_sub(at + 1);
        pen.note((x + at, y), room, &say, Role::TextDim);
    }
    if y + 2 < inner.bottom() {
        let counts = run.status.as_ref().map(|s| s.counts).unwrap_or_default();
        if counts.skipped > 0 {
            let text = format!("skipped: {}", counts.skipped);
            pen.put((x, y + 2), inner.width, &text, Role::TextDim);
        }
    }
}

struct Scope {
    indent: u16,
    name: String,
    state: State,
    failures: i32,
    allowed: i32,
    total: i32,
}

fn scopes(run: &UpdateRun) -> Vec<Scope> {
    let mut scopes = Vec::new();
    for (s, stage) in tree::stages(run).iter().enumerate() {
        scopes.push(Scope {
            indent: 0,
            name: format!("{} {}", s + 1, stage.name),
            state: stage.state,
            failures: stage.failure_count,
            allowed: stage.max_allowed_failures,
            total: stage.counts.total,
        });
        if crate::console::view::say::at_work(stage.state) {
            scopes.extend(stage.groups.iter().map(|group| Scope {
                indent: 2,
                name: group.name.clone(),
                state: group.state,
                failures: group.failure_count,
                allowed: group.max_allowed_failures,
                total: group.counts.total,
            }));
        }
    }
    scopes
}

/// A short meter of failures that are used up and left; nothing where there is no limit to show.
fn meter(pen: &mut Pen<'_>, (x, y): (u16, u16), failures: i32, allowed: i32) {
    if !(1..=3).contains(&allowed) {
        return;
    }
    let g = pen.glyphs;
    let used = usize::try_from(failures.min(allowed)).unwrap_or(0);
    let left = usize::try_from(allowed).unwrap_or(0) - used;
    let text = format!("{}{}", g.meter_used.repeat(used), g.meter_left.repeat(left));
    pen.put(
        (x, y),
        3,
        &text,
        if used > 0 {
            Role::Failed
        } else {
            Role::TextDim
        },
    );
}
