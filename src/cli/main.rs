//! The program: reads the words, finds what the command needs, ends with its exit code.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use super::args::{Cli, Command, Format};
use super::connect;
use super::context::Context;
use super::error::{Error, OUTPUT_CLOSED};
use super::execute;
use super::exit::Exit;
use super::output::{self, Out};
use super::{crds, help};
use crate::clock::Clock;

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
        Ok(exit) => exit.into(),
        Err(error) if error.code() == OUTPUT_CLOSED => Exit::Done.into(),
        Err(error) => {
            output::failure(&error, format, no_color);
            error.exit.into()
        }
    }
}

fn run(cli: &Cli) -> Result<Exit, Error> {
    let mut out = Out::stdout(cli.global.no_color);
    match &cli.command {
        Some(Command::Completion { shell }) => out.raw(&help::completion(*shell))?,
        Some(Command::Man) => out.raw(&help::man()?)?,
        Some(Command::Crds(args)) if args.command.is_none() => out.raw(&crds::manifest()?)?,
        Some(command) => return runtime()?.block_on(on_hub(cli, command, out)),
        None => return Err(Error::usage("there is no console in this build")),
    }
    out.flush()?;
    Ok(Exit::Done)
}

fn runtime() -> Result<tokio::runtime::Runtime, Error> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|e| Error::new(Exit::Other, "NoRuntime", format!("start threads: {e}")))
}

async fn on_hub(cli: &Cli, command: &Command, out: Out) -> Result<Exit, Error> {
    let access = connect::remote(&cli.global).await?;
    let mut ctx = Context {
        client: access.client,
        clock: Clock::system(),
        out,
        user: connect::person(&cli.global, &access.user),
        read_only: cli.global.read_only,
    };
    let done = execute::dispatch(command, &mut ctx).await;
    ctx.out.flush()?;
    done
}
