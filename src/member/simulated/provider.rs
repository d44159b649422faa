//! The provider of simulated members: it writes what is to happen, the simulator plays it.

use futures::FutureExt;
use futures::future::BoxFuture;
use jiff::Timestamp;
use kube::api::PostParams;
use kube::{Api, Client, ResourceExt};

use super::{observe, script};
use crate::api::{ErrorDetail, FleetMember, FleetMemberStatus, Operation};
use crate::member::answer::Answer;
use crate::member::{Begun, MemberProvider};

/// Acts on simulated members through the hub that holds them.
#[derive(Clone)]
pub struct Simulated {
    api: Api<FleetMember>,
}

enum Next {
    Already,
    Busy(ErrorDetail),
    Write(Box<FleetMemberStatus>),
}

impl Simulated {
    /// On the hub behind `client`.
    pub fn new(client: Client) -> Self {
        Self {
            api: Api::all(client),
        }
    }

    /// Writes a status decided on `member` as it is here, and nothing if it has moved on.
    pub(super) async fn write(
        &self,
        member: &FleetMember,
        status: FleetMemberStatus,
    ) -> Result<FleetMember, kube::Error> {
        let member = FleetMember {
            metadata: member.metadata.clone(),
            spec: member.spec.clone(),
            status: Some(status),
        };
        let name = member.name_any();
        self.api
            .replace_status(&name, &PostParams::default(), &member)
            .await
    }

    /// The member as it is now, unless it is gone or another one.
    pub(super) async fn fresh(
        &self,
        member: &FleetMember,
    ) -> Result<Option<FleetMember>, kube::Error> {
        let fresh = self.api.get_opt(&member.name_any()).await?;
        Ok(fresh.filter(|fresh| fresh.uid() == member.uid()))
    }

    async fn begin_from(
        &self,
        member: &FleetMember,
        operation: &Operation,
        now: Timestamp,
    ) -> Result<Begun, kube::Error> {
        let mut member = member.clone();
        loop {
            let status = match next(&member, operation, now) {
                Next::Already => return Ok(Begun::Already(Box::new(member))),
                Next::Busy(error) => return Ok(Begun::Refused(error)),
                Next::Write(status) => *status,
            };
            match self.write(&member, status).await {
                Ok(member) => return Ok(Begun::Began(Box::new(member))),
                Err(error) if error.is_conflict() || error.is_not_found() => {
                    match self.fresh(&member).await? {
                        Some(fresh) => member = fresh,
                        None => return Ok(Begun::Gone),
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }
}

impl MemberProvider for Simulated {
    fn observe<'a>(
        &'a self,
        member: &'a FleetMember,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<FleetMemberStatus, kube::Error>> {
        let status = match script::script(member) {
            Some(script) => observe::observe(member, script, now),
            None => member.status.clone().unwrap_or_default(),
        };
        std::future::ready(Ok(status)).boxed()
    }

    fn begin<'a>(
        &'a self,
        member: &'a FleetMember,
        operation: &'a Operation,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Begun, kube::Error>> {
        self.begin_from(member, operation, now).boxed()
    }

    fn refuse<'a>(
        &'a self,
        member: &'a FleetMember,
        operation: &'a Operation,
        error: ErrorDetail,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Option<Box<FleetMember>>, kube::Error>> {
        async move {
            let Some(fresh) = self.fresh(member).await? else {
                return Ok(None);
            };
            let status = script::refused(&fresh, operation, error, now);
            self.write(&fresh, status).await.map(Box::new).map(Some)
        }
        .boxed()
    }
}

fn next(member: &FleetMember, operation: &Operation, now: Timestamp) -> Next {
    let status = member.status.clone().unwrap_or_default();
    let last = status.last_operation.is_some_and(|l| l.id == operation.id);
    match status.operation {
        _ if last => Next::Already,
        Some(current) if current.id == operation.id => Next::Already,
        Some(current) => Next::Busy(ErrorDetail {
            code: "OperationInProgress".to_owned(),
            message: format!(
                "Cannot begin the upgrade of {}: an upgrade for run {} is in progress on it. Resume the run when that has ended.",
                member.name_any(),
                current.run,
            ),
            target: format!("FleetMember/{}", member.name_any()),
            ..ErrorDetail::default()
        }),
        None => match script::begun(member, operation, now) {
            Some(status) => Next::Write(Box::new(status)),
            None => Next::Already,
        },
    }
}
