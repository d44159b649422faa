//! Small helpers on JSON objects: reading and writing at a path of names.

use serde_json::{Map, Value};

/// The value at `path`, if every step is there.
pub(crate) fn at<'a>(value: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, name| value.get(name))
}

/// The text at `path`; empty where there is none.
pub(crate) fn text<'a>(value: &'a Value, path: &[&str]) -> &'a str {
    at(value, path).and_then(Value::as_str).unwrap_or_default()
}

/// The object itself; whatever else stood there is replaced by an empty one.
pub(crate) fn map(value: &mut Value) -> &mut Map<String, Value> {
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    match value {
        Value::Object(map) => map,
        // Made an object two lines above.
        _ => unreachable!("a value that was made an object is one"),
    }
}

/// The object's metadata, made if it is missing.
pub(crate) fn metadata(value: &mut Value) -> &mut Map<String, Value> {
    map(map(value).entry("metadata").or_insert(Value::Null))
}

/// Sets `path` to `new`, making what lies on the way.
pub(crate) fn set(value: &mut Value, path: &[&str], new: Value) {
    match path {
        [] => *value = new,
        [name, rest @ ..] => {
            let child = map(value).entry(*name).or_insert(Value::Null);
            set(child, rest, new);
        }
    }
}

/// Sets `path` to `new` where nothing stands.
pub(crate) fn set_default(value: &mut Value, path: &[&str], new: Value) {
    if at(value, path).is_none_or(Value::is_null) {
        set(value, path, new);
    }
}

/// Takes `path` away; what is empty then stays.
pub(crate) fn remove(value: &mut Value, path: &[&str]) -> Option<Value> {
    let (last, parents) = path.split_last()?;
    let parent = parents
        .iter()
        .try_fold(value, |value, name| value.get_mut(name))?;
    parent.as_object_mut()?.remove(*last)
}

/// Pairs of name and text below `path`, for labels and annotations.
pub(crate) fn texts<'a>(
    value: &'a Value,
    path: &[&str],
) -> impl Iterator<Item = (&'a str, &'a str)> {
    at(value, path)
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .filter_map(|(key, value)| value.as_str().map(|value| (key.as_str(), value)))
}

/// The list of texts at `path`.
pub(crate) fn list<'a>(value: &'a Value, path: &[&str]) -> impl Iterator<Item = &'a Value> {
    at(value, path)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}
