//! Member providers: how a run acts on a cluster, and the simulator that plays simulated ones.
//!
//! A provider knows one kind of cluster and nothing of runs, stages or limits.

pub mod answer;
pub mod conditions;
pub mod simulated;

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::future::BoxFuture;
use jiff::Timestamp;

use crate::api::{ErrorDetail, FleetMember, FleetMemberStatus, Operation};

/// How an attempt to begin an upgrade ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Begun {
    /// It goes on now; the member as written.
    Began(Box<FleetMember>),
    /// It had been begun before: nothing was done. The member as it is.
    Already(Box<FleetMember>),
    /// The cluster does something else.
    Refused(ErrorDetail),
    /// There is no such member any more, or another one of the same name.
    Gone,
}

/// The port through which a run acts on a cluster.
pub trait MemberProvider: Send + Sync {
    /// What the member's status should say, seen from here.
    fn observe<'a>(
        &'a self,
        member: &'a FleetMember,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<FleetMemberStatus, kube::Error>>;

    /// Begins `operation`; begun twice, it is one upgrade.
    fn begin<'a>(
        &'a self,
        member: &'a FleetMember,
        operation: &'a Operation,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Begun, kube::Error>>;

    /// Records that `operation` failed without having begun.
    fn refuse<'a>(
        &'a self,
        member: &'a FleetMember,
        operation: &'a Operation,
        error: ErrorDetail,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Option<Box<FleetMember>>, kube::Error>>;
}

/// The members as the process that plays them knows them.
pub trait Roster: Send + Sync {
    /// One member.
    fn member(&self, name: &str) -> Option<Arc<FleetMember>>;
    /// Waits for members to change and names them.
    fn changed(&self) -> BoxFuture<'_, BTreeSet<String>>;
    /// Takes in the answer to a write.
    fn wrote(&self, member: FleetMember);
    /// Takes in that there is no such member any more.
    fn gone(&self, member: &FleetMember);
}
