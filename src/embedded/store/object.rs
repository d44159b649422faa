//! One stored object: its JSON as bytes, and what selectors and owners need without parsing it.
//!
//! `apiVersion` and `kind` are not stored: whoever answers a request puts them in front of the
//! bytes, so that one object can be shown in several versions.

use bytes::Bytes;
use serde_json::Value;

use crate::embedded::fields;

/// Where an object lies in its table: by namespace (empty for cluster scope), then by name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key {
    pub namespace: Box<str>,
    pub name: Box<str>,
}

impl Key {
    pub(crate) fn new(namespace: &str, name: &str) -> Self {
        Self {
            namespace: namespace.into(),
            name: name.into(),
        }
    }

    /// Reads the key from an object's own metadata.
    pub(crate) fn of(value: &Value) -> Self {
        Self::new(
            fields::text(value, &["metadata", "namespace"]),
            fields::text(value, &["metadata", "name"]),
        )
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.namespace.is_empty() {
            f.write_str(&self.name)
        } else {
            write!(f, "{}/{}", self.namespace, self.name)
        }
    }
}

/// One state of one object; never changed, only replaced.
#[derive(Debug)]
pub(crate) struct Object {
    pub key: Key,
    pub revision: u64,
    /// JSON object without `apiVersion` and `kind`.
    pub body: Bytes,
    pub uid: Box<str>,
    pub labels: Box<[(Box<str>, Box<str>)]>,
    /// Values of the table's selectable fields, in the table's order.
    pub selectable: Box<[Box<str>]>,
    /// Uids of the owners.
    pub owners: Box<[Box<str>]>,
}

impl Object {
    /// Takes the object apart; `value` carries its resourceVersion already.
    pub(crate) fn new(value: &Value, revision: u64, selectable: &[Box<str>]) -> Self {
        Self::with_body(value, encode(value), revision, selectable)
    }

    /// As [`Object::new`], where `body` is the text of `value` already.
    pub(crate) fn with_body(
        value: &Value,
        body: Bytes,
        revision: u64,
        selectable: &[Box<str>],
    ) -> Self {
        let labels = fields::texts(value, &["metadata", "labels"])
            .map(|(key, value)| (key.into(), value.into()))
            .collect();
        let owners = fields::list(value, &["metadata", "ownerReferences"])
            .map(|owner| fields::text(owner, &["uid"]).into())
            .collect();
        Self {
            key: Key::of(value),
            revision,
            body,
            uid: fields::text(value, &["metadata", "uid"]).into(),
            labels,
            selectable: selectable.iter().map(|path| field(value, path)).collect(),
            owners,
        }
    }

    /// The object as a value, without `apiVersion` and `kind`.
    pub(crate) fn value(&self) -> Value {
        // The bytes were written by `encode`, so they parse.
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    pub(crate) fn label(&self, key: &str) -> Option<&str> {
        self.labels
            .iter()
            .find(|(name, _)| &**name == key)
            .map(|(_, value)| &**value)
    }

    /// About how much memory the object takes.
    pub(crate) fn weight(&self) -> usize {
        self.body.len() + 256
    }
}

fn encode(value: &Value) -> Bytes {
    // A `Value` always has a JSON text.
    serde_json::to_vec(value).unwrap_or_default().into()
}

/// A whole object's text: `prefix` (`{"apiVersion":"…","kind":"…",`) and a stored body.
pub(crate) fn join(prefix: &[u8], body: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(prefix.len() + body.len());
    join_into(&mut text, prefix, body);
    text
}

/// As [`join`], at the end of `text`.
pub(crate) fn join_into(text: &mut Vec<u8>, prefix: &[u8], body: &[u8]) {
    text.extend_from_slice(prefix);
    text.extend_from_slice(body.strip_prefix(b"{").unwrap_or(body));
}

/// A selectable field as the text that a field selector compares with.
pub(crate) fn field(value: &Value, path: &str) -> Box<str> {
    let found = path
        .split('.')
        .filter(|name| !name.is_empty())
        .try_fold(value, |value, name| value.get(name));
    match found {
        Some(Value::String(text)) => text.as_str().into(),
        Some(Value::Null) | None => "".into(),
        Some(other) => other.to_string().into(),
    }
}
