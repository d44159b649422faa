//! The program itself: cancel, leave, step aside, paint again, try the link.

use crate::console::effect::Effect;
use crate::console::model::Model;
use crate::console::model::layers::{Layer, Leave};
use crate::console::msg::Driver;

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
    look("quit", "leave", Section::General, 2, leave),
];

/// Leaves; asks first where runs stand still without this console. A demo's hub ends with it.
fn leave(model: &mut Model) -> Vec<Effect> {
    let drives = matches!(model.driver, Driver::Here { .. });
    if !drives || model.session.environment == "demo" {
        return vec![Effect::Quit];
    }
    let mut runs = Vec::new();
    let mut in_flight = 0;
    for (_, run) in model.store.runs.present() {
        let Some(status) = &run.status else { continue };
        if status.start_time.is_some() && status.completed_time.is_none() {
            runs.extend(run.metadata.name.clone());
            in_flight += status.counts.running;
        }
    }
    if runs.is_empty() {
        return vec![Effect::Quit];
    }
    model.layers.push(Layer::Leave(Leave {
        runs,
        in_flight,
        leaves: false,
        opened: model.pressed,
    }));
    Vec::new()
}

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
        Some(at) if now.saturating_sub(at) < TWICE => leave(model),
        _ => {
            model.leaving = Some(now);
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::fixture::{model, press, screen, tell};
    use crate::console::msg::Msg;

    #[test]
    fn a_console_that_drives_asks_before_it_leaves() {
        let mut m = model(80, 24);
        assert_eq!(press(&mut m, "ctrl-c ctrl-c"), []);
        let text = screen(&m);
        assert!(
            text.contains("Leave?") && text.contains("[ Stay ]"),
            "{text}"
        );
        assert!(text.contains("eu-1.33.4"), "{text}");
        assert_eq!(press(&mut m, "Enter"), []);
        assert!(m.layers.is_empty());
        press(&mut m, "ctrl-c ctrl-c");
        assert_eq!(press(&mut m, "Tab Enter"), [Effect::Quit]);
    }

    #[test]
    fn who_does_not_drive_leaves_at_once() {
        let mut m = model(80, 24);
        tell(&mut m, Msg::Driver(Driver::Elsewhere { holder: None }));
        assert_eq!(press(&mut m, "ctrl-c ctrl-c"), [Effect::Quit]);
    }
}
