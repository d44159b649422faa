//! What somebody should know of a run before it is started: each finding with the members it is about.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use super::aim::Aim;
use super::explain;
use super::plan;
use super::turn::{self, Turn};
use super::version::Version;
use super::world::World;
use crate::api::{FleetMember, MemberUpdate, RunIntent, State, UpdateRun};
use crate::text::counted;

/// Codes of findings that are not the code of a member's turn.
pub mod code {
    /// Limits or groups that do less than it seems.
    pub const PLAN: &str = "Plan";
    /// Members that have more than the run wants.
    pub const NEWER: &str = "NewerThanTarget";
    /// Another run that is at work has the same members.
    pub const SHARED: &str = "SharedMembers";
}

/// One thing to know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finding {
    /// One of [`code`], or the code that a member's turn would answer.
    pub code: &'static str,
    /// In a sentence.
    pub message: String,
    /// Members it is about, by name; empty where it is about the plan.
    pub members: Vec<String>,
}

impl Finding {
    /// About the plan itself.
    pub fn plan(message: impl Into<String>) -> Self {
        Self {
            code: code::PLAN,
            message: message.into(),
            members: Vec::new(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.message)
    }
}

/// A run besides the one in question, with its member updates.
#[derive(Clone, Debug)]
pub struct Other {
    /// The run.
    pub run: Arc<UpdateRun>,
    /// Its member updates, in any order.
    pub updates: Vec<Arc<MemberUpdate>>,
}

/// What would become of members if their turn came now.
#[derive(Clone, Debug, Default)]
pub(super) struct Outlook {
    pub at_target: Vec<String>,
    /// Skipped too, but not because they have what the run wants: they have more.
    pub newer: Vec<String>,
    pub findings: Vec<Finding>,
}

/// The findings about a run that is made: what awaits the members it has still to upgrade, and which
/// runs at work upgrade the same ones.
pub fn of_run(world: &World<'_>, others: &[Other]) -> Vec<Finding> {
    let run = world.run;
    let name = run.metadata.name.as_deref().unwrap_or_default();
    let Some(status) = run.status.as_ref().filter(|s| !s.stages.is_empty()) else {
        let planned = plan::plan(&run.spec, world.fleet);
        return planned
            .map(|plan| plan.beside(name, others).warnings)
            .unwrap_or_default();
    };
    let version = Version::parse(&status.target);
    let images = &status.selected_node_image_versions;
    let aim = Aim::new(&run.spec, version, images, world.fleet);
    let left = || world.updates.iter().filter(|update| is_left(update));
    let members: Vec<_> = left()
        .filter_map(|update| turn::present(&update.spec, world.fleet))
        .collect();
    let names = left().map(|update| update.spec.member.as_str()).collect();
    let mut found = outlook(&aim, &members).findings;
    found.extend(shared(name, &names, others));
    found
}

/// Whether a run upgrades members now, or will as soon as its controller sees it.
pub fn at_work(run: &UpdateRun) -> bool {
    match run.status.as_ref().map(|s| s.state).unwrap_or_default() {
        State::Running | State::Pending | State::Stopping => true,
        State::NotStarted => run.spec.state == RunIntent::Run,
        _ => false,
    }
}

// A failed member is tried again when its run goes on.
fn is_left(update: &MemberUpdate) -> bool {
    let state = update.status.as_ref().map(|s| s.state).unwrap_or_default();
    !matches!(state, State::Completed | State::Skipped)
}

/// What would become of these members now.
pub(super) fn outlook(aim: &Aim<'_>, members: &[Arc<FleetMember>]) -> Outlook {
    let mut found = Outlook::default();
    let mut others = BTreeMap::<(&'static str, String), Vec<String>>::new();
    for member in members {
        let name = member.metadata.name.clone().unwrap_or_default();
        let (code, says) = match turn::foresee(aim, member) {
            Turn::Skip(turn::code::AT_TARGET, _) => match turn::ahead(aim, member) {
                Some(version) => {
                    found.newer.push(name.clone());
                    (code::NEWER, newer(aim, version))
                }
                None => {
                    found.at_target.push(name);
                    continue;
                }
            },
            Turn::Wait(turn::code::NOT_OBSERVED, ..) | Turn::Go(_) => continue,
            Turn::Skip(code, _) => (code, skipped(code).to_owned()),
            Turn::Wait(code, message, _) => (code, format!("will wait: {message}")),
            Turn::Fail(code, _) => (code, fails(aim, member, code)),
        };
        others.entry((code, says)).or_default().push(name);
    }
    let findings = others.into_iter().map(|((code, says), members)| Finding {
        code,
        message: format!(
            "{} {says} ({})",
            counted(members.len(), "member"),
            names(&members)
        ),
        members,
    });
    found.findings = findings.collect();
    found
}

fn newer(aim: &Aim<'_>, version: Version) -> String {
    let want = aim.words();
    format!("will be skipped: {version} is newer than the target {want}")
}

fn skipped(code: &str) -> &'static str {
    match code {
        turn::code::NO_TARGET_IMAGE => {
            "will be skipped: this run has no image for the family of a pool"
        }
        _ => "will be skipped: the cluster is of a kind that cannot be upgraded",
    }
}

fn fails(aim: &Aim<'_>, member: &FleetMember, code: &str) -> String {
    let now = match code {
        turn::code::VERSION_PATH => {
            let why = turn::illegal_path(aim, member).unwrap_or_default();
            return format!("will fail: no upgrade goes to {}, since {why}", aim.words());
        }
        turn::code::STOPPED => "the cluster is stopped",
        turn::code::BUSY => "another operation is in progress on the cluster",
        _ => "the cluster does not answer",
    };
    format!("would fail as things are: {now}")
}

/// Members that runs at work have still to upgrade too: a cluster does one upgrade at a time.
pub(super) fn shared(run: &str, members: &BTreeSet<&str>, others: &[Other]) -> Vec<Finding> {
    let mut found = Vec::new();
    for other in others {
        let name = other.run.metadata.name.as_deref().unwrap_or_default();
        if name == run || !at_work(&other.run) {
            continue;
        }
        let open = |update: &&Arc<MemberUpdate>| {
            let state = update.status.as_ref().map(|s| s.state).unwrap_or_default();
            is_left(update) && state != State::Failed
        };
        let mut both: Vec<String> = other
            .updates
            .iter()
            .filter(open)
            .map(|update| update.spec.member.clone())
            .filter(|member| members.contains(member.as_str()))
            .collect();
        both.sort();
        if both.is_empty() {
            continue;
        }
        found.push(Finding {
            code: code::SHARED,
            message: format!(
                "Run {name} is at work and has {} of these to upgrade too: {}; where both meet, the later one fails with {}",
                both.len(),
                names(&both),
                turn::code::BUSY
            ),
            members: both,
        });
    }
    found
}

fn names(members: &[String]) -> String {
    let names: Vec<_> = members.iter().map(String::as_str).collect();
    explain::list(&names)
}
