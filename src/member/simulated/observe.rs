//! What a simulated cluster looks like from outside.

use jiff::Timestamp;

use crate::api::{FleetMember, FleetMemberStatus, NodePool, PowerState, Simulated};
use crate::member::conditions;

/// The status that `member` should have: what its script says, and what upgrades made of it.
pub fn observe(member: &FleetMember, script: &Simulated, now: Timestamp) -> FleetMemberStatus {
    let before = member.status.clone().unwrap_or_default();
    let generation = member.metadata.generation;
    let mut status = FleetMemberStatus {
        observed_generation: generation,
        state: state(&before, script).to_owned(),
        ..before
    };
    conditions::set(
        &mut status.conditions,
        "Joined",
        true,
        "Joined",
        "The cluster is a member of the fleet.",
        generation,
        now,
    );
    let (reason, message) = if script.reachable {
        ("Reachable", "The cluster answers.")
    } else {
        (
            "NoAnswer",
            "The cluster does not answer; what is shown is what was seen last.",
        )
    };
    conditions::set(
        &mut status.conditions,
        "Reachable",
        script.reachable,
        reason,
        message,
        generation,
        now,
    );
    if script.reachable {
        look(&mut status, script);
    }
    status
}

/// Versions and pools: an upgraded one keeps what it was brought to, the rest is as scripted.
fn look(status: &mut FleetMemberStatus, script: &Simulated) {
    if status.kubernetes_version.is_empty() {
        status.kubernetes_version = plain(&script.kubernetes_version);
    }
    let known = std::mem::take(&mut status.node_pools);
    status.node_pools = script
        .node_pools
        .iter()
        .map(|pool| match known.iter().find(|k| k.name == pool.name) {
            Some(known) => NodePool {
                count: pool.count,
                ..known.clone()
            },
            None => NodePool {
                kubernetes_version: match plain(&pool.kubernetes_version) {
                    unset if unset.is_empty() => plain(&script.kubernetes_version),
                    version => version,
                },
                ..pool.clone()
            },
        })
        .collect();
    status.pool_summary = summary(&status.node_pools);
}

fn state(status: &FleetMemberStatus, script: &Simulated) -> &'static str {
    if !script.reachable {
        "Unreachable"
    } else if script.power_state == PowerState::Stopped {
        "Stopped"
    } else if status.operation.is_some() {
        "Upgrading"
    } else if script.busy {
        "Busy"
    } else {
        "Ready"
    }
}

fn plain(version: &str) -> String {
    version.strip_prefix('v').unwrap_or(version).to_owned()
}

fn summary(pools: &[NodePool]) -> String {
    let nodes: i64 = pools.iter().map(|pool| i64::from(pool.count)).sum();
    let plural = |n: i64| if n == 1 { "" } else { "s" };
    let count = i64::try_from(pools.len()).unwrap_or(i64::MAX);
    format!(
        "{count} pool{}, {nodes} node{}",
        plural(count),
        plural(nodes)
    )
}
