//! Upgrades that take unusually long: a member that hangs says so itself.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::explain;
use super::instants;
use super::pass::Pass;
use super::tree::{MemberNode, Tree};
use crate::api::State;

/// An upgrade is unusually long after this at the latest.
const LATEST: i64 = 2 * 3600;
/// And after this at the earliest.
const EARLIEST: i64 = 15 * 60;
/// So many times the longest of this run so far.
const TIMES: i64 = 3;
/// So many must have ended before they say what is usual.
const SAMPLES: usize = 3;

/// What is usual in this run.
pub(super) struct Pace {
    seconds: i64,
}

impl Pace {
    /// From the members that were upgraded so far.
    pub fn of(tree: &Tree<'_>) -> Self {
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
        let seconds = match samples >= SAMPLES {
            true => (TIMES * longest).clamp(EARLIEST, LATEST),
            false => LATEST,
        };
        Self { seconds }
    }

    /// When an upgrade begun at an instant is unusually long.
    pub fn limit(&self, start: Timestamp) -> Timestamp {
        instants::after(start, self.seconds)
    }

    /// Marks a member whose upgrade takes too long, once; else wakes up when it would.
    pub fn watch(&self, pass: &mut Pass<'_>, member: &mut MemberNode<'_>, start: &Time) {
        let marked = |w: &crate::api::WaitingFor| w.code == explain::code::SLOW_UPGRADE;
        if member.status().waiting_for.iter().any(marked) {
            return;
        }
        let limit = self.limit(start.0);
        if limit > pass.now {
            pass.wake_at(limit);
            return;
        }
        let entry = explain::slow(&member.spec, start, self.seconds);
        member.change(pass).waiting_for = vec![entry];
    }
}
