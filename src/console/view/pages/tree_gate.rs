//! Words for a gate in a tree and in the pane beside it.

use crate::api::State;
use crate::console::model::Model;
use crate::console::model::age::coarse;
use crate::console::model::names::Uid;
use crate::console::theme::Role;
use crate::console::view::pen::shown;
use crate::console::view::say;

/// State of a gate in a tree: who passed it and when, or how long it waits.
pub fn gate_word(
    model: &Model,
    entry: &crate::api::GateEntry,
    gate: Option<&crate::api::Gate>,
) -> (String, Role) {
    let g = model.look.glyphs;
    let words = model.words();
    match entry.state {
        State::NotStarted => (format!("{} not reached", g.idle), Role::Idle),
        State::Pending => {
            let since = entry.start_time.as_ref().map(|t| coarse(words.since(t.0)));
            let since = since.unwrap_or_default();
            (format!("{} waits {since}", g.gate), Role::Gate)
        }
        State::Completed => {
            let by = gate
                .and_then(|g| g.status.as_ref())
                .and_then(|s| s.completed_by.as_deref())
                .unwrap_or("passed");
            let at = entry.completed_time.as_ref().map(|t| words.clock(t.0));
            (
                format!("{} {by} {}", g.done, at.unwrap_or_default()),
                Role::Done,
            )
        }
        state => {
            let shown = shown(&g, state, 0, false);
            (format!("{} {}", shown.sign, shown.word), shown.role)
        }
    }
}

/// What else is to be said of a gate in a tree.
pub fn gate_note(
    model: &Model,
    state: State,
    object: Option<(Uid, &std::sync::Arc<crate::api::Gate>)>,
    asked: Option<&crate::api::GateConfig>,
) -> String {
    let words = model.words();
    if let Some((uid, gate)) = object {
        if let Some(asked) = model.asked.iter().find(|a| a.uid == uid) {
            return say::asked_note(model, asked.at);
        }
        if state == State::Pending
            && let Some(start) = &gate.spec.scheduled_start
        {
            return format!("opens {}", words.point(start.absolute_start_time.0));
        }
        if let Some(comment) = &gate.spec.comment {
            return format!("\"{comment}\"");
        }
    }
    match (
        state,
        asked.and_then(|c| c.scheduled_start_configuration.as_ref()),
    ) {
        (State::Pending, _) => {
            let key = crate::console::actions::keys(model, "gate.approve");
            format!("ready: {key}")
        }
        (State::NotStarted, Some(at)) => {
            format!("{:?} {} {}", at.start_day, at.start_time, at.utc_offset)
        }
        _ => String::new(),
    }
}
