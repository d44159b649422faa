//! Create: what is checked, filled in and stored of a new object.

use std::sync::Arc;

use serde_json::Value;

use super::options::{FieldValidation, WriteOptions};
use super::{
    Registry, Written, definitions, events, kinds, meta, names, structural, take_type, with_type,
};
use crate::embedded::catalog::{Builtin, NAMESPACES, Nature, Resource};
use crate::embedded::fields;
use crate::embedded::refusal::{About, Cause, Refusal};
use crate::embedded::schema::Old;
use crate::embedded::store::{Key, Tx};

/// Longest base of a generated name.
const GENERATE_BASE: usize = 58;

impl Registry {
    /// Stores a new object in `namespace` (empty for cluster scope).
    pub(crate) fn create(
        &self,
        resource: &Arc<Resource>,
        namespace: &str,
        mut object: Value,
        options: &WriteOptions,
    ) -> Result<Written, Refusal> {
        take_type(resource, &mut object)?;
        let mut unknown = Vec::new();
        meta::normalise(resource, &mut object, &mut unknown)?;
        take_namespace(resource, namespace, &mut object)?;
        events::to_stored(resource, &mut object);
        if resource.status
            && let Value::Object(map) = &mut object
        {
            map.remove("status");
        }
        shape(resource, &mut object, &mut unknown)?;
        let mut warnings = strictness(resource, options, &unknown)?;
        let ((object, dry), revision) = self.store.transact(|tx| {
            let object = self.admit(tx, resource, namespace, object, options, &mut warnings)?;
            if options.dry_run {
                let mut object = object;
                fields::metadata(&mut object).remove("resourceVersion");
                return Ok((None, Some(object)));
            }
            let stored = tx.put(&resource.table, object);
            if resource.is(Builtin::Definition) {
                self.rebuild(tx);
            }
            Ok((Some(stored), None))
        })?;
        let object = match (object, dry) {
            (Some(stored), _) => super::whole(resource, &stored),
            (None, object) => printed(resource, object.unwrap_or_default()),
        };
        Ok(Written {
            object,
            created: true,
            warnings,
            revision,
        })
    }

    fn admit(
        &self,
        tx: &mut Tx<'_>,
        resource: &Resource,
        namespace: &str,
        mut object: Value,
        options: &WriteOptions,
        warnings: &mut Vec<String>,
    ) -> Result<Value, Refusal> {
        self.check_place(
            tx,
            resource,
            namespace,
            fields::text(&object, &["metadata", "name"]),
        )?;
        generate_name(tx, resource, namespace, &mut object);
        let name = fields::text(&object, &["metadata", "name"]).to_owned();
        if resource.is(Builtin::Namespace) && !name.is_empty() {
            let label = ["metadata", "labels", "kubernetes.io/metadata.name"];
            fields::set(&mut object, &label, name.as_str().into());
        }
        if let Some(old) = tx.get(&resource.table, &Key::new(namespace, &name)) {
            let terminating = meta::is_terminating(&old.value());
            return Err(Refusal::already_exists(&resource.about(&name), terminating));
        }
        if !fields::text(&object, &["metadata", "resourceVersion"]).is_empty() && !options.dry_run {
            return Err(Refusal::internal(
                "resourceVersion should not be set on objects to be created",
            ));
        }
        let (uid, now) = (tx.uid(), tx.now());
        meta::begin(
            fields::metadata(&mut object),
            uid,
            now,
            resource.counts_generation(),
        );
        if let Some(builtin) = resource.builtin() {
            kinds::begin(builtin, &mut object);
        }
        let mut causes = Vec::new();
        names::check_name(&object, resource.is(Builtin::Namespace), &mut causes);
        names::check_metadata(&object, &mut causes, warnings);
        check_rules(resource, &object, None, false, &mut causes);
        if resource.is(Builtin::Definition) && !options.trusted && causes.is_empty() {
            structural::compile(&object, &mut causes);
        }
        if !causes.is_empty() {
            return Err(Refusal::invalid(&resource.about_kind(&name), &causes));
        }
        if resource.is(Builtin::Definition) {
            definitions::establish(tx, &mut object, now);
        }
        if resource.is(Builtin::Event) || resource.is(Builtin::NewEvent) {
            make_room_for_events(tx, &resource.table);
        }
        Ok(object)
    }

    /// A namespace must exist and be alive for something to be made in it, and so must the
    /// definition of a custom resource.
    fn check_place(
        &self,
        tx: &Tx<'_>,
        resource: &Resource,
        namespace: &str,
        name: &str,
    ) -> Result<(), Refusal> {
        if let Nature::Custom(version) = &resource.nature {
            let catalog = self.catalog();
            let current = catalog.find(&resource.group, &resource.version, &resource.plural);
            match current.and_then(|r| r.custom()) {
                None => return Err(Refusal::no_such_path()),
                Some(current) if current.terminating || version.terminating => {
                    return Err(Refusal::forbidden(
                        &resource.about(name),
                        "create not allowed while custom resource definition is terminating",
                    ));
                }
                Some(_) => {}
            }
        }
        if !resource.namespaced {
            return Ok(());
        }
        let Some(found) = tx.get(NAMESPACES, &Key::new("", namespace)) else {
            return Err(Refusal::not_found(&About {
                group: "",
                kind: "namespaces",
                name: namespace,
            }));
        };
        if meta::is_terminating(&found.value()) {
            let mut refusal = Refusal::forbidden(
                &resource.about(name),
                &format!(
                    "unable to create new content in namespace {namespace} because it is being terminated"
                ),
            );
            if let Some(Value::Object(details)) = &mut refusal.details {
                let cause = serde_json::json!([{
                    "reason": "NamespaceTerminating",
                    "message": format!("namespace {namespace} is being terminated"),
                    "field": "metadata.namespace",
                }]);
                details.insert("causes".into(), cause);
            }
            return Err(refusal);
        }
        Ok(())
    }
}

fn printed(resource: &Resource, mut object: Value) -> Vec<u8> {
    events::to_request(resource, &mut object);
    serde_json::to_vec(&with_type(resource, object)).unwrap_or_default()
}

fn take_namespace(resource: &Resource, namespace: &str, object: &mut Value) -> Result<(), Refusal> {
    let own = fields::text(object, &["metadata", "namespace"]).to_owned();
    if !resource.namespaced {
        fields::metadata(object).remove("namespace");
        return Ok(());
    }
    if !own.is_empty() && own != namespace {
        return Err(Refusal::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    fields::metadata(object).insert("namespace".into(), namespace.into());
    Ok(())
}

fn generate_name(tx: &mut Tx<'_>, resource: &Resource, namespace: &str, object: &mut Value) {
    let base = fields::text(object, &["metadata", "generateName"]).to_owned();
    if base.is_empty() || !fields::text(object, &["metadata", "name"]).is_empty() {
        return;
    }
    let base: String = base.chars().take(GENERATE_BASE).collect();
    loop {
        let name = format!("{base}{}", tx.suffix());
        if tx
            .get(&resource.table, &Key::new(namespace, &name))
            .is_none()
        {
            fields::metadata(object).insert("name".into(), name.into());
            return;
        }
    }
}

/// Most events that are kept; the oldest go first, many at once.
const EVENTS_KEPT: usize = 10_000;

fn make_room_for_events(tx: &mut Tx<'_>, table: &Arc<str>) {
    let Some(events) = tx.table(table) else {
        return;
    };
    if events.objects.len() < EVENTS_KEPT {
        return;
    }
    let mut oldest: Vec<(u64, Key)> = events
        .objects
        .values()
        .map(|event| (event.revision, event.key.clone()))
        .collect();
    oldest.sort();
    for (_, key) in oldest.into_iter().take(EVENTS_KEPT / 10) {
        tx.remove(table, &key);
    }
}

/// Brings an object in stored form into the fields of its kind.
pub(super) fn shape(
    resource: &Resource,
    object: &mut Value,
    unknown: &mut Vec<String>,
) -> Result<(), Refusal> {
    match &resource.nature {
        Nature::Builtin(builtin) => kinds::shape(resource, *builtin, object, unknown)?,
        Nature::Custom(version) => unknown.extend(version.schema().shape(object)),
    }
    unknown.sort();
    Ok(())
}

/// Everything that the kind itself says about an object.
pub(super) fn check_rules(
    resource: &Resource,
    object: &Value,
    old: Option<&Value>,
    status_only: bool,
    causes: &mut Vec<Cause>,
) {
    match &resource.nature {
        Nature::Builtin(builtin) => kinds::check(*builtin, object, old, causes),
        Nature::Custom(version) => {
            let old = old.map(|object| Old {
                object,
                checked: revision_of(object) > version.since,
                status_only,
            });
            version.schema().check(object, old.as_ref(), causes);
        }
    }
}

fn revision_of(object: &Value) -> u64 {
    let revision = fields::text(object, &["metadata", "resourceVersion"]);
    revision.parse().unwrap_or(0)
}

/// What is done about unknown fields on create and update.
pub(super) fn strictness(
    resource: &Resource,
    options: &WriteOptions,
    unknown: &[String],
) -> Result<Vec<String>, Refusal> {
    let errors = options.strict_errors(unknown);
    if options.fields == FieldValidation::Strict && !errors.is_empty() {
        let (kind, version) = (&resource.kind, &resource.version);
        return Err(Refusal::bad_request(format!(
            "{kind} in version \"{version}\" cannot be handled as a {kind}: strict decoding error: {}",
            errors.join(", ")
        )));
    }
    Ok(errors)
}
