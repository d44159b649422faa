//! The loop: waits, lets the model hear everything that has happened, draws one frame, sleeps.
//!
//! It owns the model; nobody else touches it. Input is drained before drawing. Nothing happened: no
//! frame, no byte, no wake-up. There is no tick: the model says at which instant it wants to be
//! woken.

use std::io;
use std::time::Duration;

use jiff::Timestamp;
use ratatui::Terminal;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::effect::Effect;
use super::feed::Feed;
use super::model::Model;
use super::msg::{Msg, Rank};
use super::term::{self, Copied, Crash, Input, Painter, Screen, Signal, Signals, Typed};
use super::{update, view};
use crate::clock::Clock;

/// Shortest time from one frame to the next, where no key was pressed.
const FRAME: Duration = Duration::from_millis(16);
/// The same where the terminal takes long to take a frame.
const SLOW_FRAME: Duration = Duration::from_millis(33);
/// A write that takes longer is slow.
const SLOW_WRITE: Duration = Duration::from_millis(30);
/// Longest time that messages are taken in before a frame shows what they brought.
const INTAKE: Duration = Duration::from_millis(12);

/// Why the console ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Exit {
    /// The person left.
    Quit,
    /// A signal, by its number.
    Signal(i32),
    /// The terminal is gone.
    Gone,
    /// A part of the program has a defect; what to say of it.
    Crash(String),
}

/// The screen with the model behind it.
pub struct Ui {
    model: Model,
    screen: Screen,
    terminal: Terminal<Painter<std::fs::File>>,
    clock: Clock,
    origin: Instant,
    last: Instant,
    pace: Duration,
    dirty: bool,
    /// A key was pressed: it is drawn at once.
    urgent: bool,
    wake_at: Option<Timestamp>,
    suspend: bool,
    quit: bool,
}

impl Ui {
    /// Draws the first frame on a terminal that is ours. Needs no runtime.
    pub fn open(mut model: Model, clock: Clock, screen: Screen) -> io::Result<Self> {
        let size = term::size();
        let painter = Painter::new(screen.output()?, size, true);
        let terminal = Terminal::new(painter)?;
        let effects = update(
            &mut model,
            Msg::Resize {
                columns: size.0,
                rows: size.1,
            },
        );
        let now = Instant::now();
        let mut ui = Self {
            model,
            screen,
            terminal,
            clock,
            origin: now,
            last: now,
            pace: FRAME,
            dirty: true,
            urgent: true,
            wake_at: None,
            suspend: false,
            quit: false,
        };
        // Nothing can be asked yet; what the model wants of the terminal and the clock holds.
        for effect in effects {
            ui.own(effect);
        }
        ui.draw()?;
        Ok(ui)
    }

    /// Runs until the person leaves, a signal comes, or the terminal is gone.
    pub async fn run(
        &mut self,
        signals: &mut Signals,
        messages: &mut mpsc::Receiver<Msg>,
        feed: &Feed,
        crash: &Crash,
    ) -> io::Result<Exit> {
        let mut input = Input::start()?;
        // The size may have changed before anybody listened.
        self.resize(term::size(), feed);
        loop {
            let due = (self.dirty).then(|| self.last + self.pace);
            tokio::select! {
                biased;
                signal = signals.next() => match signal {
                    Signal::Leave(number) => return Ok(Exit::Signal(number)),
                    Signal::Continue => self.retake(feed)?,
                },
                typed = input.next() => match typed {
                    Ok(typed) => self.typed(typed, feed),
                    Err(_) => return Ok(Exit::Gone),
                },
                Some(message) = messages.recv() => self.hear(message, feed),
                report = crash.happened() => return Ok(Exit::Crash(report)),
                () = wait(&self.clock, self.wake_at) => {
                    self.wake_at = None;
                    self.dirty = true;
                    self.tell(Msg::Time(self.clock.now()), feed);
                }
                () = until(due) => {}
            }
            if !self.drain(&mut input, messages, feed) {
                return Ok(Exit::Gone);
            }
            if self.suspend {
                self.suspend = false;
                self.step_aside(signals, feed).await?;
            }
            if self.quit {
                return Ok(Exit::Quit);
            }
            let now = Instant::now();
            if self.dirty && (self.urgent || now >= self.last + self.pace) && self.draw().is_err() {
                return Ok(Exit::Gone);
            }
        }
    }

    /// Gives the terminal back.
    pub fn close(&mut self) {
        self.screen.leave();
    }

    /// Takes in what is here already: keys first, and again after the facts. False: no terminal.
    fn drain(
        &mut self,
        input: &mut Input,
        messages: &mut mpsc::Receiver<Msg>,
        feed: &Feed,
    ) -> bool {
        let begun = Instant::now();
        loop {
            while let Some(typed) = input.ready() {
                match typed {
                    Ok(typed) => self.typed(typed, feed),
                    Err(_) => return false,
                }
            }
            if self.urgent || begun.elapsed() >= INTAKE {
                return true;
            }
            match messages.try_recv() {
                Ok(message) => self.hear(message, feed),
                Err(_) => return true,
            }
        }
    }

    fn typed(&mut self, typed: Typed, feed: &Feed) {
        match typed {
            Typed::Key(key, at) => {
                self.urgent = true;
                let at = at.saturating_duration_since(self.origin).as_millis() as u64;
                self.hear(Msg::Key { key, at }, feed);
            }
            Typed::Paste(text) => {
                self.urgent = true;
                self.hear(Msg::Paste(text), feed);
            }
            Typed::Resize(columns, rows) => self.resize((columns, rows), feed),
            Typed::Focus(on) => self.hear(Msg::Focus(on), feed),
        }
    }

    fn resize(&mut self, size: (u16, u16), feed: &Feed) {
        let now = (self.model.size.columns, self.model.size.rows);
        if size == now || size.0 == 0 || size.1 == 0 {
            return;
        }
        self.terminal.backend_mut().resize(size);
        let (columns, rows) = size;
        self.hear(Msg::Resize { columns, rows }, feed);
    }

    /// A message, with the instant before it.
    fn hear(&mut self, message: Msg, feed: &Feed) {
        self.dirty = true;
        self.tell(Msg::Time(self.clock.now()), feed);
        self.tell(message, feed);
    }

    fn tell(&mut self, message: Msg, feed: &Feed) {
        // A hub tells its speed when it answers, and may be opened again at another one.
        if let (Msg::Time(_), Some(speed)) = (&message, self.clock.speed()) {
            self.model.session.speed = speed;
        }
        for effect in update(&mut self.model, message) {
            match effect {
                Effect::Copy(text) => self.copy(&text, feed),
                Effect::RetryLink => feed.retry(),
                Effect::Write(_)
                | Effect::CheckSkip { .. }
                | Effect::CheckApproval { .. }
                | Effect::Plan { .. }
                | Effect::LoadYaml { .. }
                | Effect::Follow { .. } => feed.ask(effect),
                own => self.own(own),
            }
        }
    }

    /// What concerns only the screen and the clock.
    fn own(&mut self, effect: Effect) {
        match effect {
            Effect::WakeAt(instant) => self.wake_at = Some(instant),
            Effect::Sleep => self.wake_at = None,
            Effect::Redraw => self.repaint(),
            Effect::Suspend => self.suspend = true,
            Effect::Quit => self.quit = true,
            Effect::Write(_)
            | Effect::CheckSkip { .. }
            | Effect::CheckApproval { .. }
            | Effect::Plan { .. }
            | Effect::LoadYaml { .. }
            | Effect::Follow { .. }
            | Effect::Copy(_)
            | Effect::RetryLink => {}
        }
    }

    fn copy(&mut self, text: &str, feed: &Feed) {
        let inside_tmux = std::env::var_os("TMUX").is_some();
        let (rank, said) = match term::copy(text, inside_tmux) {
            Copied::Osc52(sequence) => {
                self.terminal.backend_mut().add(&sequence);
                (Rank::Info, format!("Copied {} bytes by OSC 52", text.len()))
            }
            Copied::TooLong => {
                let said = format!(
                    "{} bytes are more than a terminal's clipboard takes",
                    text.len()
                );
                (Rank::Warning, said)
            }
        };
        self.tell(Msg::Notice { rank, text: said }, feed);
    }

    fn draw(&mut self) -> io::Result<()> {
        let model = &self.model;
        // Writes nothing where the title is as it was.
        self.screen.title(&view::title(model))?;
        self.terminal.draw(|frame| view::draw(model, frame))?;
        let begun = Instant::now();
        self.terminal.backend_mut().present()?;
        self.last = Instant::now();
        let slow = self.last.duration_since(begun) > SLOW_WRITE;
        self.pace = if slow { SLOW_FRAME } else { FRAME };
        (self.dirty, self.urgent) = (false, false);
        Ok(())
    }

    /// Every cell is painted again with the next frame.
    fn repaint(&mut self) {
        self.terminal.backend_mut().forget();
        // Gathers the bytes only; a terminal that is gone is found when they are written.
        let _ = self.terminal.clear();
        self.dirty = true;
    }

    /// Gives the terminal back, stops, and takes it again when somebody continues us.
    async fn step_aside(&mut self, signals: &mut Signals, feed: &Feed) -> io::Result<()> {
        self.screen.leave();
        signals.stop().await?;
        self.retake(feed)
    }

    fn retake(&mut self, feed: &Feed) -> io::Result<()> {
        self.screen.take()?;
        self.resize(term::size(), feed);
        self.repaint();
        self.tell(Msg::Time(self.clock.now()), feed);
        self.urgent = true;
        Ok(())
    }
}

async fn wait(clock: &Clock, instant: Option<Timestamp>) {
    match instant {
        Some(instant) => clock.sleep_until(instant).await,
        None => std::future::pending().await,
    }
}

async fn until(instant: Option<Instant>) {
    match instant {
        Some(instant) => tokio::time::sleep_until(instant).await,
        None => std::future::pending().await,
    }
}
