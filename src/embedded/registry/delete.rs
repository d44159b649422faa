//! Delete: finalizers, propagation, preconditions; also of whole collections.

use std::sync::Arc;

use serde_json::{Value, json};

use super::definitions::CLEANUP;
use super::options::{DeleteOptions, Propagation};
use super::{Registry, meta, with_type};
use crate::embedded::catalog::{Builtin, NAMESPACES, Resource};
use crate::embedded::fields;
use crate::embedded::refusal::Refusal;
use crate::embedded::store::{Key, Object, Tx};

/// Finalizer of an owner that waits for its dependants.
pub(crate) const FOREGROUND: &str = "foregroundDeletion";
/// Finalizer of an owner whose dependants are to be let go.
pub(crate) const ORPHAN: &str = "orphan";

/// What a deletion left behind.
#[derive(Debug)]
pub(crate) struct Deleted {
    /// The object that still stands, or the `Status` of a success.
    pub answer: Vec<u8>,
    pub revision: u64,
}

impl Registry {
    pub(crate) fn delete(
        &self,
        resource: &Arc<Resource>,
        key: &Key,
        options: &DeleteOptions,
    ) -> Result<Deleted, Refusal> {
        let (answer, revision) = self.store.transact(|tx| {
            let Some(object) = tx.get(&resource.table, key).cloned() else {
                return Err(Refusal::not_found(&resource.about(&key.name)));
            };
            let old = object.value();
            check(resource, key, &old, options)?;
            Ok(match self.delete_in(tx, resource, &object, options) {
                Some(standing) => {
                    let mut value = with_type(resource, standing);
                    super::events::to_request(resource, &mut value);
                    value
                }
                None => success(resource, &object),
            })
        })?;
        Ok(Deleted {
            answer: serde_json::to_vec(&answer).unwrap_or_default(),
            revision,
        })
    }

    /// Deletes inside a transaction. Returns the object if it still stands.
    pub(crate) fn delete_in(
        &self,
        tx: &mut Tx<'_>,
        resource: &Arc<Resource>,
        object: &Arc<Object>,
        options: &DeleteOptions,
    ) -> Option<Value> {
        let old = object.value();
        let mut new = old.clone();
        prepare(resource, &mut new, options.propagation);
        let stays = meta::finalizers(&new).next().is_some()
            || fields::list(&new, &["spec", "finalizers"]).next().is_some()
                && resource.is(Builtin::Namespace);
        if !stays {
            if !options.dry_run {
                tx.remove(&resource.table, &object.key);
                if resource.is(Builtin::Definition) {
                    self.rebuild(tx);
                }
            }
            return None;
        }
        if !meta::is_terminating(&old) {
            let now = meta::seconds(tx.now());
            let metadata = fields::metadata(&mut new);
            metadata.insert("deletionTimestamp".into(), now.into());
            metadata.insert("deletionGracePeriodSeconds".into(), 0.into());
            if resource.counts_generation() {
                meta::raise_generation(&mut new);
            }
            if resource.is(Builtin::Namespace) {
                fields::set(&mut new, &["status", "phase"], "Terminating".into());
                fields::metadata(&mut new).remove("deletionGracePeriodSeconds");
            }
            if resource.is(Builtin::Definition) {
                super::definitions::terminate(&mut new, tx.now());
            }
        }
        if new == old || options.dry_run {
            return Some(new);
        }
        let stored = tx.put(&resource.table, new);
        if resource.is(Builtin::Definition) {
            self.rebuild(tx);
        }
        Some(stored.value())
    }

    /// Deletes every object of `objects`, which the caller has selected.
    pub(crate) fn delete_all(
        &self,
        resource: &Arc<Resource>,
        keys: &[Key],
        options: &DeleteOptions,
    ) -> Result<u64, Refusal> {
        let ((), revision) = self.store.transact(|tx| {
            for key in keys {
                if let Some(object) = tx.get(&resource.table, key).cloned() {
                    check(resource, key, &object.value(), options)?;
                    self.delete_in(tx, resource, &object, options);
                }
            }
            Ok(())
        })?;
        Ok(revision)
    }
}

fn check(
    resource: &Resource,
    key: &Key,
    old: &Value,
    options: &DeleteOptions,
) -> Result<(), Refusal> {
    let about = resource.about_kind(&key.name);
    let uid = fields::text(old, &["metadata", "uid"]);
    if let Some(asked) = &options.uid
        && asked != uid
    {
        return Err(Refusal::conflict(
            &about,
            &format!(
                "the UID in the precondition ({asked}) does not match the UID in record ({uid}). The object might have been deleted and then recreated"
            ),
        ));
    }
    let version = fields::text(old, &["metadata", "resourceVersion"]);
    if let Some(asked) = &options.resource_version
        && asked != version
    {
        return Err(Refusal::conflict(
            &about,
            &format!(
                "the ResourceVersion in the precondition ({asked}) does not match the ResourceVersion in record ({version}). The object might have been modified"
            ),
        ));
    }
    if &*resource.table == NAMESPACES && &*key.name == "default" {
        return Err(Refusal::forbidden(
            &resource.about(&key.name),
            "this namespace may not be deleted",
        ));
    }
    Ok(())
}

/// Adds and takes away the finalizers that the propagation asks for.
fn prepare(resource: &Resource, object: &mut Value, propagation: Option<Propagation>) {
    if resource.is(Builtin::Namespace) {
        return;
    }
    if resource.is(Builtin::Definition) && !meta::is_terminating(object) {
        // Stays until the collector has deleted the instances.
        let list = fields::metadata(object)
            .entry("finalizers")
            .or_insert_with(|| json!([]));
        if let Value::Array(list) = list {
            list.push(CLEANUP.into());
        }
    }
    let wanted = match propagation {
        Some(Propagation::Foreground) => Some(FOREGROUND),
        Some(Propagation::Orphan) => Some(ORPHAN),
        Some(Propagation::Background) => None,
        // Not said: what an earlier deletion asked for stays.
        None => return,
    };
    let mut list: Vec<Value> = fields::list(object, &["metadata", "finalizers"])
        .filter(|f| !matches!(f.as_str(), Some(FOREGROUND | ORPHAN)))
        .cloned()
        .collect();
    list.extend(wanted.map(Value::from));
    if list.is_empty() {
        fields::metadata(object).remove("finalizers");
    } else {
        fields::metadata(object).insert("finalizers".into(), list.into());
    }
}

fn success(resource: &Resource, object: &Object) -> Value {
    let mut details = json!({
        "name": object.key.name,
        "kind": &*resource.plural,
        "uid": object.uid,
    });
    if !resource.group.is_empty() {
        fields::set(&mut details, &["group"], (&*resource.group).into());
    }
    json!({
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": details,
    })
}
