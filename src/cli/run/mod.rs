//! `fleetdeck run …`, one file a verb or a small family of them.

mod ask;
mod create;
mod follow;
mod show;
mod tree;
mod wait;
mod watch;

use super::args::RunCommand;
use super::columns;
use super::context::Context;
use super::driven;
use super::error::Error;
use super::exit::Exit;
use super::kinds::Kind;
use crate::engine::operation::Verb;

/// Runs one of the words below `run`.
pub async fn run(command: &RunCommand, ctx: &mut Context) -> Result<Exit, Error> {
    let done = one(command, ctx).await?;
    let after = match command {
        RunCommand::List { print } | RunCommand::Show { print, .. } => print.output.is_for_people(),
        RunCommand::Create(args) => args.start && !args.dry_run,
        RunCommand::Delete(_) => false,
        // They say it before they wait.
        RunCommand::Wait(_) | RunCommand::Watch(_) => false,
        _ => true,
    };
    if after {
        driven::remark(ctx).await;
    }
    Ok(done)
}

async fn one(command: &RunCommand, ctx: &mut Context) -> Result<Exit, Error> {
    match command {
        RunCommand::List { print } => {
            let runs = columns::list(ctx, Kind::Run, None).await;
            let runs = runs.map_err(|e| e.tried("list runs"))?;
            columns::print(ctx, Kind::Run, &runs, print.output, false)?;
            Ok(Exit::Done)
        }
        RunCommand::Show { name, print } => show::show(name, print.output, ctx).await,
        RunCommand::Create(args) => create::create(args, ctx).await,
        RunCommand::Start(args) => ask::ask(Verb::Start, args, ctx).await,
        RunCommand::Stop(args) => ask::ask(Verb::Stop, args, ctx).await,
        RunCommand::Resume(args) => ask::ask(Verb::Resume, args, ctx).await,
        RunCommand::Delete(args) => ask::ask(Verb::Delete, args, ctx).await,
        RunCommand::Skip(args) => ask::skip(args, ctx).await,
        RunCommand::Watch(args) => watch::watch(args, ctx).await,
        RunCommand::Wait(args) => wait::wait(args, ctx).await,
    }
}
