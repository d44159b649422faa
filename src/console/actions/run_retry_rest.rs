//! `run.retry-rest`: a new run for what failed or was skipped, with the same versions and images.
//! Members that are at the target are skipped by the run itself.

use crate::api::{NodeImageSelection, NodeImageSelectionType, RunIntent};
use crate::console::effect::Effect;
use crate::console::model::{Model, runs};
use crate::console::msg::Kind;
use crate::engine::operation::{Verb, allowed};

use super::{Action, Section, may_write, reason, run_new, the_run};

/// The action.
pub const ACTION: Action = Action {
    id: "run.retry-rest",
    label: "new run for the rest",
    section: Section::Write,
    hint: 60,
    belongs: |m| m.page() != crate::console::model::Page::Plan,
    enabled,
    act,
};

fn enabled(model: &Model) -> Result<(), String> {
    may_write(model, "create", Kind::Run)?;
    let run = the_run(model)?;
    allowed(run, Verb::RetryRest).map_err(reason)
}

fn act(model: &mut Model) -> Vec<Effect> {
    let Some((_, run)) = model.run() else {
        return Vec::new();
    };
    let name = format!("{}-rest", runs::name(run));
    let mut spec = run.spec.clone();
    spec.state = RunIntent::Initialize;
    spec.attempt = 1;
    spec.skips.clear();
    let pinned = run
        .status
        .as_ref()
        .map(|s| s.selected_node_image_versions.clone())
        .unwrap_or_default();
    if !pinned.is_empty() {
        spec.node_image_selection = Some(NodeImageSelection {
            type_: NodeImageSelectionType::Custom,
            custom_node_image_versions: pinned,
        });
    }
    run_new::preview(model, name, spec, None)
}
