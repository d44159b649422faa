//! What became of the upgrades in flight, as their members tell (update-runs §9.1).

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::aim::Aim;
use super::decide::Begin;
use super::pass::Pass;
use super::tree::{MemberNode, Tree};
use super::turn::{self, code};
use crate::api::{
    Counts, ErrorDetail, FleetMember, LastOperation, MemberUpdateSpec, MemberUpdateStatus,
    Operation, OperationOutcome, State,
};

/// Records every outcome that is known now, and issues again what a crash kept from being issued.
pub(super) fn record(pass: &mut Pass<'_>, tree: &mut Tree<'_>, aim: &Aim<'_>) {
    for group in tree.stages.iter_mut().flat_map(|stage| &mut stage.groups) {
        if group.live.running == 0 {
            continue;
        }
        for member in &mut group.members {
            if member.state() == State::Running {
                follow(pass, &mut group.live, member, aim);
            }
        }
    }
}

fn follow(pass: &mut Pass<'_>, live: &mut Counts, member: &mut MemberNode<'_>, aim: &Aim<'_>) {
    let id = member.status().operation_id.clone().unwrap_or_default();
    let found = pass.fleet.member(&member.spec.member);
    let Some(cluster) = found.filter(|found| turn::is_meant(&member.spec, found)) else {
        let name = &member.spec.member;
        let message = format!(
            "{name} has left the fleet while its upgrade was in flight; what became of it is not known"
        );
        // Removing a cluster is deliberate: it must not halt the run for the others (OP-24).
        let now = pass.time();
        let status = member.enter(pass, live, State::Skipped);
        status.completed_time = now;
        status.message = message;
        status.error = None;
        status.waiting_for = Vec::new();
        return;
    };
    let status = cluster.status.clone().unwrap_or_default();
    if let Some(last) = status.last_operation.filter(|last| last.id == id) {
        ended(pass, live, member, &last);
        return;
    }
    match status.operation {
        Some(operation) if operation.id == id => {}
        Some(other) => {
            let by = if other.run.is_empty() {
                String::new()
            } else {
                format!(" of run {}", other.run)
            };
            let name = &member.spec.member;
            let message = format!("Another operation{by} came first on the cluster of {name}");
            let error = error(code::BUSY, message, &member.spec);
            fail(pass, live, member, error, None);
        }
        None => {
            let start = member.status().start_time.clone();
            let begin = begin(pass, aim, &member.spec, &cluster, id, start);
            pass.begins.push(begin);
        }
    }
}

/// The upgrade to issue for a member.
pub(super) fn begin(
    pass: &Pass<'_>,
    aim: &Aim<'_>,
    spec: &MemberUpdateSpec,
    cluster: &Arc<FleetMember>,
    id: String,
    start: Option<Time>,
) -> Begin {
    let status = cluster.status.clone().unwrap_or_default();
    let work = aim.work(cluster, &status);
    Begin {
        member: spec.member.clone(),
        member_uid: spec.member_uid.clone(),
        operation: Operation {
            id,
            run: pass.run_name.to_owned(),
            start_time: start.unwrap_or(Time(pass.now)),
            kubernetes_version: aim
                .version
                .filter(|_| work.control_plane)
                .map(|version| version.to_string()),
            pools: work.pools,
        },
    }
}

fn ended(
    pass: &mut Pass<'_>,
    live: &mut Counts,
    member: &mut MemberNode<'_>,
    last: &LastOperation,
) {
    let when = Some(Time(last.completed_time.0.min(pass.now)));
    match last.outcome {
        OperationOutcome::Succeeded => {
            let status = member.enter(pass, live, State::Completed);
            status.completed_time = when;
            status.error = None;
            status.waiting_for = Vec::new();
        }
        OperationOutcome::Failed => {
            let error = told(last, &member.spec);
            fail(pass, live, member, error, when);
        }
    }
}

/// Why an upgrade failed, as its member tells.
pub(super) fn told(last: &LastOperation, spec: &MemberUpdateSpec) -> ErrorDetail {
    let mut error = last.error.clone().unwrap_or_default();
    if error.code.is_empty() {
        error.code = "UpgradeFailed".to_owned();
    }
    if error.message.is_empty() {
        error.message = format!("The upgrade of {} failed", spec.member);
    }
    if error.target.is_empty() {
        error.target = format!("FleetMember/{}", spec.member);
    }
    error
}

/// Lets a member fail.
pub(super) fn fail<'m>(
    pass: &mut Pass<'_>,
    live: &mut Counts,
    member: &'m mut MemberNode<'_>,
    error: ErrorDetail,
    when: Option<Time>,
) -> &'m mut MemberUpdateStatus {
    let now = pass.time();
    let status = member.enter(pass, live, State::Failed);
    status.completed_time = when.or(now);
    status.message.clone_from(&error.message);
    status.error = Some(error);
    status.waiting_for = Vec::new();
    status
}

/// An error about a member's cluster.
pub(super) fn error(code: &str, message: String, spec: &MemberUpdateSpec) -> ErrorDetail {
    ErrorDetail {
        code: code.to_owned(),
        message,
        target: format!("FleetMember/{}", spec.member),
        details: Vec::new(),
    }
}
