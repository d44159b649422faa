//! What changed in a run: requests, the run itself, its stages, groups, gates and waits.

use serde_json::Value;

use super::Entry;
use super::diff::{Changes, Why, error, named, reason, state, text};

/// Entries for one change of an `UpdateRun`.
pub(super) fn diff(mut changes: Changes, old: &Value, new: &Value) -> Vec<Entry> {
    if new.is_null() {
        changes.add("run", state(old.get("status")), "", "deleted");
        return changes.entries;
    }
    requests(&mut changes, old, new);
    let before = if old.is_null() {
        ""
    } else {
        state(old.get("status"))
    };
    let why = error(new.pointer("/status/error"));
    let changed = changes.add("run", before, state(new.get("status")), why);
    if changed.is_none() {
        not_made(&mut changes, old, new);
    }
    for stage in list(new.pointer("/status/stages")) {
        let name = text(stage, "/name");
        let was = named(old.pointer("/status/stages"), "name", name);
        self::stage(&mut changes, name, was.unwrap_or(&Value::Null), stage);
    }
    changes.entries
}

/// A run whose tree cannot be made stays NotStarted; that it cannot is a change all the same.
fn not_made(changes: &mut Changes, old: &Value, new: &Value) {
    let (was, is) = (
        error(old.pointer("/status/error")),
        error(new.pointer("/status/error")),
    );
    if was != is {
        // From and to are codes: of two reasons why not, both are worth reading.
        let standing = |value: &Value, why: &Why| -> String {
            if !why.0.is_empty() {
                return why.0.clone();
            }
            let conditions = value.pointer("/status/conditions");
            let initialized = named(conditions, "type", "Initialized");
            initialized.map_or("", |c| text(c, "/status")).to_owned()
        };
        let (from, to) = (standing(old, &was), standing(new, &is));
        changes.add("initialized", &from, &to, Why(String::new(), is.1));
    }
}

fn requests(changes: &mut Changes, old: &Value, new: &Value) {
    for request in list(new.pointer("/status/requests")) {
        let id = text(request, "/id");
        let before = named(old.pointer("/status/requests"), "id", id);
        if before.is_some_and(|before| before == request) {
            continue;
        }
        let accepted = request.pointer("/accepted").and_then(Value::as_bool);
        let (to, why) = match accepted {
            Some(true) => ("accepted", Why::default()),
            _ => ("refused", error(Some(request))),
        };
        let action = text(request, "/action").to_lowercase();
        let what = if id == action || id.starts_with(&format!("{action}-")) {
            format!("request {id}")
        } else {
            format!("request {action} {id}")
        };
        changes.add(what, "", to, why);
    }
}

fn stage(changes: &mut Changes, name: &str, old: &Value, new: &Value) {
    let why = reason(new);
    changes.add(
        format!("stage {name}"),
        state(Some(old)),
        state(Some(new)),
        why,
    );
    gates(changes, "beforeGates", name, None, old, new);
    for group in list(new.get("groups")) {
        let group_name = text(group, "/name");
        let was = named(old.get("groups"), "name", group_name).unwrap_or(&Value::Null);
        let why = reason(group);
        let what = format!("group {group_name}");
        changes.add(what, state(Some(was)), state(Some(group)), why);
        gates(changes, "beforeGates", name, Some(group_name), was, group);
        gates(changes, "afterGates", name, Some(group_name), was, group);
    }
    gates(changes, "afterGates", name, None, old, new);
    let soak = new.get("afterStageWait");
    changes.add(
        format!("wait {name}"),
        state(old.get("afterStageWait")),
        state(soak),
        "",
    );
}

fn gates(
    changes: &mut Changes,
    timing: &str,
    stage: &str,
    group: Option<&str>,
    old: &Value,
    new: &Value,
) {
    let before: Vec<_> = list(old.get(timing)).collect();
    for (place, gate) in list(new.get(timing)).enumerate() {
        // Without a display name the gate is called by its place.
        let display = match text(gate, "/displayName") {
            "" if timing == "beforeGates" => format!("before {}", place.saturating_add(1)),
            "" => format!("after {}", place.saturating_add(1)),
            display => display.to_owned(),
        };
        let was = before.get(place).copied();
        let entry = changes.add(format!("gate {display}"), state(was), state(Some(gate)), "");
        if let Some(entry) = entry {
            entry.stage = Some(stage.to_owned());
            entry.group = group.map(str::to_owned);
        }
    }
}

fn list(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}
