//! Owners and their dependants.

use std::sync::Arc;

use serde_json::Value;

use super::jobs::{Job, Jobs, delete, remove_finalizer};
use crate::embedded::catalog::{Catalog, Resource};
use crate::embedded::fields;
use crate::embedded::refusal::Refusal;
use crate::embedded::registry::{
    DeleteOptions, FOREGROUND, ORPHAN, Propagation, Registry, finalizers, is_terminating,
};
use crate::embedded::store::{Object, Place};

fn resource(catalog: &Catalog, place: &Place) -> Option<Arc<Resource>> {
    catalog.tables().get(&place.0).cloned()
}

/// What is known of one owner.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Alive,
    /// Being deleted in the foreground: waits for its dependants.
    Waiting,
    Gone,
}

fn owner_of(registry: &Registry, catalog: &Catalog, reference: &Value) -> Owner {
    let text = |name| fields::text(reference, &[name]);
    let found = registry.store.read(|state| {
        let place = state.place_of(text("uid"))?;
        state.get(&place.0, &place.1).cloned()
    });
    match found {
        Some(object) => {
            let value = object.value();
            let waits = is_terminating(&value) && finalizers(&value).any(|f| f == FOREGROUND);
            if waits { Owner::Waiting } else { Owner::Alive }
        }
        // Of a kind that nobody here knows, nobody can say that it is gone.
        None if catalog.of_kind(text("apiVersion"), text("kind")).is_none() => Owner::Alive,
        None => Owner::Gone,
    }
}

/// An object with an owner that may be gone: deleted with its last owner, else only freed of it.
pub(super) fn dependant(registry: &Registry, place: &Place) -> Result<(), Refusal> {
    let catalog = registry.catalog();
    let found = registry
        .store
        .read(|state| state.get(&place.0, &place.1).cloned());
    let (Some(object), Some(resource)) = (found, resource(&catalog, place)) else {
        return Ok(());
    };
    let value = object.value();
    if is_terminating(&value) {
        return Ok(());
    }
    let references: Vec<Value> = fields::list(&value, &["metadata", "ownerReferences"])
        .cloned()
        .collect();
    let states: Vec<Owner> = references
        .iter()
        .map(|r| owner_of(registry, &catalog, r))
        .collect();
    if states.iter().all(|state| *state != Owner::Gone) {
        return Ok(());
    }
    if states.contains(&Owner::Alive) {
        let gone = references
            .iter()
            .zip(&states)
            .filter(|(_, state)| **state == Owner::Gone);
        let gone: Vec<String> = gone
            .map(|(r, _)| fields::text(r, &["uid"]).to_owned())
            .collect();
        return registry.adjust(&resource, &place.1, |object| let_go(object, &gone));
    }
    let options = DeleteOptions {
        // Whoever still waits does so in the foreground, and so do those below.
        propagation: states
            .contains(&Owner::Waiting)
            .then_some(Propagation::Foreground)
            .or(Some(Propagation::Background)),
        uid: Some(object.uid.to_string()),
        ..DeleteOptions::default()
    };
    delete(registry, &resource, &place.1, &options).map(|_| ())
}

fn let_go(object: &mut Value, uids: &[String]) {
    let mut left: Vec<Value> = fields::list(object, &["metadata", "ownerReferences"])
        .cloned()
        .collect();
    left.retain(|r| !uids.iter().any(|uid| uid == fields::text(r, &["uid"])));
    if left.is_empty() {
        fields::metadata(object).remove("ownerReferences");
    } else {
        fields::metadata(object).insert("ownerReferences".into(), left.into());
    }
}

fn dependants(registry: &Registry, owner: &Object) -> Vec<(Place, Arc<Object>)> {
    registry.store.read(|state| {
        state
            .dependants_of(&owner.uid)
            .filter_map(|place| Some((place.clone(), state.get(&place.0, &place.1)?.clone())))
            .collect()
    })
}

/// Lets the dependants go, then the owner.
pub(super) fn orphan(registry: &Registry, place: &Place, owner: &Object) -> Result<(), Refusal> {
    let catalog = registry.catalog();
    let uid = [owner.uid.to_string()];
    for (place, _) in dependants(registry, owner) {
        if let Some(resource) = resource(&catalog, &place) {
            registry.adjust(&resource, &place.1, |object| let_go(object, &uid))?;
        }
    }
    match resource(&catalog, place) {
        Some(resource) => registry.adjust(&resource, &place.1, |o| remove_finalizer(o, ORPHAN)),
        None => Ok(()),
    }
}

/// Deletes the dependants; the owner goes when none is left that blocks it.
pub(super) fn foreground(
    registry: &Registry,
    place: &Place,
    owner: &Object,
    jobs: &mut Jobs,
) -> Result<(), Refusal> {
    let catalog = registry.catalog();
    let mut blocked = false;
    for (place, object) in dependants(registry, owner) {
        let value = object.value();
        let references: Vec<&Value> =
            fields::list(&value, &["metadata", "ownerReferences"]).collect();
        let others_alive = references.iter().any(|reference| {
            fields::text(reference, &["uid"]) != &*owner.uid
                && owner_of(registry, &catalog, reference) == Owner::Alive
        });
        let Some(resource) = resource(&catalog, &place) else {
            continue;
        };
        if others_alive {
            let uid = [owner.uid.to_string()];
            registry.adjust(&resource, &place.1, |object| let_go(object, &uid))?;
            continue;
        }
        let mut stands = true;
        if !is_terminating(&value) {
            let options = DeleteOptions {
                propagation: Some(Propagation::Foreground),
                ..DeleteOptions::default()
            };
            stands = delete(registry, &resource, &place.1, &options)?;
            jobs.add(Job::Owner(place));
        }
        let blocks = references.iter().any(|reference| {
            fields::text(reference, &["uid"]) == &*owner.uid
                && reference.get("blockOwnerDeletion") == Some(&Value::Bool(true))
        });
        blocked |= stands && blocks;
    }
    match resource(&catalog, place) {
        Some(resource) if !blocked => {
            registry.adjust(&resource, &place.1, |o| remove_finalizer(o, FOREGROUND))
        }
        _ => Ok(()),
    }
}
