//! The state under the store's lock, and the writes that one transaction makes to it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use jiff::Timestamp;
use serde_json::Value;
use tokio::sync::mpsc;

use super::disk::Row;
use super::event::Event;
use super::ids::Ids;
use super::object::{Key, Object};
use super::table::Table;
use crate::clock::{BusyGuard, Clock};
use crate::embedded::fields;

/// An object's place in the store.
pub(crate) type Place = (Arc<str>, Key);

/// Everything the store knows.
pub(crate) struct State {
    /// Newest revision, perhaps not on disk yet.
    pub revision: u64,
    /// Newest revision that readers and watchers may see.
    pub visible: u64,
    tables: BTreeMap<Arc<str>, Table>,
    uids: BTreeMap<Box<str>, Place>,
    dependants: BTreeMap<Box<str>, BTreeSet<Place>>,
    pub(super) subscribers: Vec<mpsc::UnboundedSender<Arc<Event>>>,
    pub(super) pending: Vec<Row>,
    unpublished: VecDeque<Arc<Event>>,
    busy: Option<BusyGuard>,
    ids: Ids,
    /// Revision at which the store was opened.
    opened: u64,
}

impl State {
    pub(super) fn new(revision: u64, seed: Option<u64>) -> Self {
        Self {
            revision,
            visible: revision,
            tables: BTreeMap::new(),
            uids: BTreeMap::new(),
            dependants: BTreeMap::new(),
            subscribers: Vec::new(),
            pending: Vec::new(),
            unpublished: VecDeque::new(),
            busy: None,
            ids: Ids::new(seed, revision),
            opened: revision,
        }
    }

    /// Takes an object from the disk.
    pub(super) fn load(&mut self, table: &Arc<str>, object: Object) {
        let object = Arc::new(object);
        self.index(table, &object);
        self.table_mut(table)
            .objects
            .insert(object.key.clone(), object);
    }

    pub(crate) fn table(&self, name: &str) -> Option<&Table> {
        self.tables.get(name)
    }

    fn table_mut(&mut self, name: &Arc<str>) -> &mut Table {
        let floor = self.opened;
        self.tables
            .entry(name.clone())
            .or_insert_with(|| Table::new(floor))
    }

    pub(crate) fn tables(&self) -> impl Iterator<Item = (&Arc<str>, &Table)> {
        self.tables.iter()
    }

    pub(crate) fn get(&self, table: &str, key: &Key) -> Option<&Arc<Object>> {
        self.tables.get(table)?.objects.get(key)
    }

    /// Where the object of this uid lies.
    pub(crate) fn place_of(&self, uid: &str) -> Option<&Place> {
        self.uids.get(uid)
    }

    /// Objects that name this uid as an owner.
    pub(crate) fn dependants_of(&self, uid: &str) -> impl Iterator<Item = &Place> {
        self.dependants.get(uid).into_iter().flatten()
    }

    fn index(&mut self, table: &Arc<str>, object: &Object) {
        let place = (table.clone(), object.key.clone());
        for owner in &object.owners {
            self.dependants
                .entry(owner.clone())
                .or_default()
                .insert(place.clone());
        }
        self.uids.insert(object.uid.clone(), place);
    }

    fn unindex(&mut self, table: &Arc<str>, object: &Object) {
        let place = (table.clone(), object.key.clone());
        for owner in &object.owners {
            if let Some(places) = self.dependants.get_mut(owner) {
                places.remove(&place);
                if places.is_empty() {
                    self.dependants.remove(owner);
                }
            }
        }
        self.uids.remove(&object.uid);
    }

    fn apply(&mut self, event: Event, table: &Arc<str>) {
        self.revision = event.revision;
        let event = Arc::new(event);
        match &event.old {
            // The usual write leaves uid and owners alone, and with them the indexes.
            Some(old)
                if !event.deleted && old.owners == event.new.owners && old.uid == event.new.uid => {
            }
            old => {
                if let Some(old) = old {
                    self.unindex(table, old);
                }
                if !event.deleted {
                    self.index(table, &event.new);
                }
            }
        }
        self.pending.push(Row {
            table: table.clone(),
            key: event.new.key.clone(),
            body: (!event.deleted).then(|| event.new.body.clone()),
        });
        self.table_mut(table).apply(event.clone());
        self.unpublished.push_back(event);
    }

    /// Lets readers, watchers and subscribers see everything up to `revision`.
    pub(super) fn publish(&mut self, revision: u64) {
        self.visible = revision;
        while self
            .unpublished
            .front()
            .is_some_and(|e| e.revision <= revision)
        {
            let Some(event) = self.unpublished.pop_front() else {
                break;
            };
            if let Some(table) = self.tables.get(&event.table) {
                table.published.send_replace(event.revision);
            }
            self.subscribers
                .retain(|subscriber| subscriber.send(event.clone()).is_ok());
        }
        if self.unpublished.is_empty() {
            self.release();
        }
    }

    /// The instant is not over while a commit is outstanding.
    pub(super) fn hold(&mut self, clock: &Clock) {
        self.busy.get_or_insert_with(|| clock.busy());
    }

    pub(super) fn release(&mut self) {
        self.busy = None;
    }

    pub(super) fn forget_pending(&mut self) {
        self.pending.clear();
    }
}

/// What a write finds in its table.
struct Before {
    object: Option<Arc<Object>>,
    selectable: Arc<[Box<str>]>,
    prefix: Bytes,
}

/// One write access to the state.
pub(crate) struct Tx<'a> {
    state: &'a mut State,
    clock: &'a Clock,
}

impl std::ops::Deref for Tx<'_> {
    type Target = State;

    fn deref(&self) -> &State {
        self.state
    }
}

impl<'a> Tx<'a> {
    pub(super) fn new(state: &'a mut State, clock: &'a Clock) -> Self {
        Self { state, clock }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) fn uid(&mut self) -> String {
        self.state.ids.uid()
    }

    pub(crate) fn suffix(&mut self) -> String {
        self.state.ids.suffix()
    }

    /// Stores `value` under the next revision, which is written into it.
    pub(crate) fn put(&mut self, table: &Arc<str>, mut value: Value) -> Arc<Object> {
        let revision = self.state.revision + 1;
        fields::metadata(&mut value).insert("resourceVersion".into(), revision.to_string().into());
        let before = self.before(table, &Key::of(&value));
        let new = Arc::new(Object::new(&value, revision, &before.selectable));
        let event = Event {
            revision,
            table: table.clone(),
            old: before.object,
            new: new.clone(),
            deleted: false,
            prefix: before.prefix,
            frame: OnceLock::new(),
        };
        self.state.apply(event, table);
        new
    }

    /// Removes an object; returns its last state under the revision of the deletion.
    pub(crate) fn remove(&mut self, table: &Arc<str>, key: &Key) -> Option<Arc<Object>> {
        let before = self.before(table, key);
        let old = before.object?;
        let revision = self.state.revision + 1;
        let mut value = old.value();
        fields::metadata(&mut value).insert("resourceVersion".into(), revision.to_string().into());
        let last = Arc::new(Object::new(&value, revision, &before.selectable));
        let event = Event {
            revision,
            table: table.clone(),
            old: Some(old),
            new: last.clone(),
            deleted: true,
            prefix: before.prefix,
            frame: OnceLock::new(),
        };
        self.state.apply(event, table);
        Some(last)
    }

    fn before(&mut self, table: &Arc<str>, key: &Key) -> Before {
        let table = self.state.table_mut(table);
        Before {
            object: table.objects.get(key).cloned(),
            selectable: table.selectable.clone(),
            prefix: table.prefix.clone(),
        }
    }

    /// Makes sure that the table is there, so that it can be watched.
    pub(crate) fn open(&mut self, table: &Arc<str>) {
        self.state.table_mut(table);
    }

    /// Says how a table's objects are shown to subscribers, and which fields selectors may name.
    pub(crate) fn describe(&mut self, table: &Arc<str>, prefix: Bytes, selectable: &[Box<str>]) {
        let table = self.state.table_mut(table);
        table.prefix = prefix;
        if *table.selectable == *selectable {
            return;
        }
        table.selectable = selectable.into();
        for object in table.objects.values_mut() {
            let body = object.body.clone();
            let fresh = Object::with_body(&object.value(), body, object.revision, selectable);
            *object = Arc::new(fresh);
        }
    }
}
