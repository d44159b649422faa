//! Looking closer: why, details, YAML, copies, times, help.

use crate::console::effect::Effect;
use crate::console::model::layers::{
    Layer, Menu, MenuKind, Prompt, PromptKind, TextPage, TextSource,
};
use crate::console::model::runs as model_runs;
use crate::console::model::tree::Row;
use crate::console::model::{Model, Page};
use crate::console::msg::Kind;
use crate::console::view::say;

use super::{Action, Section, look, place};

const fn of_selection(
    id: &'static str,
    label: &'static str,
    hint: u8,
    enabled: fn(&Model) -> Result<(), String>,
    act: fn(&mut Model) -> Vec<Effect>,
) -> Action {
    Action {
        id,
        label,
        section: Section::Look,
        hint,
        belongs: not_plan,
        enabled,
        act,
    }
}

fn not_plan(model: &Model) -> bool {
    model.page() != Page::Plan
}

fn some_run(model: &Model) -> Result<(), String> {
    model
        .run()
        .map(|_| ())
        .ok_or_else(|| "nothing is selected".to_owned())
}

/// The family.
pub const ACTIONS: &[Action] = &[
    of_selection("why", "why", 90, some_run, |m| {
        text(m, "Why", TextSource::Why)
    }),
    of_selection("detail", "detail", 30, some_run, detail),
    of_selection("yaml", "YAML", 20, some_run, yaml),
    look("actions", "all actions", Section::Look, 99, |m| {
        let title = format!("Actions on {}", name(m));
        m.layers.push(Layer::Menu(Menu {
            title,
            kind: MenuKind::Actions,
            at: 0,
        }));
        Vec::new()
    }),
    of_selection("copy.name", "copy the name", 0, some_run, |m| {
        vec![Effect::Copy(names(m))]
    }),
    of_selection(
        "copy.kubectl",
        "copy the kubectl command",
        0,
        some_run,
        |m| {
            let (kind, name) = object(m);
            vec![Effect::Copy(format!(
                "kubectl get {}.fleetdeck.io {name} -o yaml",
                kind.plural()
            ))]
        },
    ),
    of_selection(
        "copy.fleetdeck",
        "copy the fleetdeck command",
        0,
        some_run,
        |m| {
            let (kind, name) = object(m);
            let command = match kind {
                Kind::Run => format!("run show {name}"),
                other => format!("get {} {name}", other.plural()),
            };
            vec![Effect::Copy(m.session.command(&command))]
        },
    ),
    of_selection("copy.row", "copy the row as text", 0, some_run, |m| {
        vec![Effect::Copy(say::row(m))]
    }),
    of_selection("copy.yaml", "copy the YAML", 0, some_run, |m| {
        let (kind, name) = object(m);
        let ticket = m.ticket();
        m.copying = Some(ticket);
        vec![Effect::LoadYaml { ticket, kind, name }]
    }),
    look("pane.next", "scroll the details", Section::Move, 0, pane),
    look("pane.prev", "back to the list", Section::Move, 0, pane),
    look(
        "pane.maximise",
        "the list alone",
        Section::General,
        0,
        |m| {
            m.maximised = !m.maximised;
            Vec::new()
        },
    ),
    look("times", "times", Section::General, 15, |m| {
        m.times = m.times.next();
        Vec::new()
    }),
    look("pane.preview", "preview", Section::General, 18, |m| {
        m.preview = !m.preview;
        Vec::new()
    }),
    look(
        "header",
        "show or hide header and hints",
        Section::General,
        0,
        |m| {
            m.header = !m.header;
            Vec::new()
        },
    ),
    look("palette", "command", Section::General, 98, |m| {
        m.layers.push(Layer::Prompt(Prompt {
            kind: PromptKind::Palette,
            input: tui_input::Input::default(),
            at: 0,
        }));
        Vec::new()
    }),
    look("notices", "what was told", Section::General, 0, |m| {
        m.notices.seen();
        text(m, "Notices", TextSource::Notices)
    }),
    look("help", "keys of this page", Section::General, 97, |m| {
        let title = match m.page() {
            Page::Runs => "Keys in the list of runs",
            Page::Gates => "Keys in the list of gates",
            Page::Tree(_) => "Keys in the run tree",
            Page::Plan => "Keys in the plan",
        };
        let title = format!("{title}   preset {}", m.look.keys.name());
        text(m, &title, TextSource::Help)
    }),
];

fn pane(model: &mut Model) -> Vec<Effect> {
    model.in_detail = !model.in_detail;
    Vec::new()
}

fn text(model: &mut Model, title: &str, source: TextSource) -> Vec<Effect> {
    model.layers.push(Layer::Text(TextPage {
        title: title.to_owned(),
        source,
        top: 0,
    }));
    Vec::new()
}

/// Opens the details of the selection.
pub fn detail(model: &mut Model) -> Vec<Effect> {
    let title = name(model);
    text(model, &title, TextSource::Detail)
}

fn yaml(model: &mut Model) -> Vec<Effect> {
    let (kind, name) = object(model);
    let ticket = model.ticket();
    let title = format!("{}/{name}", kind.as_str());
    text(model, &title, TextSource::Loading(ticket));
    vec![Effect::LoadYaml { ticket, kind, name }]
}

/// Kind and name of the selected object.
fn object(model: &Model) -> (Kind, String) {
    let run = model.run().map(|(_, r)| model_runs::name(r).to_owned());
    let run = run.unwrap_or_default();
    if let Some(Row::Member(id)) = model.row()
        && let Some(update) = model.store.updates.get(id)
    {
        let member = model.store.names.text(update.member);
        return (Kind::Update, format!("{run}.{member}"));
    }
    let on_gate = matches!(model.row(), Some(Row::Gate(_))) || model.page() == Page::Gates;
    if on_gate && let Some((_, gate)) = model.gate() {
        return (Kind::Gate, gate.metadata.name.clone().unwrap_or_default());
    }
    (Kind::Run, run)
}

/// Names of the marked runs; of the selection, where nothing is marked.
fn names(model: &Model) -> String {
    let marked = model
        .runs
        .marks
        .iter()
        .filter_map(|uid| model.store.runs.get(*uid));
    let names: Vec<&str> = marked.map(|h| model_runs::name(&h.object)).collect();
    match (model.page(), names.is_empty()) {
        (Page::Runs, false) => names.join("\n"),
        _ => name(model),
    }
}

/// Name of the selection.
pub fn name(model: &Model) -> String {
    if model.page() == Page::Gates {
        return model.gate_info().map(|g| g.name).unwrap_or_default();
    }
    let Some((_, run)) = model.run() else {
        return place(model);
    };
    match model.row() {
        Some(row) => crate::console::view::pages::tree_detail::about(model, run, row).name,
        None => model_runs::name(run).to_owned(),
    }
}
