//! Keeps the status and the service-defined labels of members true. Rules of runs are not here.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::StreamExt;
use jiff::Timestamp;
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Resource, ResourceExt};
use serde_json::{Value, json};

use super::context::Context;
use crate::api::{FleetMember, FleetMemberStatus};
use crate::engine::{Fact, Subject, labels};
use crate::member::answer::Answer;
use crate::member::conditions;

/// Condition: the member has all service-defined labels.
const LABELED: &str = "Labeled";
const RETRY: Duration = Duration::from_secs(1);

/// Looks at members as they change, for ever.
pub async fn observe(context: &Context) {
    loop {
        let names = context.world.members.next().await;
        let _busy = context.clock.busy();
        futures::stream::iter(names)
            .for_each_concurrent(context.parallel(), |name| async move {
                match one(context, &name).await {
                    Ok(()) => {}
                    // What is newer comes through the watch and is looked at then.
                    Err(error) if error.is_conflict() || error.is_not_found() => {}
                    Err(error) => again(context, &name, &error),
                }
            })
            .await;
    }
}

async fn one(context: &Context, name: &str) -> Result<(), kube::Error> {
    let Some(member) = context.world.member(name) else {
        return Ok(());
    };
    if member.metadata.deletion_timestamp.is_some() {
        return Ok(());
    }
    let api = context.api::<FleetMember>();
    let mut member = (*member).clone();
    let provider = context.provider(&member);
    let now = context.clock.now();
    let mut status = provider.observe(&member, now).await?;
    let newly = mark_labels(&member, &mut status, now);
    if member.status.as_ref() != Some(&status) {
        member.status = Some(status);
        member = api
            .replace_status(name, &PostParams::default(), &member)
            .await?;
        context.world.wrote(member.clone(), "");
    }
    if let Some(fact) = newly {
        context.events.tell(member.object_ref(&()), None, &fact);
    }
    if let Some(patch) = labels_patch(&member) {
        let patch = Patch::Merge(patch);
        let member = api.patch(name, &PatchParams::default(), &patch).await?;
        context.world.wrote(member, "");
    }
    Ok(())
}

/// The condition that says whether the member has all service-defined labels. Members that always
/// had them do without it. What is told is new.
fn mark_labels(
    member: &FleetMember,
    status: &mut FleetMemberStatus,
    now: Timestamp,
) -> Option<Fact> {
    let before = status.conditions.iter().find(|c| c.type_ == LABELED);
    let left_out = labels::left_out(member);
    let said = before.map(|c| c.message.clone());
    if before.is_none() && left_out.is_none() {
        return None;
    }
    let (reason, message) = match &left_out {
        Some(text) => ("IllegalValue", text.as_str()),
        None => ("Complete", "The member has all service-defined labels."),
    };
    let generation = member.metadata.generation;
    conditions::set(
        &mut status.conditions,
        LABELED,
        left_out.is_none(),
        reason,
        message,
        generation,
        now,
    );
    let note = left_out.filter(|text| said.as_ref() != Some(text))?;
    let subject = Subject::Member(member.name_any());
    Some(Fact::warning(subject, "LabelLeftOut", note))
}

/// What makes the member carry the labels that selectors see.
fn labels_patch(member: &FleetMember) -> Option<Value> {
    let (has, should) = (member.labels(), labels::of(member));
    let mut change: BTreeMap<&String, Option<&String>> = should
        .iter()
        .filter(|(key, value)| has.get(*key) != Some(*value))
        .map(|(key, value)| (key, Some(value)))
        .collect();
    change.extend(
        has.keys()
            .filter(|key| !should.contains_key(*key))
            .map(|key| (key, None)),
    );
    if change.is_empty() {
        return None;
    }
    let version = member.resource_version();
    Some(json!({"metadata": {"resourceVersion": version, "labels": change}}))
}

fn again(context: &Context, name: &str, error: &kube::Error) {
    tracing::warn!(member = name, %error, "cannot write what was observed of a member");
    // A refusal of what was written stays one; only a hub that did not answer is asked again.
    if matches!(error, kube::Error::Api(status) if status.code < 500) {
        return;
    }
    let (queue, name) = (context.world.members.clone(), name.to_owned());
    let busy = context.clock.busy();
    tokio::spawn(async move {
        tokio::time::sleep(RETRY).await;
        queue.add(&name);
        drop(busy);
    });
}
