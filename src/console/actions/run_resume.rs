//! `run.resume`: starts a run, or goes on with one that was stopped or has failed. A run that never
//! ran shows its plan first.

use crate::console::effect::{Effect, Write};
use crate::console::model::layers::{Check, Dialog, Fact, Focus, Layer, Level};
use crate::console::model::plan::{PlanPage, PlanState};
use crate::console::model::runs;
use crate::console::model::{Model, Page};
use crate::console::view::say;
use crate::engine::operation::{Verb, allowed};
use crate::text::{counted, sentence};

use super::{Action, Section, level, place, reason, run_new, run_object, the_run};

/// The action.
pub const ACTION: Action = Action {
    id: "run.resume",
    label: "start, resume",
    section: Section::Write,
    hint: 80,
    belongs: super::anywhere,
    enabled,
    act,
};

/// What it does to the selected run.
pub fn word(model: &Model) -> &'static str {
    match model.run() {
        None if model.page() == Page::Plan => "make and start",
        Some((_, run)) if allowed(run, Verb::Resume).is_ok() => "resume",
        Some((_, run)) if allowed(run, Verb::Start).is_ok() => "start",
        Some(_) | None => "start, resume",
    }
}

fn enabled(model: &Model) -> Result<(), String> {
    if model.page() == Page::Plan && model.run().is_none() {
        return run_new::can_make(model);
    }
    let run = the_run(model)?;
    allowed(run, Verb::Start).map_err(reason)
}

fn act(model: &mut Model) -> Vec<Effect> {
    if model.page() == Page::Plan && model.run().is_none() {
        return run_new::ask(model, true);
    }
    let Some((uid, run)) = model.run() else {
        return Vec::new();
    };
    let ran = run.status.as_ref().is_some_and(|s| s.start_time.is_some());
    if !ran && model.page() != Page::Plan {
        let (name, spec) = (runs::name(run).to_owned(), run.spec.clone());
        return run_new::preview(model, name, spec, Some(uid));
    }
    if let Some(dialog) = dialog(model) {
        model.layers.push(Layer::Dialog(Box::new(dialog)));
    }
    Vec::new()
}

// The plan that the question is asked on.
fn planned(model: &Model) -> Option<&PlanPage> {
    let page = model.plan.as_ref()?;
    (model.page() == Page::Plan).then_some(page)
}

/// The question about the selected run.
pub fn dialog(model: &Model) -> Option<Dialog> {
    let (uid, run) = model.run()?;
    let status = run.status.clone().unwrap_or_default();
    let resumes = allowed(run, Verb::Resume).is_ok();
    let name = runs::name(run);
    // The hub says in its error that a limit was passed.
    let past_a_limit = resumes && status.error.is_some();
    let level = match past_a_limit {
        true => level(model, Level::Reason, Level::Name),
        false => level(model, Level::Ask, Level::Reason),
    };
    let mut facts = vec![Fact::new(
        "Run",
        format!(
            "{name}, {}          {}",
            say::kind(model, uid, run),
            place(model)
        ),
    )];
    if resumes {
        let failed = say::failed(model, run, 8);
        let names: Vec<&str> = failed.iter().map(|(m, _)| m.as_str()).collect();
        if !names.is_empty() {
            facts.push(Fact::new("Failed", names.join(", ")));
        }
        facts.push(Fact::new(
            "Retries",
            "failed and stopped members of groups that stopped, in their order; then goes on",
        ));
        facts.push(Fact::new(
            "Then",
            format!(
                "{} not started",
                counted(status.counts.not_started, "member")
            ),
        ));
        facts.push(Fact::new(
            "Same",
            "versions, images, limits and members; gates that were passed stay passed",
        ));
    } else {
        facts.push(Fact::new(
            "Starts",
            format!(
                "{} in {}",
                counted(status.counts.total, "member"),
                counted(status.stages.len(), "stage")
            ),
        ));
        if let Some(first) = status.stages.first() {
            facts.push(Fact::new(
                "First",
                format!(
                    "stage {}: {}, {} at once, {} before it",
                    first.name,
                    counted(first.counts.total, "member"),
                    first.max_concurrency,
                    counted(first.before_gates.len(), "gate")
                ),
            ));
        }
        facts.push(Fact::new(
            "Fixed",
            "stages, limits and members; from here on only skips change the plan",
        ));
    }
    if past_a_limit {
        let error = status.error.unwrap_or_default();
        facts.push(Fact::new(
            "Limit",
            format!("{} A limit may be passed again.", sentence(&error.message)),
        ));
    }
    if let Some(PlanState::Ready(plan)) = planned(model).map(|page| &page.state) {
        let warnings = plan.warnings.iter();
        facts.extend(warnings.map(|found| Fact::new("Warning", found.to_string())));
    }
    facts.push(Fact::new("Limits", say::limits(model, run)));
    super::not_marked(model, &mut facts);
    Some(Dialog {
        action: ACTION.id,
        uid,
        object: run_object(model)?,
        write: Write::Start,
        title: match resumes {
            true => format!("Resume {name}?"),
            false => format!("Start {name}?"),
        },
        confirm: if resumes { "Resume" } else { "Start" }.to_owned(),
        facts,
        effect: Vec::new(),
        check: Check::Settled,
        level,
        // A start takes no reason with it: there is no place on the hub that keeps one.
        reason: None,
        name: (level == Level::Name).then(|| (name.to_owned(), tui_input::Input::default())),
        command: model.session.command(&format!(
            "run {} {name}",
            if resumes { "resume" } else { "start" }
        )),
        focus: Focus::Cancel,
        opened: model.pressed,
        refused: None,
        changed: None,
        scroll: 0,
        batch: Vec::new(),
        marked: false,
    })
}
