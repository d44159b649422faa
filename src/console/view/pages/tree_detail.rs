//! The chain of causes of the selected row: why it stands still, what comes next, who can act, and
//! how near the run is to a stop.

use ratatui::layout::Rect;

use crate::api::{ErrorDetail, State, UpdateRun, WaitingFor};
use crate::console::actions;
use crate::console::model::Model;
use crate::console::model::age::length;
use crate::console::model::gates::spots;
use crate::console::model::layers::Fact;
use crate::console::model::names::Name;
use crate::console::model::size::Class;
use crate::console::model::tree::{self, Row};
use crate::console::model::tree_page::TreePage;
use crate::console::model::update::Update;
use crate::console::theme::Role;
use crate::console::view::pen::{Pen, shown, span, word};
use crate::console::view::say;
use crate::console::view::wrap::wrap;
use crate::engine::explain;
use crate::engine::queue::{self, Slots};
use crate::text;

/// Draws it.
pub fn draw(model: &Model, run: &UpdateRun, page: &TreePage, area: Rect, pen: &mut Pen<'_>) {
    let Some(row) = page.tree.selected() else {
        return;
    };
    let about = about(model, run, row);
    match model.size.class() {
        Class::L | Class::M => {
            let mut title = vec![span(about.name.clone(), Role::Head)];
            if let Some(state) = about.state {
                let shown = shown(&pen.glyphs, state, 0, model.is_stale());
                title.push(span("   ", Role::Text));
                title.push(span(format!("{} {}", shown.sign, shown.word), shown.role));
            }
            title.extend(
                about
                    .tags
                    .iter()
                    .map(|t| span(format!("   {t}"), Role::TextDim)),
            );
            let key = |id| actions::keys(model, id);
            let hint = format!(
                "{} open   {} why   {} YAML",
                key("open"),
                key("why"),
                key("yaml")
            );
            let inner = pen.frame(area, &title, &hint, model.in_detail);
            let facts = facts(model, run, &about);
            let mut y = inner.y;
            for fact in facts
                .iter()
                .skip(model.detail_top.min(facts.len().saturating_sub(1)))
            {
                let width = usize::from(inner.width.saturating_sub(13));
                for (i, line) in wrap(&fact.text, width).iter().enumerate() {
                    if y >= inner.bottom() {
                        return;
                    }
                    if i == 0 {
                        pen.put((inner.x + 1, y), 10, &fact.label, Role::TextDim);
                    }
                    pen.put((inner.x + 11, y), inner.width - 12, line, Role::Text);
                    y += 1;
                }
            }
        }
        Class::S => {
            let title = title(&about);
            pen.rule((area.x, area.y), area.width, &title);
            let width = area.width.saturating_sub(2);
            let mut lines: Vec<String> = wrap(&cause(model, run, &about), usize::from(width));
            if lines.len() > 2 {
                lines.truncate(2);
                if let Some(last) = lines.last_mut() {
                    let room = usize::from(width).saturating_sub(2);
                    *last = format!(
                        "{} {}",
                        text::take(last, room).trim_end(),
                        pen.glyphs.ellipsis
                    );
                }
            }
            lines.push(gates_line(model, run));
            lines.push(format!("Limits  {}", say::limits_meter(model, run)));
            for (line, y) in lines.iter().zip(area.y + 1..area.bottom()) {
                pen.note((area.x + 1, y), width, line, Role::Text);
            }
        }
        Class::Compact | Class::Tiny | Class::TooSmall => {
            let text = cause(model, run, &about);
            pen.note((area.x + 1, area.y), area.width - 1, &text, Role::TextDim);
        }
    }
}

/// What is known of a row.
pub struct About {
    /// Its name.
    pub name: String,
    /// Its state.
    pub state: Option<State>,
    /// Short facts for its title.
    pub tags: Vec<String>,
    /// Stage and group.
    pub place: Option<(String, Option<String>)>,
    /// Why it stands still.
    pub waits: Vec<WaitingFor>,
    /// What went wrong.
    pub error: Option<ErrorDetail>,
    /// A sentence of its own.
    pub message: String,
    /// What else is known.
    pub more: Vec<Fact>,
}

fn title(about: &About) -> String {
    match about.state {
        _ if !about.waits.is_empty() => format!("Why {} waits", about.name),
        Some(State::Failed) => format!("Why {} failed", about.name),
        Some(state) => format!("{}   {}", about.name, word(state)),
        None => about.name.clone(),
    }
}

/// Collects what is known of a row.
pub fn about(model: &Model, run: &UpdateRun, row: Row) -> About {
    let mut about = About {
        name: String::new(),
        state: None,
        tags: Vec::new(),
        place: None,
        waits: Vec::new(),
        error: None,
        message: String::new(),
        more: Vec::new(),
    };
    let waits = run.status.as_ref().map_or(&[][..], |s| &s.waiting_for);
    match row {
        Row::Stage(s) => {
            if let Some(stage) = tree::stage(run, s) {
                about.name = format!("{} {}", s + 1, stage.name);
                about.state = Some(stage.state);
                about.error = stage.error.clone();
                about.place = Some((stage.name.clone(), None));
                about.more.push(Fact::new(
                    "at once",
                    format!("{} of the stage", stage.max_concurrency),
                ));
                let of_stage = |w: &&WaitingFor| w.stage.as_deref() == Some(&stage.name);
                about.waits = waits.iter().filter(of_stage).cloned().collect();
            }
        }
        Row::Group(s, g) => {
            if let (Some(stage), Some(group)) = (tree::stage(run, s), tree::group(run, s, g)) {
                about.name = group.name.clone();
                about.state = Some(group.state);
                about.error = group.error.clone();
                about.place = Some((stage.name.clone(), Some(group.name.clone())));
                about.more.push(Fact::new(
                    "at once",
                    format!("{} of the group", group.max_concurrency),
                ));
                about.waits = of_group(waits, &stage.name, &group.name);
            }
        }
        Row::Gate(spot) => gate(model, run, spot, &mut about),
        Row::Wait(s) => {
            if let Some(stage) = tree::stage(run, s) {
                let seconds = i64::from(stage.after_stage_wait.duration_seconds);
                about.name = format!("wait {} after {}", length(seconds), stage.name);
                about.state = Some(stage.after_stage_wait.state);
                about.place = Some((stage.name.clone(), None));
                let of_wait =
                    |w: &&WaitingFor| w.stage.as_deref() == Some(&stage.name) && w.until.is_some();
                about.waits = waits.iter().filter(of_wait).cloned().collect();
            }
        }
        Row::Member(id) => member(model, run, id, &mut about),
        Row::More(s, g, hidden) => {
            if let Some(group) = tree::group(run, s, g) {
                about.name = format!("{hidden} more of {}", group.name);
                let key = actions::keys(model, "open");
                about.message = format!("{key} shows all members of the group");
            }
        }
        Row::Apart => {
            about.name = "not in this plan".to_owned();
            let page = model.tree();
            let names: Vec<&str> = page.map_or(Vec::new(), |p| {
                p.tree
                    .joined
                    .iter()
                    .map(|n| model.store.names.text(*n))
                    .collect()
            });
            about.message = format!(
                "joined since the start: {}; gone: {}",
                if names.is_empty() {
                    "none".to_owned()
                } else {
                    names.join(", ")
                },
                page.map_or(0, |p| p.tree.left)
            );
        }
    }
    about
}

fn of_group(waits: &[WaitingFor], stage: &str, group: &str) -> Vec<WaitingFor> {
    let here = |w: &&WaitingFor| {
        w.stage.as_deref() == Some(stage) && w.group.as_deref().is_none_or(|g| g == group)
    };
    waits.iter().filter(here).cloned().collect()
}

fn gate(model: &Model, run: &UpdateRun, spot: tree::GateSpot, about: &mut About) {
    let Some(entry) = tree::gate(run, spot) else {
        return;
    };
    let (s, g) = spot.of;
    let stage = tree::stage(run, s)
        .map(|s| s.name.clone())
        .unwrap_or_default();
    let group = g
        .and_then(|g| tree::group(run, s, g))
        .map(|g| g.name.clone());
    about.name = format!(
        "gate \"{}\"",
        entry.display_name.as_deref().unwrap_or("approval")
    );
    about.state = Some(entry.state);
    about.place = Some((stage, group));
    let waits = run.status.as_ref().map_or(&[][..], |s| &s.waiting_for);
    let object = entry.gate_name.as_deref().map(|n| format!("Gate/{n}"));
    let here = |w: &&WaitingFor| Some(&w.object) == object.as_ref();
    about.waits = waits.iter().filter(here).cloned().collect();
    if let Some((_, gate)) = entry
        .gate_name
        .as_deref()
        .and_then(|n| model.store.gate_named(n))
    {
        if let Some(comment) = &gate.spec.comment {
            about.more.push(Fact::new("comment", comment.clone()));
        }
        if let Some(by) = gate.status.as_ref().and_then(|s| s.completed_by.as_ref()) {
            about.more.push(Fact::new("by", by.clone()));
        }
    }
}

fn member(model: &Model, run: &UpdateRun, id: u32, about: &mut About) {
    let store = &model.store;
    let Some(update) = store.updates.get(id) else {
        return;
    };
    let text = |n| store.names.text(n).to_owned();
    about.name = text(update.member);
    about.state = Some(update.state);
    let (stage, group) = (text(update.stage), text(update.group));
    about.tags.push(group.clone());
    let from = text(update.from);
    if !from.is_empty() {
        let target = run
            .spec
            .upgrade
            .kubernetes_version
            .as_deref()
            .unwrap_or("new node image");
        about
            .tags
            .push(format!("{from} {} {target}", model.look.glyphs.arrow));
    }
    if let Some(start) = update.start {
        let end = update.end.unwrap_or(model.now);
        about.tags.push(length(end.duration_since(start).as_secs()));
    }
    if update.attempt > 1 {
        about.tags.push(format!("attempt {}", update.attempt));
    }
    if let Some(note) = &update.note {
        about.waits = note.waits.clone();
        about.message = note.message.clone();
        if !note.error.is_empty() {
            about.error = Some(ErrorDetail {
                code: note.code.clone(),
                message: note.error.clone(),
                ..ErrorDetail::default()
            });
        }
    }
    if about.waits.is_empty() && matches!(update.state, State::NotStarted | State::Stopped) {
        about.waits.extend(turn(model, run, update));
        let ahead = ahead(store, run, update);
        if ahead > 0 {
            about.more.push(Fact::new(
                "in line",
                match ahead {
                    1 => format!("1 member of {group} comes before it"),
                    n => format!("{n} members of {group} come before it"),
                },
            ));
        }
    }
    if let Some(member) = store.members.named(update.member) {
        let state = text(member.state);
        let region = text(member.region);
        about.more.push(Fact::new(
            "cluster",
            format!(
                "control plane {}, {}",
                text(member.version),
                text(member.pools)
            ),
        ));
        about.more.push(Fact::new(
            "member",
            format!("{state} {region}").trim().to_owned(),
        ));
    }
    about.place = Some((stage, Some(group)));
}

/// Why the turn of a member has not come, as the engine says it.
pub fn turn(model: &Model, run: &UpdateRun, update: &Update) -> Option<WaitingFor> {
    let store = &model.store;
    let text = |n| store.names.text(n);
    let status = run.status.as_ref()?;
    let stage = status
        .stages
        .iter()
        .find(|s| s.name == text(update.stage))?;
    let group = stage.groups.iter().find(|g| g.name == text(update.group))?;
    queue::why(
        run.metadata.name.as_deref().unwrap_or_default(),
        status,
        stage,
        group,
        &|slots| {
            let used = match slots {
                Slots::Group => group.counts.running,
                Slots::Stage => stage.counts.running,
            };
            let here = |(key, ids): (&(Name, Name), &Vec<u32>)| {
                let (s, g) = *key;
                let of = s == update.stage && (slots == Slots::Stage || g == update.group);
                of.then(|| ids.clone())
            };
            let ids = store.updates.of_run(update.run).iter().filter_map(here);
            ids.flatten()
                .filter_map(|id| store.updates.get(id))
                .filter(|u| u.state == State::Running)
                .take(usize::try_from(used).unwrap_or_default())
                .map(|u| text(u.member).to_owned())
                .collect()
        },
    )
}

fn ahead(store: &crate::console::model::store::Store, run: &UpdateRun, update: &Update) -> usize {
    let Some(name) = store
        .names
        .find(run.metadata.name.as_deref().unwrap_or_default())
    else {
        return 0;
    };
    store
        .updates
        .of_group(name, update.stage, update.group)
        .iter()
        .filter_map(|id| store.updates.get(*id))
        .take_while(|u| u.uid != update.uid)
        .filter(|u| u.state == State::NotStarted)
        .count()
}

/// One sentence about a row: the cause if it stands still.
pub fn cause(model: &Model, run: &UpdateRun, about: &About) -> String {
    let dot = model.look.glyphs.dot;
    if let Some(wait) = about.waits.first() {
        let mut text = say::wait(model, wait);
        for more in [
            &say::in_our_time(&model.words(), wait, &wait.next),
            &wait.who,
        ] {
            if !more.is_empty() {
                text = format!("{text} {dot} {more}");
            }
        }
        return text;
    }
    if let Some(error) = &about.error {
        return error.message.clone();
    }
    if !about.message.is_empty() {
        return about.message.clone();
    }
    match about.state {
        Some(State::NotStarted) => {
            let place = run.status.as_ref().map_or("", |s| s.waits.as_str());
            match place {
                "" => "not reached yet".to_owned(),
                place => format!("not reached yet {dot} the run waits: {place}"),
            }
        }
        Some(State::Running) => "in flight".to_owned(),
        Some(State::Completed) => "done".to_owned(),
        Some(state) => word(state).to_owned(),
        None => String::new(),
    }
}

/// What a failure at a row's place would do.
fn failure(model: &Model, run: &UpdateRun, about: &About) -> String {
    let stages = tree::stages(run);
    let found = about.place.as_ref().and_then(|(stage, group)| {
        let stage = stages.iter().find(|s| s.name == *stage)?;
        let group = match group {
            Some(group) => stage.groups.iter().find(|g| g.name == *group)?,
            None => explain::tightest(stage)?,
        };
        Some(explain::next_failure(stage, group))
    });
    found.unwrap_or_else(|| say::limits(model, run))
}

/// Everything that is known of a row, in the order of importance.
pub fn facts(model: &Model, run: &UpdateRun, about: &About) -> Vec<Fact> {
    let arrow = if model.look.glyphs.ascii {
        "<-"
    } else {
        model.look.glyphs.left
    };
    let mut facts = Vec::new();
    let mut chain: Vec<String> = Vec::new();
    if let Some((stage, group)) = &about.place {
        let number = tree::stages(run).iter().position(|s| s.name == *stage);
        chain.push(number.map_or(stage.clone(), |n| format!("{} {stage}", n + 1)));
        chain.extend(group.clone());
    }
    if chain.last() != Some(&about.name) {
        chain.push(about.name.clone());
    }
    let first = about.waits.first();
    chain.extend(first.map(|w| say::in_our_time(&model.words(), w, &w.message)));
    if about.waits.is_empty() {
        chain.extend(about.error.as_ref().map(|e| e.message.clone()));
    }
    facts.push(Fact::new("chain", chain.join(&format!(" {arrow} "))));
    if let Some(wait) = about.waits.first() {
        let all = say::wait_facts(model, wait);
        facts.extend(
            all.into_iter()
                .filter(|f| !matches!(f.label.as_str(), "why" | "code")),
        );
        let rest = about.waits.len() - 1;
        if rest > 0 {
            facts.push(Fact::new(
                "also",
                format!("{rest} more things stand still; w lists them"),
            ));
        }
    } else {
        facts.push(Fact::new("why", cause(model, run, about)));
    }
    if let Some(error) = &about.error {
        facts.push(Fact::new(
            "error",
            format!("{}: {}", error.code, error.message),
        ));
    }
    facts.extend(about.more.iter().cloned());
    facts.push(Fact::new("impact", failure(model, run, about)));
    facts
}

fn gates_line(model: &Model, run: &UpdateRun) -> String {
    let states: Vec<State> = spots(run)
        .into_iter()
        .filter_map(|spot| tree::gate(run, spot))
        .map(|g| g.state)
        .collect();
    let of = |state: State| states.iter().filter(|s| **s == state).count();
    let dot = model.look.glyphs.dot;
    if states.is_empty() {
        return "Gates   this run has none".to_owned();
    }
    format!(
        "Gates   {} passed {dot} {} waits for you {dot} {} not reached",
        of(State::Completed),
        of(State::Pending),
        of(State::NotStarted)
    )
}
