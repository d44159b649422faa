//! What a request does to the objects: create, update, patch, delete, get, list, watch.
//!
//! Everything here speaks JSON values and [`Refusal`]s; paths, headers and media types are `http`'s.

mod create;
mod definitions;
mod delete;
mod events;
mod kinds;
mod list;
mod meta;
mod names;
mod options;
mod page;
mod patch;
mod structural;
mod update;
mod watch;

use std::sync::{Arc, PoisonError, RwLock};

use serde_json::Value;

use crate::embedded::catalog::{Builtin, Catalog, DEFINITIONS, Nature, Resource};
use crate::embedded::fields;
use crate::embedded::refusal::{About, Cause, Refusal};
use crate::embedded::store::{Key, Object, Store, Tx, join};

pub(crate) use definitions::CLEANUP;
pub(crate) use delete::{FOREGROUND, ORPHAN};
pub(crate) use events::to_request;
pub(crate) use list::{ListOptions, Listed, Match};
pub(crate) use meta::{finalizers, is_terminating};
pub(crate) use names::{label_value, qualified};
pub(crate) use options::{DeleteOptions, Propagation, WriteOptions};
pub(crate) use patch::Patch;
pub(crate) use watch::{Seen, WatchOptions, Watching};

/// The objects, and the kinds they are of.
pub(crate) struct Registry {
    pub store: Arc<Store>,
    catalog: RwLock<Arc<Catalog>>,
}

/// Where a write goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The object itself.
    Whole,
    /// Its status alone.
    Status,
    /// A namespace's own finalizers.
    Finalize,
}

/// What a write left behind.
#[derive(Debug)]
pub(crate) struct Written {
    /// Whole object in the request's form.
    pub object: Vec<u8>,
    pub created: bool,
    pub warnings: Vec<String>,
    /// To wait for before answering.
    pub revision: u64,
}

impl Registry {
    pub(crate) fn new(store: Arc<Store>) -> Arc<Self> {
        let registry = Self {
            store,
            catalog: RwLock::default(),
        };
        // Nothing is refused inside.
        let _ = registry.store.transact(|tx| {
            registry.rebuild(tx);
            Ok(())
        });
        Arc::new(registry)
    }

    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        self.catalog
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Makes the catalog follow the definitions; part of every write to one.
    fn rebuild(&self, tx: &mut Tx<'_>) {
        let before = self.catalog();
        let definitions: Vec<Value> = tx
            .table(DEFINITIONS)
            .into_iter()
            .flat_map(|table| table.objects.values())
            .map(|object| object.value())
            .collect();
        let catalog = Catalog::new(&definitions, Some(&before), tx.revision);
        for (table, resource) in catalog.tables() {
            tx.describe(&table, resource.prefix.clone(), &resource.selectable);
        }
        *self.catalog.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(catalog);
    }

    /// One object, whole, in the request's form, and the revision to wait for.
    pub(crate) fn get(
        &self,
        resource: &Resource,
        key: &Key,
        revision: Option<&str>,
    ) -> Result<(Arc<Object>, u64), Refusal> {
        let found = self.store.read(|state| {
            list::reached(state, revision)?;
            let object = state.get(&resource.table, key).cloned();
            Ok((object, state.table(&resource.table).map_or(0, |t| t.last)))
        })?;
        match found {
            (Some(object), last) => Ok((object, last)),
            (None, _) => Err(Refusal::not_found(&resource.about(&key.name))),
        }
    }
}

/// The whole object in the form of `resource`.
pub(crate) fn whole(resource: &Resource, object: &Object) -> Vec<u8> {
    if resource.is(Builtin::NewEvent) {
        let mut value = object.value();
        to_request(resource, &mut value);
        return serde_json::to_vec(&with_type(resource, value)).unwrap_or_default();
    }
    join(&resource.prefix, &object.body)
}

/// Adds `apiVersion` and `kind`.
pub(crate) fn with_type(resource: &Resource, mut value: Value) -> Value {
    if let Value::Object(map) = &mut value {
        map.insert("apiVersion".into(), resource.api_version().into());
        map.insert("kind".into(), (&*resource.kind).into());
    }
    value
}

/// Checks the type that a body says it is of and takes it off.
fn take_type(resource: &Resource, object: &mut Value) -> Result<(), Refusal> {
    let kind = fields::text(object, &["kind"]).to_owned();
    let version = fields::text(object, &["apiVersion"]).to_owned();
    let custom = matches!(resource.nature, Nature::Custom(_));
    if custom && (kind.is_empty() || version.is_empty()) {
        let missing = if kind.is_empty() {
            "Kind"
        } else {
            "apiVersion"
        };
        let body = object.to_string();
        let start: String = body.chars().take(20).collect();
        return Err(Refusal::bad_request(format!(
            "the object provided is unrecognized (must be of type {}): Object '{missing}' is missing in '{body}' ({start} ...)",
            resource.kind
        )));
    }
    let expected = resource.api_version();
    if !version.is_empty() && version != expected {
        return Err(Refusal::bad_request(format!(
            "the API version in the data ({version}) does not match the expected API version ({expected})"
        )));
    }
    if !kind.is_empty() && kind != *resource.kind {
        return Err(wrong_kind(resource, object, &kind));
    }
    if let Value::Object(map) = object {
        map.remove("apiVersion");
        map.remove("kind");
    }
    Ok(())
}

fn wrong_kind(resource: &Resource, object: &Value, kind: &str) -> Refusal {
    if let Nature::Builtin(_) = resource.nature {
        return Refusal::bad_request(format!(
            "{kind} in version \"{}\" cannot be handled as a {}: converting (v1.{kind}) to (core.{}): unknown conversion",
            resource.version, resource.kind, resource.kind
        ));
    }
    let about = About {
        group: &resource.group,
        kind,
        name: fields::text(object, &["metadata", "name"]),
    };
    let why = format!("must be {}", resource.kind);
    Refusal::invalid(&about, &[Cause::invalid("kind", Value::from(kind), why)])
}
