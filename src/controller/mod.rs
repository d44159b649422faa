//! The controller loop: reads the hub through watches, asks the engine, writes what it decided.
//!
//! It decides nothing about runs itself. One process leads by Lease ([`lead`]); all others stand
//! by. Everything here can be killed at any await point and goes on after a restart: each step of
//! applying a decision can be repeated.

mod apply;
mod campaign;
mod context;
pub mod driven;
mod driver;
mod events;
mod feed;
mod kinds;
pub mod lead;
mod members;
mod queue;
mod reconcile;
mod strategies;
mod table;
mod timers;
mod trigger;
mod world;

use kube::Client;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;

/// What the controller works with.
#[derive(Clone)]
pub struct Options {
    /// The hub.
    pub client: Client,
    /// Time of runs.
    pub clock: Clock,
    /// Names this process in the Lease; unique among the processes that may lead.
    pub identity: String,
    /// Lease times.
    pub lease: lead::Settings,
}

/// Whether this process drives the runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DriverState {
    /// Somebody else drives; this process takes over when they are gone.
    Standby {
        /// Identity of who drives; empty while nobody is known to.
        holder: String,
    },
    /// This process drives.
    Leading {
        /// When it took over.
        since: jiff::Timestamp,
    },
    /// This process does not drive.
    Stopped {
        /// Why, in one sentence.
        reason: String,
    },
}

/// A running controller; dropping it is [`Controller::abort`].
pub struct Controller {
    /// Whether this process drives, as it changes.
    pub status: watch::Receiver<DriverState>,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

/// Starts the controller on the current runtime.
pub fn start(options: Options) -> Controller {
    let (sender, status) = watch::channel(DriverState::Standby {
        holder: String::new(),
    });
    let stop = CancellationToken::new();
    let task = tokio::spawn(campaign::run(options, sender, stop.clone()));
    Controller { status, stop, task }
}

impl Controller {
    /// Finishes what is being written, hands the lease over, and ends.
    pub async fn stop(mut self) {
        self.stop.cancel();
        let _ = (&mut self.task).await;
    }

    /// Ends as a kill would: at whatever await point each task stands, the lease still held.
    pub fn abort(self) {}
}

impl Drop for Controller {
    fn drop(&mut self) {
        self.task.abort();
    }
}
