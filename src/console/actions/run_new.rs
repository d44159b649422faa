//! `run.new`: a form, then the plan of the run, then a question. Nothing starts before that.

use tui_input::Input;

use crate::api::{NodeImageSelectionType, RunIntent, UpdateRunSpec, UpgradeType};
use crate::console::effect::{Effect, ObjectRef, Write};
use crate::console::model::form::{Field, Form};
use crate::console::model::layers::{Check, Dialog, Fact, Focus, Layer, Level};
use crate::console::model::names::Uid;
use crate::console::model::plan::{PlanPage, PlanState};
use crate::console::model::{Model, Page};
use crate::console::msg::Kind;
use crate::text::counted;

use super::{Action, Section, level, may_write, place};

/// The action.
pub const ACTION: Action = Action {
    id: "run.new",
    label: "new run",
    section: Section::Write,
    hint: 55,
    belongs: super::anywhere,
    enabled,
    act,
};

fn enabled(model: &Model) -> Result<(), String> {
    match (model.page(), model.plan.as_ref().and_then(|p| p.run)) {
        (Page::Plan, Some(_)) => Err("the run is made already".to_owned()),
        (Page::Plan, None) => can_make(model),
        _ => may_write(model, "create", Kind::Run),
    }
}

/// Whether the run of the plan in view can be made.
pub fn can_make(model: &Model) -> Result<(), String> {
    may_write(model, "create", Kind::Run)?;
    match model.plan.as_ref().map(|p| &p.state) {
        Some(PlanState::Ready(_)) => Ok(()),
        Some(PlanState::Loading(_)) => Err("the plan is not there yet".to_owned()),
        Some(PlanState::Refused(refused)) => Err(refused.message.clone()),
        None => Err("there is no plan".to_owned()),
    }
}

fn act(model: &mut Model) -> Vec<Effect> {
    if model.page() == Page::Plan {
        return ask(model, false);
    }
    let mut strategies: Vec<String> = model
        .store
        .strategies
        .present()
        .filter_map(|(_, s)| s.metadata.name.clone())
        .collect();
    strategies.sort();
    strategies.insert(0, String::new());
    let strategy = usize::from(strategies.len() > 1);
    model.layers.push(Layer::Form(Box::new(Form {
        strategies,
        strategy,
        type_: UpgradeType::Full,
        version: Input::default(),
        images: NodeImageSelectionType::Latest,
        custom: Input::default(),
        name: Input::default(),
        focus: Field::Strategy,
        wrong: Vec::new(),
        waiting: None,
        opened: model.pressed,
    })));
    Vec::new()
}

/// Shows what a run would do.
pub fn preview(
    model: &mut Model,
    name: String,
    spec: UpdateRunSpec,
    run: Option<Uid>,
) -> Vec<Effect> {
    let ticket = model.ticket();
    model.plan = Some(PlanPage {
        name: name.clone(),
        spec: spec.clone(),
        run,
        state: PlanState::Loading(ticket),
        at: 0,
        top: 0,
        open: std::collections::BTreeSet::new(),
    });
    if model.page() != Page::Plan {
        model.pages.push(Page::Plan);
    }
    vec![Effect::Plan {
        ticket,
        name,
        spec: Box::new(spec),
    }]
}

/// Asks whether the run of the plan in view is to be made, and started at once or not.
pub fn ask(model: &mut Model, start: bool) -> Vec<Effect> {
    let Some(page) = &model.plan else {
        return Vec::new();
    };
    let PlanState::Ready(plan) = &page.state else {
        return Vec::new();
    };
    let mut spec = page.spec.clone();
    spec.state = if start {
        RunIntent::Run
    } else {
        RunIntent::Initialize
    };
    let members: usize = plan.stages.iter().map(|s| s.members).sum();
    let name = page.name.clone();
    let mut facts = vec![
        Fact::new("Run", format!("{name}          {}", place(model))),
        Fact::new(
            "Plan",
            format!(
                "{} in {}",
                counted(members, "member"),
                counted(plan.stages.len(), "stage")
            ),
        ),
    ];
    if let Some(first) = plan.stages.first().filter(|_| start) {
        facts.push(Fact::new(
            "First",
            format!(
                "stage {}: {}, {} at once, {} before it",
                first.name,
                counted(first.members, "member"),
                first.max_concurrency,
                counted(first.before_gates.len(), "gate")
            ),
        ));
    }
    if !start {
        facts.push(Fact::new(
            "Starts",
            "nothing: it is made and waits for a start",
        ));
    }
    for warning in &plan.warnings {
        facts.push(Fact::new("Warning", warning.to_string()));
    }
    if !plan.unplaced.is_empty() {
        facts.push(Fact::new(
            "Left out",
            format!(
                "{} that no group takes",
                counted(plan.unplaced.len(), "member")
            ),
        ));
    }
    let start_flag = if start { " --start" } else { "" };
    let level = match start {
        true => level(model, Level::Ask, Level::Name),
        false => Level::Ask,
    };
    let dialog = Dialog {
        action: ACTION.id,
        uid: Uid::default(),
        object: ObjectRef {
            kind: Kind::Run,
            name: name.clone(),
            uid: String::new(),
            generation: 0,
            resource_version: String::new(),
        },
        title: match start {
            true => format!("Make run {name} and start it?"),
            false => format!("Make run {name}?"),
        },
        confirm: if start { "Make and start" } else { "Make" }.to_owned(),
        command: model
            .session
            .command(&format!("run create {name}{}{start_flag}", flags(&spec))),
        write: Write::CreateRun {
            spec: Box::new(spec),
        },
        facts,
        effect: Vec::new(),
        check: Check::Settled,
        level,
        reason: None,
        name: (level == Level::Name).then(|| (name, Input::default())),
        focus: Focus::Cancel,
        opened: model.pressed,
        refused: None,
        changed: None,
        scroll: 0,
        batch: Vec::new(),
        marked: false,
    };
    model.layers.push(Layer::Dialog(Box::new(dialog)));
    Vec::new()
}

fn flags(spec: &UpdateRunSpec) -> String {
    let mut flags = String::new();
    if let Some(strategy) = &spec.strategy_name {
        flags.push_str(&format!(" --strategy {strategy}"));
    }
    flags.push_str(match spec.upgrade.type_ {
        UpgradeType::Full => " --type full",
        UpgradeType::ControlPlaneOnly => " --type control-plane",
        UpgradeType::NodeImageOnly => " --type node-image",
    });
    if let Some(version) = &spec.upgrade.kubernetes_version {
        flags.push_str(&format!(" --kubernetes-version {version}"));
    }
    if let Some(selection) = &spec.node_image_selection {
        flags.push_str(match selection.type_ {
            NodeImageSelectionType::Latest => " --node-images latest",
            NodeImageSelectionType::Consistent => " --node-images consistent",
            NodeImageSelectionType::Custom => " --node-images custom",
        });
        for image in &selection.custom_node_image_versions {
            flags.push_str(&format!(" --node-image {}", image.version));
        }
    }
    flags
}
