//! What an update may leave as it was: places whose value has not changed.

use serde_json::Value;

use super::node::{ListType, Node};

/// Whether the value at `place` is one that the old object had there already. Items of map lists
/// are found again by their keys; those of other lists only with the whole list.
pub(super) fn is_unchanged(node: &Node, new: &Value, old: &Value, place: &[String]) -> bool {
    if new == old {
        return true;
    }
    let Some((step, rest)) = place.split_first() else {
        return false;
    };
    match new {
        Value::Object(map) => match (map.get(step), old.get(step), node.child(step)) {
            (Some(new), Some(old), Some(node)) => is_unchanged(node, new, old, rest),
            (Some(new), Some(old), None) => new == old,
            _ => false,
        },
        Value::Array(items) => {
            let item = step.parse().ok().and_then(|index: usize| items.get(index));
            match (item, node.items.as_deref()) {
                (Some(new), Some(inner)) => match counterpart(node, new, old) {
                    Some(old) => is_unchanged(inner, new, old, rest),
                    None => false,
                },
                _ => false,
            }
        }
        _ => false,
    }
}

/// The item of the old list with the keys of `item`; map lists only.
pub(super) fn counterpart<'a>(node: &Node, item: &Value, old: &'a Value) -> Option<&'a Value> {
    let ListType::Map(keys) = &node.list else {
        return None;
    };
    old.as_array()?
        .iter()
        .find(|old| keys.iter().all(|key| old.get(key) == item.get(key)))
}
