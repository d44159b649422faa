//! Upgrades that take unusually long: a member that hangs says so itself.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::explain;
use super::instants;
use super::pass::Pass;
use super::tree::{MemberNode, Tree};
use crate::api::{State, WaitingFor};

/// An upgrade is unusually long after this at the latest.
const LATEST: i64 = 2 * 3600;
/// And after this at the earliest.
const EARLIEST: i64 = 15 * 60;
/// So many times the longest of this run so far.
const TIMES: i64 = 3;
/// So many must have ended before they say what is usual.
const SAMPLES: usize = 3;

/// Marks members whose upgrade takes too long, once each, and wakes up when the next one would. Looks
/// at the members as this decision leaves them: what has just ended tells what is usual, and what has
/// just begun may be the one that hangs.
pub(super) fn mark(pass: &mut Pass<'_>, tree: &mut Tree<'_>) {
    if tree.groups().all(|group| group.live.running == 0) {
        return;
    }
    let seconds = usual(tree);
    for group in tree.stages.iter_mut().flat_map(|stage| &mut stage.groups) {
        if group.live.running == 0 {
            continue;
        }
        for member in &mut group.members {
            if member.state() == State::Running {
                watch(pass, member, seconds);
            }
        }
    }
}

fn watch(pass: &mut Pass<'_>, member: &mut MemberNode<'_>, seconds: i64) {
    let marked = |w: &WaitingFor| w.code == explain::code::SLOW_UPGRADE;
    if member.status().waiting_for.iter().any(marked) {
        return;
    }
    let start = began(pass, member);
    let limit = instants::after(start.0, seconds);
    if limit > pass.now {
        pass.wake_at(limit);
        return;
    }
    let entry = explain::slow(&member.spec, &start, seconds);
    member.change(pass).waiting_for = vec![entry];
}

/// When the upgrade in flight began: as its member tells, or as it is issued now.
fn began(pass: &Pass<'_>, member: &MemberNode<'_>) -> Time {
    let name = &member.spec.member;
    let id = member.status().operation_id.as_deref();
    let on_member = pass.fleet.member(name).and_then(|cluster| {
        let operation = cluster.status.as_ref()?.operation.as_ref()?;
        (Some(operation.id.as_str()) == id).then(|| operation.start_time.clone())
    });
    let issued = || {
        let begin = pass.begins.iter().find(|begin| begin.member == *name)?;
        Some(begin.operation.start_time.clone())
    };
    on_member.or_else(issued).unwrap_or(Time(pass.now))
}

/// After how many seconds an upgrade of this run is unusually long.
fn usual(tree: &Tree<'_>) -> i64 {
    let mut samples = 0;
    let mut longest = 0;
    for member in tree.members() {
        if member.state() != State::Completed {
            continue;
        }
        let status = member.status();
        if let (Some(start), Some(end)) = (&status.start_time, &status.completed_time) {
            samples += 1;
            longest = longest.max(instants::seconds_between(start, end));
        }
    }
    match samples >= SAMPLES {
        true => (TIMES * longest).clamp(EARLIEST, LATEST),
        false => LATEST,
    }
}
