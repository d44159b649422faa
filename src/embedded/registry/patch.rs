//! The three kinds of patch: merge, JSON, and strategic merge for built-in kinds.

use json_patch::{AddOperation, PatchOperation};
use serde_json::{Map, Value};

use crate::embedded::refusal::Refusal;

/// Most operations of a JSON patch.
const MAX_OPERATIONS: usize = 10_000;

/// A patch that has been read.
#[derive(Debug)]
pub(crate) enum Patch {
    Merge(Value),
    Json(json_patch::Patch),
    Strategic(Value),
}

impl Patch {
    /// Reads a merge patch; `strategic` for the built-in kinds' own rules.
    pub(crate) fn merge(body: &[u8], strategic: bool) -> Result<Self, Refusal> {
        let value = read(body)?;
        if !value.is_object() {
            return Err(undecodable(&value, "map[string]interface {}"));
        }
        Ok(if strategic {
            Self::Strategic(value)
        } else {
            Self::Merge(value)
        })
    }

    /// Reads a JSON patch.
    pub(crate) fn json(body: &[u8]) -> Result<Self, Refusal> {
        let value = read(body)?;
        let Value::Array(operations) = &value else {
            return Err(undecodable(&value, "[]handlers.jsonPatchOp"));
        };
        if operations.len() > MAX_OPERATIONS {
            return Err(Refusal::new(
                413,
                "RequestEntityTooLarge",
                format!(
                    "Request entity too large: The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {}",
                    operations.len()
                ),
            ));
        }
        serde_json::from_value(value)
            .map(Self::Json)
            .map_err(|_| impossible())
    }

    /// Applies the patch to a whole object.
    pub(crate) fn apply(&self, object: &mut Value) -> Result<(), Refusal> {
        match self {
            Self::Merge(patch) => json_patch::merge(object, patch),
            Self::Strategic(patch) => strategic(object, patch),
            Self::Json(patch) => {
                for operation in &patch.0 {
                    step(object, operation)?;
                }
            }
        }
        Ok(())
    }
}

fn read(body: &[u8]) -> Result<Value, Refusal> {
    serde_json::from_slice(body).map_err(|error| {
        let text = if error.is_eof() {
            "unexpected end of JSON input".to_owned()
        } else {
            error.to_string()
        };
        Refusal::bad_request(format!("error decoding patch: {text}"))
    })
}

fn undecodable(value: &Value, go: &str) -> Refusal {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    Refusal::bad_request(format!(
        "error decoding patch: json: cannot unmarshal {kind} into Go value of type {go}"
    ))
}

/// Any operation that cannot be carried out, whatever the reason.
fn impossible() -> Refusal {
    let mut refusal = Refusal::new(
        422,
        "Invalid",
        "the server rejected our request due to an error in our request",
    );
    refusal.details = Some(Value::Object(Map::new()));
    refusal
}

fn step(object: &mut Value, operation: &PatchOperation) -> Result<(), Refusal> {
    // The API's patch library lets `replace` add a key to an object that is there.
    let adds = match operation {
        PatchOperation::Replace(replace) => {
            let missing = replace.path.resolve(object).is_err();
            let parent = replace.path.parent().and_then(|p| p.resolve(object).ok());
            (missing && parent.is_some_and(Value::is_object)).then(|| {
                PatchOperation::Add(AddOperation {
                    path: replace.path.clone(),
                    value: replace.value.clone(),
                })
            })
        }
        _ => None,
    };
    let operation = adds.as_ref().unwrap_or(operation);
    json_patch::patch(object, std::slice::from_ref(operation)).map_err(|_| impossible())
}

/// How the lists of the served built-in kinds are merged.
fn merge_key(field: &str) -> Option<&'static str> {
    match field {
        "ownerReferences" => Some("uid"),
        "conditions" => Some("type"),
        _ => None,
    }
}

/// Lists of plain values that are merged as sets.
fn is_set(field: &str) -> bool {
    field == "finalizers"
}

fn strategic(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if patch.get("$patch").and_then(Value::as_str) == Some("replace") {
        let kept = patch.iter().filter(|(key, _)| !key.starts_with('$'));
        *target = Value::Object(kept.map(|(k, v)| (k.clone(), v.clone())).collect());
        return;
    }
    let target = crate::embedded::fields::map(target);
    for (key, change) in patch {
        if let Some(list) = key.strip_prefix("$deleteFromPrimitiveList/") {
            if let Some(Value::Array(items)) = target.get_mut(list) {
                let gone = change.as_array().map(Vec::as_slice).unwrap_or_default();
                items.retain(|item| !gone.contains(item));
            }
            continue;
        }
        if let Some(Value::Array(kept)) = key.strip_prefix("$retainKeys").map(|_| change) {
            target.retain(|name, _| kept.iter().any(|k| k.as_str() == Some(name)));
            continue;
        }
        if key.starts_with('$') {
            continue;
        }
        match change {
            Value::Null => {
                target.remove(key);
            }
            Value::Object(inner)
                if inner.get("$patch").and_then(Value::as_str) == Some("delete") =>
            {
                target.remove(key);
            }
            Value::Object(_) => strategic(target.entry(key.clone()).or_insert(Value::Null), change),
            Value::Array(items) if is_set(key) => {
                let list = target
                    .entry(key.clone())
                    .or_insert_with(|| Value::Array(Vec::new()));
                if let Value::Array(list) = list {
                    for item in items {
                        if !list.contains(item) {
                            list.push(item.clone());
                        }
                    }
                }
            }
            Value::Array(items) => match merge_key(key) {
                Some(name) => {
                    let list = target
                        .entry(key.clone())
                        .or_insert_with(|| Value::Array(Vec::new()));
                    merge_list(list, items, name);
                }
                None => {
                    target.insert(key.clone(), change.clone());
                }
            },
            _ => {
                target.insert(key.clone(), change.clone());
            }
        }
    }
}

fn merge_list(list: &mut Value, changes: &[Value], key: &str) {
    let Value::Array(list) = list else {
        *list = Value::Array(changes.to_vec());
        return;
    };
    for change in changes {
        let place = list
            .iter()
            .position(|item| item.get(key) == change.get(key));
        let directive = change.get("$patch").and_then(Value::as_str);
        match (directive, place) {
            (Some("delete"), Some(place)) => {
                list.remove(place);
            }
            (Some("delete"), None) => {}
            (_, Some(place)) => {
                if let Some(item) = list.get_mut(place) {
                    strategic(item, change);
                }
            }
            (_, None) => list.push(change.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn json(mut object: Value, patch: Value) -> Result<Value, u16> {
        let patch = Patch::json(patch.to_string().as_bytes()).map_err(|r| r.code)?;
        patch.apply(&mut object).map_err(|r| r.code)?;
        Ok(object)
    }

    #[test]
    fn json_patch_follows_the_api_where_it_leaves_the_standard() {
        let object = json!({"a": {"b": 1}});
        let replace = json!([{"op": "replace", "path": "/a/c", "value": 2}]);
        assert_eq!(
            json(object.clone(), replace),
            Ok(json!({"a": {"b": 1, "c": 2}}))
        );
        let nowhere = json!([{"op": "replace", "path": "/x/c", "value": 2}]);
        assert_eq!(json(object.clone(), nowhere), Err(422));
        let test = json!([{"op": "test", "path": "/a/b", "value": 2}]);
        assert_eq!(json(object.clone(), test), Err(422));
        assert_eq!(
            json(object, json!([{"op": "frob", "path": "/a"}])),
            Err(422)
        );
    }

    #[test]
    fn strategic_patches_know_the_few_lists() {
        let mut object = json!({
            "metadata": {"finalizers": ["a"], "labels": {"x": "1", "y": "2"}},
            "status": {"conditions": [{"type": "A", "status": "True"}]},
            "data": {"k": "v"}
        });
        let patch = json!({
            "metadata": {"finalizers": ["b"], "labels": {"x": null}},
            "status": {"conditions": [{"type": "B"}, {"type": "A", "status": "False"}]},
            "data": {"$patch": "replace", "n": "w"}
        });
        strategic(&mut object, &patch);
        assert_eq!(
            object,
            json!({
                "metadata": {"finalizers": ["a", "b"], "labels": {"y": "2"}},
                "status": {"conditions": [{"type": "A", "status": "False"}, {"type": "B"}]},
                "data": {"n": "w"}
            })
        );
    }
}
