//! One committed change of one object, as watchers and the journal see it.

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

impl Event {
    /// The change with whole objects.
    pub(crate) fn change(&self) -> Change {
        let whole = |object: &Arc<Object>| {
            let text = super::object::join(&self.prefix, &object.body);
            serde_json::from_slice(&text).ok().map(Arc::new)
        };
        Change {
            revision: self.revision,
            resource: self.table.clone(),
            old: self.old.as_ref().and_then(whole),
            new: if self.deleted { None } else { whole(&self.new) },
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
