//! `run show`: the tree, what the run waits for and why, its requests.

use jiff::Timestamp;

use super::tree;
use crate::api::{State, UpdateRun, UpdateRunStatus, WaitingFor};
use crate::cli::args::Format;
use crate::cli::columns;
use crate::cli::context::Context;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::kinds::Kind;
use crate::cli::output::{Table, Tint};
use crate::cli::time;
use crate::engine::explain;
use crate::hub::verbs::{self, Expect};

/// `run show NAME`
pub async fn show(name: &str, format: Format, ctx: &mut Context) -> Result<Exit, Error> {
    let scene = verbs::scene(&ctx.client, name, &Expect::default()).await;
    let scene = scene.map_err(|e| Error::from(e).tried(format!("show run {name}")))?;
    let value = columns::typed(Kind::Run, &scene.run);
    if ctx.out.objects(&[value], format, true)? {
        return Ok(Exit::Done);
    }
    let now = ctx.clock.now();
    let status = scene.run.status.clone().unwrap_or_default();
    head(&scene.run, &status, now, ctx)?;
    let tree = tree::tree(&scene, now);
    if !tree.is_empty() {
        ctx.out.line("")?;
        ctx.out.table(&tree)?;
    }
    waits(&status, ctx)?;
    limits(&status, ctx)?;
    requests(&status, ctx)?;
    Ok(Exit::Done)
}

fn head(
    run: &UpdateRun,
    status: &UpdateRunStatus,
    now: Timestamp,
    ctx: &mut Context,
) -> Result<(), Error> {
    let mut table = Table::new(&[]);
    let mut row = |title: &str, text: String| {
        if !text.is_empty() {
            table.row([title.into(), text.into()]);
        }
    };
    row("Run", run.metadata.name.clone().unwrap_or_default());
    row("State", state(status, now));
    row("Upgrade", upgrade(run));
    let strategy = status.strategy.as_ref().map(|s| s.name.clone());
    let strategy = strategy.or_else(|| run.spec.strategy_name.clone());
    row(
        "Strategy",
        strategy
            .filter(|s| !s.is_empty())
            .unwrap_or_else(|| "its own".to_owned()),
    );
    row("Members", members(status));
    if let Some(error) = &status.error {
        row("Error", format!("{}: {}", error.code, error.message));
        for cause in &error.details {
            row(
                "",
                format!("{} {}: {}", cause.target, cause.code, cause.message),
            );
        }
    }
    ctx.out.table(&table)
}

fn state(status: &UpdateRunStatus, now: Timestamp) -> String {
    let mut text = status.state.to_string();
    if status.state == State::Completed && status.failure_count > 0 {
        text = "Completed with failures".to_owned();
    }
    if let Some(start) = &status.start_time {
        text.push_str(&format!(", started {}", time::instant(start.0)));
        let end = status.completed_time.as_ref();
        let took = time::age(start.0, end.map_or(now, |end| end.0));
        let word = if end.is_some() { "took" } else { "for" };
        text.push_str(&format!(", {word} {took}"));
    }
    text
}

fn upgrade(run: &UpdateRun) -> String {
    let upgrade = &run.spec.upgrade;
    let mut text = upgrade.type_.to_string();
    if let Some(version) = &upgrade.kubernetes_version {
        text.push_str(&format!(" to {version}"));
    }
    if let Some(images) = &run.spec.node_image_selection {
        text.push_str(&format!(", node images {:?}", images.type_));
    }
    text
}

fn members(status: &UpdateRunStatus) -> String {
    let counts = &status.counts;
    let mut text = format!("{} of {} completed", counts.completed, counts.total);
    for (count, word) in [
        (counts.failed, "failed"),
        (counts.skipped, "skipped"),
        (counts.running, "running"),
        (counts.pending, "waiting"),
        (counts.not_started, "not started"),
    ] {
        if count > 0 {
            text.push_str(&format!(", {count} {word}"));
        }
    }
    text
}

fn waits(status: &UpdateRunStatus, ctx: &mut Context) -> Result<(), Error> {
    if status.waiting_for.is_empty() {
        return Ok(());
    }
    ctx.out.line("")?;
    ctx.out.tinted("Waits", Tint::Strong)?;
    for waiting in &status.waiting_for {
        ctx.out.line(&format!("  {}", why(waiting)))?;
        let who = (!waiting.who.is_empty()).then(|| format!("can act: {}", waiting.who));
        let next = (!waiting.next.is_empty()).then(|| format!("next: {}", waiting.next));
        let parts: Vec<String> = [who, next].into_iter().flatten().collect();
        if !parts.is_empty() {
            ctx.out.line(&format!("    {}", parts.join("; ")))?;
        }
    }
    Ok(())
}

fn why(waiting: &WaitingFor) -> String {
    let mut text = format!("[{}] {}", waiting.code, waiting.message);
    if !waiting.object.is_empty() {
        text.push_str(&format!(" ({})", waiting.object));
    }
    if let Some(since) = &waiting.since {
        text.push_str(&format!(", since {}", time::instant(since.0)));
    }
    if let Some(until) = &waiting.until {
        text.push_str(&format!(", until {}", time::instant(until.0)));
    }
    text
}

/// How near each part that still works is to a stop.
fn limits(status: &UpdateRunStatus, ctx: &mut Context) -> Result<(), Error> {
    let works = |state: State| !matches!(state, State::Completed | State::Skipped);
    let mut table = Table::new(&[]);
    for stage in status.stages.iter().filter(|s| works(s.state)) {
        let left = left(stage.state, stage.failure_count, stage.max_allowed_failures);
        table.row([
            format!("  stage {}", stage.name).into(),
            format!(
                "{} of {} failures used",
                stage.failure_count, stage.max_allowed_failures
            )
            .into(),
            left.into(),
            "".into(),
        ]);
        for group in stage.groups.iter().filter(|g| works(g.state)) {
            table.row([
                format!("    group {}", group.name).into(),
                format!(
                    "{} of {} failures used",
                    group.failure_count, group.max_allowed_failures
                )
                .into(),
                self::left(group.state, group.failure_count, group.max_allowed_failures).into(),
                explain::next_failure(stage, group).into(),
            ]);
        }
    }
    if table.is_empty() {
        return Ok(());
    }
    ctx.out.line("")?;
    ctx.out.tinted("Limits", Tint::Strong)?;
    ctx.out.table(&table)
}

fn left(state: State, failures: i32, allowed: i32) -> String {
    let left = explain::failures_left(state, failures, allowed);
    left.map_or_else(String::new, |left| format!("{left} left"))
}

fn requests(status: &UpdateRunStatus, ctx: &mut Context) -> Result<(), Error> {
    if status.requests.is_empty() {
        return Ok(());
    }
    ctx.out.line("")?;
    ctx.out.tinted("Requests", Tint::Strong)?;
    let mut table = Table::new(&[]);
    for request in &status.requests {
        let at = request.time.as_ref().map(|t| time::instant(t.0));
        let outcome = if request.accepted {
            "accepted".to_owned()
        } else {
            format!("refused [{}]", request.code)
        };
        table.row([
            format!("  {}", at.unwrap_or_default()).into(),
            request.id.as_str().into(),
            outcome.into(),
            request.message.as_str().into(),
        ]);
    }
    ctx.out.table(&table)
}
