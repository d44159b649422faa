//! When and how a simulated upgrade ends: the script of the member, played to its end.

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::observe::observe;
use crate::api::{
    ErrorDetail, FleetMember, FleetMemberStatus, LastOperation, Operation, OperationOutcome,
    Outcome, PowerState, Simulated,
};

/// The script of `member`, if it is simulated.
pub fn script(member: &FleetMember) -> Option<&Simulated> {
    member.spec.provider.simulated.as_ref()
}

/// When the upgrade in progress ends; `None` when there is none or it does not end as things are.
pub fn ends_at(member: &FleetMember) -> Option<Timestamp> {
    let script = script(member)?;
    let operation = member.status.as_ref()?.operation.as_ref()?;
    if !script.reachable {
        return None;
    }
    let start = operation.start_time.0;
    if unable(script).is_some() {
        return Some(start);
    }
    if script.outcome == Outcome::Hang {
        return None;
    }
    start.checked_add(duration(&script.upgrade_duration)).ok()
}

/// The status of `member` once its upgrade has ended at `now`.
pub fn ended(member: &FleetMember, now: Timestamp) -> Option<FleetMemberStatus> {
    let script = script(member)?;
    let mut status = member.status.clone()?;
    let operation = status.operation.take()?;
    let error = failure(script, status.operation_count);
    if error.is_none() {
        bring(&mut status, &operation);
    }
    status.last_operation = Some(LastOperation {
        id: operation.id,
        run: operation.run,
        outcome: match error {
            None => OperationOutcome::Succeeded,
            Some(_) => OperationOutcome::Failed,
        },
        completed_time: Time(now),
        error,
    });
    Some(settled(member, script, status, now))
}

/// The status of `member` once `operation` has begun.
pub fn begun(
    member: &FleetMember,
    operation: &Operation,
    now: Timestamp,
) -> Option<FleetMemberStatus> {
    let script = script(member)?;
    let mut status = member.status.clone().unwrap_or_default();
    status.operation = Some(operation.clone());
    status.operation_count = status.operation_count.saturating_add(1);
    Some(settled(member, script, status, now))
}

/// The status of `member` once `operation` was refused.
pub fn refused(
    member: &FleetMember,
    operation: &Operation,
    error: ErrorDetail,
    now: Timestamp,
) -> FleetMemberStatus {
    let mut status = member.status.clone().unwrap_or_default();
    status.last_operation = Some(LastOperation {
        id: operation.id.clone(),
        run: operation.run.clone(),
        outcome: OperationOutcome::Failed,
        completed_time: Time(now),
        error: Some(error),
    });
    status
}

/// One write says it all: what was observed goes along with what was done.
fn settled(
    member: &FleetMember,
    script: &Simulated,
    status: FleetMemberStatus,
    now: Timestamp,
) -> FleetMemberStatus {
    let member = FleetMember {
        metadata: member.metadata.clone(),
        spec: member.spec.clone(),
        status: Some(status),
    };
    observe(&member, script, now)
}

fn bring(status: &mut FleetMemberStatus, operation: &Operation) {
    if let Some(version) = &operation.kubernetes_version {
        status.kubernetes_version.clone_from(version);
    }
    for target in &operation.pools {
        let pool = status.node_pools.iter_mut().find(|p| p.name == target.name);
        let Some(pool) = pool else { continue };
        if let Some(version) = &target.kubernetes_version {
            pool.kubernetes_version.clone_from(version);
        }
        if let Some(image) = &target.node_image {
            pool.node_image.clone_from(image);
        }
    }
}

fn failure(script: &Simulated, attempt: i64) -> Option<ErrorDetail> {
    if let Some(unable) = unable(script) {
        return Some(unable);
    }
    let fails = match script.outcome {
        Outcome::Fail => true,
        Outcome::FailFirst => attempt <= i64::from(script.failures),
        Outcome::Succeed | Outcome::Hang => false,
    };
    fails.then(|| {
        error(
            "UpgradeFailed",
            match script.failure_message.as_str() {
                "" => "The upgrade failed.",
                message => message,
            },
        )
    })
}

/// Why the cluster cannot upgrade at all as it is.
fn unable(script: &Simulated) -> Option<ErrorDetail> {
    if script.power_state == PowerState::Stopped {
        return Some(error(
            "ClusterStopped",
            "The cluster is stopped: start it and try again.",
        ));
    }
    script.busy.then(|| {
        error(
            "OperationInProgress",
            "Another operation is in progress on the cluster: try again when it has ended.",
        )
    })
}

fn error(code: &str, message: &str) -> ErrorDetail {
    ErrorDetail {
        code: code.to_owned(),
        message: message.to_owned(),
        ..ErrorDetail::default()
    }
}

/// `1h30m` → its length; the schema keeps everything else out.
pub fn duration(text: &str) -> SignedDuration {
    text.parse::<kube::core::Duration>()
        .ok()
        .and_then(|d| SignedDuration::try_from(std::time::Duration::from(d)).ok())
        .unwrap_or_else(|| SignedDuration::from_mins(10))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{FleetMemberSpec, NodePool, PoolTarget, Provider};

    const NOW: &str = "2026-03-02T09:00:00Z";

    fn now() -> Timestamp {
        NOW.parse().unwrap()
    }

    fn member(change: impl FnOnce(&mut Simulated)) -> FleetMember {
        let mut script = Simulated {
            kubernetes_version: "v1.32.0".to_owned(),
            node_pools: vec![NodePool {
                name: "np1".to_owned(),
                count: 3,
                node_image: "F-1".to_owned(),
                ..NodePool::default()
            }],
            ..Simulated::default()
        };
        change(&mut script);
        let provider = Provider {
            simulated: Some(script),
        };
        let mut member = FleetMember::new(
            "m",
            FleetMemberSpec {
                provider,
                ..FleetMemberSpec::default()
            },
        );
        member.status = Some(observe(&member, script_of(&member), now()));
        let operation = Operation {
            id: "op".to_owned(),
            run: "r".to_owned(),
            start_time: Time(now()),
            kubernetes_version: Some("1.33.0".to_owned()),
            pools: vec![PoolTarget {
                name: "np1".to_owned(),
                kubernetes_version: Some("1.33.0".to_owned()),
                node_image: None,
            }],
        };
        member.status = begun(&member, &operation, now());
        member
    }

    fn script_of(member: &FleetMember) -> &Simulated {
        script(member).unwrap()
    }

    #[test]
    fn a_success_brings_versions_and_pools_to_their_target() {
        let member = member(|_| {});
        let status = member.status.clone().unwrap();
        assert_eq!(
            (status.state.as_str(), status.operation_count),
            ("Upgrading", 1)
        );
        assert_eq!(status.kubernetes_version, "1.32.0");
        let end = ends_at(&member).unwrap();
        assert_eq!(end, now() + SignedDuration::from_mins(10));
        let status = ended(&member, end).unwrap();
        assert_eq!(status.kubernetes_version, "1.33.0");
        assert_eq!(status.node_pools[0].kubernetes_version, "1.33.0");
        assert_eq!(status.node_pools[0].node_image, "F-1");
        assert_eq!(status.pool_summary, "1 pool, 3 nodes");
        assert_eq!(status.state, "Ready");
        assert_eq!(
            status.last_operation.unwrap().outcome,
            OperationOutcome::Succeeded
        );
    }

    #[test]
    fn fail_first_counts_attempts_over_the_life_of_the_cluster() {
        let mut member = member(|s| {
            s.outcome = Outcome::FailFirst;
            s.failures = 1;
            s.failure_message = "quota".to_owned();
        });
        let status = ended(&member, now()).unwrap();
        let last = status.last_operation.clone().unwrap();
        assert_eq!(last.error.unwrap().message, "quota");
        assert_eq!(status.kubernetes_version, "1.32.0");
        let operation = member.status.clone().unwrap().operation.unwrap();
        member.status = Some(status);
        member.status = begun(&member, &operation, now());
        let last = ended(&member, now()).unwrap().last_operation.unwrap();
        assert_eq!(last.outcome, OperationOutcome::Succeeded);
    }

    #[test]
    fn it_does_not_end_while_it_hangs_or_is_out_of_reach() {
        assert_eq!(ends_at(&member(|s| s.outcome = Outcome::Hang)), None);
        assert_eq!(ends_at(&member(|s| s.reachable = false)), None);
    }

    #[test]
    fn a_stopped_cluster_fails_at_once() {
        let member = member(|s| s.power_state = PowerState::Stopped);
        assert_eq!(ends_at(&member), Some(now()));
        let last = ended(&member, now()).unwrap().last_operation.unwrap();
        assert_eq!(last.error.unwrap().code, "ClusterStopped");
    }
}
