//! One committed change of one object, as watchers and the journal see it.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use serde_json::Value;

use super::object::Object;

/// A change inside the store.
#[derive(Debug)]
pub(crate) struct Event {
    pub revision: u64,
    pub table: Arc<str>,
    /// State before the change; none when it was created.
    pub old: Option<Arc<Object>>,
    /// State after the change. Of a deletion: the last state under the deletion's revision.
    pub new: Arc<Object>,
    pub deleted: bool,
    /// Opening brace, `apiVersion` and `kind` in the stored version.
    pub prefix: Bytes,
    /// The frame of this event for a plain watch, made by the first watcher that needs it.
    pub frame: OnceLock<Bytes>,
}

impl Event {
    /// About how much memory the event keeps alive.
    pub(crate) fn weight(&self) -> usize {
        self.new.weight() + self.frame.get().map_or(0, Bytes::len)
    }
}

/// States of objects that were read lately: what a change ended with is mostly what the next one
/// begins with.
#[derive(Default)]
pub(crate) struct Recent(BTreeMap<u64, Arc<Value>>);

/// States that are kept.
const KEPT: usize = 4096;

impl Recent {
    /// The change with whole objects.
    pub(crate) fn change(&mut self, event: &Event) -> Change {
        let whole = |object: &Object| {
            let text = super::object::join(&event.prefix, &object.body);
            serde_json::from_slice(&text).ok().map(Arc::new)
        };
        let old = event.old.as_ref().and_then(|old| {
            let known = self.0.remove(&old.revision);
            known.or_else(|| whole(old))
        });
        let new = if event.deleted {
            None
        } else {
            whole(&event.new)
        };
        if let Some(new) = &new {
            self.0.insert(event.revision, new.clone());
            if self.0.len() > KEPT {
                self.0.pop_first();
            }
        }
        Change {
            revision: event.revision,
            resource: event.table.clone(),
            old,
            new,
        }
    }
}

/// A committed change, for the console's journal and for tests.
#[derive(Clone, Debug)]
pub struct Change {
    /// Revision of the store that this change made.
    pub revision: u64,
    /// `plural.group`, or the plural alone for the core group.
    pub resource: Arc<str>,
    /// Whole object before, with `apiVersion` and `kind`; none when it was created.
    pub old: Option<Arc<Value>>,
    /// Whole object after; none when it was deleted.
    pub new: Option<Arc<Value>>,
}
