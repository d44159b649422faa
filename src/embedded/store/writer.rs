//! The task that brings changes to the disk, several requests to one commit.

use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;

use super::{Disk, Row, Store};

/// How often the time of a hub that nothing is written to is kept.
const KEEP: Duration = Duration::from_secs(1);
/// A hub whose time is not further from the machine's than this has that time after a kill, too.
const SAME: SignedDuration = SignedDuration::from_secs(1);

impl Store {
    /// Writes to `disk` until the store is closed, and then lets go of the file.
    pub(crate) async fn write_to(self: Arc<Self>, disk: Disk) {
        let disk = Arc::new(disk);
        while !self.is_closed() {
            while let Some((rows, revision)) = self.take_pending() {
                if !self.commit(&disk, rows, revision).await {
                    return;
                }
                self.committed(revision);
            }
            tokio::select! {
                () = self.pending.notified() => {}
                () = tokio::time::sleep(KEEP), if self.has_own_time() => {
                    self.keep_time(&disk).await;
                }
            }
        }
        if self.closed_well() {
            self.keep_time(&disk).await;
        }
    }

    /// Writes rows, and with them the time, which no instant in them is after.
    async fn commit(&self, disk: &Arc<Disk>, rows: Vec<Row>, revision: u64) -> bool {
        let (disk, now) = (disk.clone(), self.clock.now());
        let written = tokio::task::spawn_blocking(move || disk.write(&rows, revision, now)).await;
        let failure = match written {
            Ok(Ok(())) => return true,
            Ok(Err(error)) => error.to_string(),
            Err(join) => join.to_string(),
        };
        tracing::error!(%failure, "the hub cannot write to its storage");
        self.fail(&failure);
        false
    }

    /// Whether the time would go back if the machine's were taken after a kill. A manual clock
    /// moves with what is written.
    fn has_own_time(&self) -> bool {
        let speed = self.clock.speed();
        speed.is_some_and(|speed| speed != 1.0 || self.clock.ahead() > SAME)
    }

    async fn keep_time(&self, disk: &Arc<Disk>) {
        let revision = self.durable.borrow().revision;
        self.commit(disk, Vec::new(), revision).await;
    }
}
