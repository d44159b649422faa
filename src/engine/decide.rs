//! One decision about one run: what to write and what to begin.

use jiff::Timestamp;

use super::aim::Aim;
use super::conditions;
use super::fact::Fact;
use super::gates;
use super::halt;
use super::initialize::{self, Remake};
use super::instants;
use super::outcome;
use super::pass::Pass;
use super::requests::{self, Wish};
use super::restore;
use super::resume;
use super::schedule::{self, End};
use super::skip;
use super::slow;
use super::states;
use super::story;
use super::tree::{Tree, is_terminal};
use super::version::Version;
use super::waiting;
use super::world::World;
use crate::api::{
    GateSpec, GateStatus, MemberUpdateSpec, MemberUpdateStatus, Operation, State, UpdateRunStatus,
};

/// What to do, in the order of the fields: each step may be repeated after a crash, and a decision
/// taken anew in the middle of it comes to the same end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    /// Member updates to delete, by their object name; before anything is created.
    pub remove: Vec<String>,
    /// Member updates to make, in the order of the tree; their statuses are in `updates`.
    pub create: Vec<MemberUpdateSpec>,
    /// Gates to make or to write.
    pub gates: Vec<GateChange>,
    /// New statuses of member updates, by *member* name, changed ones only, as they were decided.
    pub updates: Vec<(String, MemberUpdateStatus)>,
    /// The whole status of the run; equal to the old one when nothing changed. Written last.
    pub status: UpdateRunStatus,
    /// Upgrades to issue, or to issue again under the same id; after the statuses are written.
    pub begins: Vec<Begin>,
    /// What happened, for events.
    pub facts: Vec<Fact>,
    /// The next instant at which this run can change by itself.
    pub wake_at: Option<Timestamp>,
    /// To be decided again as soon as this is written: it only prepares what comes next.
    pub again: bool,
}

/// A gate to make or to write.
// There are a few of them in a decision at most: the larger variant costs nothing.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug, PartialEq)]
pub enum GateChange {
    /// Make a gate with this status.
    Create {
        /// Name of the gate object.
        name: String,
        /// Its spec.
        spec: GateSpec,
        /// Its status.
        status: GateStatus,
    },
    /// Write a gate's status.
    Status {
        /// Name of the gate object.
        name: String,
        /// The whole status.
        status: GateStatus,
    },
}

/// An upgrade to issue. Beginning the same operation id twice is one upgrade.
#[derive(Clone, Debug, PartialEq)]
pub struct Begin {
    /// Name of the member.
    pub member: String,
    /// Uid of the member that is meant.
    pub member_uid: String,
    /// The operation, with its id and targets.
    pub operation: Operation,
}

/// Decides the run's next step at `now`.
///
/// All outcomes known now are recorded first, then requests are answered, then tolerances are
/// tested, then members are started.
pub fn decide(world: &World<'_>, now: Timestamp) -> Decision {
    let mut pass = Pass::new(world, instants::floor(now));
    let mut status = world.run.status.clone().unwrap_or_default();
    let (tree, remake) = initialize::tree(&mut pass, world, &mut status);
    let Some(mut tree) = tree else {
        let skipped = requests::answer_skips(&mut pass, &mut status, None);
        requests::answer_wish(&mut pass, &mut status, skipped);
        return finish(pass, status, None, remake);
    };
    let restored = restore::missing(&mut pass, &status, &tree);
    if !restored.create.is_empty() {
        tree.give_back(&mut status);
        return Decision {
            create: restored.create,
            updates: restored.updates,
            status,
            facts: pass.facts,
            again: true,
            ..Decision::default()
        };
    }
    // Nothing is begun before the tree stands on the hub: made anew after a crash, it could be another
    // one, with lower limits than what is in flight already.
    if !remake.fresh {
        step(&mut pass, &mut status, &mut tree);
    }
    states::count(&mut status, &mut tree);
    finish(pass, status, Some(tree), remake)
}

fn step(pass: &mut Pass<'_>, status: &mut UpdateRunStatus, tree: &mut Tree<'_>) {
    let images = std::mem::take(&mut status.selected_node_image_versions);
    let version = Version::parse(&status.target);
    let aim = Aim::new(&pass.run.spec, version, &images, pass.fleet);
    let goes = status.start_time.is_some() && !is_terminal(status.state);
    if goes {
        follow(pass, status, tree, &aim);
    }
    let skipped = requests::answer_skips(pass, status, Some(tree));
    if matches!(
        status.state,
        State::Running | State::Pending | State::Stopping
    ) {
        schedule::catch_up(pass, tree, &aim);
    }
    match requests::answer_wish(pass, status, skipped) {
        // Nothing is begun before the run itself says that it is at work: what came of a start or a
        // resume that broke off could not be told from what was there before.
        Wish::Start => {
            status.start_time = pass.time();
            status.state = State::Running;
            pass.again = true;
        }
        Wish::Resume => {
            resume::apply(pass, status, tree);
            pass.again = true;
        }
        Wish::Stop => status.state = State::Stopping,
        Wish::Nothing => resume::unhalt(pass, status, tree),
    }
    if matches!(status.state, State::Running | State::Pending) && !pass.again {
        match schedule::pass(pass, status, tree, &aim) {
            End::Goes => states::follow(status, tree),
            End::Halted => status.state = State::Stopping,
            End::Done => {}
        }
    }
    if status.state == State::Stopping {
        halt::settle(pass, status, tree);
    }
    slow::mark(pass, tree);
    drop(aim);
    status.selected_node_image_versions = images;
}

// What is known now of upgrades and gates, and what a decision that was cut short has done already.
fn follow(pass: &mut Pass<'_>, status: &UpdateRunStatus, tree: &mut Tree<'_>, aim: &Aim<'_>) {
    outcome::record(pass, tree, aim);
    // A settled run was not left in the middle of anything but a resume, which begins anew.
    let settled = matches!(status.state, State::Stopped | State::Failed);
    gates::record_all(pass, tree, !settled);
    skip::recover(pass, tree);
}

fn finish(
    mut pass: Pass<'_>,
    mut status: UpdateRunStatus,
    tree: Option<Tree<'_>>,
    remake: Remake,
) -> Decision {
    // With a fresh tree the requests of this spec are still to be answered.
    if !remake.fresh {
        status.observed_generation = pass.run.metadata.generation.or(status.observed_generation);
    }
    waiting::write(&pass, &mut status, tree.as_ref());
    let mut updates = Vec::new();
    if let Some(mut tree) = tree {
        let changed = tree.changed();
        story::members(&mut pass, &changed);
        updates.extend(
            changed
                .into_iter()
                .map(|change| (change.member, change.status)),
        );
        tree.give_back(&mut status);
    }
    conditions::follow(&mut status, pass.now);
    let before = pass.run.status.as_ref();
    story::run(&mut pass, before, &status);
    let wake_at = pass.wake();
    Decision {
        remove: remake.remove,
        create: remake.create,
        gates: pass.changes,
        updates,
        status,
        begins: pass.begins,
        facts: pass.facts,
        wake_at,
        again: pass.again || remake.fresh,
    }
}
