//! When each run can next change by itself, on the time of runs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use tokio::sync::Notify;

use super::world::World;
use crate::clock::Clock;

/// The next instant of each run; cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Timers(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    wakes: Mutex<BTreeMap<String, Timestamp>>,
    moved: Notify,
}

impl Timers {
    /// `run` is to decide again at `wake`; `None` takes its timer away.
    pub fn set(&self, run: &str, wake: Option<Timestamp>) {
        let mut wakes = self.0.wakes.lock().unwrap_or_else(PoisonError::into_inner);
        let before = match wake {
            Some(wake) => wakes.insert(run.to_owned(), wake),
            None => wakes.remove(run),
        };
        drop(wakes);
        if before != wake {
            self.0.moved.notify_one();
        }
    }

    /// Marks runs as their instants come; never returns.
    pub async fn serve(&self, clock: &Clock, world: &World) {
        loop {
            let next = {
                let wakes = self.0.wakes.lock().unwrap_or_else(PoisonError::into_inner);
                wakes.values().min().copied()
            };
            let Some(next) = next else {
                self.0.moved.notified().await;
                continue;
            };
            tokio::select! {
                biased;
                () = self.0.moved.notified() => continue,
                () = clock.sleep_until(next) => {}
            }
            for run in self.due(clock.now()) {
                world.mark(&run);
            }
        }
    }

    fn due(&self, now: Timestamp) -> Vec<String> {
        let mut wakes = self.0.wakes.lock().unwrap_or_else(PoisonError::into_inner);
        let due: Vec<_> = wakes
            .iter()
            .filter(|(_, wake)| **wake <= now)
            .map(|(run, _)| run.clone())
            .collect();
        wakes.retain(|_, wake| *wake > now);
        due
    }
}
