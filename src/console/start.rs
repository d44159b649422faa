//! Opens the console: finds the hub, draws at once, connects behind the first frame, drives if it
//! may, and hands everything back when it ends.

use std::path::PathBuf;

use tokio::runtime::Runtime;
use tokio::sync::mpsc;

use super::feed::{Feed, Origin, QUEUE, Source};
use super::model::{Look, Mode, Model, Session};
use super::msg::{Msg, Rank};
use super::pilot::{self, Drive};
use super::run::{Exit, Ui};
use super::term::{Crash, Screen, Signals};
use super::theme::{Surroundings, looks};
use super::{actions, demo, files, input, term};
use crate::clock::Clock;
use crate::hub::{self, Class, Target};

/// How the console looks and listens, whatever it is opened on.
#[derive(Clone, Debug, Default)]
pub struct Style {
    /// Theme, glyphs, and what the terminal is.
    pub around: Surroundings,
    /// Name of the keymap; empty for the default.
    pub keymap: String,
    /// Whether the terminal's title is changed.
    pub title: bool,
}

/// What `fleetdeck` alone is asked for.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The hub.
    pub target: Target,
    /// Options that name it in a command, with a blank before each.
    pub words: String,
    /// Nothing can be written.
    pub read_only: bool,
    /// Whether this console drives the runs.
    pub driver: Drive,
    /// How it looks.
    pub style: Style,
}

/// Why the console could not be opened, or broke off.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No hub can be found.
    #[error(transparent)]
    Hub(#[from] hub::Error),
    /// The terminal cannot be used.
    #[error("The terminal cannot be used: {0}. The commands work without one: fleetdeck help")]
    Terminal(#[from] std::io::Error),
    /// The embedded hub of the demo cannot be opened.
    #[error("{0}")]
    Demo(String),
}

/// A console about to be opened.
pub(super) struct Opening {
    /// Where and as whom.
    pub session: Session,
    /// How it looks.
    pub style: Style,
    /// The hub's time.
    pub clock: Clock,
    /// Whether it drives.
    pub driver: Drive,
}

/// Opens the console on a hub, and returns when it is left. Offers the demo where there is none.
pub fn open(options: Options) -> Result<Exit, Error> {
    let found = match options.target.find() {
        Ok(found) => found,
        Err(error) if error.class == Class::NoCluster && term::can_ask() => {
            let question =
                format!("{error}.\nOpen the demo, a made-up fleet that needs no cluster?");
            if term::ask(&question)? {
                let style = options.style;
                return demo::open(demo::Options {
                    style,
                    ..demo::Options::default()
                });
            }
            return Err(error.into());
        }
        Err(error) => return Err(error.into()),
    };
    let mode = if options.read_only {
        Mode::ReadOnly
    } else {
        Mode::ReadWrite
    };
    let mut session = session(&found.name, &found.user, mode, 1.0);
    session.words = options.words;
    let opening = Opening {
        session,
        style: options.style,
        clock: Clock::system(),
        driver: if options.read_only {
            Drive::Off
        } else {
            options.driver
        },
    };
    let runtime = runtime()?;
    let opened = opening.screen(&runtime)?;
    let origin = Origin::Found(Box::new(found));
    let exit = runtime.block_on(opened.serve(origin))?;
    runtime.shutdown_background();
    Ok(exit)
}

/// Opens a screen without a hub and lets a defect happen behind it, on the screen's own thread or
/// on another one: `fleetdeck dev panic`, to see that the terminal is given back.
#[allow(clippy::panic, reason = "a defect is what is asked for")]
pub fn break_down(style: Style, elsewhere: bool) -> Result<Exit, Error> {
    let opening = Opening {
        session: session("nowhere", "", Mode::ReadOnly, 1.0),
        style,
        clock: Clock::system(),
        driver: Drive::Off,
    };
    let runtime = runtime()?;
    let opened = opening.screen(&runtime)?;
    let exit = runtime.block_on(async {
        let (never, nothing) = tokio::sync::oneshot::channel();
        #[allow(clippy::panic)] // to show that a defect gives the terminal back
        let defect = async move {
            tokio::time::sleep(std::time::Duration::from_millis(300)).await;
            drop(never);
            std::panic::panic_any("this defect was asked for")
        };
        let screen = opened.serve(Origin::Opening(nothing));
        if elsewhere {
            tokio::spawn(defect);
            return screen.await;
        }
        tokio::select! {
            exit = screen => exit,
            exit = defect => exit,
        }
    })?;
    runtime.shutdown_background();
    Ok(exit)
}

/// What is known of the session before the hub says anything.
pub(super) fn session(hub: &str, user: &str, mode: Mode, speed: f64) -> Session {
    Session {
        hub: hub.to_owned(),
        environment: String::new(),
        user: user.to_owned(),
        mode,
        speed,
        words: String::new(),
        // Finding the person's own takes a while: it is done behind the first byte.
        zone: jiff::tz::TimeZone::UTC,
    }
}

/// Two threads: one decodes what the hub sends while the other draws.
pub(super) fn runtime() -> std::io::Result<Runtime> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(2).enable_all().build()
}

impl Opening {
    /// Takes the terminal over and draws the first frame; asks no hub. From before the first byte
    /// on, signals and panics give the terminal back.
    pub fn screen(self, runtime: &Runtime) -> Result<Opened, Error> {
        let crash = term::watch_for_panics(files::state_dir());
        let signals = {
            let _inside = runtime.enter();
            Signals::start()?
        };
        let title = self
            .style
            .title
            .then(|| format!("fleetdeck {}", self.session.hub));
        // What is read from files and made of them comes after the first byte.
        let screen = Screen::enter(term::Options { title })?;
        let config = files::config_dir();
        let folder = |name: &str| config.as_ref().map(|dir: &PathBuf| dir.join(name));
        let looks = looks(&self.style.around, folder("themes").as_deref());
        let keymap = match self.style.keymap.as_str() {
            "" => "vim",
            name => name,
        };
        let known = |action: &str| actions::find(action).is_some();
        let (keys, faults) = input::load(keymap, folder("keymaps").as_deref(), &known);
        let notices = looks
            .faults
            .iter()
            .chain(&faults)
            .map(ToString::to_string)
            .collect();
        let mut session = self.session;
        session.zone = jiff::tz::TimeZone::system();
        if let Some(environment) = looks.theme.environment(&session.hub) {
            session.environment = environment.to_owned();
        }
        let read_only = session.mode == Mode::ReadOnly;
        let look = Look {
            theme: looks.theme,
            glyphs: looks.glyphs,
            keys,
        };
        let (columns, rows) = term::size();
        let model = Model::new(session, look, self.clock.now(), columns, rows);
        let ui = Ui::open(model, self.clock.clone(), screen)?;
        Ok(Opened {
            ui,
            signals,
            crash,
            notices,
            read_only,
            clock: self.clock,
            driver: self.driver,
        })
    }
}

/// A console whose first frame is drawn.
pub(super) struct Opened {
    ui: Ui,
    signals: Signals,
    crash: Crash,
    /// What is to be said about the user's files.
    notices: Vec<String>,
    read_only: bool,
    clock: Clock,
    driver: Drive,
}

impl Opened {
    /// Connects, drives if it may, and runs the screen until it is left.
    pub async fn serve(mut self, origin: Origin) -> Result<Exit, Error> {
        let (sender, mut messages) = mpsc::channel(QUEUE);
        for text in self.notices {
            let rank = Rank::Warning;
            let _ = sender.try_send(Msg::Notice { rank, text });
        }
        let source = Source {
            origin,
            clock: self.clock.clone(),
            read_only: self.read_only,
        };
        let feed = Feed::start(source, sender.clone());
        let pilot = pilot::start(self.driver, feed.access(), self.clock, sender);
        let exit = self
            .ui
            .run(&mut self.signals, &mut messages, &feed, &self.crash)
            .await;
        self.ui.close();
        // Nobody reads any more: whoever still sends must not wait for it.
        drop(messages);
        pilot.stop().await;
        Ok(exit?)
    }
}
