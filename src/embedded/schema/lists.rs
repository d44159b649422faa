//! Set and map lists without duplicates, and numbers that fit their format.

use serde_json::{Map, Value};

use super::node::{ListType, Node};
use super::path::Path;
use crate::embedded::refusal::Cause;

/// Walks the value along the schema; `old` with the same duplicates makes them pass.
pub(super) fn check(node: &Node, value: &Value, path: &Path<'_>, causes: &mut Vec<Cause>) {
    if !node.has_lists {
        return;
    }
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                if let Some(node) = node.child(name) {
                    check(node, value, &path.field(name), causes);
                }
            }
        }
        Value::Array(items) => {
            duplicates(&node.list, items, path, causes);
            if let Some(node) = &node.items {
                for (index, item) in items.iter().enumerate() {
                    check(node, item, &path.item(index), causes);
                }
            }
        }
        Value::Number(number) if node.format == "int32" => {
            let fits = number.as_i64().is_none_or(|n| i32::try_from(n).is_ok());
            if !fits {
                causes.push(Cause::invalid(
                    "<nil>",
                    "\"\"",
                    format!("Checked value must be of type integer with format int32 in {path}"),
                ));
            }
        }
        _ => {}
    }
}

fn duplicates(list: &ListType, items: &[Value], path: &Path<'_>, causes: &mut Vec<Cause>) {
    let identity = |item: &Value| match list {
        ListType::Map(keys) => {
            let own = keys
                .iter()
                .filter_map(|key| item.get(key).map(|value| (key.clone(), value.clone())));
            Value::Object(own.collect::<Map<_, _>>())
        }
        _ => item.clone(),
    };
    if *list == ListType::Atomic {
        return;
    }
    let same = |one: &Value, other: &Value| match list {
        ListType::Map(keys) => keys.iter().all(|key| one.get(key) == other.get(key)),
        _ => one == other,
    };
    for (index, own) in items.iter().enumerate() {
        if items.iter().take(index).any(|earlier| same(earlier, own)) {
            causes.push(Cause::new(
                "FieldValueDuplicate",
                path.item(index).to_string(),
                format!("Duplicate value: {}", identity(own)),
            ));
        }
    }
}
