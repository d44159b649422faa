//! The program itself: cancel, leave, step aside, paint again, try the link.

use crate::console::effect::Effect;
use crate::console::model::Model;

use super::{Action, Section, look};

/// Milliseconds within which a second ctrl-c leaves.
const TWICE: u64 = 2_000;

/// The family.
pub const ACTIONS: &[Action] = &[
    look(
        "link.retry",
        "try the link now",
        Section::General,
        0,
        |_| vec![Effect::RetryLink],
    ),
    look("redraw", "paint again", Section::General, 0, |_| {
        vec![Effect::Redraw]
    }),
    look("suspend", "step aside", Section::General, 0, |_| {
        vec![Effect::Suspend]
    }),
    look(
        "cancel",
        "cancel; twice leaves",
        Section::General,
        0,
        cancel,
    ),
    look("quit", "leave", Section::General, 2, |_| vec![Effect::Quit]),
];

/// Ends what is going on; with nothing going on a second time within two seconds leaves.
pub fn cancel(model: &mut Model) -> Vec<Effect> {
    if !model.chord.is_empty() {
        model.chord.clear();
        return Vec::new();
    }
    if !model.layers.is_empty() {
        return crate::console::update::close_layer(model);
    }
    let now = model.pressed;
    match model.leaving {
        Some(at) if now.saturating_sub(at) < TWICE => vec![Effect::Quit],
        _ => {
            model.leaving = Some(now);
            Vec::new()
        }
    }
}
