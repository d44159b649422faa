//! Who drives the runs of a hub, as its Lease tells.

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::coordination::v1::Lease;
use kube::{Api, Client};

use super::lead::{LEASE, NAMESPACE};

/// Machines' clocks differ; a lease is over when it is over by more than that.
const SKEW: SignedDuration = SignedDuration::from_secs(60);

/// Whether it is known that nobody drives: there is no Lease, nobody holds it, or whoever held it has
/// not renewed it for long. A hub that does not tell leaves it open.
pub async fn by_nobody(client: &Client, now: Timestamp) -> bool {
    let leases: Api<Lease> = Api::namespaced(client.clone(), NAMESPACE);
    match leases.get_opt(LEASE).await {
        Ok(None) => true,
        Ok(Some(lease)) => is_over(&lease, now),
        Err(_) => false,
    }
}

fn is_over(lease: &Lease, now: Timestamp) -> bool {
    let Some(spec) = &lease.spec else {
        return true;
    };
    if spec.holder_identity.as_deref().is_none_or(str::is_empty) {
        return true;
    }
    let seconds = i64::from(spec.lease_duration_seconds.unwrap_or_default());
    let renewed = spec.renew_time.as_ref().map(|time| time.0);
    let over = renewed.and_then(|at| {
        at.checked_add(SignedDuration::from_secs(seconds))
            .and_then(|at| at.checked_add(SKEW))
            .ok()
    });
    over.is_none_or(|over| over < now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::api::coordination::v1::LeaseSpec;
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;

    #[test]
    fn a_lease_is_over_when_it_was_given_back_or_not_renewed() {
        let now: Timestamp = "2026-03-02T09:00:00Z".parse().unwrap();
        let lease = |holder: &str, ago: i64| Lease {
            spec: Some(LeaseSpec {
                holder_identity: Some(holder.to_owned()),
                lease_duration_seconds: Some(15),
                renew_time: Some(MicroTime(now - SignedDuration::from_secs(ago))),
                ..LeaseSpec::default()
            }),
            ..Lease::default()
        };
        assert!(!is_over(&lease("a", 0), now));
        assert!(!is_over(&lease("a", 75), now));
        assert!(is_over(&lease("a", 76), now));
        assert!(is_over(&lease("", 0), now));
        assert!(is_over(&Lease::default(), now));
    }
}
