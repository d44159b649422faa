//! Update and patch: the new state is made from the old one under the lock, checked and stored.

use std::sync::Arc;

use serde_json::Value;

use super::create::{check_rules, shape, strictness};
use super::options::{FieldValidation, WriteOptions};
use super::patch::Patch;
use super::{Part, Registry, Written, events, meta, names, structural, take_type, with_type};
use crate::embedded::catalog::{Builtin, Nature, Resource};
use crate::embedded::fields;
use crate::embedded::refusal::{Cause, Refusal};
use crate::embedded::store::{Key, Object, Tx};

/// What a transaction ended with.
enum End {
    Stored(Arc<Object>),
    /// The state that was not stored: a dry run, or the last one before it went.
    Shown(Value),
}

/// One update on its way: what is written, where, and how.
struct Change<'a> {
    resource: &'a Arc<Resource>,
    key: &'a Key,
    part: Part,
    options: &'a WriteOptions,
    by_patch: bool,
}

impl Registry {
    /// Replaces an object or its status.
    pub(crate) fn update(
        &self,
        resource: &Arc<Resource>,
        key: &Key,
        part: Part,
        object: Value,
        options: &WriteOptions,
    ) -> Result<Written, Refusal> {
        let name = fields::text(&object, &["metadata", "name"]);
        if name.is_empty() {
            return Err(Refusal::bad_request(format!(
                "the name of the object ({} based on URL) was undeterminable: name must be provided",
                key.name
            )));
        }
        let missing = self.store.read(|s| s.get(&resource.table, key).is_none());
        if missing && resource.is(Builtin::Lease) && name == &*key.name {
            return self.create(resource, &key.namespace, object, options);
        }
        let change = Change {
            resource,
            key,
            part,
            options,
            by_patch: false,
        };
        self.write(&change, |_| Ok(object))
    }

    /// Patches an object or its status.
    pub(crate) fn patch(
        &self,
        resource: &Arc<Resource>,
        key: &Key,
        part: Part,
        patch: &Patch,
        options: &WriteOptions,
    ) -> Result<Written, Refusal> {
        let change = Change {
            resource,
            key,
            part,
            options,
            by_patch: true,
        };
        self.write(&change, |old| {
            let mut shown = with_type(resource, old.clone());
            events::to_request(resource, &mut shown);
            patch.apply(&mut shown)?;
            Ok(shown)
        })
    }

    fn write(
        &self,
        change: &Change<'_>,
        produce: impl FnOnce(&Value) -> Result<Value, Refusal>,
    ) -> Result<Written, Refusal> {
        let resource = change.resource;
        let mut warnings = Vec::new();
        let (end, revision) = self.store.transact(|tx| {
            let Some(stored) = tx.get(&resource.table, change.key).cloned() else {
                return Err(Refusal::not_found(&resource.about(&change.key.name)));
            };
            let old = stored.value();
            let asked = produce(&old)?;
            let new = change.admit(asked, &old, &mut warnings)?;
            if new == old {
                return Ok(End::Stored(stored));
            }
            let dry_run = change.options.dry_run;
            Ok(self.commit(tx, resource, change.key, dry_run, &old, new))
        })?;
        let object = match end {
            End::Stored(object) => super::whole(resource, &object),
            End::Shown(mut object) => {
                events::to_request(resource, &mut object);
                serde_json::to_vec(&with_type(resource, object)).unwrap_or_default()
            }
        };
        Ok(Written {
            object,
            created: false,
            warnings,
            revision,
        })
    }

    /// Changes an object from inside: no check, no condition, nothing if it is not there.
    pub(crate) fn adjust(
        &self,
        resource: &Arc<Resource>,
        key: &Key,
        change: impl FnOnce(&mut Value),
    ) -> Result<(), Refusal> {
        let adjusted = self.store.transact(|tx| {
            let Some(stored) = tx.get(&resource.table, key).cloned() else {
                return Ok(());
            };
            let old = stored.value();
            let mut new = old.clone();
            change(&mut new);
            if new != old {
                self.commit(tx, resource, key, false, &old, new);
            }
            Ok(())
        });
        adjusted.map(|_| ())
    }

    fn commit(
        &self,
        tx: &mut Tx<'_>,
        resource: &Arc<Resource>,
        key: &Key,
        dry_run: bool,
        old: &Value,
        mut new: Value,
    ) -> End {
        if resource.counts_generation() && outside_metadata_differs(resource, old, &new) {
            meta::raise_generation(&mut new);
        }
        if dry_run {
            return End::Shown(new);
        }
        let definition = resource.is(Builtin::Definition);
        if definition {
            super::definitions::updated(tx, &mut new, tx.now());
        }
        let gone = meta::is_terminating(&new)
            && meta::finalizers(&new).next().is_none()
            && namespace_is_done(resource, &new);
        let end = if gone {
            tx.remove(&resource.table, key);
            End::Shown(new)
        } else {
            End::Stored(tx.put(&resource.table, new))
        };
        if definition {
            self.rebuild(tx);
        }
        end
    }
}

/// A namespace goes when nothing but its own finalizer is left, and that has been taken off.
fn namespace_is_done(resource: &Resource, object: &Value) -> bool {
    !resource.is(Builtin::Namespace)
        || fields::list(object, &["spec", "finalizers"])
            .next()
            .is_none()
}

fn outside_metadata_differs(resource: &Resource, old: &Value, new: &Value) -> bool {
    let counts = |name: &str| name != "metadata" && !(resource.status && name == "status");
    let (Some(old), Some(new)) = (old.as_object(), new.as_object()) else {
        return old != new;
    };
    let counted = old.iter().filter(|(name, _)| counts(name));
    !counted.eq(new.iter().filter(|(name, _)| counts(name)))
}

impl Change<'_> {
    /// Turns what a client asked for into the new stored state, or refuses it.
    fn admit(
        &self,
        mut asked: Value,
        old: &Value,
        warnings: &mut Vec<String>,
    ) -> Result<Value, Refusal> {
        let resource = self.resource;
        // Only what is said of a patch shows the whole of it.
        let whole = self.by_patch.then(|| asked.clone());
        take_type(resource, &mut asked)?;
        let mut unknown = Vec::new();
        meta::normalise(resource, &mut asked, &mut unknown)?;
        events::to_stored(resource, &mut asked);
        self.check_identity(&asked, old)?;
        self.precondition(&asked, old)?;
        let mut causes = Vec::new();
        self.check_fixed(&asked, old, &mut causes);
        let mut new = self.compose(asked, old);
        meta::carry_over(old, &mut new);
        shape(resource, &mut new, &mut unknown)?;
        self.report_unknown(whole.as_ref(), &unknown, warnings)?;
        if new == *old && causes.is_empty() {
            return Ok(new);
        }
        self.check_finalizers(&new, old, &mut causes);
        names::check_metadata(&new, &mut causes, warnings);
        let status_only = self.part == Part::Status;
        check_rules(resource, &new, Some(old), status_only, &mut causes);
        if resource.is(Builtin::Definition)
            && !self.options.trusted
            && causes.is_empty()
            && new.get("spec") != old.get("spec")
        {
            structural::compile(&new, &mut causes);
        }
        if causes.is_empty() {
            Ok(new)
        } else {
            Err(Refusal::invalid(
                &resource.about_kind(&self.key.name),
                &causes,
            ))
        }
    }

    /// Takes from `asked` only the part that this request may write.
    fn compose(&self, mut asked: Value, old: &Value) -> Value {
        let replace = |mut base: Value, from: &mut Value, name: &str| {
            match fields::remove(from, &[name]) {
                Some(part) => fields::set(&mut base, &[name], part),
                None => {
                    fields::remove(&mut base, &[name]);
                }
            }
            base
        };
        match self.part {
            Part::Status => replace(old.clone(), &mut asked, "status"),
            Part::Finalize => {
                let mut base = old.clone();
                let list = fields::at(&asked, &["spec", "finalizers"]).cloned();
                fields::set(&mut base, &["spec", "finalizers"], list.unwrap_or_default());
                base
            }
            Part::Whole if self.resource.status => {
                let mut old = old.clone();
                if self.resource.is(Builtin::Namespace) {
                    asked = replace(asked, &mut old.clone(), "spec");
                }
                replace(asked, &mut old, "status")
            }
            Part::Whole => asked,
        }
    }

    fn check_identity(&self, asked: &Value, old: &Value) -> Result<(), Refusal> {
        let resource = self.resource;
        let name = fields::text(asked, &["metadata", "name"]);
        if name != &*self.key.name {
            return Err(Refusal::bad_request(format!(
                "the name of the object ({name}) does not match the name on the URL ({})",
                self.key.name
            )));
        }
        let namespace = fields::text(asked, &["metadata", "namespace"]);
        if resource.namespaced && !namespace.is_empty() && namespace != &*self.key.namespace {
            return Err(Refusal::bad_request(
                "the namespace of the provided object does not match the namespace sent on the request",
            ));
        }
        let uid = fields::text(asked, &["metadata", "uid"]);
        let real = fields::text(old, &["metadata", "uid"]);
        if !self.by_patch && !uid.is_empty() && uid != real {
            let place = if resource.namespaced {
                format!("{}/{}", self.key.namespace, self.key.name)
            } else {
                self.key.name.to_string()
            };
            let why = format!(
                "StorageError: invalid object, Code: 4, Key: /registry/{}/{}/{place}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: {uid}, UID in object meta: {real}",
                resource.group, resource.plural
            );
            return Err(Refusal::conflict(&resource.about(&self.key.name), &why));
        }
        Ok(())
    }

    /// Checks the resourceVersion that the body carries.
    fn precondition(&self, asked: &Value, old: &Value) -> Result<(), Refusal> {
        let asked = fields::text(asked, &["metadata", "resourceVersion"]);
        let strict = matches!(self.resource.nature, Nature::Custom(_))
            || self.resource.is(Builtin::Lease)
            || self.resource.is(Builtin::Definition);
        if asked.is_empty() || asked == "0" {
            if strict && !self.by_patch {
                let cause = Cause::invalid(
                    "metadata.resourceVersion",
                    0,
                    "must be specified for an update",
                );
                let about = self.resource.about(&self.key.name);
                return Err(Refusal::invalid(&about, &[cause]));
            }
            return Ok(());
        }
        if asked.parse::<u64>().is_err() {
            return Err(Refusal::internal(format!(
                "strconv.ParseUint: parsing {asked:?}: invalid syntax"
            )));
        }
        if asked != fields::text(old, &["metadata", "resourceVersion"]) {
            return Err(Refusal::modified(&self.resource.about(&self.key.name)));
        }
        Ok(())
    }

    /// Metadata that a client may send but not change.
    fn check_fixed(&self, asked: &Value, old: &Value, causes: &mut Vec<Cause>) {
        let differs = |name: &str| {
            let path = ["metadata", name];
            match fields::at(asked, &path) {
                Some(asked) if Some(asked) != fields::at(old, &path) => Some(asked.clone()),
                _ => None,
            }
        };
        let fixed: &[&str] = if self.by_patch {
            &["uid", "deletionTimestamp"]
        } else {
            &["deletionTimestamp"]
        };
        for name in fixed {
            if let Some(value) = differs(name) {
                let cause = Cause::invalid(format!("metadata.{name}"), value, "field is immutable");
                // The API runs this check in two places.
                causes.extend([cause.clone(), cause]);
            }
        }
    }

    fn check_finalizers(&self, new: &Value, old: &Value, causes: &mut Vec<Cause>) {
        if !meta::is_terminating(old) {
            return;
        }
        let added: Vec<String> = meta::finalizers(new)
            .filter(|f| !meta::finalizers(old).any(|o| o == *f))
            .map(|f| format!("{f:?}"))
            .collect();
        if !added.is_empty() {
            let cause = Cause::new(
                "FieldValueForbidden",
                "metadata.finalizers",
                format!(
                    "Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                    added.join(", ")
                ),
            );
            causes.extend([cause.clone(), cause]);
        }
    }

    fn report_unknown(
        &self,
        whole: Option<&Value>,
        unknown: &[String],
        warnings: &mut Vec<String>,
    ) -> Result<(), Refusal> {
        if let Some(whole) = whole
            && self.options.fields == FieldValidation::Strict
        {
            let errors = self.options.strict_errors(unknown);
            if !errors.is_empty() {
                let text = Value::from(whole.to_string());
                let why = format!("strict decoding error: {}", errors.join(", "));
                let cause = Cause::invalid("patch", text, why);
                let mut refusal = Refusal::invalid(&Default::default(), &[cause]);
                if let Some(Value::Object(details)) = &mut refusal.details {
                    details.retain(|name, _| name == "causes");
                }
                return Err(refusal);
            }
        }
        warnings.extend(strictness(self.resource, self.options, unknown)?);
        Ok(())
    }
}
