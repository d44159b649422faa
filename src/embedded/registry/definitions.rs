//! Definitions of custom resources: completed, checked, established.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::meta;
use crate::embedded::catalog::DEFINITIONS;
use crate::embedded::fields;
use crate::embedded::refusal::Cause;
use crate::embedded::store::Tx;

/// Finalizer that keeps a definition until its objects are gone.
pub(crate) const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

/// Fills in what a definition may leave out.
pub(super) fn complete(object: &mut Value) {
    if let Some(versions) = object.pointer_mut("/spec/versions") {
        whole_limits(versions);
    }
    fields::set_default(object, &["spec", "conversion"], json!({"strategy": "None"}));
    let kind = fields::text(object, &["spec", "names", "kind"]).to_owned();
    fields::set_default(
        object,
        &["spec", "names", "singular"],
        kind.to_lowercase().into(),
    );
    fields::set_default(
        object,
        &["spec", "names", "listKind"],
        format!("{kind}List").into(),
    );
}

/// The type reads every limit as a fraction; whole ones are written as they were meant.
fn whole_limits(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                let limit = matches!(name.as_str(), "maximum" | "minimum" | "multipleOf");
                match value.as_f64() {
                    Some(number) if limit && number.fract() == 0.0 && number.abs() < 1e15 => {
                        *value = (number as i64).into();
                    }
                    _ => whole_limits(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(whole_limits),
        _ => {}
    }
}

/// The status of a new definition.
pub(super) fn begin(object: &mut Value) {
    let stored: Vec<Value> = storage_version(object)
        .into_iter()
        .map(Value::from)
        .collect();
    fields::set(
        object,
        &["status"],
        json!({"acceptedNames": {"kind": "", "plural": ""}, "conditions": [], "storedVersions": stored}),
    );
}

fn storage_version(object: &Value) -> Option<String> {
    fields::list(object, &["spec", "versions"])
        .find(|version| version.get("storage") == Some(&Value::Bool(true)))
        .map(|version| fields::text(version, &["name"]).to_owned())
}

/// Accepts the names of a definition if no other has them, and establishes it.
pub(super) fn establish(tx: &Tx<'_>, object: &mut Value, now: Timestamp) {
    let taken = taken(tx, object);
    let names = fields::at(object, &["spec", "names"])
        .cloned()
        .unwrap_or_default();
    match taken {
        Some((reason, message)) => {
            set_condition(object, "NamesAccepted", "False", reason, &message, now);
            let message = "not all names are accepted";
            set_condition(object, "Established", "False", "NotAccepted", message, now);
        }
        None => {
            fields::set(object, &["status", "acceptedNames"], names);
            let message = "no conflicts found";
            set_condition(object, "NamesAccepted", "True", "NoConflicts", message, now);
            let message = "the initial names have been accepted";
            set_condition(
                object,
                "Established",
                "True",
                "InitialNamesAccepted",
                message,
                now,
            );
        }
    }
}

/// Follows a change of the spec.
pub(super) fn updated(tx: &Tx<'_>, object: &mut Value, now: Timestamp) {
    if meta::is_terminating(object) {
        return;
    }
    establish(tx, object, now);
    if let Some(storage) = storage_version(object) {
        let mut stored = fields::at(object, &["status", "storedVersions"])
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        if !stored.iter().any(|v| v.as_str() == Some(&storage)) {
            stored.push(storage.into());
        }
        fields::set(object, &["status", "storedVersions"], stored.into());
    }
}

/// Says that the definition and its objects are going.
pub(super) fn terminate(object: &mut Value, now: Timestamp) {
    set_condition(
        object,
        "Terminating",
        "True",
        "InstanceDeletionInProgress",
        "CustomResource deletion is in progress",
        now,
    );
}

/// A name that another established definition of the group has.
fn taken(tx: &Tx<'_>, object: &Value) -> Option<(&'static str, String)> {
    let own = fields::text(object, &["metadata", "name"]);
    let group = fields::text(object, &["spec", "group"]);
    let others: Vec<Value> = tx
        .table(DEFINITIONS)?
        .objects
        .values()
        .filter(|other| &*other.key.name != own)
        .map(|other| other.value())
        .filter(|other| fields::text(other, &["spec", "group"]) == group)
        .collect();
    for (field, reason) in [
        ("plural", "PluralConflict"),
        ("singular", "SingularConflict"),
        ("kind", "KindConflict"),
        ("listKind", "ListKindConflict"),
    ] {
        let name = fields::text(object, &["spec", "names", field]);
        let clash = others
            .iter()
            .any(|o| fields::text(o, &["status", "acceptedNames", field]) == name);
        if clash && !name.is_empty() {
            return Some((reason, format!("{name:?} is already in use")));
        }
    }
    None
}

fn set_condition(
    object: &mut Value,
    kind: &str,
    status: &str,
    reason: &str,
    message: &str,
    now: Timestamp,
) {
    let conditions = fields::map(
        fields::map(object)
            .entry("status")
            .or_insert_with(|| json!({})),
    )
    .entry("conditions")
    .or_insert_with(|| json!([]));
    let Value::Array(list) = conditions else {
        return;
    };
    let place = list.iter().position(|c| fields::text(c, &["type"]) == kind);
    let known = place.and_then(|place| list.get(place)).cloned();
    let mut changed = meta::seconds(now);
    if let Some(known) = &known
        && fields::text(known, &["status"]) == status
    {
        changed = fields::text(known, &["lastTransitionTime"]).to_owned();
    }
    let condition = json!({
        "type": kind,
        "status": status,
        "reason": reason,
        "message": message,
        "lastTransitionTime": changed,
    });
    match place.and_then(|place| list.get_mut(place)) {
        Some(slot) => *slot = condition,
        None => list.push(condition),
    }
}

/// Refuses a definition that cannot be served.
pub(super) fn check(object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    let group = fields::text(object, &["spec", "group"]);
    let plural = fields::text(object, &["spec", "names", "plural"]);
    let name = fields::text(object, &["metadata", "name"]);
    if name != format!("{plural}.{group}") {
        causes.push(Cause::invalid(
            "metadata.name",
            Value::from(name),
            "must be spec.names.plural+\".\"+spec.group",
        ));
    }
    for (path, field) in [
        (&["spec", "group"][..], "spec.group"),
        (&["spec", "scope"], "spec.scope"),
        (&["spec", "names", "plural"], "spec.names.plural"),
        (&["spec", "names", "kind"], "spec.names.kind"),
    ] {
        let value = fields::text(object, path);
        if value.is_empty() {
            causes.push(Cause::required(field, ""));
        }
        if let Some(old) = old
            && fields::text(old, path) != value
        {
            causes.push(Cause::invalid(
                field,
                Value::from(value),
                "field is immutable",
            ));
        }
    }
    let storage = fields::list(object, &["spec", "versions"])
        .filter(|version| version.get("storage") == Some(&Value::Bool(true)))
        .count();
    if storage != 1 {
        let versions = fields::at(object, &["spec", "versions"])
            .cloned()
            .unwrap_or_default();
        causes.push(Cause::invalid(
            "spec.versions",
            versions,
            "must have exactly one version marked as storage version",
        ));
    }
    super::structural::check(object, causes);
}
