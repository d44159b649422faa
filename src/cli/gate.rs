//! `fleetdeck gate …`

use super::args::{ApproveArgs, Format, GateCommand};
use super::columns;
use super::context::Context;
use super::error::Error;
use super::exit::Exit;
use super::kinds::Kind;
use super::objects;
use crate::api::labels;
use crate::engine::gate;
use crate::hub::verbs::{self, Expect, Which};

/// Runs one of the words below `gate`.
pub async fn run(command: &GateCommand, ctx: &mut Context) -> Result<Exit, Error> {
    match command {
        GateCommand::List { run, all, print } => {
            list(run.as_deref(), *all, print.output, ctx).await
        }
        GateCommand::Approve(args) => approve(args, ctx).await,
    }
}

async fn list(
    run: Option<&str>,
    all: bool,
    format: Format,
    ctx: &mut Context,
) -> Result<Exit, Error> {
    let selector = run.map(|run| format!("{}={run}", labels::RUN));
    let listed = columns::list(ctx, Kind::Gate, selector.as_deref()).await;
    let mut gates = listed.map_err(|e| e.tried("list gates"))?;
    if let (Some(run), true) = (run, gates.is_empty()) {
        // A run without gates is not one that does not exist.
        let there = objects::read(ctx, Kind::Run, run).await;
        there.map_err(|e| e.tried(format!("list gates of run {run}")))?;
    }
    if !all {
        gates.retain(|object| {
            let typed = object.clone().try_parse::<crate::api::Gate>();
            typed.map_or(true, |g| gate::is_pending(&g))
        });
    }
    if gates.is_empty() && matches!(format, Format::Table | Format::Wide) {
        let whose = run.map_or_else(String::new, |run| format!(" of run {run}"));
        let which = if all {
            "There is no gate"
        } else {
            "No gate is open"
        };
        ctx.out.line(&format!("{which}{whose}."))?;
        return Ok(Exit::Done);
    }
    columns::print(ctx, Kind::Gate, &gates, format, false)?;
    Ok(Exit::Done)
}

async fn approve(args: &ApproveArgs, ctx: &mut Context) -> Result<Exit, Error> {
    let which = which(args)?;
    let tried = match &which {
        Which::Name(name) => format!("approve gate {name}"),
        Which::Place {
            run,
            stage,
            group,
            timing,
            ..
        } => format!(
            "approve the gate of run {run} {}",
            gate::place(stage, group.as_deref(), *timing)
        ),
    };
    ctx.may_write().map_err(|e| e.tried(tried.as_str()))?;
    let user = ctx.user.clone();
    let written = verbs::approve(
        &ctx.client,
        &which,
        user.as_deref(),
        args.comment.as_deref(),
        &Expect::default(),
    )
    .await
    .map_err(|e| Error::from(e).tried(tried))?;
    let value = columns::typed(Kind::Gate, &written);
    if !ctx.out.objects(&[value], args.print.output, true)? {
        let spec = &written.spec;
        let by = user.map_or_else(String::new, |user| format!(" by {user}"));
        ctx.out.line(&format!(
            "Gate {} of run {}, {}, was approved{by}.",
            gate::title(&written),
            spec.run,
            gate::place(&spec.stage, spec.group.as_deref(), spec.timing),
        ))?;
    }
    Ok(Exit::Done)
}

fn which(args: &ApproveArgs) -> Result<Which, Error> {
    match (&args.gate, &args.run, &args.stage) {
        (Some(name), _, _) => Ok(Which::Name(name.clone())),
        (None, Some(run), Some(stage)) => Ok(Which::Place {
            run: run.clone(),
            stage: stage.clone(),
            group: args.group.clone(),
            timing: args.timing.into(),
            display: args.name.clone(),
        }),
        _ => Err(Error::usage(
            "approve a gate: name it, or give --run and --stage",
        )),
    }
}
