//! All objects of one resource, and the recent changes to them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::watch;

use super::event::Event;
use super::object::{Key, Object};

/// How many changes are kept for watchers that resume, and for consistent paging.
const KEEP_EVENTS: usize = 16_384;
/// How many bytes of changes are kept, unless there are fewer than `KEEP_AT_LEAST` of them.
const KEEP_BYTES: usize = 16 << 20;
const KEEP_AT_LEAST: usize = 256;

/// Objects by key: the state of a table at one revision.
pub(crate) type Objects = BTreeMap<Key, Arc<Object>>;

/// The state of one resource.
pub(crate) struct Table {
    pub objects: Objects,
    /// Oldest first.
    events: VecDeque<Arc<Event>>,
    weight: usize,
    /// Changes up to this revision are no longer kept.
    pub floor: u64,
    /// Revision of the newest change.
    pub last: u64,
    /// Paths that field selectors may name, such as `.spec.run`.
    pub selectable: Arc<[Box<str>]>,
    /// What is put in front of a body: opening brace, `apiVersion` and `kind`.
    pub prefix: Bytes,
    /// Tells watchers how far they can read.
    pub published: watch::Sender<u64>,
}

/// The asked-for revision is no longer, or not yet, known.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooOld;

impl Table {
    pub(crate) fn new(floor: u64) -> Self {
        Self {
            objects: Objects::new(),
            events: VecDeque::new(),
            weight: 0,
            floor,
            last: floor,
            selectable: Arc::new([]),
            prefix: Bytes::from_static(b"{"),
            published: watch::Sender::new(floor),
        }
    }

    /// Takes a change into the state and the history.
    pub(crate) fn apply(&mut self, event: Arc<Event>) {
        self.last = event.revision;
        let key = event.new.key.clone();
        if event.deleted {
            self.objects.remove(&key);
        } else {
            self.objects.insert(key, event.new.clone());
        }
        self.weight += event.weight();
        self.events.push_back(event);
        while self.events.len() > KEEP_EVENTS
            || (self.weight > KEEP_BYTES && self.events.len() > KEEP_AT_LEAST)
        {
            let Some(dropped) = self.events.pop_front() else {
                break;
            };
            self.floor = dropped.revision;
            // Frames are made after the event was weighed, so the sum is only an estimate.
            self.weight = self.weight.saturating_sub(dropped.weight());
        }
    }

    /// Changes after `revision`, oldest first, at most `limit` of them and none after `until`.
    pub(crate) fn events_after(
        &self,
        revision: u64,
        until: u64,
        limit: usize,
    ) -> Result<Vec<Arc<Event>>, TooOld> {
        if revision < self.floor {
            return Err(TooOld);
        }
        let from = self.events.partition_point(|e| e.revision <= revision);
        let events = self.events.range(from..);
        Ok(events
            .take_while(|e| e.revision <= until)
            .take(limit)
            .cloned()
            .collect())
    }

    /// The table as it stood at `revision`.
    pub(crate) fn at(&self, revision: u64) -> Result<Objects, TooOld> {
        if revision < self.floor {
            return Err(TooOld);
        }
        let mut objects = self.objects.clone();
        for event in self.events.iter().rev() {
            if event.revision <= revision {
                break;
            }
            match &event.old {
                Some(old) => objects.insert(old.key.clone(), old.clone()),
                None => objects.remove(&event.new.key),
            };
        }
        Ok(objects)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::sync::OnceLock;

    fn object(name: &str, revision: u64) -> Arc<Object> {
        let value = json!({"metadata": {"name": name}, "n": revision});
        Arc::new(Object::new(&value, revision, &[]))
    }

    fn change(table: &mut Table, name: &str, revision: u64, deleted: bool) {
        let new = object(name, revision);
        table.apply(Arc::new(Event {
            revision,
            table: "t".into(),
            old: table.objects.get(&new.key).cloned(),
            new,
            deleted,
            prefix: Bytes::from_static(b"{"),
            frame: OnceLock::new(),
        }));
    }

    #[test]
    fn an_earlier_state_is_found_again() {
        let mut table = Table::new(0);
        change(&mut table, "a", 1, false);
        change(&mut table, "b", 2, false);
        change(&mut table, "a", 3, false);
        change(&mut table, "b", 4, true);
        let names = |revision| -> Vec<(String, u64)> {
            let objects = table.at(revision).unwrap();
            objects
                .values()
                .map(|o| (o.key.to_string(), o.revision))
                .collect()
        };
        assert_eq!(names(1), [("a".to_owned(), 1)]);
        assert_eq!(names(2), [("a".to_owned(), 1), ("b".to_owned(), 2)]);
        assert_eq!(names(3), [("a".to_owned(), 3), ("b".to_owned(), 2)]);
        assert_eq!(names(4), [("a".to_owned(), 3)]);
        assert_eq!(table.events_after(1, 3, 10).unwrap().len(), 2);
    }

    #[test]
    fn history_is_bounded_and_says_when_it_is_too_short() {
        let mut table = Table::new(0);
        for revision in 1..=(KEEP_EVENTS as u64 + 10) {
            change(&mut table, "a", revision, false);
        }
        assert_eq!(table.floor, 10);
        assert_eq!(table.events_after(9, u64::MAX, 1).unwrap_err(), TooOld);
        assert_eq!(table.events_after(10, u64::MAX, 1).unwrap().len(), 1);
        assert!(table.at(9).is_err());
    }
}
