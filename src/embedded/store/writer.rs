//! The task that brings changes to the disk, several requests to one commit.

use std::sync::Arc;

use super::{Disk, Store};

impl Store {
    /// Writes to `disk` until the store is closed, and then lets go of the file.
    pub(crate) async fn write_to(self: Arc<Self>, disk: Disk) {
        let disk = Arc::new(disk);
        while !self.is_closed() {
            while let Some((rows, revision)) = self.take_pending() {
                let file = disk.clone();
                let written =
                    tokio::task::spawn_blocking(move || file.write(&rows, revision)).await;
                let failure = match written {
                    Ok(Ok(())) => {
                        self.committed(revision);
                        continue;
                    }
                    Ok(Err(error)) => error.to_string(),
                    Err(join) => join.to_string(),
                };
                tracing::error!(%failure, "the hub cannot write to its storage");
                self.fail(&failure);
                return;
            }
            self.pending.notified().await;
        }
    }
}
