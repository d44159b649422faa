//! The program: reads the words, finds what the command needs, ends with its exit code.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use super::args::{Cli, Command, DevCommand, Format, Global, Speed};
use super::connect;
use super::context::Context;
use super::error::{Error, OUTPUT_CLOSED};
use super::execute;
use super::exit::Exit;
use super::output::{self, Out};
use super::{crds, dev, help, keys, rehearse, serve};
use crate::clock::Clock;
use crate::hub;

/// Runs the program with these words, its own name among them.
pub fn main(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(words) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are no errors, and go to standard output.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let format = cli.command.as_ref().map_or(Format::Table, execute::format);
    let no_color = cli.global.no_color;
    match run(&cli) {
        Ok(code) => ExitCode::from(code),
        Err(error) if error.code() == OUTPUT_CLOSED => Exit::Done.into(),
        Err(error) => {
            let error = error.on(&cli.global.words());
            output::failure(&error, format, no_color);
            error.exit.into()
        }
    }
}

fn run(cli: &Cli) -> Result<u8, Error> {
    let mut out = Out::stdout(cli.global.no_color);
    let global = &cli.global;
    match &cli.command {
        Some(Command::Completion { shell }) => out.raw(&help::completion(*shell))?,
        Some(Command::Man) => out.raw(&help::man()?)?,
        Some(Command::Crds(args)) if args.command.is_none() => out.raw(&crds::manifest()?)?,
        Some(Command::Dev(DevCommand::Panic { elsewhere })) => {
            return serve::console::break_down(*elsewhere);
        }
        Some(Command::Dev(DevCommand::Generate { check, root })) => {
            dev::generate(root, *check, &mut out)?;
        }
        Some(Command::Rehearse(args)) => return Ok(rehearse::run(args, &mut out)? as u8),
        Some(Command::Hub(args)) => {
            let runtime = serve::hub::runtime(args.speed).map_err(no_runtime)?;
            let exit = runtime.block_on(serve::hub::serve(args, global, &mut out))?;
            return Ok(exit as u8);
        }
        Some(Command::Demo(args)) => return serve::console::demo(args, global, &mut out),
        Some(Command::Keys(args)) => keys::print(args, &mut out)?,
        Some(command) => {
            let exit = runtime()?.block_on(on_hub(global, command, out))?;
            return Ok(exit as u8);
        }
        None => return serve::console::open(&cli.console, global),
    }
    out.flush()?;
    Ok(Exit::Done as u8)
}

fn runtime() -> Result<tokio::runtime::Runtime, Error> {
    serve::hub::runtime(Speed::default()).map_err(no_runtime)
}

fn no_runtime(error: std::io::Error) -> Error {
    Error::new(Exit::Other, "NoRuntime", format!("start threads: {error}"))
}

/// The hub's clock where instants are shown or written; asking for it is a request more.
async fn hub_clock(command: &Command, reached: &serve::Reached) -> Clock {
    if let Some((_, clock)) = &reached.hub {
        clock.clone()
    } else if execute::shows_instants(command) || matches!(command, Command::Controller(_)) {
        hub::time::clock(&reached.client).await
    } else {
        Clock::system()
    }
}

async fn on_hub(global: &Global, command: &Command, out: Out) -> Result<Exit, Error> {
    let reached = serve::reach(global).await?;
    let mut ctx = Context {
        client: reached.client.clone(),
        clock: hub_clock(command, &reached).await,
        out,
        user: connect::person(global, &reached.user),
        read_only: global.read_only,
        words: global.words(),
        undriven: global.data_dir.clone().filter(|_| reached.hub.is_some()),
    };
    let done = match command {
        Command::Controller(args) => serve::controller::drive(args, &mut ctx).await,
        command => execute::dispatch(command, &mut ctx).await,
    };
    let flushed = ctx.out.flush();
    drop(ctx);
    reached.leave().await;
    flushed.and(done)
}
