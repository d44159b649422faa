//! In what two outcomes differ.

use serde_json::Value;

/// Every place in which two outcomes differ, a line each.
pub fn differences(expected: &Value, got: &Value) -> String {
    fn walk(place: &str, expected: &Value, got: &Value, lines: &mut Vec<String>) {
        match (expected, got) {
            (Value::Object(a), Value::Object(b)) => {
                for key in a.keys().chain(b.keys().filter(|key| !a.contains_key(*key))) {
                    let of = |map: &serde_json::Map<String, Value>| map.get(key).cloned();
                    let (a, b) = (of(a).unwrap_or_default(), of(b).unwrap_or_default());
                    walk(&format!("{place}/{key}"), &a, &b, lines);
                }
            }
            (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
                for (index, (a, b)) in a.iter().zip(b).enumerate() {
                    walk(&format!("{place}/{index}"), a, b, lines);
                }
            }
            _ if expected == got => {}
            _ => lines.push(format!("{place}: expected {expected}, got {got}")),
        }
    }
    let mut lines = Vec::new();
    walk("", expected, got, &mut lines);
    lines.join("\n")
}
