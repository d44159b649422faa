//! Runs a command against a hub that is at hand: for the program, for tests, for rehearsals.

use clap::Parser;
use futures::future::BoxFuture;

use super::args::{
    Cli, Command, Format, GateCommand, MemberCommand, RunCommand, StrategyCommand, Words,
};
use super::context::Context;
use super::error::Error;
use super::exit::Exit;
use super::output::Out;
use super::{apply, crds, gate, member, objects, run, strategy};
use crate::clock::Clock;
use crate::rehearse::{LineRunner, Refused};

/// Runs the words of a command line, without the program's name. Commands that serve, follow or
/// open a screen are no part of it.
pub async fn execute(words: &[String], ctx: &mut Context) -> Result<Exit, Error> {
    let program = std::iter::once("fleetdeck".to_owned());
    let cli = Cli::try_parse_from(program.chain(words.iter().cloned())).map_err(|e| {
        let text = e.to_string();
        let text = text.trim_start_matches("error: ");
        Error::usage(text.split("\n\n").next().unwrap_or_default().trim())
    })?;
    for (option, given) in [
        ("--context", cli.global.context.is_some()),
        ("--kubeconfig", cli.global.kubeconfig.is_some()),
        ("--hub", cli.global.hub.is_some()),
        ("--data-dir", cli.global.data_dir.is_some()),
    ] {
        if given {
            return Err(Error::usage(format!("{option} names another hub"))
                .hint("leave it out: this line works on the hub at hand"));
        }
    }
    ctx.read_only |= cli.global.read_only;
    if let Some(user) = cli.global.as_user {
        ctx.user = Some(user);
    }
    match &cli.command {
        Some(command) => dispatch(command, ctx).await,
        None => Err(Error::usage("there is no command in the line")),
    }
}

/// Runs a command that needs a hub and nothing else.
pub async fn dispatch(command: &Command, ctx: &mut Context) -> Result<Exit, Error> {
    match command {
        Command::Apply(args) => apply::apply(args, ctx).await,
        Command::Get(args) => objects::get(args, ctx).await,
        Command::Delete(args) => objects::delete(args, ctx).await,
        Command::Run(command) => run::run(command, ctx).await,
        Command::Gate(command) => gate::run(command, ctx).await,
        Command::Strategy(command) => strategy::run(command, ctx).await,
        Command::Member(command) => member::run(command, ctx).await,
        Command::Crds(args) => crds::run(args, ctx).await,
        Command::Demo(_)
        | Command::Hub(_)
        | Command::Controller(_)
        | Command::Rehearse(_)
        | Command::Completion { .. }
        | Command::Man
        | Command::Keys(_)
        | Command::Dev(_) => Err(Error::usage("this command does not work on a hub at hand")),
    }
}

/// The form of output that a command was asked for.
pub fn format(command: &Command) -> Format {
    let print = match command {
        Command::Apply(args) => args.print,
        Command::Get(args) => args.print,
        Command::Delete(args) => args.print,
        Command::Run(command) => match command {
            RunCommand::List { print } | RunCommand::Show { print, .. } => *print,
            RunCommand::Create(args) => args.print,
            RunCommand::Start(args)
            | RunCommand::Stop(args)
            | RunCommand::Resume(args)
            | RunCommand::Delete(args) => args.print,
            RunCommand::Skip(args) => args.print,
            RunCommand::Watch(args) => args.print,
            RunCommand::Wait(args) => args.print,
        },
        Command::Gate(command) => match command {
            GateCommand::List { print, .. } => *print,
            GateCommand::Approve(args) => args.print,
        },
        Command::Strategy(command) => match command {
            StrategyCommand::List { print } | StrategyCommand::Show { print, .. } => *print,
            StrategyCommand::Import(args) => args.print,
        },
        Command::Member(command) => match command {
            MemberCommand::List { print, .. } | MemberCommand::Show { print, .. } => *print,
        },
        _ => return Format::Table,
    };
    print.output
}

/// Whether a command prints ages or instants.
pub fn shows_instants(command: &Command) -> bool {
    let reads = matches!(
        command,
        Command::Get(_)
            | Command::Run(
                RunCommand::List { .. } | RunCommand::Show { .. } | RunCommand::Watch(_)
            )
            | Command::Gate(GateCommand::List { .. })
            | Command::Strategy(StrategyCommand::List { .. })
            | Command::Member(_)
    );
    reads && matches!(format(command), Format::Table | Format::Wide)
        || matches!(command, Command::Run(RunCommand::Watch(_)))
}

/// Runs the `do:` lines of a rehearsal; what they print goes nowhere.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lines;

impl LineRunner for Lines {
    fn run<'a>(
        &'a mut self,
        words: &'a [String],
        client: &'a kube::Client,
        clock: &'a Clock,
    ) -> BoxFuture<'a, Result<(), Refused>> {
        Box::pin(async move {
            let refused = |error: Error| Refused {
                code: error.code().to_owned(),
                message: error.message(),
            };
            if follows(words) {
                let error =
                    Error::usage("a step cannot wait for a run: give the next step its `at`");
                return Err(refused(error));
            }
            let mut ctx = Context {
                client: client.clone(),
                clock: clock.clone(),
                out: Out::to(std::io::sink()),
                user: None,
                read_only: false,
                words: Words::default(),
                undriven: None,
            };
            execute(words, &mut ctx).await.map(|_| ()).map_err(refused)
        })
    }
}

fn follows(words: &[String]) -> bool {
    let mut words = words.iter().map(String::as_str);
    words.next() == Some("run") && matches!(words.next(), Some("watch" | "wait"))
}
