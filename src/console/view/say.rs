//! Sentences about runs, stages, gates and members, from what the hub holds. What is not known is
//! left out or said to be unknown.

use crate::api::{NodeImageSelectionType, State, UpdateRun, UpgradeType, WaitingFor};
use crate::console::model::age::{Times, Words, coarse, length};
use crate::console::model::asked::Asked;
use crate::console::model::gates::{self, GateKey, Standing};
use crate::console::model::layers::Fact;
use crate::console::model::names::Uid;
use crate::console::model::runs::{self, Left, is_gate};
use crate::console::model::store::Sync;
use crate::console::model::tree;
use crate::console::model::update::Update;
use crate::console::model::{Model, Page};
use crate::console::msg::{Driver, Kind};
use crate::engine::explain;
use crate::text::counted;

/// The selected row as text.
pub fn row(model: &Model) -> String {
    if model.page() == Page::Gates
        && let Some(info) = model.gate_info()
    {
        return format!("{}  {}  {}", info.name, info.run_name, info.place());
    }
    let Some((uid, run)) = model.run() else {
        return String::new();
    };
    if let Some(row) = model.row() {
        let about = super::pages::tree_detail::about(model, run, row);
        let state = about.state.map_or("", super::pen::word);
        let cause = super::pages::tree_detail::cause(model, run, &about);
        return format!("{}  {state}  {cause}", about.name);
    }
    let (done, total) = runs::done(run);
    format!(
        "{}  {}  {}  {done}/{total}  {} failed  {}",
        runs::name(run),
        super::pen::word(runs::state(run)),
        runs::target(run),
        runs::failures(run),
        now(model, uid, run)
    )
}

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

/// What a run does or waits for, for a column.
pub fn now(model: &Model, uid: Uid, run: &UpdateRun) -> String {
    if let Some(asked) = asked(model, uid, run) {
        return asked;
    }
    let Some(status) = &run.status else {
        return "not seen by a controller yet".to_owned();
    };
    if let Some(error) = &status.error {
        return error.message.clone();
    }
    let counts = status.counts;
    match status.state {
        State::NotStarted => {
            let key = crate::console::actions::keys(model, "run.resume");
            format!("{key} starts it")
        }
        State::Stopping => format!("{} finish", counts.running),
        State::Completed if counts.failed > 0 => format!("{} failed, allowed", counts.failed),
        State::Skipped => "all skipped".to_owned(),
        State::Stopped => match &status.completed_time {
            Some(at) if model.times == Times::Age => {
                format!("stopped {} ago", coarse(model.words().since(at.0)))
            }
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

/// A write to a run or one of its gates that nobody has taken yet.
pub fn asked(model: &Model, uid: Uid, run: &UpdateRun) -> Option<String> {
    let of_run = |a: &&Asked| {
        let gate = model.store.gates.get(a.uid);
        a.uid == uid || gate.is_some_and(|h| h.object.spec.run == runs::name(run))
    };
    let asked = model.asked.iter().find(of_run)?;
    Some(asked_note(model, asked.at))
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
    let mut text = in_our_time(&model.words(), wait, &wait.message);
    if let Some(since) = &wait.since {
        text = format!("{text} {dot} {}", length(words.since(since.0)));
    }
    if let Some(until) = &wait.until {
        let point = words.point(until.0);
        if !text.contains(&point) {
            text = format!("{text} {dot} until {point}");
        }
        text = format!("{text}, in {}", words.until(until.0));
    }
    text
}

/// A sentence of the engine with its end as the person's wall clock shows it.
pub fn in_our_time(words: &Words<'_>, wait: &WaitingFor, sentence: &str) -> String {
    match &wait.until {
        Some(until) => sentence.replace(&until.0.to_string(), &words.point(until.0)),
        None => sentence.to_owned(),
    }
}

/// Why the members of a run are not known by name; `None` where they are.
pub fn unnamed(model: &Model, run: &UpdateRun) -> Option<&'static str> {
    let followed = model.store.followed().uid;
    let uid = run.metadata.uid.as_deref().map(Uid::of);
    match model.store.sync(Kind::Update) {
        _ if followed.is_none() || followed != uid => Some("names are not loaded"),
        Sync::Ready => None,
        Sync::Denied => Some("no right \"list memberupdates\""),
        Sync::Waiting | Sync::Loading => Some("names are loading"),
    }
}

/// Members in flight of a run, by name, at most `most` of them.
pub fn in_flight(model: &Model, run: &UpdateRun, most: usize) -> String {
    let running = run.status.as_ref().map_or(0, |s| s.counts.running);
    if let Some(why) = unnamed(model, run).filter(|_| running > 0) {
        return format!("{} ({why})", counted(running, "member"));
    }
    named(model, run, most, |u| u.state == State::Running)
}

/// Members of a run in the order of its stages.
fn in_order<'a>(model: &'a Model, run: &'a UpdateRun) -> impl Iterator<Item = &'a Update> {
    let store = &model.store;
    let name = store.names.find(runs::name(run));
    let groups = tree::stages(run)
        .iter()
        .flat_map(|s| s.groups.iter().map(move |g| (&s.name, &g.name)));
    groups
        .filter_map(move |(stage, group)| {
            let (stage, group) = (store.names.find(stage)?, store.names.find(group)?);
            Some(store.updates.of_group(name?, stage, group))
        })
        .flatten()
        .filter_map(|id| store.updates.get(*id))
}

fn named(model: &Model, run: &UpdateRun, most: usize, pick: impl Fn(&Update) -> bool) -> String {
    let store = &model.store;
    let mut names = Vec::new();
    let mut more = 0;
    for update in in_order(model, run).filter(|u| pick(u)) {
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
    let failures = runs::failures(run);
    if let Some(why) = unnamed(model, run).filter(|_| failures > 0) {
        return vec![(counted(failures, "member"), why.to_owned())];
    }
    let store = &model.store;
    in_order(model, run)
        .filter(|u| u.state == State::Failed)
        .take(most)
        .map(|u| (store.names.text(u.member).to_owned(), u.remark().to_owned()))
        .collect()
}

/// How near the scopes at work are to a stop: those that have failures or none left, and what the
/// next failure does.
pub fn limits(model: &Model, run: &UpdateRun) -> String {
    let g = model.look.glyphs;
    let (scopes, end) = near(run);
    let mut parts: Vec<String> = scopes
        .iter()
        .map(|(name, failures, allowed)| format!("{name} {failures} of {allowed}"))
        .collect();
    if let Some(first) = parts.first_mut() {
        first.push_str(" failed");
    }
    match parts.is_empty() {
        true => end,
        false => format!("{} {} {end}", parts.join(&format!(" {} ", g.dot)), g.arrow),
    }
}

/// The same with meters, for a narrow line.
pub fn limits_meter(model: &Model, run: &UpdateRun) -> String {
    let g = model.look.glyphs;
    let (scopes, end) = near(run);
    let meter = |failures: i32, allowed: i32| {
        if !(1..=5).contains(&allowed) || failures > allowed {
            return String::new();
        }
        let used = usize::try_from(failures).unwrap_or(0);
        let left = usize::try_from(allowed - failures).unwrap_or(0);
        format!(
            "{}{} ",
            g.meter_used.repeat(used),
            g.meter_left.repeat(left)
        )
    };
    let parts: Vec<String> = scopes
        .iter()
        .map(|(name, failures, allowed)| {
            format!(
                "{name} {}{failures}/{allowed} {} ",
                meter(*failures, *allowed),
                g.dot
            )
        })
        .collect();
    format!(
        "{}{}",
        parts.concat(),
        end.strip_prefix("the ").unwrap_or(&end)
    )
}

/// Scopes at work that have failures or none left, and what the next failure does.
fn near(run: &UpdateRun) -> (Vec<(String, i32, i32)>, String) {
    let mut scopes = Vec::new();
    let mut tight = None;
    let mut at_work_at_all = false;
    for stage in tree::stages(run).iter().filter(|s| at_work(s.state)) {
        at_work_at_all = true;
        let mut push = |name: &str, failures: i32, allowed: i32| {
            if failures > 0 {
                scopes.push((name.to_owned(), failures, allowed));
            }
        };
        push(&stage.name, stage.failure_count, stage.max_allowed_failures);
        for group in stage.groups.iter().filter(|g| is_open(g.state)) {
            push(&group.name, group.failure_count, group.max_allowed_failures);
            let left = (group.max_allowed_failures - group.failure_count)
                .min(stage.max_allowed_failures - stage.failure_count);
            if tight.as_ref().is_none_or(|(least, _)| left < *least) {
                tight = Some((left, explain::next_failure(stage, group)));
            }
        }
    }
    let end = match (runs::left(run), tight) {
        (Left::Over, _) => "a limit was passed".to_owned(),
        (_, Some((_, text))) => text,
        (_, None) if at_work_at_all => "no group has anything left to do".to_owned(),
        (Left::Some(0), None) => "the first failure stops the run".to_owned(),
        (Left::Some(n), None) => format!("{n} more may fail"),
        (Left::None, None) => "no stage is at work".to_owned(),
    };
    (scopes, end)
}

/// Whether a stage or group is where the run works now.
pub fn at_work(state: State) -> bool {
    match state {
        State::Running | State::Pending | State::Stopping | State::Failed | State::Stopped => true,
        State::NotStarted | State::Skipped | State::Completed => false,
    }
}

/// Whether a stage or group can still have failures.
fn is_open(state: State) -> bool {
    at_work(state) || state == State::NotStarted
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
        .map(|w| (is_gate(w), gate(model, w).unwrap_or_else(|| wait(model, w))))
        .collect()
}

/// A gate that waits, in a few words: `gate "Approve prod-fr" before 3 prod/prod-fr, 2h10, ready`.
fn gate(model: &Model, wait: &WaitingFor) -> Option<String> {
    let (uid, _) = model.store.gate_named(wait.object.strip_prefix("Gate/")?)?;
    let info = gates::info(&model.store, GateKey::Reached(uid))?;
    let dot = model.look.glyphs.dot;
    let words = model.words();
    let since = info.since.map_or(String::new(), |at| {
        format!(" {dot} {}", length(words.since(at)))
    });
    let ready = match (info.standing, info.opens) {
        (Standing::Ready, _) => "ready to approve".to_owned(),
        (Standing::ByItself, Some(at)) => format!("opens {}", words.point(at)),
        _ => info.why.clone(),
    };
    Some(format!(
        "gate \"{}\" {}{since} {dot} {ready}",
        info.name,
        info.place()
    ))
}

/// The same facts in full, for a page of text.
pub fn wait_facts(model: &Model, wait: &WaitingFor) -> Vec<Fact> {
    let words = model.words();
    let mut facts = vec![
        Fact::new("why", in_our_time(&model.words(), wait, &wait.message)),
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
        facts.push(Fact::new(
            "next",
            in_our_time(&model.words(), wait, &wait.next),
        ));
    }
    facts
}
