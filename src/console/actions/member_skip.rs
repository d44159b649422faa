//! `member.skip`: leaves out members, groups, stages, or the wait after a stage. What it would do
//! is worked out by the engine before it can be confirmed.

use tui_input::Input;

use crate::console::effect::{Effect, Write};
use crate::console::model::layers::{Check, Dialog, Fact, Focus, Layer, Level};
use crate::console::model::tree::{self, Row, Tree};
use crate::console::model::{Model, runs};
use crate::console::view::pages::tree_detail;
use crate::engine::operation::{Verb, allowed};
use crate::engine::skip::{self, SkipEffect, Target};
use crate::text::counted;

use super::{Action, LeftOut, Section, level, marking, place, reason, run_object, some, the_run};

/// The action.
pub const ACTION: Action = Action {
    id: "member.skip",
    label: "skip",
    section: Section::Write,
    hint: 84,
    belongs: super::in_tree,
    enabled,
    act,
};

fn enabled(model: &Model) -> Result<(), String> {
    let run = the_run(model)?;
    allowed(run, Verb::Skip).map_err(reason)?;
    let (those, left) = targets(model);
    match (those.is_empty(), left.into_iter().next()) {
        (true, Some((_, why))) => Err(why),
        _ => Ok(()),
    }
}

/// What the marked rows stand for, else the selected one; and what is left out with the reason.
fn targets(model: &Model) -> (Vec<Target>, Vec<LeftOut>) {
    let (mut those, mut left) = (Vec::new(), Vec::new());
    let Some((page, (_, run))) = model.tree().zip(model.run()) else {
        return (
            those,
            vec![(String::new(), "no run is selected".to_owned())],
        );
    };
    let key = |row: &Row| Tree::key(&model.store, *row);
    let marked: Vec<Row> = match page.marks.is_empty() {
        true => page.tree.selected().into_iter().collect(),
        false => {
            let rows = page.tree.rows.iter().copied();
            rows.filter(|r| page.marks.contains(&key(r))).collect()
        }
    };
    if marked.is_empty() && page.marks.is_empty() {
        return (
            those,
            vec![(String::new(), "no row is selected".to_owned())],
        );
    }
    for row in marked {
        let name = tree_detail::about(model, run, row).name;
        match target(model, row) {
            Ok(target) => those.push(target),
            Err(why) => left.push((name, why)),
        }
    }
    let (_, hidden) = marking::count(model);
    if hidden > 0 {
        let rows = counted(hidden, "marked row");
        left.push((
            rows,
            "not shown: folded, or hidden by the filter".to_owned(),
        ));
    }
    (those, left)
}

/// What a row stands for.
fn target(model: &Model, row: Row) -> Result<Target, String> {
    let (_, run) = model.run().ok_or("no run is selected")?;
    match row {
        Row::Stage(s) => {
            let stage = tree::stage(run, s);
            over(stage.is_none_or(|s| skip::has_something_left(s.state, &s.counts)))?;
            stage.map(|s| Target::Stage(s.name.clone()))
        }
        Row::Group(s, g) => {
            let group = tree::group(run, s, g);
            over(group.is_none_or(|g| skip::has_something_left(g.state, &g.counts)))?;
            group.map(|g| Target::Group(g.name.clone()))
        }
        Row::Wait(s) => tree::stage(run, s).map(|s| Target::AfterStageWait(s.name.clone())),
        Row::Member(id) => {
            let update = model.store.updates.get(id).filter(|u| u.gone.is_none());
            let named = update.map(|u| (model.store.names.text(u.member), u.state));
            if let Some(refusal) = named.and_then(|(n, state)| skip::member_refusal(n, state)) {
                return Err(reason(refusal));
            }
            named.map(|(name, _)| Target::Member(name.to_owned()))
        }
        Row::Gate(_) => {
            return Err(
                "a gate cannot be skipped alone: approve it, or skip its stage or group".to_owned(),
            );
        }
        Row::More(..) => return Err("show the members first and choose one".to_owned()),
        Row::Apart => return Err("these members are not in the plan".to_owned()),
    }
    .ok_or_else(|| "the row is gone".to_owned())
}

fn over(left: bool) -> Result<(), String> {
    match left {
        true => Ok(()),
        false => Err("it has ended, and nothing is left in it to skip".to_owned()),
    }
}

fn act(model: &mut Model) -> Vec<Effect> {
    let (those, left) = targets(model);
    let ticket = model.ticket();
    let Some(dialog) = dialog(model, &those, left, ticket) else {
        return Vec::new();
    };
    let run = dialog.object.name.clone();
    model.layers.push(Layer::Dialog(Box::new(dialog)));
    vec![Effect::CheckSkip {
        ticket,
        run,
        targets: those.iter().map(Target::to_string).collect(),
    }]
}

fn dialog(model: &Model, those: &[Target], left: Vec<LeftOut>, ticket: u64) -> Option<Dialog> {
    let (uid, run) = model.run()?;
    let name = runs::name(run);
    let hardest = those.iter().map(|t| words(model, t).2).max()?;
    let mut facts = vec![Fact::new(
        "Run",
        format!("{name}          {}", place(model)),
    )];
    let (title, typed) = match those {
        [one] => {
            let (what, of, _) = words(model, one);
            (format!("Skip {what} {of}?"), of.to_owned())
        }
        several => {
            for target in several {
                let (what, of, _) = words(model, target);
                facts.push(Fact::new("Marked", format!("{what} {of}")));
            }
            let rows = counted(several.len(), "marked row");
            (format!("Skip {rows} of {name}?"), name.to_owned())
        }
    };
    for (row, why) in left {
        facts.push(Fact::new("Left out", format!("{row}: {why}")));
    }
    let targets: Vec<String> = those.iter().map(Target::to_string).collect();
    Some(Dialog {
        action: ACTION.id,
        uid,
        object: run_object(model)?,
        command: model
            .session
            .command(&format!("run skip {name} {}", targets.join(" "))),
        write: Write::Skip {
            targets,
            comment: None,
        },
        title,
        confirm: "Skip".to_owned(),
        facts,
        effect: Vec::new(),
        check: Check::Waiting(ticket),
        level: hardest,
        reason: Some(Input::default()),
        name: (hardest == Level::Name).then(|| (typed, Input::default())),
        focus: Focus::Cancel,
        opened: model.pressed,
        refused: None,
        changed: None,
        scroll: 0,
        batch: Vec::new(),
        marked: marking::count(model).0 > 0,
    })
}

/// How a target is called, its name, and how hard its skip is to confirm.
fn words<'a>(model: &Model, target: &'a Target) -> (&'static str, &'a str, Level) {
    let one = level(model, Level::Ask, Level::Reason);
    let many = level(model, Level::Reason, Level::Name);
    match target {
        Target::Member(m) => ("member", m, one),
        Target::Group(g) => ("group", g, many),
        Target::Stage(s) => ("stage", s, many),
        Target::AfterStageWait(s) => ("the wait after stage", s, one),
    }
}

/// What the engine found, for the dialog.
pub fn effect(found: &SkipEffect) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut push = |label: &str, names: &[String]| {
        if !names.is_empty() {
            facts.push(Fact::new(
                label,
                format!("{}: {}", names.len(), some(names)),
            ));
        }
    };
    push("Skips", &found.members);
    push("Gates", &found.gates);
    push("Waits", &found.waits);
    push("Finish", &found.in_flight);
    push("Stay", &found.untouched);
    if found.failures_forgiven > 0 {
        facts.push(Fact::new(
            "Failures",
            format!("{} fewer are counted", found.failures_forgiven),
        ));
    }
    if facts.is_empty() {
        facts.push(Fact::new("Skips", "nothing: all of it is skipped already"));
    }
    facts.push(Fact::new(
        "Undo",
        "none: what is skipped stays skipped in this run",
    ));
    facts
}
