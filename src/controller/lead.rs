//! Leader election by Lease: who drives.
//!
//! A standby judges a lease by how long it has itself seen the record unchanged, on the machine's
//! own time: clocks of two machines need not agree, and a laptop may have slept. Every write
//! carries the resource version that it was decided on, so of two candidates one gets a conflict.
//! A leader gives up by itself before its lease can run out. What two leaders could do in the
//! moment between is harmless: all their writes carry versions, and all their ids are the same.

use std::time::Duration;

use jiff::SignedDuration;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube::api::{ObjectMeta, PostParams};
use kube::{Api, Client, ResourceExt};
use tokio::time::Instant;

use crate::clock::Clock;
use crate::member::answer::Answer;

/// Namespace of the Lease.
pub const NAMESPACE: &str = "fleetdeck-system";
/// Name of the Lease.
pub const LEASE: &str = "fleetdeck";

/// Lease times, all on the machine's own time, never on the time of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// For how long a lease holds without being renewed.
    pub lease_duration: Duration,
    /// How often the leader renews it.
    pub renew: Duration,
    /// How often a standby looks, and how soon a failed renewal is tried again.
    pub retry: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            lease_duration: Duration::from_secs(15),
            renew: Duration::from_secs(5),
            retry: Duration::from_secs(2),
        }
    }
}

impl Settings {
    /// For tests that wait for a take-over.
    pub fn fast() -> Self {
        Self {
            lease_duration: Duration::from_secs(2),
            renew: Duration::from_millis(500),
            retry: Duration::from_millis(200),
        }
    }

    /// For a rehearsal, where the machine's time is nobody's business: hardly any traffic.
    pub fn patient() -> Self {
        Self {
            lease_duration: Duration::from_secs(7 * 24 * 3600),
            renew: Duration::from_secs(24 * 3600),
            retry: Duration::from_secs(1),
        }
    }

    /// A leader that has not renewed for this long steps down.
    fn deadline(&self) -> Duration {
        self.lease_duration.mul_f64(2.0 / 3.0)
    }
}

/// How an attempt to lead ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The lease is ours.
    Ours,
    /// It is somebody else's; their identity, empty when it changed under our hands.
    Theirs(String),
}

/// Takes, renews and hands over the Lease on behalf of one process.
pub struct Elector {
    client: Client,
    clock: Clock,
    identity: String,
    settings: Settings,
    seen: Option<Seen>,
    mine: Option<Lease>,
}

/// The lease as last seen in somebody else's hands, and since when it has not changed.
struct Seen {
    version: Option<String>,
    since: Instant,
}

impl Elector {
    /// Names itself `identity`.
    pub fn new(client: Client, clock: Clock, identity: String, settings: Settings) -> Self {
        Self {
            client,
            clock,
            identity,
            settings,
            seen: None,
            mine: None,
        }
    }

    fn api(&self) -> Api<Lease> {
        Api::namespaced(self.client.clone(), NAMESPACE)
    }

    /// Takes the lease if it is free, run out, or ours from an earlier life.
    pub async fn attempt(&mut self) -> Result<Standing, kube::Error> {
        let Some(lease) = self.api().get_opt(LEASE).await? else {
            return self.create().await;
        };
        let spec = lease.spec.clone().unwrap_or_default();
        let holder = spec.holder_identity.clone().unwrap_or_default();
        let free = holder.is_empty() || holder == self.identity;
        if !free && !self.run_out(&lease, &spec) {
            return Ok(Standing::Theirs(holder));
        }
        let transitions = spec.lease_transitions.unwrap_or(0).saturating_add(1);
        self.replace(lease, &self.identity.clone(), transitions, true)
            .await
    }

    /// Renews the lease that is ours; `Theirs` when it no longer is.
    pub async fn renew(&mut self) -> Result<Standing, kube::Error> {
        let Some(mine) = self.mine.clone() else {
            return self.attempt().await;
        };
        let transitions = mine.spec.as_ref().and_then(|s| s.lease_transitions);
        let identity = self.identity.clone();
        let renewed = self
            .replace(mine, &identity, transitions.unwrap_or(1), false)
            .await?;
        if renewed == Standing::Ours {
            return Ok(renewed);
        }
        // The answer to an earlier renewal may have been lost: then the record is newer, yet ours.
        let lease = self.api().get(LEASE).await?;
        let spec = lease.spec.clone().unwrap_or_default();
        let holder = spec.holder_identity.unwrap_or_default();
        if holder != self.identity || spec.lease_transitions != transitions {
            self.mine = None;
            return Ok(Standing::Theirs(holder));
        }
        self.replace(lease, &identity, transitions.unwrap_or(1), false)
            .await
    }

    /// Renews until the lease is lost; returns who holds it now, as far as is known.
    pub async fn hold(&mut self) -> String {
        let mut renewed = Instant::now();
        let mut wait = self.settings.renew;
        loop {
            tokio::time::sleep(wait).await;
            let give_up = renewed + self.settings.deadline();
            match tokio::time::timeout_at(give_up, self.renew()).await {
                Ok(Ok(Standing::Ours)) => {
                    renewed = Instant::now();
                    wait = self.settings.renew;
                }
                Ok(Ok(Standing::Theirs(holder))) => return holder,
                Ok(Err(error)) if Instant::now() < give_up => {
                    tracing::warn!(%error, "cannot renew the lease; trying again");
                    wait = self.settings.retry.min(give_up - Instant::now());
                }
                Ok(Err(_)) | Err(_) => {
                    self.mine = None;
                    return String::new();
                }
            }
        }
    }

    /// Hands the lease over to whoever comes next.
    pub async fn release(&mut self) -> Result<(), kube::Error> {
        if let Some(mine) = self.mine.take() {
            let transitions = mine.spec.as_ref().and_then(|s| s.lease_transitions);
            let handed = self
                .replace(mine, "", transitions.unwrap_or(1), false)
                .await?;
            if handed != Standing::Ours {
                // A renewal was cut off and went through all the same.
                let lease = self.api().get(LEASE).await?;
                let holder = lease
                    .spec
                    .as_ref()
                    .and_then(|s| s.holder_identity.as_deref());
                if holder == Some(self.identity.as_str()) {
                    self.replace(lease, "", transitions.unwrap_or(1), false)
                        .await?;
                }
            }
            self.mine = None;
        }
        Ok(())
    }

    async fn create(&mut self) -> Result<Standing, kube::Error> {
        let namespace = Namespace {
            metadata: ObjectMeta {
                name: Some(NAMESPACE.to_owned()),
                ..ObjectMeta::default()
            },
            ..Namespace::default()
        };
        let namespaces = Api::<Namespace>::all(self.client.clone());
        match namespaces.create(&PostParams::default(), &namespace).await {
            Ok(_) => {}
            // Whoever may not make namespaces may still find this one there.
            Err(error) if error.is_already_exists() || error.is_forbidden() => {}
            Err(error) => return Err(error),
        }
        let lease = Lease {
            metadata: ObjectMeta {
                name: Some(LEASE.to_owned()),
                namespace: Some(NAMESPACE.to_owned()),
                ..ObjectMeta::default()
            },
            spec: Some(self.spec(&self.identity, 1, None, None)),
        };
        match self.api().create(&PostParams::default(), &lease).await {
            Ok(lease) => {
                self.mine = Some(lease);
                Ok(Standing::Ours)
            }
            Err(error) if error.is_already_exists() => Ok(Standing::Theirs(String::new())),
            Err(error) => Err(error),
        }
    }

    async fn replace(
        &mut self,
        mut lease: Lease,
        holder: &str,
        transitions: i32,
        acquire: bool,
    ) -> Result<Standing, kube::Error> {
        let acquired = lease.spec.as_ref().and_then(|s| s.acquire_time.clone());
        let acquired = acquired.filter(|_| !acquire);
        let renewed = lease.spec.as_ref().and_then(|s| s.renew_time.clone());
        lease.spec = Some(self.spec(holder, transitions, acquired, renewed.as_ref()));
        match self
            .api()
            .replace(LEASE, &PostParams::default(), &lease)
            .await
        {
            Ok(lease) => {
                self.mine = Some(lease);
                self.seen = None;
                Ok(Standing::Ours)
            }
            Err(error) if error.is_conflict() || error.is_not_found() => {
                Ok(Standing::Theirs(String::new()))
            }
            Err(error) => Err(error),
        }
    }

    /// The time of runs may stand still while leases must not: each renewal is at least a
    /// microsecond after the one before, or the write would change nothing.
    fn spec(
        &self,
        holder: &str,
        transitions: i32,
        acquired: Option<MicroTime>,
        before: Option<&MicroTime>,
    ) -> LeaseSpec {
        let next = before.and_then(|b| b.0.checked_add(SignedDuration::from_micros(1)).ok());
        let now = self.clock.now();
        let now = MicroTime(next.map_or(now, |next| now.max(next)));
        LeaseSpec {
            holder_identity: Some(holder.to_owned()),
            lease_duration_seconds: i32::try_from(self.settings.lease_duration.as_secs()).ok(),
            acquire_time: Some(acquired.unwrap_or_else(|| now.clone())),
            renew_time: Some(now),
            lease_transitions: Some(transitions),
            ..LeaseSpec::default()
        }
    }

    /// Whether we have seen the record unchanged for as long as its holder says it holds.
    fn run_out(&mut self, lease: &Lease, spec: &LeaseSpec) -> bool {
        let version = lease.resource_version();
        let holds = spec
            .lease_duration_seconds
            .and_then(|s| u64::try_from(s).ok())
            .map_or(self.settings.lease_duration, Duration::from_secs);
        match &self.seen {
            Some(seen) if seen.version == version => seen.since.elapsed() >= holds,
            _ => {
                self.seen = Some(Seen {
                    version,
                    since: Instant::now(),
                });
                false
            }
        }
    }
}
