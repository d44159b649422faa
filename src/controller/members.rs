//! Keeps the status and the service-defined labels of members true. Rules of runs are not here.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::StreamExt;
use kube::ResourceExt;
use kube::api::{Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use super::context::Context;
use crate::api::FleetMember;
use crate::engine::labels;
use crate::member::answer::Answer;

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
    let status = provider.observe(&member, context.clock.now()).await?;
    if member.status.as_ref() != Some(&status) {
        member.status = Some(status);
        member = api
            .replace_status(name, &PostParams::default(), &member)
            .await?;
        context.world.wrote(member.clone(), "");
    }
    if let Some(patch) = labels_patch(&member) {
        let patch = Patch::Merge(patch);
        let member = api.patch(name, &PatchParams::default(), &patch).await?;
        context.world.wrote(member, "");
    }
    Ok(())
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
