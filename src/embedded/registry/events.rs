//! Events have two forms on the wire, core v1 and events.k8s.io/v1; core v1 is the stored one.

use serde_json::Value;

use crate::embedded::catalog::{Builtin, Resource};

/// Names in events.k8s.io/v1 and in core v1.
const RENAMED: &[(&str, &str)] = &[
    ("regarding", "involvedObject"),
    ("note", "message"),
    ("reportingController", "reportingComponent"),
    ("deprecatedSource", "source"),
    ("deprecatedFirstTimestamp", "firstTimestamp"),
    ("deprecatedLastTimestamp", "lastTimestamp"),
    ("deprecatedCount", "count"),
];

/// From the request's form to the stored one.
pub(crate) fn to_stored(resource: &Resource, object: &mut Value) {
    rename(resource, object, |(new, old)| (new, old));
}

/// From the stored form to the request's.
pub(crate) fn to_request(resource: &Resource, object: &mut Value) {
    rename(resource, object, |(new, old)| (old, new));
}

type Pair = (&'static str, &'static str);

fn rename(resource: &Resource, object: &mut Value, direction: fn(Pair) -> Pair) {
    if !resource.is(Builtin::NewEvent) {
        return;
    }
    let Some(map) = object.as_object_mut() else {
        return;
    };
    for pair in RENAMED {
        let (from, to) = direction(*pair);
        if let Some(value) = map.remove(from) {
            map.insert(to.into(), value);
        }
    }
}
