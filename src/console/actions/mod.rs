//! Everything a person can do here, one file an action or family, and the registry that lists them.
//!
//! Hints, help, the action menu and the palette are printed from this registry. Whether a run or a
//! gate allows an act is asked of the engine; nothing here decides it.

mod finding;
mod folding;
pub mod gate_approve;
mod leaving;
mod looking;
pub mod marking;
pub mod member_skip;
mod moving;
mod navigating;
mod registry;
pub mod run_delete;
pub mod run_new;
pub mod run_resume;
pub mod run_retry_rest;
pub mod run_stop;

pub use finding::{entries as menu_entries, order_by, order_words};
pub use navigating::open_run;
pub use registry::{
    Hint, all, chords, find, hints, keys, label, may, menu, offered, places, sheet,
};

use crate::console::effect::Effect;
use crate::console::effect::ObjectRef;
use crate::console::model::age::coarse;
use crate::console::model::layers::{Fact, Level};
use crate::console::model::{Mode, Model, Page};
use crate::console::msg::{Kind, Link};
use crate::engine::Refusal;
use crate::engine::refusal::code;
use crate::text::counted;

/// Something a person can do.
#[derive(Clone, Copy, Debug)]
pub struct Action {
    /// `noun.verb`: the same word in key files, palette, help and docs.
    pub id: &'static str,
    /// What it does, in a few words.
    pub label: &'static str,
    /// Part of the help it stands in.
    pub section: Section,
    /// How useful it is in the hint line; 0 is never.
    pub hint: u8,
    /// Whether it belongs to the page in view.
    pub belongs: fn(&Model) -> bool,
    /// Why it is off, if it is.
    pub enabled: fn(&Model) -> Result<(), String>,
    /// Does it, or opens the question before it.
    pub act: fn(&mut Model) -> Vec<Effect>,
}

/// Part of the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Section {
    Move,
    Look,
    Write,
    Select,
    General,
}

/// An action that is never off.
pub(super) const fn look(
    id: &'static str,
    label: &'static str,
    section: Section,
    hint: u8,
    act: fn(&mut Model) -> Vec<Effect>,
) -> Action {
    Action {
        id,
        label,
        section,
        hint,
        belongs: anywhere,
        enabled: on,
        act,
    }
}

pub(super) fn anywhere(_: &Model) -> bool {
    true
}

pub(super) fn in_list(model: &Model) -> bool {
    matches!(model.page(), Page::Runs | Page::Gates)
}

pub(super) fn in_tree(model: &Model) -> bool {
    matches!(model.page(), Page::Tree(_))
}

pub(super) fn on(_: &Model) -> Result<(), String> {
    Ok(())
}

/// Longest silence of the hub after which one may still write.
pub const WRITE_LIMIT: i64 = 30;

/// Why nothing can be written now, whatever it is.
pub fn writes_off(model: &Model) -> Option<String> {
    if model.session.mode == Mode::ReadOnly {
        return Some("this session is read-only".to_owned());
    }
    match &model.link {
        Link::Live => None,
        Link::Connecting => Some("the hub has not answered yet".to_owned()),
        Link::KindsMissing { .. } => Some("the hub does not know fleetdeck's kinds".to_owned()),
        Link::SignIn { .. } => Some("the hub wants a new sign-in".to_owned()),
        Link::Lost { .. } if model.silence() > WRITE_LIMIT => Some(format!(
            "the data is {} old and the limit for writes is {WRITE_LIMIT} s",
            coarse(model.silence())
        )),
        Link::Lost { .. } => None,
    }
}

/// Whether a right is known to be missing.
pub fn denied(model: &Model, verb: &str, kind: Kind) -> bool {
    model
        .rights
        .denied
        .iter()
        .any(|(v, k)| v == verb && *k == kind)
}

/// Whether a kind can be written at all.
pub(super) fn may_write(model: &Model, verb: &str, kind: Kind) -> Result<(), String> {
    if let Some(reason) = writes_off(model) {
        return Err(reason);
    }
    if denied(model, verb, kind) {
        return Err(format!("no right \"{verb} {}\"", kind.plural()));
    }
    Ok(())
}

/// A refusal of the engine as a reason, short where it only says that the state is not the right
/// one: the state stands beside it.
pub(super) fn reason(refusal: Refusal) -> String {
    match refusal.code {
        code::INVALID_OPERATION if !refusal.hint.is_empty() => refusal.hint,
        _ => refusal.text(),
    }
}

/// Levels of an act, elsewhere and on a protected hub.
pub(super) fn level(model: &Model, elsewhere: Level, protected: Level) -> Level {
    let is_protected = matches!(model.session.environment.as_str(), "prod" | "production");
    if is_protected { protected } else { elsewhere }
}

/// The selected run as an object to write to.
pub(super) fn run_object(model: &Model) -> Option<ObjectRef> {
    let (_, run) = model.run()?;
    Some(object(Kind::Run, &run.metadata))
}

pub(super) fn object(
    kind: Kind,
    meta: &k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta,
) -> ObjectRef {
    ObjectRef {
        kind,
        name: meta.name.clone().unwrap_or_default(),
        uid: meta.uid.clone().unwrap_or_default(),
        generation: meta.generation.unwrap_or_default(),
        resource_version: meta.resource_version.clone().unwrap_or_default(),
    }
}

/// The selected run, if it can be written to at all.
pub(super) fn the_run(model: &Model) -> Result<&crate::api::UpdateRun, String> {
    may_write(model, "patch", Kind::Run)?;
    let (uid, run) = model.run().ok_or("no run is selected")?;
    if model.run_is_gone() {
        return Err(format!(
            "run {} is gone",
            run.metadata.name.as_deref().unwrap_or_default()
        ));
    }
    not_asked(model, uid)?;
    Ok(run)
}

/// Whether no write to an object is under way.
pub(super) fn not_asked(
    model: &Model,
    uid: crate::console::model::names::Uid,
) -> Result<(), String> {
    match model.asked.iter().find(|a| a.uid == uid) {
        Some(asked) => Err(format!(
            "{}: asked {}, not yet taken",
            asked.what,
            model.words().clock(asked.at)
        )),
        None => Ok(()),
    }
}

/// Says in a question that marks are not meant: an act is about one run.
pub(super) fn not_marked(model: &Model, facts: &mut Vec<Fact>) {
    let (n, _) = marking::count(model);
    let what = match model.page() {
        Page::Runs => "run",
        Page::Gates => "gate",
        Page::Tree(_) | Page::Plan => "row",
    };
    let are = if n == 1 { "is" } else { "are" };
    if n > 0 {
        let text = format!(
            "{} {are} left out: this is about one run",
            counted(n, &format!("marked {what}"))
        );
        facts.push(Fact::new("Marked", text));
    }
}

/// What an act on marked rows leaves out: its name, and why.
type LeftOut = (String, String);

/// Names for a dialog: eight of them, and how many more there are.
fn some(names: &[String]) -> String {
    let shown: Vec<&str> = names.iter().take(8).map(String::as_str).collect();
    match names.len().saturating_sub(8) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Where a dialog says that it writes: environment and hub.
pub(super) fn place(model: &Model) -> String {
    let environment = model.session.environment.to_uppercase();
    format!("{environment}  {}", model.session.hub)
        .trim()
        .to_owned()
}
