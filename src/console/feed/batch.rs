//! Gathers changes for at most a frame or three, so that a storm is one message and not thousands.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::console::msg::{Change, HubBatch, Msg, Ticket};

/// Longest time that a change waits for others.
const LONGEST: Duration = Duration::from_millis(50);
/// How long a change waits for the next one when nothing comes.
const LINGER: Duration = Duration::from_millis(4);
/// Size of the first batch of a list: a screen full.
const FIRST: usize = 128;
/// Size of the later ones.
const LATER: usize = 1024;

/// Changes of one kind on their way to the console.
pub(super) struct Batch {
    sender: mpsc::Sender<Msg>,
    changes: Vec<Change>,
    since: Instant,
    size: usize,
    follow: Option<Ticket>,
}

/// The console is gone.
pub(super) struct Closed;

impl Batch {
    /// Of a watch on a run's members with its ticket, or of another one.
    pub fn new(sender: mpsc::Sender<Msg>, follow: Option<Ticket>) -> Self {
        Self {
            sender,
            changes: Vec::new(),
            since: Instant::now(),
            size: FIRST,
            follow,
        }
    }

    /// The next rows are the first of a list: they are sent early.
    pub fn begin_list(&mut self) {
        self.size = FIRST;
    }

    /// Takes a change in; sends what there is when it is enough or old enough.
    pub async fn push(&mut self, change: Change) -> Result<(), Closed> {
        if self.changes.is_empty() {
            self.since = Instant::now();
        }
        self.changes.push(change);
        // Reading the clock costs as much as decoding a small field; not every change needs it.
        let len = self.changes.len();
        if len >= self.size || (len.is_multiple_of(32) && self.since.elapsed() >= LONGEST) {
            return self.flush().await;
        }
        Ok(())
    }

    /// When what there is must go, if there is something.
    pub fn due(&self) -> Option<Instant> {
        let due = (Instant::now() + LINGER).min(self.since + LONGEST);
        (!self.changes.is_empty()).then_some(due)
    }

    /// Sends what there is.
    pub async fn flush(&mut self) -> Result<(), Closed> {
        if self.changes.is_empty() {
            return Ok(());
        }
        let batch = HubBatch {
            generation: 1,
            follow: self.follow,
            changes: std::mem::take(&mut self.changes),
        };
        self.size = LATER;
        self.sender.send(Msg::Hub(batch)).await.map_err(|_| Closed)
    }
}
