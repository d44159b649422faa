//! Writes what the engine decided.
//!
//! The order makes every step repeatable after a kill: what a run is made of, gates, member
//! updates, the run's own status last of the statuses, and only then the upgrades themselves,
//! whose ids stand in the member updates by then. Every write carries the version it was decided
//! on; at the first conflict the rest is dropped and the run decides again.

use std::collections::BTreeMap;

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::api::{DeleteParams, ObjectMeta, PostParams, Preconditions};
use kube::core::object::HasStatus;
use kube::{Resource, ResourceExt};

use super::context::Context;
use super::kinds::Cached;
use crate::api::{
    Gate, GateSpec, GateStatus, MemberUpdate, MemberUpdateSpec, MemberUpdateStatus, UpdateRun,
    UpdateRunStatus, labels,
};
use crate::engine::{Begin, Decision, Fact, GateChange, Subject};
use crate::member::Begun;
use crate::member::answer::Answer;

/// Why a decision was not written to its end.
#[derive(Debug, thiserror::Error)]
pub enum Stop {
    /// Something had moved on; what is here now is fresh.
    #[error("the world moved on")]
    Conflict,
    /// The run is gone.
    #[error("the run is gone")]
    Gone,
    /// The hub did not do it.
    #[error(transparent)]
    Hub(#[from] kube::Error),
}

/// One decision of one run on its way to the hub.
pub struct Apply<'a> {
    context: &'a Context,
    run: &'a UpdateRun,
    name: String,
}

impl<'a> Apply<'a> {
    /// For a run as it was decided on.
    pub fn new(context: &'a Context, run: &'a UpdateRun) -> Self {
        Self {
            context,
            run,
            name: run.name_any(),
        }
    }

    /// Writes `decision`.
    pub async fn write(&self, decision: Decision) -> Result<(), Stop> {
        let Decision {
            status,
            create,
            remove,
            updates,
            gates,
            begins,
            facts,
            ..
        } = decision;
        let (of_run, of_parts): (Vec<_>, Vec<_>) = facts
            .into_iter()
            .partition(|fact| fact.subject == Subject::Run);
        for name in &remove {
            self.remove(name).await?;
        }
        self.each(create, |spec| self.create(spec)).await?;
        for change in gates {
            self.gate(change).await?;
        }
        self.each(updates, |(member, status)| self.update(member, status))
            .await?;
        self.tell(&of_parts);
        self.status(status).await?;
        self.tell(&of_run);
        self.each(begins, |begin| self.begin(begin)).await
    }

    /// In order, several on their way at once where the order cannot be seen.
    async fn each<T, F>(&self, items: Vec<T>, write: impl FnMut(T) -> F) -> Result<(), Stop>
    where
        F: Future<Output = Result<(), Stop>>,
    {
        futures::stream::iter(items)
            .map(write)
            .buffered(self.context.parallel())
            .try_collect::<Vec<()>>()
            .await?;
        Ok(())
    }

    async fn create(&self, spec: MemberUpdateSpec) -> Result<(), Stop> {
        let labels = BTreeMap::from([
            (labels::STAGE, spec.stage.clone()),
            (labels::GROUP, spec.group.clone()),
            (labels::MEMBER, spec.member.clone()),
        ]);
        let name = self.update_name(&spec.member);
        let mut update = MemberUpdate::new(&name, spec);
        update.metadata = self.owned(name, labels);
        self.make(update).await
    }

    /// Made by an earlier attempt counts as made.
    async fn make<K: Cached + serde::Serialize + HasStatus>(&self, object: K) -> Result<(), Stop> {
        let api = self.context.api::<K>();
        match api.create(&PostParams::default(), &object).await {
            Ok(made) => self.context.world.wrote(made, &self.name),
            Err(error) if error.is_already_exists() => {
                let there = api.get(&object.name_any()).await?;
                let uid = self.run.uid();
                if !there
                    .owner_references()
                    .iter()
                    .any(|o| Some(&o.uid) == uid.as_ref())
                {
                    // What a deleted run of the same name left; it is being collected.
                    return Err(error.into());
                }
                // One that says how far it is was decided upon before: what was decided without it
                // is not written over it.
                let has_status = there.status().is_some();
                self.context.world.wrote(there, &self.name);
                if has_status {
                    return Err(Stop::Conflict);
                }
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    async fn remove(&self, name: &str) -> Result<(), Stop> {
        let Some(update) = self.context.world.update(name) else {
            return Ok(());
        };
        let only_this = DeleteParams {
            preconditions: Some(Preconditions {
                uid: update.uid(),
                resource_version: None,
            }),
            ..DeleteParams::default()
        };
        let api = self.context.api::<MemberUpdate>();
        match api.delete(name, &only_this).await {
            Ok(_) => {}
            Err(error) if error.is_not_found() => {}
            Err(error) => return Err(error.into()),
        }
        self.context.world.deleted(update.as_ref(), &self.name);
        Ok(())
    }

    async fn gate(&self, change: GateChange) -> Result<(), Stop> {
        match change {
            GateChange::Create { name, spec, status } => {
                self.create_gate(&name, spec).await?;
                self.gate_status(&name, status).await
            }
            GateChange::Status { name, status } => self.gate_status(&name, status).await,
        }
    }

    async fn create_gate(&self, name: &str, spec: GateSpec) -> Result<(), Stop> {
        let mut labels = BTreeMap::from([(labels::STAGE, spec.stage.clone())]);
        if let Some(group) = &spec.group {
            labels.insert(labels::GROUP, group.clone());
        }
        let mut gate = Gate::new(name, spec);
        gate.metadata = self.owned(name.to_owned(), labels);
        self.make(gate).await
    }

    async fn gate_status(&self, name: &str, status: GateStatus) -> Result<(), Stop> {
        let Some(gate) = self.context.world.gate(name) else {
            return Err(Stop::Conflict);
        };
        if gate.status.as_ref() == Some(&status) {
            return Ok(());
        }
        let mut gate = (*gate).clone();
        gate.status = Some(status);
        self.replace_status(gate).await
    }

    async fn update(&self, member: String, status: MemberUpdateStatus) -> Result<(), Stop> {
        let Some(update) = self.context.world.update(&self.update_name(&member)) else {
            return Err(Stop::Conflict);
        };
        if update.status.as_ref() == Some(&status) {
            return Ok(());
        }
        let mut update = (*update).clone();
        update.status = Some(status);
        self.replace_status(update).await
    }

    async fn status(&self, status: UpdateRunStatus) -> Result<(), Stop> {
        if self.run.status.as_ref() == Some(&status) {
            return Ok(());
        }
        let mut run = self.run.clone();
        run.status = Some(status);
        match self.replace_status(run).await {
            Err(Stop::Conflict) if self.context.world.snapshot(&self.name).is_none() => {
                Err(Stop::Gone)
            }
            written => written,
        }
    }

    /// Writes a status on the version it was decided on; after a conflict what is fresh is taken
    /// in before the run decides again.
    async fn replace_status<K: Cached + serde::Serialize>(&self, object: K) -> Result<(), Stop> {
        let (api, name) = (self.context.api::<K>(), object.name_any());
        match api
            .replace_status(&name, &PostParams::default(), &object)
            .await
        {
            Ok(written) => {
                self.context.world.wrote(written, &self.name);
                Ok(())
            }
            Err(error) if error.is_conflict() || error.is_not_found() => {
                match api.get_opt(&name).await? {
                    Some(fresh) => self.context.world.wrote(fresh, &self.name),
                    None => self.context.world.deleted(&object, &self.name),
                }
                Err(Stop::Conflict)
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn begin(&self, begin: Begin) -> Result<(), Stop> {
        let (world, now) = (&self.context.world, self.context.clock.now());
        let Some(member) = world.member(&begin.member) else {
            return Ok(());
        };
        if member.uid().is_some_and(|uid| uid != begin.member_uid) {
            return Ok(());
        }
        let provider = self.context.provider(&member);
        match provider.begin(&member, &begin.operation, now).await? {
            Begun::Began(member) => world.wrote(*member, &self.name),
            // It may have ended by now, which this run does not know yet.
            Begun::Already(member) => world.wrote(*member, ""),
            Begun::Refused(error) => {
                let refused = provider.refuse(&member, &begin.operation, error, now).await;
                match refused {
                    Ok(Some(member)) => world.wrote(*member, ""),
                    Ok(None) => {}
                    Err(error) if error.is_conflict() => return Err(Stop::Conflict),
                    Err(error) => return Err(error.into()),
                }
            }
            Begun::Gone => {}
        }
        Ok(())
    }

    fn tell(&self, facts: &[Fact]) {
        let run = self.run.object_ref(&());
        for fact in facts {
            let part = match &fact.subject {
                Subject::Run => None,
                Subject::Member(member) => self
                    .context
                    .world
                    .update(&self.update_name(member))
                    .map(|update| update.object_ref(&())),
                Subject::Gate(gate) => {
                    let gate = self.context.world.gate(gate);
                    gate.map(|gate| gate.object_ref(&()))
                }
            };
            let events = &self.context.events;
            match part {
                Some(part) => events.tell(part, Some(run.clone()), fact),
                None => events.tell(run.clone(), None, fact),
            }
        }
    }

    fn update_name(&self, member: &str) -> String {
        format!("{}.{member}", self.name)
    }

    /// Metadata of what the run owns.
    fn owned(&self, name: String, labels: BTreeMap<&str, String>) -> ObjectMeta {
        let mut labels: BTreeMap<String, String> = labels
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect();
        labels.insert(labels::RUN.to_owned(), self.name.clone());
        ObjectMeta {
            name: Some(name),
            labels: Some(labels),
            owner_references: Some(vec![OwnerReference {
                api_version: crate::api::API_VERSION.to_owned(),
                kind: UpdateRun::NAME.to_owned(),
                name: self.name.clone(),
                uid: self.run.uid().unwrap_or_default(),
                controller: Some(true),
                block_owner_deletion: Some(true),
            }]),
            ..ObjectMeta::default()
        }
    }
}
