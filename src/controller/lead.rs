//! Leader election by Lease: who drives.

use std::time::Duration;

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

    /// For a manual clock, where the machine's time is nobody's business: hardly any traffic.
    pub fn patient() -> Self {
        Self {
            lease_duration: Duration::from_secs(7 * 24 * 3600),
            renew: Duration::from_secs(24 * 3600),
            retry: Duration::from_secs(1),
        }
    }
}
