//! Making a run's tree, and making it anew when its spec was edited before the start (update-runs
//! §3.2, §5.1).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::aim::Aim;
use super::blueprint::{self, BlueGroup, BlueStage, Blueprint};
use super::conditions;
use super::counts;
use super::fact::{Fact, Subject};
use super::labels;
use super::membership::{self, Shape};
use super::pass::Pass;
use super::refusal::Refusal;
use super::skip;
use super::tree::{GroupNode, MemberNode, Spec, StageNode, Tree};
use super::version::Version;
use super::world::World;
use crate::api::{
    FleetMember, GateConfig, GateEntry, GroupStatus, MemberUpdate, MemberUpdateSpec, Stage,
    StageStatus, State, UpdateRunStatus, WaitStatus,
};
use crate::text::counted;

/// What making the tree asks for.
#[derive(Default)]
pub(super) struct Remake {
    /// Member updates to remove, by their object name.
    pub remove: Vec<String>,
    /// Member updates to make.
    pub create: Vec<MemberUpdateSpec>,
    /// Whether the tree, or what it aims at, was made by this decision and stands nowhere yet.
    pub fresh: bool,
}

/// The run's tree: as it stands in the status, or made now. `None` when it cannot be made.
pub(super) fn tree<'a>(
    pass: &mut Pass<'a>,
    world: &World<'a>,
    status: &mut UpdateRunStatus,
) -> (Option<Tree<'a>>, Remake) {
    let spec = &world.run.spec;
    let source = status
        .strategy
        .as_ref()
        .map(|strategy| strategy.source_hash.as_str());
    if status.start_time.is_some() || status.state != State::NotStarted {
        return (Tree::take(status, world.updates), Remake::default());
    }
    let strategy_same = source.is_some_and(|s| s.starts_with(&blueprint::strategy_digest(spec)));
    if !strategy_same {
        return anew(pass, world, status);
    }
    let upgrade = blueprint::upgrade_digest(spec);
    let edited = source.is_some_and(|source| !source.ends_with(&upgrade));
    let mut tree = Tree::take(status, world.updates);
    // Nothing was begun: what somebody deleted by hand is made again with all the rest.
    if tree.as_ref().is_some_and(|tree| tree.missing() > 0) {
        return anew(pass, world, status);
    }
    let mut remake = Remake::default();
    if let Some(tree) = tree.as_mut().filter(|_| edited) {
        retarget(pass, world, status, tree);
        remake.fresh = true;
    }
    (tree, remake)
}

fn anew<'a>(
    pass: &mut Pass<'a>,
    world: &World<'a>,
    status: &mut UpdateRunStatus,
) -> (Option<Tree<'a>>, Remake) {
    match blueprint::make(&world.run.spec, pass.fleet) {
        Ok(blueprint) => make(pass, world, status, blueprint),
        Err(refusals) => (None, cannot(pass, world, status, &refusals)),
    }
}

// Another upgrade with the same strategy: the membership stays, versions and images are fixed anew.
fn retarget(
    pass: &mut Pass<'_>,
    world: &World<'_>,
    status: &mut UpdateRunStatus,
    tree: &mut Tree<'_>,
) {
    let spec = &world.run.spec;
    let everyone = blueprint::present_members(pass.fleet);
    let members: Vec<_> = tree
        .members()
        .filter_map(|member| pass.fleet.member(&member.spec.member))
        .collect();
    let pinned = blueprint::pin(spec, members.iter(), pass.fleet, &everyone);
    tree.strategy.source_hash = format!(
        "{}-{}",
        blueprint::strategy_digest(spec),
        blueprint::upgrade_digest(spec)
    );
    status.target = target(pass, pinned.version);
    status.selected_node_image_versions = pinned.images;
}

fn target(pass: &Pass<'_>, version: Option<Version>) -> String {
    Aim::new(&pass.run.spec, version, &[], pass.fleet).words()
}

fn cannot(
    pass: &mut Pass<'_>,
    world: &World<'_>,
    status: &mut UpdateRunStatus,
    refusals: &[Refusal],
) -> Remake {
    let Some(first) = refusals.first() else {
        return Remake::default();
    };
    let run = format!("UpdateRun/{}", pass.run_name);
    let mut error = first.detail(run);
    error.details = refusals.iter().skip(1).map(Refusal::cause).collect();
    if status.error.as_ref() != Some(&error) {
        let note = format!("The tree cannot be made: {}", error.message);
        pass.facts
            .push(Fact::warning(Subject::Run, "InitializationFailed", note));
    }
    conditions::set(
        &mut status.conditions,
        conditions::INITIALIZED,
        "False",
        first.code,
        &error.message,
        pass.now,
    );
    conditions::remove(&mut status.conditions, conditions::LIMITS_CAPPED);
    status.error = Some(error);
    status.strategy = None;
    status.stages = Vec::new();
    status.selected_node_image_versions = Vec::new();
    status.target = String::new();
    Remake {
        remove: names(world.updates.iter()),
        ..Remake::default()
    }
}

fn make<'a>(
    pass: &mut Pass<'a>,
    world: &World<'a>,
    status: &mut UpdateRunStatus,
    blueprint: Blueprint,
) -> (Option<Tree<'a>>, Remake) {
    let mut old = Old::new(world);
    let mut remake = Remake {
        fresh: true,
        ..Remake::default()
    };
    let mut capped = Vec::new();
    let strategy = blueprint.strategy;
    let stages = strategy
        .stages
        .iter()
        .zip(blueprint.stages)
        .map(|(written, stage)| {
            capped.extend(capping(written, &stage));
            make_stage(pass, written, stage, &mut old, &mut remake)
        })
        .collect();
    let mut tree = Tree { strategy, stages };
    finish_groups(pass, &mut tree);
    remake
        .remove
        .extend(names(old.left.values().copied().chain(old.foreign)));
    status.target = target(pass, blueprint.pinned.version);
    status.selected_node_image_versions = blueprint.pinned.images;
    status.error = None;
    let count = tree.members().count();
    let stages = counted(tree.stages.len(), "stage");
    let message = format!("{} in {stages}", counted(count, "member"));
    let list = &mut status.conditions;
    conditions::set(
        list,
        conditions::INITIALIZED,
        "True",
        "TreeMade",
        &message,
        pass.now,
    );
    if capped.is_empty() {
        conditions::remove(list, conditions::LIMITS_CAPPED);
    } else {
        let message = capped.join("; ");
        conditions::set(
            list,
            conditions::LIMITS_CAPPED,
            "True",
            "Capped",
            &message,
            pass.now,
        );
        pass.facts
            .push(Fact::warning(Subject::Run, "LimitsCapped", message));
    }
    pass.facts.push(Fact::normal(
        Subject::Run,
        "Initialized",
        format!("Made the tree: {message}"),
    ));
    (Some(tree), remake)
}

// Empty groups are Skipped from the beginning, and so are those whose members all were skipped by
// a request before the tree was made anew.
fn finish_groups(pass: &mut Pass<'_>, tree: &mut Tree<'_>) {
    for stage in &mut tree.stages {
        let name = stage.status.name.clone();
        for group in &mut stage.groups {
            if counts::all_skipped(&group.live) {
                skip::close(pass, &name, group);
            }
        }
    }
}

/// Member updates that are there already: some of an earlier tree of this run, some just made by a
/// decision that was cut short.
struct Old<'a> {
    left: BTreeMap<&'a str, &'a Arc<MemberUpdate>>,
    foreign: Vec<&'a Arc<MemberUpdate>>,
}

impl<'a> Old<'a> {
    fn new(world: &World<'a>) -> Self {
        let uid = world.run.metadata.uid.as_deref();
        let (ours, foreign): (Vec<_>, Vec<_>) = world
            .updates
            .iter()
            .partition(|update| owned_by(update, uid));
        Self {
            left: ours
                .into_iter()
                .map(|u| (u.spec.member.as_str(), u))
                .collect(),
            foreign,
        }
    }
}

// Left over from a deleted run of the same name, until the garbage collector has taken it.
fn owned_by(update: &MemberUpdate, uid: Option<&str>) -> bool {
    let owners = update
        .metadata
        .owner_references
        .as_deref()
        .unwrap_or_default();
    uid.is_none_or(|uid| owners.is_empty() || owners.iter().any(|owner| owner.uid == uid))
}

fn names<'u>(updates: impl Iterator<Item = &'u Arc<MemberUpdate>>) -> Vec<String> {
    updates
        .filter_map(|update| update.metadata.name.clone())
        .collect()
}

fn make_stage<'a>(
    pass: &mut Pass<'a>,
    written: &Stage,
    stage: BlueStage,
    old: &mut Old<'a>,
    remake: &mut Remake,
) -> StageNode<'a> {
    let shapes = membership::groups(written);
    let groups = shapes
        .iter()
        .zip(stage.groups)
        .map(|(shape, group)| make_group(pass, &written.name, shape, group, old, remake))
        .collect();
    StageNode {
        status: StageStatus {
            name: written.name.clone(),
            max_concurrency: stage.concurrency.value,
            max_allowed_failures: stage.tolerance,
            before_gates: entries(&written.before_gates),
            after_gates: entries(&written.after_gates),
            after_stage_wait: WaitStatus {
                duration_seconds: written.after_stage_wait_in_seconds.unwrap_or(0),
                ..WaitStatus::default()
            },
            ..StageStatus::default()
        },
        groups,
    }
}

fn make_group<'a>(
    pass: &mut Pass<'a>,
    stage: &str,
    shape: &Shape<'_>,
    group: BlueGroup,
    old: &mut Old<'a>,
    remake: &mut Remake,
) -> GroupNode<'a> {
    let mut node = GroupNode::new(GroupStatus {
        name: group.name.clone(),
        max_concurrency: group.concurrency.value,
        max_allowed_failures: group.tolerance,
        before_gates: entries(shape.before_gates()),
        after_gates: entries(shape.after_gates()),
        ..GroupStatus::default()
    });
    for (position, member) in group.members.iter().enumerate() {
        let spec = member_spec(pass.run_name, stage, &group.name, member, position);
        let member = place_member(pass, spec, old, remake);
        counts::add(&mut node.live, member.state());
        node.members.push(member);
    }
    node
}

// A request to skip a member outlives an edit of the strategy: it was accepted, and upgrading the
// member after all would be a surprise.
fn place_member<'a>(
    pass: &mut Pass<'a>,
    spec: MemberUpdateSpec,
    old: &mut Old<'a>,
    remake: &mut Remake,
) -> MemberNode<'a> {
    let was = old.left.remove(spec.member.as_str());
    let skipped = was
        .and_then(|update| update.status.as_ref())
        .filter(|status| status.state == State::Skipped);
    if let Some(update) = was.filter(|update| update.spec == spec) {
        let mut member = MemberNode::new(Spec::Stored(&update.spec), update.status.as_ref());
        member.change(pass);
        return member;
    }
    remake
        .remove
        .extend(was.and_then(|update| update.metadata.name.clone()));
    remake.create.push(spec.clone());
    let mut member = MemberNode::new(Spec::Made(Box::new(spec)), None);
    member.change(pass);
    if let Some(skipped) = skipped {
        member.take_over(pass, skipped);
    }
    member
}

/// The spec of a member's update.
pub(super) fn member_spec(
    run: &str,
    stage: &str,
    group: &str,
    member: &FleetMember,
    position: usize,
) -> MemberUpdateSpec {
    MemberUpdateSpec {
        run: run.to_owned(),
        stage: stage.to_owned(),
        group: group.to_owned(),
        member: member.metadata.name.clone().unwrap_or_default(),
        member_uid: member.metadata.uid.clone().unwrap_or_default(),
        cluster_resource_id: labels::cluster_resource_id(member),
        position: i32::try_from(position).unwrap_or(i32::MAX),
    }
}

fn entries(gates: &[GateConfig]) -> Vec<GateEntry> {
    gates
        .iter()
        .map(|gate| GateEntry {
            display_name: gate.display_name.clone(),
            ..GateEntry::default()
        })
        .collect()
}

fn capping(written: &Stage, stage: &BlueStage) -> Vec<String> {
    let own = stage.concurrency.capped_from.map(|from| {
        format!(
            "stage {} {from} to {}",
            written.name, stage.concurrency.value
        )
    });
    let groups = stage
        .groups
        .iter()
        .filter(|group| !group.members.is_empty())
        .filter_map(|group| {
            let from = group.concurrency.capped_from?;
            Some(format!(
                "group {} {from} to {}",
                group.name, group.concurrency.value
            ))
        });
    own.into_iter().chain(groups).collect()
}
