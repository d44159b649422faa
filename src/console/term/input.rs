//! Reads keys on a thread of its own, which sleeps while nothing is typed.

use std::io;

use ratatui::crossterm::event::{Event, read};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::console::msg::Key;

/// Something that came from the terminal, and when.
#[derive(Clone, Debug)]
pub enum Typed {
    /// A key.
    Key(Key, Instant),
    /// A pasted text.
    Paste(String),
    /// Columns and rows.
    Resize(u16, u16),
    /// Whether the window has the focus.
    Focus(bool),
}

/// What is typed, in order.
pub struct Input {
    receiver: mpsc::UnboundedReceiver<io::Result<Typed>>,
}

impl Input {
    /// Begins to read. The thread ends with the process, or when the terminal is gone.
    pub fn start() -> io::Result<Self> {
        let (sender, receiver) = mpsc::unbounded_channel();
        let thread = std::thread::Builder::new().name("keys".to_owned());
        thread.spawn(move || {
            loop {
                let typed = match read() {
                    Ok(event) => match typed(event) {
                        Some(typed) => Ok(typed),
                        None => continue,
                    },
                    Err(error) => Err(error),
                };
                let last = typed.is_err();
                if sender.send(typed).is_err() || last {
                    return;
                }
            }
        })?;
        Ok(Self { receiver })
    }

    /// The next one; an error when the terminal is gone.
    pub async fn next(&mut self) -> io::Result<Typed> {
        let gone = || Err(io::Error::other("the terminal is gone"));
        self.receiver.recv().await.unwrap_or_else(gone)
    }

    /// One that is here already.
    pub fn ready(&mut self) -> Option<io::Result<Typed>> {
        self.receiver.try_recv().ok()
    }
}

fn typed(event: Event) -> Option<Typed> {
    match event {
        Event::Key(key) => Some(Typed::Key(Key::from_event(key)?, Instant::now())),
        Event::Paste(text) => Some(Typed::Paste(text)),
        Event::Resize(columns, rows) => Some(Typed::Resize(columns, rows)),
        Event::FocusGained => Some(Typed::Focus(true)),
        Event::FocusLost => Some(Typed::Focus(false)),
        Event::Mouse(_) => None,
    }
}
