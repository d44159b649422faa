//! Opens the console: finds the hub, draws at once, connects behind the first frame, drives if it
//! may, and hands everything back when it ends.

use std::path::PathBuf;

use tokio::sync::mpsc;

use super::feed::{Feed, Origin, QUEUE, Source};
use super::model::{Look, Mode, Model, Session};
use super::msg::{Msg, Rank};
use super::pilot::{self, Drive};
use super::run::{Exit, Ui};
use super::theme::{Surroundings, looks};
use super::{demo, files, input, term};
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
    let session = session(&found.name, &found.user, mode, 1.0);
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
    let (mut ui, notices) = opening.screen()?;
    let runtime = runtime()?;
    let origin = Origin::Found(Box::new(found));
    let exit = runtime.block_on(opening.serve(&mut ui, notices, origin))?;
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
        zone: jiff::tz::TimeZone::system(),
    }
}

/// Two threads: one decodes what the hub sends while the other draws.
pub(super) fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(2).enable_all().build()
}

impl Opening {
    /// Takes the terminal over and draws the first frame; needs neither runtime nor hub. Also what
    /// is to be said about the user's files.
    pub fn screen(&self) -> Result<(Ui, Vec<Msg>), Error> {
        let config = files::config_dir();
        let folder = |name: &str| config.as_ref().map(|dir: &PathBuf| dir.join(name));
        let looks = looks(&self.style.around, folder("themes").as_deref());
        let keymap = match self.style.keymap.as_str() {
            "" => "vim",
            name => name,
        };
        let (keys, faults) = input::load(keymap, folder("keymaps").as_deref(), &|_| true);
        let notices = looks.faults.iter().chain(&faults).map(|fault| Msg::Notice {
            rank: Rank::Warning,
            text: fault.to_string(),
        });
        let notices = notices.collect();
        let mut session = self.session.clone();
        if let Some(environment) = looks.theme.environment(&session.hub) {
            session.environment = environment.to_owned();
        }
        let title = self
            .style
            .title
            .then(|| format!("fleetdeck {}", session.hub));
        let look = Look {
            theme: looks.theme,
            glyphs: looks.glyphs,
            keys,
        };
        let (columns, rows) = term::size();
        let model = Model::new(session, look, self.clock.now(), columns, rows);
        let ui = Ui::open(model, self.clock.clone(), term::Options { title })?;
        Ok((ui, notices))
    }

    /// Connects, drives if it may, and runs the screen until it is left.
    pub async fn serve(
        self,
        ui: &mut Ui,
        notices: Vec<Msg>,
        origin: Origin,
    ) -> Result<Exit, Error> {
        let crash = term::watch_for_panics(files::state_dir());
        let (sender, mut messages) = mpsc::channel(QUEUE);
        for notice in notices {
            let _ = sender.try_send(notice);
        }
        let source = Source {
            origin,
            clock: self.clock.clone(),
            read_only: self.session.mode == Mode::ReadOnly,
        };
        let feed = Feed::start(source, sender.clone());
        let pilot = pilot::start(self.driver, feed.access(), self.clock, sender);
        let exit = ui.run(&mut messages, &feed, &crash).await;
        ui.close();
        // Nobody reads any more: whoever still sends must not wait for it.
        drop(messages);
        pilot.stop().await;
        Ok(exit?)
    }
}
