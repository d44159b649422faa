//! Set and map lists without duplicates, and numbers that fit their format.

use serde_json::{Map, Value};

use super::node::{ListType, Node, join};
use crate::embedded::refusal::Cause;

/// Walks the value along the schema; `old` with the same duplicates makes them pass.
pub(super) fn check(node: &Node, value: &Value, path: &str, causes: &mut Vec<Cause>) {
    if !node.has_lists {
        return;
    }
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                if let Some(node) = node.child(name) {
                    check(node, value, &join(path, name), causes);
                }
            }
        }
        Value::Array(items) => {
            duplicates(&node.list, items, path, causes);
            if let Some(node) = &node.items {
                for (index, item) in items.iter().enumerate() {
                    check(node, item, &format!("{path}[{index}]"), causes);
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

fn duplicates(list: &ListType, items: &[Value], path: &str, causes: &mut Vec<Cause>) {
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
    let identities: Vec<Value> = items.iter().map(identity).collect();
    for (index, own) in identities.iter().enumerate() {
        if identities.iter().take(index).any(|earlier| earlier == own) {
            causes.push(Cause::new(
                "FieldValueDuplicate",
                format!("{path}[{index}]"),
                format!("Duplicate value: {own}"),
            ));
        }
    }
}
