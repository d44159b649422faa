//! Names that await attention: each once, handed out together.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

/// A set of names that one task fills and another empties; cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Queue(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    names: Mutex<BTreeSet<String>>,
    filled: Notify,
}

impl Queue {
    /// Adds a name; returns whether it was not there yet.
    pub fn add(&self, name: &str) -> bool {
        let mut names = self.0.names.lock().unwrap_or_else(PoisonError::into_inner);
        let added = !names.contains(name) && names.insert(name.to_owned());
        drop(names);
        self.0.filled.notify_one();
        added
    }

    /// Takes a name out unseen.
    pub fn forget(&self, name: &str) {
        let mut names = self.0.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.remove(name);
    }

    /// Takes a name out; whether it was there.
    pub fn take_one(&self, name: &str) -> bool {
        let mut names = self.0.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.remove(name)
    }

    /// The names, left where they are.
    pub fn names(&self) -> BTreeSet<String> {
        let names = self.0.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.clone()
    }

    /// Takes all names, in order.
    pub fn take(&self) -> BTreeSet<String> {
        std::mem::take(&mut *self.0.names.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits until there are names and takes them all.
    pub async fn next(&self) -> BTreeSet<String> {
        loop {
            let names = self.take();
            if !names.is_empty() {
                return names;
            }
            self.0.filled.notified().await;
        }
    }
}
