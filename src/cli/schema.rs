//! Checks an object against the schema of its kind before anything is sent: all faults at once,
//! each with the path of its field. What spans fields is the engine's and the hub's to judge.

use serde_json::Value;

use super::error::Fault;

/// All fields of `value` that the schema does not allow.
pub fn faults(value: &Value, schema: &Value, path: &str) -> Vec<Fault> {
    let mut found = Vec::new();
    check(value, schema, path, &mut found);
    found
}

fn fault(code: &str, path: &str, message: String, hint: &str) -> Fault {
    Fault {
        code: code.to_owned(),
        field: path.to_owned(),
        message,
        hint: hint.to_owned(),
    }
}

fn check(value: &Value, schema: &Value, path: &str, found: &mut Vec<Fault>) {
    if value.is_null() {
        return;
    }
    let wanted = schema.get("type").and_then(Value::as_str).unwrap_or("");
    if !has_type(value, wanted) {
        let hint = if wanted == "string" && value.is_number() {
            "put the value in quotes"
        } else {
            ""
        };
        let message = format!(
            "is {}, but must be {}",
            article(kind_of(value)),
            article(wanted)
        );
        found.push(fault("InvalidField", path, message, hint));
        return;
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array)
        && !words.contains(value)
    {
        let all: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        let message = format!("is {value}, but must be one of {}", all.join(", "));
        found.push(fault("InvalidField", path, message, ""));
    }
    if wanted == "integer" && beyond(value, schema) {
        let most = schema.get("maximum").and_then(Value::as_f64);
        let most = most.unwrap_or_else(|| f64::from(i32::MAX));
        let message = format!("is {value}, but must be {most} at most");
        found.push(fault("InvalidField", path, message, ""));
    }
    match value {
        Value::Object(fields) => object(fields, schema, path, found),
        Value::Array(items) => {
            if let Some(of_item) = schema.get("items") {
                for (index, item) in items.iter().enumerate() {
                    check(item, of_item, &format!("{path}[{index}]"), found);
                }
            }
        }
        _ => {}
    }
}

fn object(
    fields: &serde_json::Map<String, Value>,
    schema: &Value,
    path: &str,
    found: &mut Vec<Fault>,
) {
    let known = schema.get("properties").and_then(Value::as_object);
    for (name, value) in fields {
        let below = join(path, name);
        match known.and_then(|k| k.get(name)) {
            Some(schema) => check(value, schema, &below, found),
            None if known.is_some() => {
                let near = known.and_then(|k| nearest(name, k.keys()));
                let hint = near.map_or_else(String::new, |near| format!("is {near} meant?"));
                let message = "there is no such field".to_owned();
                found.push(fault("UnknownField", &below, message, &hint));
            }
            None => {}
        }
    }
    let required = schema.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        let has_default = known
            .and_then(|k| k.get(name))
            .is_some_and(|s| s.get("default").is_some());
        if !has_default && fields.get(name).is_none_or(Value::is_null) {
            let message = "is required".to_owned();
            found.push(fault(
                "RequiredPropertyMissing",
                &join(path, name),
                message,
                "",
            ));
        }
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

fn has_type(value: &Value, wanted: &str) -> bool {
    match wanted {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        _ => true,
    }
}

/// Whether a number is greater than its field can hold.
fn beyond(value: &Value, schema: &Value) -> bool {
    let short = schema.get("format").and_then(Value::as_str) == Some("int32");
    let most = schema.get("maximum").and_then(Value::as_f64);
    let most = most.or(short.then(|| f64::from(i32::MAX)));
    matches!((value.as_f64(), most), (Some(value), Some(most)) if value > most)
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn article(noun: &str) -> String {
    match noun {
        "array" => "a list".to_owned(),
        "object" | "integer" => format!("an {noun}"),
        _ => format!("a {noun}"),
    }
}

/// The known name that differs in case, or in two letters at most.
fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a String>) -> Option<&'a str> {
    let name = name.to_ascii_lowercase();
    known
        .map(|k| (distance(&name, &k.to_ascii_lowercase()), k.as_str()))
        .filter(|(far, _)| *far <= 2)
        .min()
        .map(|(_, k)| k)
}

/// Letters to insert, remove or replace.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut next = vec![i + 1];
        for ((y, above_left), above) in b.iter().zip(&row).zip(row.iter().skip(1)) {
            let left = next.last().copied().unwrap_or_default();
            let replaced = above_left + usize::from(x != *y);
            next.push(replaced.min(above + 1).min(left + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::kinds::Kind;
    use serde_json::json;

    fn of(spec: Value) -> Vec<String> {
        let schema = Kind::Strategy.schema();
        let schema = schema.pointer("/properties/spec").unwrap();
        let all = faults(&spec, schema, "spec");
        all.into_iter()
            .map(|f| format!("{} {f} ({})", f.code, f.hint))
            .collect()
    }

    #[test]
    fn all_faults_are_told_with_their_paths() {
        let told = of(json!({"stages": [
            {"name": "a", "maxconcurrency": "1", "memberSelector": {"byLabel": "a=b"}},
            {"groups": [{"name": 3, "maxConcurrency": 5}], "beforeGates": [{"type": "approval"}]}
        ]}));
        assert_eq!(
            told,
            [
                "UnknownField spec.stages[0].maxconcurrency: there is no such field (is maxConcurrency meant?)",
                "InvalidField spec.stages[1].beforeGates[0].type: is \"approval\", but must be one of Approval, ScheduledStart ()",
                "InvalidField spec.stages[1].groups[0].maxConcurrency: is a number, but must be a string (put the value in quotes)",
                "InvalidField spec.stages[1].groups[0].name: is a number, but must be a string (put the value in quotes)",
                "RequiredPropertyMissing spec.stages[1].name: is required ()",
            ]
        );
    }

    #[test]
    fn a_number_that_does_not_fit_is_told_with_its_path() {
        let told = of(json!({"stages": [{"name": "a", "groups": [{"name": "g"}],
            "afterStageWaitInSeconds": 99_999_999_999_u64}]}));
        assert_eq!(
            told,
            [
                "InvalidField spec.stages[0].afterStageWaitInSeconds: is 99999999999, but must be 2147483647 at most ()"
            ]
        );
    }

    #[test]
    fn a_good_file_has_no_fault() {
        let spec = json!({"stages": [{"name": "a", "groups": [{"name": "g"}],
            "afterStageWaitInSeconds": 60, "beforeGates": [{"displayName": "x"}]}]});
        assert!(of(spec).is_empty());
    }
}
