//! Revisions, objects, history and durability.
//!
//! One lock holds the whole state; every write happens inside [`Store::transact`], so revisions
//! are totally ordered. In a directory a write is acknowledged, and shown to readers and
//! watchers, when its commit is on disk; in memory that is at once. What a kind is, or whether a
//! write is allowed, is not known here.

mod disk;
mod event;
mod ids;
mod object;
mod state;
mod table;
mod writer;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, mpsc, watch};

use crate::clock::Clock;
use crate::embedded::refusal::Refusal;

pub use disk::is_taken;
pub(crate) use disk::{Disk, Row};
pub use event::Change;
pub(crate) use event::{Event, Recent};
pub(crate) use object::{Key, Object, join, join_into};
pub(crate) use state::{Place, State, Tx};
pub(crate) use table::{Objects, TooOld};

/// How far the store is on disk, or why it cannot go on.
#[derive(Clone, Debug)]
struct Progress {
    revision: u64,
    failed: Option<Arc<str>>,
    /// Closed because somebody wanted it to be.
    closed: bool,
}

/// The objects of a hub.
pub(crate) struct Store {
    state: Mutex<State>,
    clock: Clock,
    durable: watch::Sender<Progress>,
    /// Wakes the writer; unused in memory.
    pending: Notify,
    in_memory: bool,
}

impl Store {
    /// A store that forgets everything when it is dropped.
    pub(crate) fn in_memory(clock: Clock, seed: Option<u64>) -> Arc<Self> {
        Self::with(State::new(0, seed), clock, true)
    }

    /// A store on what `disk` holds. The caller runs [`Store::write_to`].
    pub(crate) fn on_disk(contents: disk::Contents, clock: Clock, seed: Option<u64>) -> Arc<Self> {
        // Whatever the clock shows, it goes on from where this hub was.
        clock.not_before(contents.instant);
        let mut state = State::new(contents.revision, seed);
        for (table, object) in contents.objects {
            state.load(&table, object);
        }
        Self::with(state, clock, false)
    }

    fn with(state: State, clock: Clock, in_memory: bool) -> Arc<Self> {
        let durable = watch::Sender::new(Progress {
            revision: state.revision,
            failed: None,
            closed: false,
        });
        Arc::new(Self {
            state: Mutex::new(state),
            clock,
            durable,
            pending: Notify::new(),
            in_memory,
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Looks at the state. What is answered from it may still be undone by a crash until
    /// [`Store::settled`] has returned for the revisions seen.
    pub(crate) fn read<T>(&self, look: impl FnOnce(&State) -> T) -> T {
        look(&self.lock())
    }

    /// Runs `act` alone and in order. What it put is in memory when this returns and durable
    /// after [`Store::settled`] on the revision returned. `act` checks first and puts last: what
    /// it has put is not taken back when it then refuses.
    pub(crate) fn transact<T>(
        &self,
        act: impl FnOnce(&mut Tx<'_>) -> Result<T, Refusal>,
    ) -> Result<(T, u64), Refusal> {
        if let Some(failed) = &self.durable.borrow().failed {
            return Err(storage_failed(failed));
        }
        let mut state = self.lock();
        let before = state.revision;
        let outcome = act(&mut Tx::new(&mut state, &self.clock));
        let revision = state.revision;
        if revision != before {
            self.clock.touch();
            if self.in_memory {
                state.forget_pending();
                state.publish(revision);
                self.durable.send_modify(|p| p.revision = revision);
            } else {
                state.hold(&self.clock);
                self.pending.notify_one();
            }
        }
        outcome.map(|value| (value, revision))
    }

    /// Returns when everything up to `revision` is on disk.
    pub(crate) async fn settled(&self, revision: u64) -> Result<(), Refusal> {
        if self.in_memory {
            return Ok(());
        }
        let mut progress = self.durable.subscribe();
        let reached = progress
            .wait_for(|p| p.failed.is_some() || p.revision >= revision)
            .await;
        match reached {
            Ok(progress) if progress.revision >= revision => Ok(()),
            Ok(progress) => Err(storage_failed(
                progress.failed.as_deref().unwrap_or_default(),
            )),
            Err(_) => Err(storage_failed("the hub is closed")),
        }
    }

    /// Every committed event from now on, in order.
    pub(crate) fn subscribe(&self) -> mpsc::UnboundedReceiver<Arc<Event>> {
        let (sender, receiver) = mpsc::unbounded_channel();
        self.lock().subscribers.push(sender);
        receiver
    }

    /// Rows that wait for the disk, and the revision they lead to.
    fn take_pending(&self) -> Option<(Vec<Row>, u64)> {
        let mut state = self.lock();
        if state.pending.is_empty() {
            return None;
        }
        let rows = std::mem::take(&mut state.pending);
        Some((rows, state.revision))
    }

    fn committed(&self, revision: u64) {
        self.lock().publish(revision);
        self.durable.send_modify(|p| p.revision = revision);
    }

    /// Ends the writer, and every later write with a refusal. Await [`Store::settled`] first.
    pub(crate) fn close(&self) {
        self.durable.send_modify(|p| p.closed = p.failed.is_none());
        self.fail("the hub is closed");
        self.pending.notify_one();
    }

    fn is_closed(&self) -> bool {
        self.durable.borrow().failed.is_some()
    }

    fn closed_well(&self) -> bool {
        self.durable.borrow().closed
    }

    fn fail(&self, why: &str) {
        self.lock().release();
        self.durable.send_modify(|p| p.failed = Some(why.into()));
    }
}

fn storage_failed(why: &str) -> Refusal {
    Refusal::new(
        500,
        "InternalError",
        format!(
            "Internal error occurred: the hub cannot write to its storage ({why}): free space or repair the disk, then start the hub again"
        ),
    )
}
