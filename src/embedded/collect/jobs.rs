//! What there is to clean up, found from events.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use serde_json::json;

use super::owners;
use crate::embedded::catalog::{DEFINITIONS, NAMESPACES, Resource};
use crate::embedded::fields;
use crate::embedded::refusal::Refusal;
use crate::embedded::registry::{
    CLEANUP, DeleteOptions, FOREGROUND, ORPHAN, Registry, finalizers, is_terminating,
};
use crate::embedded::store::{Event, Key, Object, Place, State};

/// One thing to look into.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Job {
    /// An object one of whose owners may be gone.
    Dependant(Place),
    /// An owner that waits for its dependants, or lets them go.
    Owner(Place),
    /// A namespace that is going.
    Namespace(Key),
    /// A definition that is going.
    Definition(Key),
}

/// Jobs in the order in which they came up, each once.
#[derive(Default)]
pub(super) struct Jobs {
    queue: VecDeque<Job>,
    waiting: BTreeSet<Job>,
}

impl Jobs {
    pub(super) fn add(&mut self, job: Job) {
        if self.waiting.insert(job.clone()) {
            self.queue.push_back(job);
        }
    }

    pub(super) fn next(&mut self) -> Option<Job> {
        let job = self.queue.pop_front()?;
        self.waiting.remove(&job);
        Some(job)
    }

    /// Finds what an earlier life of the hub has left undone.
    pub(super) fn look_at_everything(&mut self, state: &State) {
        for (name, table) in state.tables() {
            for object in table.objects.values() {
                self.look_at_object(state, name, object);
            }
        }
    }

    /// Finds what follows from one event.
    pub(super) fn look_at(&mut self, state: &State, event: &Event) {
        if !event.deleted {
            self.look_at_object(state, &event.table, &event.new);
            return;
        }
        let gone = &event.new;
        for place in state.dependants_of(&gone.uid) {
            self.add(Job::Dependant(place.clone()));
        }
        for owner in &gone.owners {
            if let Some(place) = state.place_of(owner) {
                self.add_if_going(state, place.clone());
            }
        }
        if !gone.key.namespace.is_empty() {
            let key = Key::new("", &gone.key.namespace);
            if state
                .get(NAMESPACES, &key)
                .is_some_and(|o| may_be_terminating(o))
            {
                self.add(Job::Namespace(key));
            }
        }
        let definition = Key::new("", &event.table);
        if state
            .get(DEFINITIONS, &definition)
            .is_some_and(|o| may_be_terminating(o))
        {
            self.add(Job::Definition(definition));
        }
    }

    fn look_at_object(&mut self, state: &State, table: &Arc<str>, object: &Arc<Object>) {
        if object
            .owners
            .iter()
            .any(|owner| state.place_of(owner).is_none())
        {
            self.add(Job::Dependant((table.clone(), object.key.clone())));
        }
        self.add_if_going(state, (table.clone(), object.key.clone()));
    }

    fn add_if_going(&mut self, state: &State, place: Place) {
        if !state
            .get(&place.0, &place.1)
            .is_some_and(|o| may_be_terminating(o))
        {
            return;
        }
        match &*place.0 {
            NAMESPACES => self.add(Job::Namespace(place.1.clone())),
            DEFINITIONS => self.add(Job::Definition(place.1.clone())),
            _ => {}
        }
        self.add(Job::Owner(place));
    }
}

/// Whether the object can have a deletionTimestamp; told from its bytes, so it may err on this side.
fn may_be_terminating(object: &Object) -> bool {
    const MARK: &[u8] = b"\"deletionTimestamp\"";
    object.body.windows(MARK.len()).any(|window| window == MARK)
}

impl Job {
    pub(super) fn run(&self, registry: &Registry, jobs: &mut Jobs) -> Result<(), Refusal> {
        match self {
            Self::Dependant(place) => owners::dependant(registry, place),
            Self::Owner(place) => owner(registry, place, jobs),
            Self::Namespace(key) => namespace(registry, key),
            Self::Definition(key) => definition(registry, key),
        }
    }
}

fn owner(registry: &Registry, place: &Place, jobs: &mut Jobs) -> Result<(), Refusal> {
    let found = registry
        .store
        .read(|state| state.get(&place.0, &place.1).cloned());
    let Some(object) = found else {
        return Ok(());
    };
    let value = object.value();
    if !is_terminating(&value) {
        return Ok(());
    }
    if finalizers(&value).any(|finalizer| finalizer == ORPHAN) {
        owners::orphan(registry, place, &object)?;
    }
    if finalizers(&value).any(|finalizer| finalizer == FOREGROUND) {
        owners::foreground(registry, place, &object, jobs)?;
    }
    Ok(())
}

fn namespace(registry: &Registry, key: &Key) -> Result<(), Refusal> {
    let found = registry
        .store
        .read(|state| state.get(NAMESPACES, key).cloned());
    if !found.is_some_and(|object| is_terminating(&object.value())) {
        return Ok(());
    }
    let tables = registry.catalog().tables();
    let mut left = false;
    for resource in tables.values().filter(|resource| resource.namespaced) {
        let inside = move |object: &Object| object.key.namespace == key.name;
        left |= delete_all(registry, resource, inside)?;
    }
    if left {
        // The deletion of the last one brings this job back.
        return Ok(());
    }
    let Some(resource) = tables.get(NAMESPACES) else {
        return Ok(());
    };
    registry.adjust(resource, key, |namespace| {
        fields::set(namespace, &["spec", "finalizers"], json!([]));
    })
}

fn definition(registry: &Registry, key: &Key) -> Result<(), Refusal> {
    let found = registry
        .store
        .read(|state| state.get(DEFINITIONS, key).cloned());
    if !found.is_some_and(|object| is_terminating(&object.value())) {
        return Ok(());
    }
    let tables = registry.catalog().tables();
    // The table has the definition's name.
    if let Some(resource) = tables.get(&*key.name)
        && delete_all(registry, resource, |_| true)?
    {
        return Ok(());
    }
    let Some(resource) = tables.get(DEFINITIONS) else {
        return Ok(());
    };
    registry.adjust(resource, key, |definition| {
        remove_finalizer(definition, CLEANUP)
    })
}

/// Deletes what `wanted` picks; whether any of it still stands.
fn delete_all(
    registry: &Registry,
    resource: &Arc<Resource>,
    wanted: impl Fn(&Object) -> bool,
) -> Result<bool, Refusal> {
    let objects: Vec<Arc<Object>> = registry.store.read(|state| {
        let table = state.table(&resource.table);
        let objects = table.into_iter().flat_map(|table| table.objects.values());
        objects.filter(|object| wanted(object)).cloned().collect()
    });
    let mut left = false;
    for object in objects {
        left |= delete(registry, resource, &object.key, &DeleteOptions::default())?;
    }
    Ok(left)
}

/// Deletes one object; whether it still stands.
pub(super) fn delete(
    registry: &Registry,
    resource: &Arc<Resource>,
    key: &Key,
    options: &DeleteOptions,
) -> Result<bool, Refusal> {
    let (left, _) = registry.store.transact(|tx| {
        let Some(object) = tx.get(&resource.table, key).cloned() else {
            return Ok(false);
        };
        Ok(registry.delete_in(tx, resource, &object, options).is_some())
    })?;
    Ok(left)
}

pub(super) fn remove_finalizer(object: &mut serde_json::Value, name: &str) {
    let mut left: Vec<serde_json::Value> = fields::list(object, &["metadata", "finalizers"])
        .cloned()
        .collect();
    left.retain(|finalizer| finalizer.as_str() != Some(name));
    if left.is_empty() {
        fields::metadata(object).remove("finalizers");
    } else {
        fields::metadata(object).insert("finalizers".into(), left.into());
    }
}
