//! What a pane shows while it has no rows (console guide §11). No pane is ever blank.

use ratatui::layout::Rect;

use crate::api::UpdateRun;
use crate::console::actions;
use crate::console::model::filter::Filter;
use crate::console::model::store::Sync;
use crate::console::model::tree_page::TreePage;
use crate::console::model::{Model, Page};
use crate::console::msg::{Kind, Link};
use crate::console::theme::Role;
use crate::text::count;

use super::pen::Pen;
use super::wrap::wrap;

/// Draws what stands instead of the page, where nothing of it can be shown.
pub fn instead(model: &Model, area: Rect, pen: &mut Pen<'_>) -> bool {
    let hub = &model.session.hub;
    if let Link::KindsMissing { missing } = &model.link {
        let text = [
            format!("{hub} does not know fleetdeck's kinds."),
            String::new(),
            format!("missing   {}", missing.join(", ")),
            format!("install   {}", model.session.command("crds install")),
            format!(
                "then      {} tries again",
                actions::keys(model, "link.retry")
            ),
            "or        fleetdeck demo   rehearses with a made-up fleet".to_owned(),
        ];
        write(pen, area, &text);
        return true;
    }
    let kind = match model.page() {
        Page::Runs | Page::Tree(_) => Kind::Run,
        Page::Gates => Kind::Gate,
        Page::Plan => return false,
    };
    match model.store.sync(kind) {
        Sync::Denied => {
            denied(model, kind, area, pen);
            true
        }
        Sync::Waiting => {
            let text = match &model.link {
                Link::Lost { reason, .. } => vec![
                    format!("{hub} cannot be reached: {reason}"),
                    String::new(),
                    format!("{} tries now", actions::keys(model, "link.retry")),
                ],
                Link::SignIn {
                    reason, command, ..
                } => {
                    let mut text =
                        vec![format!("Sign in to {hub}."), String::new(), reason.clone()];
                    text.extend(command.iter().map(|c| format!("run       {c}")));
                    text.push(format!(
                        "then      {} tries again",
                        actions::keys(model, "link.retry")
                    ));
                    text
                }
                Link::Connecting | Link::Live | Link::KindsMissing { .. } => {
                    vec![format!("Loading {} from {hub}.", kind.plural())]
                }
            };
            write(pen, area, &text);
            true
        }
        Sync::Loading | Sync::Ready => false,
    }
}

fn denied(model: &Model, kind: Kind, area: Rect, pen: &mut Pen<'_>) {
    let groups = model.rights.groups.join(", ");
    let groups = if groups.is_empty() {
        String::new()
    } else {
        format!(", groups: {groups}")
    };
    let works: Vec<&str> = Kind::ALL
        .iter()
        .filter(|k| model.store.sync(**k) == Sync::Ready)
        .map(|k| k.plural())
        .collect();
    let works = if works.is_empty() {
        "nothing yet".to_owned()
    } else {
        works.join(", ")
    };
    let text = [
        format!(
            "You may not list {} on {}.",
            kind.plural(),
            model.session.hub
        ),
        format!("missing   list {}.fleetdeck.io", kind.plural()),
        format!("you are   {}{groups}", model.person()),
        "ask       who gave you access".to_owned(),
        format!("works     {works}"),
    ];
    write(pen, area, &text);
}

fn loading(model: &Model, kind: Kind) -> Option<Vec<String>> {
    (model.store.sync(kind) != Sync::Ready).then(|| {
        vec![format!(
            "Loading {}: {} so far.",
            kind.plural(),
            count(model.store.len(kind))
        )]
    })
}

fn no_match(
    model: &Model,
    filter: &Filter,
    faults: bool,
    all: usize,
    what: &str,
) -> Option<Vec<String>> {
    if filter.text.is_empty() && !faults {
        return None;
    }
    let mut text = vec!["Nothing matches.".to_owned()];
    for fault in &filter.faults {
        let instead = match &fault.instead {
            Some(instead) => format!(" Did you mean  {instead} ?"),
            None => String::new(),
        };
        text.push(format!("{}{instead}", fault.message));
    }
    if faults {
        text.push(format!(
            "{} shows all again",
            actions::keys(model, "faults")
        ));
    }
    if !filter.text.is_empty() {
        let key = actions::keys(model, "back");
        text.push(format!("{key} clears the filter ({} {what})", count(all)));
    }
    Some(text)
}

/// The list of runs has no row.
pub fn no_runs(model: &Model, area: Rect, pen: &mut Pen<'_>) {
    let page = &model.runs;
    let all = model.store.len(Kind::Run);
    let text = loading(model, Kind::Run)
        .or_else(|| no_match(model, &page.filter, page.faults, all, "runs"))
        .unwrap_or_else(|| {
            let hub = &model.session.hub;
            let mut text = if all == 0 {
                vec![format!("No update runs on {hub}.")]
            } else {
                vec![format!(
                    "No update runs on {hub} but {all} that ended over 10 days ago."
                )]
            };
            text.push(String::new());
            text.push(
                "A run takes members from one version to another, stage by stage.".to_owned(),
            );
            let new = actions::keys(model, "run.new");
            text.push(format!(
                "{new} makes one (you look at the plan before anything starts)"
            ));
            text
        });
    write(pen, area, &text);
}

/// The list of gates has no row.
pub fn no_gates(model: &Model, area: Rect, pen: &mut Pen<'_>) {
    let page = &model.gates;
    let (a, b, c) = page.totals;
    let text = loading(model, Kind::Gate)
        .or_else(|| no_match(model, &page.filter, page.faults, a + b + c, "gates"))
        .unwrap_or_else(|| {
            vec![
                format!("No gates on {}.", model.session.hub),
                String::new(),
                "A gate holds a stage or group until a person or a time opens it.".to_owned(),
                "Strategies ask for them with beforeGates and afterGates.".to_owned(),
            ]
        });
    write(pen, area, &text);
}

/// The tree of a run has no row.
pub fn no_rows(model: &Model, run: &UpdateRun, page: &TreePage, area: Rect, pen: &mut Pen<'_>) {
    let status = run.status.as_ref();
    let error = status.and_then(|s| s.error.as_ref());
    let members = status.map_or(0, |s| s.counts.total);
    let all = usize::try_from(members).unwrap_or(0);
    let filtered = !page.filter.is_empty() || page.faults;
    let coming = filtered.then(|| loading(model, Kind::Update)).flatten();
    let text = coming
        .or_else(|| no_match(model, &page.filter, page.faults, all, "members"))
        .unwrap_or_else(|| match error {
            Some(error) => vec![
                "The tree of this run cannot be made.".to_owned(),
                String::new(),
                format!("{}: {}", error.code, error.message),
                "It is tried again when the run, a strategy or a member changes.".to_owned(),
            ],
            None if status.is_none() => vec![
                "No controller has seen this run yet.".to_owned(),
                format!("driver    {}", super::say::driver(model)),
            ],
            None => vec!["This run has no stages.".to_owned()],
        });
    write(pen, area, &text);
}

fn write(pen: &mut Pen<'_>, area: Rect, lines: &[String]) {
    let width = area.width.saturating_sub(4);
    let mut y = area.y + u16::from(area.height > 4);
    for line in lines {
        for part in wrap(line, usize::from(width)) {
            if y >= area.bottom() {
                return;
            }
            pen.put((area.x + 3, y), width, &part, Role::Text);
            y += 1;
        }
    }
}
