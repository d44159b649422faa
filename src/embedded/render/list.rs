//! Lists, put together from stored bytes.

use serde_json::{Value, json};

use super::metadata::metadata_of;
use crate::embedded::catalog::{Builtin, Resource};
use crate::embedded::registry::{Listed, whole};
use crate::embedded::store::join_into;

/// `metadata` of a list.
pub(super) fn metadata(revision: &str, next: Option<&str>, remaining: Option<usize>) -> Value {
    let mut metadata = json!({"resourceVersion": revision});
    if let Value::Object(map) = &mut metadata {
        if let Some(next) = next {
            map.insert("continue".into(), next.into());
        }
        if let Some(remaining) = remaining {
            map.insert("remainingItemCount".into(), remaining.into());
        }
    }
    metadata
}

/// The list object as text.
pub(crate) fn list(resource: &Resource, listed: &Listed) -> Vec<u8> {
    let custom = resource.custom().is_some();
    let size: usize = listed
        .objects
        .iter()
        .map(|object| object.body.len() + resource.prefix.len() + 1)
        .sum();
    let mut text = Vec::with_capacity(size + 256);
    let head = format!(
        "{{\"apiVersion\":\"{}\",\"items\":[",
        resource.api_version()
    );
    text.extend_from_slice(head.as_bytes());
    for (index, object) in listed.objects.iter().enumerate() {
        if index > 0 {
            text.push(b',');
        }
        if resource.is(Builtin::NewEvent) {
            text.extend_from_slice(&whole(resource, object));
        } else if custom {
            join_into(&mut text, &resource.prefix, &object.body);
        } else {
            // Items of the built-in kinds carry no type of their own.
            text.extend_from_slice(&object.body);
        }
    }
    let mut metadata = metadata(
        &listed.revision.to_string(),
        listed.next.as_deref(),
        listed.remaining,
    );
    if custom && listed.next.is_none() {
        crate::embedded::fields::set(&mut metadata, &["continue"], "".into());
    }
    let tail = format!(
        "],\"kind\":\"{}\",\"metadata\":{metadata}}}",
        resource.list_kind
    );
    text.extend_from_slice(tail.as_bytes());
    text
}

/// Metadata of every object.
pub(crate) fn metadata_list(listed: &Listed) -> Vec<u8> {
    let items: Vec<Value> = listed
        .objects
        .iter()
        .map(|object| metadata_of(&object.value()))
        .collect();
    let list = json!({
        "kind": "PartialObjectMetadataList",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": metadata(&listed.revision.to_string(), listed.next.as_deref(), listed.remaining),
        "items": items,
    });
    list.to_string().into_bytes()
}
