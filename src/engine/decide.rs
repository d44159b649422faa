//! One decision about one run: what to write and what to begin.

use jiff::Timestamp;

use super::fact::Fact;
use super::world::World;
use crate::api::{
    GateSpec, GateStatus, MemberUpdateSpec, MemberUpdateStatus, Operation, UpdateRunStatus,
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
}

/// A gate to make or to write.
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
pub fn decide(world: &World<'_>, now: Timestamp) -> Decision {
    let _ = now;
    Decision {
        status: world.run.status.clone().unwrap_or_default(),
        ..Decision::default()
    }
}
