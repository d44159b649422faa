//! Old and new JSON of one object → entries.

use jiff::Timestamp;
use serde_json::Value;

use super::{Entry, run};

/// What changed between `old` and `new` of one object, in the order in which people read a run:
/// from the outside in. `offset` is left empty: only who prints the journal knows where it begins.
pub fn diff(old: Option<&Value>, new: Option<&Value>, at: Timestamp) -> Vec<Entry> {
    let Some(any) = new.or(old) else {
        return Vec::new();
    };
    let changes = Changes {
        object: format!("{}/{}", text(any, "/kind"), text(any, "/metadata/name")),
        at,
        entries: Vec::new(),
    };
    let none = Value::Null;
    let (before, after) = (old.unwrap_or(&none), new.unwrap_or(&none));
    match text(any, "/kind") {
        "UpdateRun" => run::diff(changes, before, after),
        "MemberUpdate" => update(changes, before, after),
        "FleetMember" => member(changes, before, after),
        "Lease" => lease(changes, before, after),
        _ => Vec::new(),
    }
}

/// Entries of one object being gathered.
pub(super) struct Changes {
    object: String,
    at: Timestamp,
    pub entries: Vec<Entry>,
}

impl Changes {
    /// Adds an entry; `None` says that nothing changed.
    pub fn add(
        &mut self,
        what: impl Into<String>,
        from: &str,
        to: &str,
        why: impl Into<Why>,
    ) -> Option<&mut Entry> {
        if from == to {
            return None;
        }
        let Why(reason, message) = why.into();
        self.entries.push(Entry {
            instant: self.at,
            object: self.object.clone(),
            what: what.into(),
            from: from.to_owned(),
            to: to.to_owned(),
            reason,
            message,
            ..Entry::default()
        });
        self.entries.last_mut()
    }
}

/// Code and sentence of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Why(pub String, pub String);

impl From<&str> for Why {
    fn from(reason: &str) -> Self {
        Self(reason.to_owned(), String::new())
    }
}

fn update(mut changes: Changes, old: &Value, new: &Value) -> Vec<Entry> {
    if new.is_null() {
        return Vec::new();
    }
    let member = text(new, "/spec/member");
    let reason = reason(new.pointer("/status").unwrap_or(&Value::Null));
    changes.add(
        format!("member {member}"),
        state(old.pointer("/status")),
        state(new.pointer("/status")),
        reason,
    );
    changes.entries
}

fn member(mut changes: Changes, old: &Value, new: &Value) -> Vec<Entry> {
    if new.is_null() {
        changes.add("member", "Joined", "Left", "");
        return changes.entries;
    }
    let (was, is) = (
        text(old, "/status/operation/id"),
        text(new, "/status/operation/id"),
    );
    if !was.is_empty() && was != is {
        let mut why = Why::default();
        let mut outcome = "";
        if text(new, "/status/lastOperation/id") == was {
            outcome = text(new, "/status/lastOperation/outcome");
            why = error(new.pointer("/status/lastOperation/error"));
        }
        changes.add("upgrade ended", "", outcome, why);
    }
    if !is.is_empty() && was != is {
        let run = text(new, "/status/operation/run");
        changes.add(
            "upgrade issued".to_owned(),
            "",
            "Running",
            Why(String::new(), format!("run {run}")),
        );
    }
    let version = (
        text(old, "/status/kubernetesVersion"),
        text(new, "/status/kubernetesVersion"),
    );
    if !version.0.is_empty() {
        changes.add("version", version.0, version.1, "");
    }
    for condition in new
        .pointer("/status/conditions")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let kind = text(condition, "/type");
        let before = named(old.pointer("/status/conditions"), "type", kind);
        let unless_new = before.map_or("True", |before| text(before, "/status"));
        changes.add(
            format!("condition {kind}"),
            unless_new,
            text(condition, "/status"),
            text(condition, "/reason"),
        );
    }
    changes.entries
}

fn lease(mut changes: Changes, old: &Value, new: &Value) -> Vec<Entry> {
    let (was, is) = (
        text(old, "/spec/holderIdentity"),
        text(new, "/spec/holderIdentity"),
    );
    let turn = |value: &Value| {
        value
            .pointer("/spec/leaseTransitions")
            .and_then(Value::as_i64)
    };
    if was != is {
        let what = if is.is_empty() {
            "controller stopped"
        } else {
            "controller took over"
        };
        changes.add(what, was, is, "");
    } else if turn(old) != turn(new) && !is.is_empty() {
        // The same process in its next life: from and to are one name, the fact is what counts.
        changes.add("controller took over", "", is, "restarted");
    }
    changes.entries
}

/// Why a status is what it is: its error, else its message.
pub(super) fn reason(status: &Value) -> Why {
    match error(status.pointer("/error")) {
        none if none == Why::default() => Why(String::new(), text(status, "/message").to_owned()),
        error => error,
    }
}

/// Code and message of an error.
pub(super) fn error(error: Option<&Value>) -> Why {
    let Some(error) = error else {
        return Why::default();
    };
    Why(
        text(error, "/code").to_owned(),
        text(error, "/message").to_owned(),
    )
}

/// The state in a status; what is not there has not started.
pub(super) fn state(status: Option<&Value>) -> &str {
    match status.map_or("", |status| text(status, "/state")) {
        "" => "NotStarted",
        state => state,
    }
}

/// The text at a JSON pointer; empty where there is none.
pub(super) fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or("")
}

/// The item of a list whose `key` is `name`.
pub(super) fn named<'a>(list: Option<&'a Value>, key: &str, name: &str) -> Option<&'a Value> {
    let items = list.and_then(Value::as_array)?;
    items
        .iter()
        .find(|item| item.get(key).and_then(Value::as_str) == Some(name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn lines(old: Option<Value>, new: Option<Value>) -> Vec<String> {
        let at = "2026-03-02T09:10:00Z".parse().unwrap();
        let entries = diff(old.as_ref(), new.as_ref(), at);
        entries
            .iter()
            .map(|e| {
                let place: Vec<_> = [&e.stage, &e.group]
                    .into_iter()
                    .flatten()
                    .cloned()
                    .collect();
                format!(
                    "{} {} {}>{} {} {} {}",
                    e.object,
                    e.what,
                    e.from,
                    e.to,
                    e.reason,
                    e.message,
                    place.join("/")
                )
                .trim_end()
                .to_owned()
            })
            .collect()
    }

    fn run(status: Value) -> Option<Value> {
        Some(json!({"kind": "UpdateRun", "metadata": {"name": "w"}, "status": status}))
    }

    #[test]
    fn a_run_is_told_from_the_outside_in() {
        let stage = |state: &str, gate: &str, group: &str| {
            json!({"state": "Running", "stages": [{
                "name": "s", "state": state,
                "beforeGates": [{"displayName": "Ok", "state": gate}],
                "groups": [{"name": "g", "state": group,
                    "afterGates": [{"state": if gate == "Completed" { "Pending" } else { "NotStarted" }}]}],
            }]})
        };
        let (old, new) = (
            run(stage("Pending", "Pending", "NotStarted")),
            run(stage("Running", "Completed", "Running")),
        );
        assert_eq!(
            lines(old, new.clone()),
            [
                "UpdateRun/w stage s Pending>Running",
                "UpdateRun/w gate Ok Pending>Completed   s",
                "UpdateRun/w group g NotStarted>Running",
                "UpdateRun/w gate after 1 NotStarted>Pending   s/g",
            ]
        );
        assert!(lines(new.clone(), new).is_empty());
    }

    #[test]
    fn what_is_born_not_started_is_told_once_for_the_run() {
        let born = run(
            json!({"stages": [{"name": "s", "groups": [{"name": "g"}, {"name": "e", "state": "Skipped"}]}]}),
        );
        assert_eq!(
            lines(None, born.clone()),
            [
                "UpdateRun/w run >NotStarted",
                "UpdateRun/w group e NotStarted>Skipped"
            ]
        );
        assert_eq!(lines(born, None), ["UpdateRun/w run NotStarted> deleted"]);
    }

    #[test]
    fn requests_are_told_with_their_code() {
        let new = run(json!({"requests": [
            {"id": "start", "action": "Start", "accepted": true},
            {"id": "s1", "action": "Skip", "accepted": false, "code": "TargetInProgress", "message": "m1 is in flight."},
        ]}));
        assert_eq!(
            lines(run(json!({})), new),
            [
                "UpdateRun/w request start >accepted",
                "UpdateRun/w request skip s1 >refused TargetInProgress m1 is in flight.",
            ]
        );
    }

    #[test]
    fn a_run_that_cannot_be_made_says_so_once() {
        let new = run(
            json!({"error": {"code": "StrategyNotFound", "message": "No such."},
            "conditions": [{"type": "Initialized", "status": "False"}]}),
        );
        let told = ["UpdateRun/w initialized >StrategyNotFound  No such."];
        assert_eq!(lines(run(json!({})), new.clone()), told);
        assert!(lines(new.clone(), new).is_empty());
    }

    #[test]
    fn members_and_their_upgrades_are_told() {
        let update = |status: Value| {
            Some(json!({"kind": "MemberUpdate", "metadata": {"name": "w.m"},
                "spec": {"member": "m"}, "status": status}))
        };
        assert!(lines(None, update(json!({}))).is_empty());
        let failed =
            json!({"state": "Failed", "error": {"code": "UpgradeFailed", "message": "Quota."}});
        assert_eq!(
            lines(update(json!({"state": "Running"})), update(failed)),
            ["MemberUpdate/w.m member m Running>Failed UpgradeFailed Quota."]
        );
        let member = |status: Value| {
            Some(json!({"kind": "FleetMember", "metadata": {"name": "m"}, "status": status}))
        };
        let idle = member(json!({"kubernetesVersion": "1.32.0"}));
        let busy =
            member(json!({"kubernetesVersion": "1.32.0", "operation": {"id": "1", "run": "w"}}));
        let done = member(json!({"kubernetesVersion": "1.33.0",
            "lastOperation": {"id": "1", "outcome": "Succeeded"}}));
        assert_eq!(
            lines(idle, busy.clone()),
            ["FleetMember/m upgrade issued >Running  run w"]
        );
        assert_eq!(
            lines(busy, done),
            [
                "FleetMember/m upgrade ended >Succeeded",
                "FleetMember/m version 1.32.0>1.33.0"
            ]
        );
    }
}
