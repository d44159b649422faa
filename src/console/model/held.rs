//! Whole objects of the kinds of which there are few: runs, gates, strategies.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::names::Uid;

/// An object, and whether it is still there.
#[derive(Clone, Debug)]
pub struct Held<T> {
    /// As the hub had it last.
    pub object: Arc<T>,
    /// Deleted, and kept because the selection is on it.
    pub gone: Option<Timestamp>,
    seen: u32,
}

/// All objects of one kind, by identity.
#[derive(Debug)]
pub struct Shelf<T> {
    held: BTreeMap<Uid, Held<T>>,
    epoch: u32,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self {
            held: BTreeMap::new(),
            epoch: 0,
        }
    }
}

impl<T> Shelf<T> {
    /// One of them.
    pub fn get(&self, uid: Uid) -> Option<&Held<T>> {
        self.held.get(&uid)
    }

    /// All, by identity; also those that are gone and kept.
    pub fn iter(&self) -> impl Iterator<Item = (Uid, &Held<T>)> {
        self.held.iter().map(|(uid, held)| (*uid, held))
    }

    /// All that are there.
    pub fn present(&self) -> impl Iterator<Item = (Uid, &Arc<T>)> {
        self.iter()
            .filter(|(_, h)| h.gone.is_none())
            .map(|(uid, h)| (uid, &h.object))
    }

    /// Takes an object in.
    pub fn put(&mut self, uid: Uid, object: Arc<T>) {
        let seen = self.epoch;
        self.held.insert(
            uid,
            Held {
                object,
                gone: None,
                seen,
            },
        );
    }

    /// Notes that an object is gone; [`Shelf::settle`] then forgets it unless it is kept.
    pub fn remove(&mut self, uid: Uid, now: Timestamp) {
        if let Some(held) = self.held.get_mut(&uid) {
            held.gone.get_or_insert(now);
        }
    }

    /// A list begins anew.
    pub fn relist(&mut self) {
        self.epoch += 1;
    }

    /// The list is complete: what it did not bring is gone.
    pub fn synced(&mut self, now: Timestamp) {
        let epoch = self.epoch;
        for held in self.held.values_mut() {
            if held.seen != epoch {
                held.gone.get_or_insert(now);
            }
        }
    }

    /// Forgets what is gone, except `kept`.
    pub fn settle(&mut self, kept: Option<Uid>) {
        self.held
            .retain(|uid, h| h.gone.is_none() || kept == Some(*uid));
    }
}
