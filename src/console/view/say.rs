//! Sentences about runs, stages, gates and members, from what the hub holds. What is not known is
//! left out or said to be unknown.

use crate::api::{NodeImageSelectionType, State, UpdateRun, UpgradeType, WaitingFor};
use crate::console::model::Model;
use crate::console::model::age::length;
use crate::console::model::layers::Fact;
use crate::console::model::names::Uid;
use crate::console::model::runs::{self, Left, is_gate};
use crate::console::model::tree;
use crate::console::model::update::Update;
use crate::console::msg::Driver;

/// Type and target: `Full → 1.33.4`, with the version before where all members have the same.
pub fn kind(model: &Model, uid: Uid, run: &UpdateRun) -> String {
    let type_ = match run.spec.upgrade.type_ {
        UpgradeType::Full => "Full",
        UpgradeType::ControlPlaneOnly => "Control plane",
        UpgradeType::NodeImageOnly => "Node image",
    };
    let Some(version) = &run.spec.upgrade.kubernetes_version else {
        return type_.to_owned();
    };
    let from = model
        .trees
        .get(&uid)
        .and_then(|t| t.tree.from)
        .map(|from| model.store.names.text(from));
    let arrow = model.look.glyphs.arrow;
    match from {
        Some(from) => format!("{type_} {from} {arrow} {version}"),
        None => format!("{type_} {arrow} {version}"),
    }
}

/// Node images of a run in a few words; empty where it changes none.
pub fn images(run: &UpdateRun) -> String {
    if run.spec.upgrade.type_ == UpgradeType::ControlPlaneOnly {
        return String::new();
    }
    let selection = run.spec.node_image_selection.clone().unwrap_or_default();
    let chosen = run
        .status
        .as_ref()
        .map_or(&[][..], |s| &s.selected_node_image_versions);
    let short = |v: &str| v.rsplit('-').next().unwrap_or(v).to_owned();
    match (selection.type_, chosen) {
        (NodeImageSelectionType::Latest, _) => "image latest".to_owned(),
        (_, [one]) => format!("image {} pinned", short(&one.version)),
        (_, [first, ..])
            if chosen
                .iter()
                .all(|v| short(&v.version) == short(&first.version)) =>
        {
            format!("image {} pinned", short(&first.version))
        }
        (_, []) => format!("image {}", selection_word(selection.type_)),
        (_, several) => format!("{} images pinned", several.len()),
    }
}

fn selection_word(type_: NodeImageSelectionType) -> &'static str {
    match type_ {
        NodeImageSelectionType::Latest => "latest",
        NodeImageSelectionType::Consistent => "consistent",
        NodeImageSelectionType::Custom => "custom",
    }
}

/// Target for a narrow column.
pub fn target(run: &UpdateRun) -> String {
    match &run.spec.upgrade.kubernetes_version {
        Some(version) => version.clone(),
        None => "image".to_owned(),
    }
}

/// What a run does or waits for, for a column.
pub fn now(model: &Model, uid: Uid, run: &UpdateRun) -> String {
    if let Some(asked) = model.asked.iter().find(|a| a.uid == uid) {
        return asked_note(model, asked.at);
    }
    let Some(status) = &run.status else {
        return "not seen by a controller yet".to_owned();
    };
    if let Some(error) = &status.error {
        return error.message.clone();
    }
    let counts = status.counts;
    match status.state {
        State::NotStarted if !status.waits.is_empty() => status.waits.clone(),
        State::NotStarted => "R starts it".to_owned(),
        State::Stopping => format!("{} finish", counts.running),
        State::Completed if counts.failed > 0 => format!("{} failed, allowed", counts.failed),
        State::Skipped => "all skipped".to_owned(),
        State::Stopped => match &status.completed_time {
            Some(at) => format!("stopped {}", model.words().column(at.0)),
            None => "stopped".to_owned(),
        },
        _ if !status.waits.is_empty() => status.waits.clone(),
        State::Running => {
            let stage = status.stages.iter().find(|s| s.counts.running > 0);
            stage.map_or(String::new(), |s| {
                format!("{}: {} in flight", s.name, s.counts.running)
            })
        }
        State::Pending | State::Failed | State::Completed => String::new(),
    }
}

/// What stands at a row for a write that nobody has taken yet.
pub fn asked_note(model: &Model, at: jiff::Timestamp) -> String {
    format!("asked {}, not yet taken", model.words().clock(at))
}

/// How much of the limits is left, for a column.
pub fn left(run: &UpdateRun) -> String {
    match runs::left(run) {
        Left::Over => "over".to_owned(),
        Left::Some(n) => n.to_string(),
        Left::None => "-".to_owned(),
    }
}

/// A reason to wait with how long it lasts and when it ends.
pub fn wait(model: &Model, wait: &WaitingFor) -> String {
    let words = model.words();
    let dot = model.look.glyphs.dot;
    let mut text = wait.message.clone();
    if let Some(since) = &wait.since {
        text = format!("{text} {dot} {}", length(words.since(since.0)));
    }
    if let Some(until) = &wait.until {
        text = format!(
            "{text} {dot} until {}, in {}",
            words.point(until.0),
            words.until(until.0)
        );
    }
    text
}

/// Members in flight of a run, by name, at most `most` of them.
pub fn in_flight(model: &Model, run: &UpdateRun, most: usize) -> String {
    named(model, run, most, |u| u.state == State::Running)
}

fn named(model: &Model, run: &UpdateRun, most: usize, pick: impl Fn(&Update) -> bool) -> String {
    let store = &model.store;
    let Some(name) = store.names.find(runs::name(run)) else {
        return String::new();
    };
    let mut names = Vec::new();
    let mut more = 0;
    let all = store.updates.of_run(name).values().flatten();
    for update in all
        .filter_map(|id| store.updates.get(*id))
        .filter(|u| pick(u))
    {
        if names.len() < most {
            names.push(store.names.text(update.member));
        } else {
            more += 1;
        }
    }
    match more {
        0 => names.join(", "),
        n => format!("{} and {n} more", names.join(", ")),
    }
}

/// Failed members of a run with what went wrong, at most `most`.
pub fn failed(model: &Model, run: &UpdateRun, most: usize) -> Vec<(String, String)> {
    let store = &model.store;
    let Some(name) = store.names.find(runs::name(run)) else {
        return Vec::new();
    };
    let all = store.updates.of_run(name).values().flatten();
    all.filter_map(|id| store.updates.get(*id))
        .filter(|u| u.state == State::Failed)
        .take(most)
        .map(|u| (store.names.text(u.member).to_owned(), u.remark().to_owned()))
        .collect()
}

/// How near the scopes at work are to a stop.
pub fn limits(model: &Model, run: &UpdateRun) -> String {
    let g = model.look.glyphs;
    let mut parts = Vec::new();
    for stage in tree::stages(run) {
        if !at_work(stage.state) {
            continue;
        }
        parts.push(limit(
            &stage.name,
            stage.failure_count,
            stage.max_allowed_failures,
        ));
        for group in stage.groups.iter().filter(|g| at_work(g.state)) {
            let text = limit(&group.name, group.failure_count, group.max_allowed_failures);
            parts.push(text);
        }
    }
    if parts.is_empty() {
        return match runs::left(run) {
            Left::Over => "a limit was passed".to_owned(),
            Left::Some(n) => format!("no stage is at work {} least left {n}", g.dot),
            Left::None => "no stage is at work".to_owned(),
        };
    }
    let last = match runs::left(run) {
        Left::Over => format!(" {} a limit was passed", g.arrow),
        Left::Some(0) => format!(" {} the next failure stops the run", g.arrow),
        Left::Some(_) | Left::None => String::new(),
    };
    format!("{}{last}", parts.join(&format!(" {} ", g.dot)))
}

fn limit(name: &str, failures: i32, allowed: i32) -> String {
    format!("{name} {failures} of {allowed} failed")
}

/// Whether a stage or group is where the run works now.
pub fn at_work(state: State) -> bool {
    match state {
        State::Running | State::Pending | State::Stopping | State::Failed | State::Stopped => true,
        State::NotStarted | State::Skipped | State::Completed => false,
    }
}

/// Stages with their states in one line.
pub fn stages(model: &Model, run: &UpdateRun) -> String {
    let g = model.look.glyphs;
    tree::stages(run)
        .iter()
        .enumerate()
        .map(|(i, s)| {
            let shown = super::pen::shown(&g, s.state, s.failure_count, false);
            let c = s.counts;
            let done = c.completed + c.failed + c.skipped;
            let failed = match s.failure_count {
                0 => String::new(),
                n => format!(", {n} failed"),
            };
            format!(
                "{} {} {} {done}/{}{failed}",
                shown.sign,
                i + 1,
                s.name,
                c.total
            )
        })
        .collect::<Vec<_>>()
        .join("   ")
}

/// Who drives.
pub fn driver(model: &Model) -> String {
    let words = model.words();
    match &model.driver {
        Driver::Unknown => "not known yet".to_owned(),
        Driver::Here { since } => {
            format!("this console, lease held since {}", words.point(*since))
        }
        Driver::StandingBy { holder } => format!("{holder}; this console stands by"),
        Driver::Elsewhere {
            holder: Some(holder),
        } => holder.clone(),
        Driver::Elsewhere { holder: None } => "none: no lease is held, so nothing moves".to_owned(),
        Driver::Stopped { reason } => format!("stopped here: {reason}"),
    }
}

/// Who drives, in one word for the header.
pub fn driver_word(driver: &Driver) -> &'static str {
    match driver {
        Driver::Unknown => "?",
        Driver::Here { .. } => "here",
        Driver::StandingBy { .. } => "standby",
        Driver::Elsewhere { holder: Some(_) } => "elsewhere",
        Driver::Elsewhere { holder: None } => "none",
        Driver::Stopped { .. } => "stopped",
    }
}

/// What stands still in a run, one line each: gates first.
pub fn waits(model: &Model, run: &UpdateRun) -> Vec<(bool, String)> {
    let Some(status) = &run.status else {
        return Vec::new();
    };
    let mut waits: Vec<&WaitingFor> = status.waiting_for.iter().collect();
    waits.sort_by_key(|w| !is_gate(w));
    waits
        .into_iter()
        .map(|w| (is_gate(w), wait(model, w)))
        .collect()
}

/// The same facts in full, for a page of text.
pub fn wait_facts(model: &Model, wait: &WaitingFor) -> Vec<Fact> {
    let words = model.words();
    let mut facts = vec![
        Fact::new("why", wait.message.clone()),
        Fact::new("code", wait.code.clone()),
    ];
    if !wait.object.is_empty() {
        facts.push(Fact::new("waits for", wait.object.clone()));
    }
    if let Some(since) = &wait.since {
        let text = format!("{}, {}", words.point(since.0), length(words.since(since.0)));
        facts.push(Fact::new("since", text));
    }
    if let Some(until) = &wait.until {
        let text = format!("{}, in {}", words.point(until.0), words.until(until.0));
        facts.push(Fact::new("until", text));
    }
    if !wait.who.is_empty() {
        facts.push(Fact::new("who", wait.who.clone()));
    }
    if !wait.next.is_empty() {
        facts.push(Fact::new("next", wait.next.clone()));
    }
    facts
}
