//! `PartialObjectMetadata`.

use serde_json::{Value, json};

/// The object's metadata alone.
pub(crate) fn metadata_of(object: &Value) -> Value {
    json!({
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": object.get("metadata"),
    })
}
