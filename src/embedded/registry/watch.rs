//! Watches: an initial state if asked for, then every change, read from the table's history.
//!
//! A watcher has no queue of its own: it remembers a revision and reads on from there, so many
//! watchers cost little and a slow one falls off the end of the history instead of filling memory.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::sync::watch;

use super::Registry;
use crate::embedded::catalog::Resource;
use crate::embedded::refusal::{Cause, Refusal};
use crate::embedded::selector::Selector;
use crate::embedded::store::{Event, Object, Store, TooOld};

/// Most changes that a watcher reads at once.
const BATCH: usize = 256;

/// What a watch asks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct WatchOptions {
    /// None: all namespaces.
    pub namespace: Option<String>,
    pub selector: Selector,
    pub revision: Option<String>,
    pub matching: Option<super::Match>,
    pub initial_events: Option<bool>,
    pub bookmarks: bool,
    pub has_token: bool,
}

/// One thing that a watcher is told.
#[derive(Clone, Debug)]
pub(crate) enum Seen {
    Added(Arc<Object>, Option<Arc<Event>>),
    Modified(Arc<Object>, Option<Arc<Event>>),
    /// The last matching state, and the revision at which it went.
    Deleted(Arc<Object>, u64, Option<Arc<Event>>),
    /// The initial state ends here.
    InitialEnd(u64),
}

/// A watch in progress.
pub(crate) struct Watching {
    store: Arc<Store>,
    table: Arc<str>,
    options: WatchOptions,
    published: watch::Receiver<u64>,
    cursor: u64,
    ready: VecDeque<Seen>,
}

impl WatchOptions {
    fn check(&self) -> Result<(), Refusal> {
        let cause = |field: &str, text: &str| {
            Cause::new("FieldValueForbidden", field, format!("Forbidden: {text}"))
        };
        let mut causes = Vec::new();
        match (self.initial_events, self.matching) {
            (None, Some(_)) => causes.push(cause(
                "resourceVersionMatch",
                "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
            )),
            (Some(_), matching) if matching != Some(super::Match::NotOlderThan) => {
                causes.push(cause(
                    "resourceVersionMatch",
                    "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
                ));
            }
            _ => {}
        }
        if self.has_token && self.matching.is_some() {
            causes.push(cause(
                "resourceVersionMatch",
                "resourceVersionMatch is forbidden when continue is provided",
            ));
        }
        if causes.is_empty() {
            Ok(())
        } else {
            Err(Refusal::invalid_options("ListOptions", &causes))
        }
    }

    fn wants(&self, object: &Object) -> bool {
        self.namespace
            .as_deref()
            .is_none_or(|namespace| &*object.key.namespace == namespace)
            && self.selector.matches(object)
    }
}

impl Registry {
    /// Begins a watch. What is ready at once is in it already.
    pub(crate) fn watch(
        &self,
        resource: &Resource,
        options: WatchOptions,
    ) -> Result<Watching, Refusal> {
        options.check()?;
        let asked = options.revision.as_deref().unwrap_or_default();
        let asked: u64 = if asked.is_empty() {
            0
        } else {
            asked.parse().map_err(|_| {
                Refusal::internal(format!(
                    "resourceVersion: Invalid value: {asked:?}: strconv.ParseUint: parsing {asked:?}: invalid syntax"
                ))
            })?
        };
        let initial = options.initial_events.unwrap_or(asked == 0);
        let ((), _) = self.store.transact(|tx| {
            tx.open(&resource.table);
            Ok(())
        })?;
        self.store.read(|state| {
            let Some(table) = state.table(&resource.table) else {
                return Err(Refusal::no_such_path());
            };
            let mut ready = VecDeque::new();
            let mut cursor = asked;
            if initial {
                // Only what is on disk may be shown: changes after that follow as events.
                cursor = state.visible;
                let earlier;
                let objects = if table.last > cursor {
                    earlier = table.at(cursor).unwrap_or_else(|_| table.objects.clone());
                    &earlier
                } else {
                    &table.objects
                };
                let wanted = objects.values().filter(|object| options.wants(object));
                ready.extend(wanted.map(|object| Seen::Added(object.clone(), None)));
                if options.initial_events == Some(true) && options.bookmarks {
                    ready.push_back(Seen::InitialEnd(cursor));
                }
            } else if asked == 0 {
                cursor = state.visible;
            }
            Ok(Watching {
                store: self.store.clone(),
                table: resource.table.clone(),
                published: table.published.subscribe(),
                options,
                cursor,
                ready,
            })
        })
    }
}

impl Watching {
    /// The next things to tell, as soon as there is one.
    pub(crate) async fn next(&mut self) -> Result<Vec<Seen>, TooOld> {
        loop {
            if !self.ready.is_empty() {
                return Ok(self.ready.drain(..).collect());
            }
            self.published.borrow_and_update();
            if self.read()? {
                continue;
            }
            if self.published.changed().await.is_err() {
                // The table lives as long as the store; nothing more will come.
                std::future::pending::<()>().await;
            }
        }
    }

    /// Revision up to which this watcher has seen everything.
    pub(crate) fn bookmark(&self) -> u64 {
        let visible = self.store.read(|state| state.visible);
        let last = *self.published.borrow();
        // A change that is published but not read yet must not be skipped.
        if last > self.cursor {
            self.cursor
        } else {
            visible.max(self.cursor)
        }
    }

    pub(crate) fn wants_bookmarks(&self) -> bool {
        self.options.bookmarks
    }

    /// Reads on; whether there was anything.
    fn read(&mut self) -> Result<bool, TooOld> {
        let cursor = self.cursor;
        let events = self.store.read(|state| match state.table(&self.table) {
            Some(table) => table.events_after(cursor, state.visible, BATCH),
            None => Ok(Vec::new()),
        })?;
        let Some(last) = events.last() else {
            return Ok(false);
        };
        self.cursor = last.revision;
        for event in events {
            let before = event
                .old
                .as_ref()
                .filter(|old| self.options.wants(old))
                .cloned();
            let after =
                (!event.deleted && self.options.wants(&event.new)).then(|| event.new.clone());
            let seen = match (before, after) {
                (None, None) => continue,
                (None, Some(new)) => {
                    let natural = event.old.is_none().then(|| event.clone());
                    Seen::Added(new, natural)
                }
                (Some(_), Some(new)) => Seen::Modified(new, Some(event.clone())),
                (Some(_), None) if event.deleted => {
                    Seen::Deleted(event.new.clone(), event.revision, Some(event.clone()))
                }
                (Some(old), None) => Seen::Deleted(old, event.revision, None),
            };
            self.ready.push_back(seen);
        }
        Ok(true)
    }
}
