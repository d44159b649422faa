//! Keeps the status of strategies true: how many stages and groups, and whether a run could be
//! made along them.

use kube::ResourceExt;
use kube::api::PostParams;

use super::context::Context;
use crate::api::{UpdateStrategy, UpdateStrategyStatus};
use crate::engine::validate;
use crate::member::answer::Answer;
use crate::member::conditions;

/// Looks at strategies as they change, for ever.
pub async fn judge(context: &Context) {
    loop {
        for name in context.world.strategies.next().await {
            if let Err(error) = one(context, &name).await
                && !error.is_conflict()
                && !error.is_not_found()
            {
                tracing::warn!(strategy = name, %error, "cannot write the status of a strategy");
            }
        }
    }
}

async fn one(context: &Context, name: &str) -> Result<(), kube::Error> {
    let Some(strategy) = context.world.strategy(name) else {
        return Ok(());
    };
    let status = status(&strategy, context.clock.now());
    if strategy.status.as_ref() == Some(&status) {
        return Ok(());
    }
    let mut strategy = (*strategy).clone();
    strategy.status = Some(status);
    let api = context.api::<UpdateStrategy>();
    let written = api
        .replace_status(&strategy.name_any(), &PostParams::default(), &strategy)
        .await?;
    context.world.wrote(written, "");
    Ok(())
}

fn status(strategy: &UpdateStrategy, now: jiff::Timestamp) -> UpdateStrategyStatus {
    let stages = &strategy.spec.stages;
    let generation = strategy.metadata.generation;
    let mut conditions = strategy.status.clone().unwrap_or_default().conditions;
    let wrong = validate::stages(stages);
    let (reason, message) = match wrong.first() {
        None => ("Valid", "A run can be made along this strategy.".to_owned()),
        Some(first) => (first.code, format!("{}: {}", first.field, first.message)),
    };
    let valid = wrong.is_empty();
    conditions::set(
        &mut conditions,
        "Valid",
        valid,
        reason,
        &message,
        generation,
        now,
    );
    let count = |n: usize| i32::try_from(n).unwrap_or(i32::MAX);
    UpdateStrategyStatus {
        observed_generation: generation,
        stage_count: count(stages.len()),
        group_count: count(stages.iter().map(|stage| stage.groups.len().max(1)).sum()),
        conditions,
    }
}
