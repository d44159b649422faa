//! `fleetdeck` alone and `fleetdeck demo`: hands over to the console.

use crate::cli::args::{ConsoleArgs, DemoArgs, DriverWord, Global, Speed, Words};
use crate::cli::connect;
use crate::cli::context::may_write;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::{self, Out};
use crate::console::demo;
use crate::console::pilot::Drive;
use crate::console::run::Exit as Left;
use crate::console::start::{self, Style};
use crate::console::theme::{GlyphSet, Surroundings};

impl From<DriverWord> for Drive {
    fn from(word: DriverWord) -> Self {
        match word {
            DriverWord::Auto => Drive::Auto,
            DriverWord::On => Drive::On,
            DriverWord::Off => Drive::Off,
        }
    }
}

impl From<start::Error> for Error {
    fn from(error: start::Error) -> Self {
        match error {
            start::Error::Hub(error) => error.into(),
            start::Error::Terminal(error) => Error::new(
                Exit::Other,
                "NoTerminal",
                format!("use the terminal: {error}"),
            )
            .hint("the commands work without one: see fleetdeck --help"),
            start::Error::Demo(reason) => Error::new(Exit::Other, "HubFailed", reason),
        }
    }
}

/// `fleetdeck`
pub fn open(args: &ConsoleArgs, global: &Global) -> Result<u8, Error> {
    if let Some(folder) = &global.data_dir {
        return of_folder(args, global, folder);
    }
    on(args, global, global.words())
}

/// A console on the hub of a kubeconfig; `words` name it in commands.
fn on(args: &ConsoleArgs, global: &Global, words: Words) -> Result<u8, Error> {
    let options = start::Options {
        words: words.to_string(),
        target: connect::target(global),
        read_only: global.read_only,
        driver: args.driver.into(),
        style: style(args, global),
    };
    Ok(left(start::open(options)?))
}

/// A console on the hub of a folder: the one that is served there, or one opened here.
fn of_folder(args: &ConsoleArgs, global: &Global, folder: &std::path::Path) -> Result<u8, Error> {
    if crate::embedded::is_taken(folder) {
        let words = global.words();
        let global = Global {
            kubeconfig: Some(crate::hub::kubeconfig::of_folder(folder)),
            data_dir: None,
            ..global.clone()
        };
        return on(args, &global, words);
    }
    let options = demo::Options {
        fleet: false,
        words: global.words().to_string(),
        speed: 1.0,
        name: folder.display().to_string(),
        driver: args.driver.into(),
        style: style(args, global),
        read_only: global.read_only,
        data_dir: Some(folder.to_owned()),
        ..demo::Options::default()
    };
    Ok(left(demo::open(options)?))
}

/// `fleetdeck demo`
pub fn demo(args: &DemoArgs, global: &Global, out: &mut Out) -> Result<u8, Error> {
    let Speed::Times(speed) = args.speed else {
        return Err(Error::usage("demo: --speed max leaves nothing to look at")
            .hint("give a number; fleetdeck rehearse jumps from event to event"));
    };
    let options = demo::Options {
        words: global.words().to_string(),
        data_dir: global.data_dir.clone(),
        kubeconfig: global.kubeconfig.clone(),
        listen: args.listen,
        speed,
        seed: args.seed,
        read_only: global.read_only,
        style: style(&args.console, global),
        driver: match args.console.driver {
            // The hub is this process's own: nobody else is there to drive it.
            DriverWord::Auto => Drive::On,
            word => word.into(),
        },
        ..demo::Options::default()
    };
    if args.headless {
        may_write(global.read_only).map_err(|e| e.tried("run the demo"))?;
        output::log::start();
        return Ok(left(demo::headless(&options, out.writer())?));
    }
    Ok(left(demo::open(options)?))
}

/// `fleetdeck dev panic`
pub fn break_down(elsewhere: bool) -> Result<u8, Error> {
    let style = style(&ConsoleArgs::default(), &Global::default());
    Ok(left(start::break_down(style, elsewhere)?))
}

fn style(args: &ConsoleArgs, global: &Global) -> Style {
    let mut around = Surroundings::of_process();
    around.no_color |= global.no_color;
    around.theme = args.theme.clone().or(around.theme);
    if args.ascii {
        around.glyphs = GlyphSet::Ascii;
    }
    Style {
        around,
        keymap: args.keymap.clone().unwrap_or_default(),
        title: !args.no_title,
    }
}

/// The exit code: as a shell tells a signal, where one ended the console.
fn left(exit: Left) -> u8 {
    match exit {
        Left::Quit | Left::Gone => Exit::Done as u8,
        Left::Signal(number) => u8::try_from(128 + number).unwrap_or(Exit::Other as u8),
        Left::Crash(report) => {
            output::note(&report);
            101
        }
    }
}
