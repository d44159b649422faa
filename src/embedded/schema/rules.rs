//! CEL rules of a schema, compiled node by node.
//!
//! The library evaluates a rule on a value; which value, which old value belongs to it and what
//! the error is called is decided here: items of map lists are compared by key, rules without
//! `oldSelf` are skipped where nothing changed, and only the parts of an object that its rules
//! name are handed over.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use kube::core::cel::{CompiledSchema, ErrorKind, ValidationError, Validator, compile_schema};
use serde_json::{Map, Value, json};

use super::check::json_type;
use super::node::{Additional, Node};
use super::path::Path;
use super::ratchet::counterpart;
use crate::embedded::refusal::Cause;

/// What holds for all rules of one write.
pub(super) struct Run<'a> {
    pub validator: &'a Validator,
    /// The old object has passed these very rules: a rule that sees the same again passes again.
    pub checked: bool,
}

/// Rules of one node and of the nodes below it that have some.
pub(super) struct Rules {
    /// Rules that look at the new value alone.
    steady: Option<Group>,
    /// Rules that name `oldSelf`.
    transition: Option<Group>,
    properties: BTreeMap<String, Rules>,
    additional: Option<Box<Rules>>,
    items: Option<Box<Rules>>,
}

/// Rules of one node that are evaluated together.
struct Group {
    compiled: CompiledSchema,
    /// Parts of `self` that the rules name; none: all of it.
    parts: Option<BTreeSet<Vec<String>>>,
    /// Whether they name `oldSelf`.
    transition: bool,
    /// Position of each rule in the node, by its text, and what its error is called.
    rules: Vec<(usize, Value)>,
    passed: Passed,
}

/// What has passed a group's rules as it was, unchanged: rules see nothing but the value and the old
/// one, so the same passes again. Most writes are of a status, and leave what rules look at alone.
#[derive(Default)]
struct Passed(Mutex<HashSet<Value>>);

/// Values that are remembered of one group.
const REMEMBERED: usize = 1024;

impl Passed {
    fn has(&self, value: &Value) -> bool {
        self.lock().contains(value)
    }

    fn add(&self, value: Value) {
        let mut passed = self.lock();
        if passed.len() >= REMEMBERED {
            passed.clear();
        }
        passed.insert(value);
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<Value>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Rules {
    pub(super) fn compile(node: &Node) -> Self {
        let (transition, steady): (Vec<_>, Vec<_>) = node
            .rules
            .iter()
            .cloned()
            .enumerate()
            .partition(|(_, rule)| names_old(rule));
        let below = |node: &Node| Box::new(Self::compile(node));
        Self {
            steady: Group::compile(node, steady),
            transition: Group::compile(node, transition),
            properties: node
                .properties
                .iter()
                .filter(|(_, node)| node.has_rules)
                .map(|(name, node)| (name.clone(), Self::compile(node)))
                .collect(),
            additional: match &node.additional {
                Additional::Node(inner) if inner.has_rules => Some(below(inner)),
                _ => None,
            },
            items: node
                .items
                .as_deref()
                .filter(|inner| inner.has_rules)
                .map(below),
        }
    }

    /// Texts of rules that cannot be compiled, with their paths.
    pub(super) fn errors(&self, path: &str, found: &mut Vec<(String, String)>) {
        for group in [&self.steady, &self.transition].into_iter().flatten() {
            let errors = group.compiled.compilation_errors();
            found.extend(
                errors
                    .into_iter()
                    .map(|error| (path.to_owned(), error.to_string())),
            );
        }
        for (name, rules) in &self.properties {
            rules.errors(&format!("{path}.properties[{name}]"), found);
        }
        if let Some(rules) = &self.additional {
            rules.errors(&format!("{path}.additionalProperties"), found);
        }
        if let Some(rules) = &self.items {
            rules.errors(&format!("{path}.items"), found);
        }
    }

    /// Evaluates everything; parents before children.
    pub(super) fn check(
        &self,
        run: &Run<'_>,
        node: &Node,
        value: &Value,
        old: Option<&Value>,
        path: &Path<'_>,
        causes: &mut Vec<Cause>,
    ) {
        let changed = old != Some(value);
        let mut found: Vec<(usize, Cause)> = Vec::new();
        for (group, wanted) in [(&self.steady, changed), (&self.transition, true)] {
            if let Some(group) = group.as_ref().filter(|_| wanted) {
                group.check(run, value, old, path, &mut found);
            }
        }
        found.sort_by_key(|(place, _)| *place);
        causes.extend(found.into_iter().map(|(_, cause)| cause));
        match value {
            Value::Object(map) => {
                for (name, value) in map {
                    let rules = self.properties.get(name).or(self
                        .additional
                        .as_deref()
                        .filter(|_| !node.properties.contains_key(name)));
                    if let (Some(rules), Some(node)) = (rules, node.child(name)) {
                        let old = old.and_then(|old| old.get(name));
                        rules.check(run, node, value, old, &path.field(name), causes);
                    }
                }
            }
            Value::Array(items) => {
                let (Some(rules), Some(inner)) = (&self.items, node.items.as_deref()) else {
                    return;
                };
                for (index, item) in items.iter().enumerate() {
                    let old = old.and_then(|old| counterpart(node, item, old));
                    rules.check(run, inner, item, old, &path.item(index), causes);
                }
            }
            _ => {}
        }
    }
}

impl Group {
    fn compile(node: &Node, rules: Vec<(usize, Value)>) -> Option<Self> {
        if rules.is_empty() {
            return None;
        }
        let mut parts = Some(BTreeSet::new());
        for (_, rule) in &rules {
            for name in ["rule", "messageExpression"] {
                let text = rule.get(name).and_then(Value::as_str).unwrap_or_default();
                collect_parts(text, &mut parts);
            }
        }
        let mut schema = conversion(node).unwrap_or_else(|| json!({}));
        if let Value::Object(map) = &mut schema {
            let texts: Vec<&Value> = rules.iter().map(|(_, rule)| rule).collect();
            map.insert("x-kubernetes-validations".into(), json!(texts));
        }
        Some(Self {
            compiled: compile_schema(&schema),
            parts,
            transition: rules.iter().any(|(_, rule)| names_old(rule)),
            rules,
            passed: Passed::default(),
        })
    }

    fn check(
        &self,
        run: &Run<'_>,
        value: &Value,
        old: Option<&Value>,
        path: &Path<'_>,
        found: &mut Vec<(usize, Cause)>,
    ) {
        let shown = |value: &Value| match &self.parts {
            Some(parts) if value.is_object() => project(value, parts),
            _ => value.clone(),
        };
        let (new, old) = (shown(value), old.map(shown));
        let unchanged = old.as_ref() == Some(&new);
        // Of the whole object alone: a part that was let pass unchanged may have failed before.
        if run.checked && !self.transition && path.is_root() && unchanged {
            return;
        }
        if unchanged && self.passed.has(&new) {
            return;
        }
        let checked = run
            .validator
            .validate_compiled(&self.compiled, &new, old.as_ref());
        let Err(errors) = checked else {
            if unchanged {
                self.passed.add(new);
            }
            return;
        };
        for error in errors {
            let rule = self
                .rules
                .iter()
                .find(|(_, rule)| rule.get("rule").and_then(Value::as_str) == Some(&error.rule));
            let place = rule.map_or(usize::MAX, |(place, _)| *place);
            found.push((place, cause(&error, value, &path.to_string())));
        }
    }
}

/// What the API says of a broken rule.
fn cause(error: &ValidationError, value: &Value, path: &str) -> Cause {
    let field = match (path, error.field_path.as_str()) {
        ("", "") => "<nil>".to_owned(),
        ("", below) => below.trim_start_matches('.').to_owned(),
        (path, below) if below.is_empty() || below.starts_with(['.', '[']) => {
            format!("{path}{below}")
        }
        (path, below) => format!("{path}.{below}"),
    };
    let compound = value.is_object() || value.is_array() || !error.field_path.is_empty();
    if error.kind != ErrorKind::ValidationFailure {
        let why = error.message.trim_start_matches("rule evaluation error: ");
        let message = format!(
            "Invalid value: {:?}: {why} evaluating rule: {}",
            json_type(value),
            error.rule
        );
        return Cause::new("FieldValueInvalid", field, message);
    }
    let message = &error.message;
    match error.reason.as_deref() {
        Some("FieldValueForbidden") => Cause::new(
            "FieldValueForbidden",
            field,
            format!("Forbidden: {message}"),
        ),
        Some("FieldValueRequired") => Cause::required(field, message),
        Some("FieldValueDuplicate") => Cause::new(
            "FieldValueDuplicate",
            field,
            format!("Duplicate value: {value}"),
        ),
        _ if compound => Cause::new(
            "FieldValueInvalid",
            field,
            format!("Invalid value: {message}"),
        ),
        _ => Cause::invalid(field, value, message),
    }
}

/// Names in an expression with what follows them: `self.a.b(…)` gives `self` and `a`. The path of one
/// that stands alone in `has(…)` ends with an empty name: nothing of it counts but that it is there.
fn chains(expression: &str) -> Vec<(String, Vec<String>, bool)> {
    let mut found = Vec::new();
    let mut in_has = false;
    let mut letters = expression.chars().peekable();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut after_dot = false;
    while let Some(letter) = letters.next() {
        if letter == '\'' || letter == '"' {
            while let Some(inner) = letters.next() {
                match inner {
                    '\\' => drop(letters.next()),
                    end if end == letter => break,
                    _ => {}
                }
            }
            after_dot = false;
            continue;
        }
        if !is_word(letter) {
            after_dot = letter == '.';
            in_has &= letter == '(';
            continue;
        }
        let mut word = letter.to_string();
        while let Some(next) = letters.next_if(|c| is_word(*c)) {
            word.push(next);
        }
        if after_dot {
            after_dot = false;
            continue;
        }
        let mut path = Vec::new();
        let mut exact = true;
        loop {
            let mut ahead = letters.clone();
            if ahead.next() != Some('.') {
                exact = !matches!(letters.peek(), Some('[' | '?'));
                break;
            }
            let name: String = std::iter::from_fn(|| ahead.next_if(|c| is_word(*c))).collect();
            if name.is_empty() {
                exact = false;
                break;
            }
            if ahead.peek() == Some(&'(') {
                break;
            }
            path.push(name);
            letters = ahead;
        }
        if in_has && exact && letters.peek() == Some(&')') {
            path.push(String::new());
        }
        in_has = word == "has" && path.is_empty() && letters.peek() == Some(&'(');
        found.push((word, path, exact));
    }
    found
}

fn names_old(rule: &Value) -> bool {
    let text = rule.get("rule").and_then(Value::as_str).unwrap_or_default();
    chains(text).iter().any(|(word, ..)| word == "oldSelf")
}

/// Adds the parts of `self` and `oldSelf` that an expression names, two names deep.
fn collect_parts(expression: &str, parts: &mut Option<BTreeSet<Vec<String>>>) {
    for (word, path, exact) in chains(expression) {
        if word != "self" && word != "oldSelf" {
            continue;
        }
        if path.is_empty() || (!exact && path.is_empty()) {
            *parts = None;
        } else if let Some(parts) = parts {
            parts.insert(path.into_iter().take(2).collect());
        }
    }
}

/// A copy of an object with these parts alone. Escaped names (`__dot__` and the like) keep all.
fn project(value: &Value, parts: &BTreeSet<Vec<String>>) -> Value {
    let mut copy = Map::new();
    for path in parts {
        let [first, rest @ ..] = path.as_slice() else {
            continue;
        };
        if first.starts_with("__") || rest.iter().any(|name| name.contains("__")) {
            return value.clone();
        }
        let Some(child) = value.get(first) else {
            continue;
        };
        match (rest.first(), child) {
            (Some(name), Value::Object(map)) => {
                let slot = copy.entry(first.clone()).or_insert_with(|| json!({}));
                if let (Some(inner), Value::Object(slot)) = (map.get(name), slot) {
                    slot.insert(name.clone(), inner.clone());
                }
            }
            _ => {
                copy.insert(first.clone(), child.clone());
            }
        }
    }
    // Whole parts win over their own pieces, whichever came first.
    for path in parts.iter().filter(|path| path.len() == 1) {
        if let Some((name, child)) = path.first().and_then(|n| Some((n, value.get(n)?))) {
            copy.insert(name.clone(), child.clone());
        }
    }
    Value::Object(copy)
}

/// The least schema with which the library turns JSON into CEL values correctly: formats, maps
/// and embedded objects; nothing where there are none.
fn conversion(node: &Node) -> Option<Value> {
    let mut schema = Map::new();
    if matches!(node.format.as_str(), "date-time" | "duration" | "byte") {
        schema.insert("format".into(), node.format.as_str().into());
    }
    if node.int_or_string {
        schema.insert("x-kubernetes-int-or-string".into(), true.into());
    }
    let properties: Map<String, Value> = node
        .properties
        .iter()
        .filter_map(|(name, node)| conversion(node).map(|schema| (name.clone(), schema)))
        .collect();
    if !properties.is_empty() {
        schema.insert("properties".into(), properties.into());
    }
    match &node.additional {
        Additional::None => {}
        Additional::Any => {
            schema.insert("additionalProperties".into(), true.into());
        }
        Additional::Node(inner) => {
            let inner = conversion(inner).unwrap_or_else(|| json!({}));
            schema.insert("additionalProperties".into(), inner);
        }
    }
    if let Some(inner) = node.items.as_deref().and_then(conversion) {
        schema.insert("items".into(), inner);
    }
    (!schema.is_empty()).then_some(Value::Object(schema))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_a_rule_names() {
        let parts = |text: &str| {
            let mut parts = Some(BTreeSet::new());
            collect_parts(text, &mut parts);
            parts.map(|p| p.into_iter().map(|p| p.join(".")).collect::<Vec<_>>())
        };
        assert_eq!(
            parts(
                "self.metadata.name.size() <= 50 && has(oldSelf.status) && 'self' != self.x.startsWith('y')"
            ),
            Some(vec!["metadata.name".into(), "status.".into(), "x".into()])
        );
        assert_eq!(
            parts("!has(oldSelf.status) || has(self.a.b) || has(self.c) && self.c == 1"),
            Some(vec![
                "a.b".into(),
                "c".into(),
                "c.".into(),
                "status.".into()
            ])
        );
        assert_eq!(parts("self == oldSelf"), None);
        assert_eq!(parts("self.all(x, x.self > 1)"), None);
        assert_eq!(parts("self.items[0].a == 1"), Some(vec!["items".into()]));
        assert_eq!(parts("self.?a.hasValue()"), None);
        assert!(names_old(&json!({"rule": "self.a == oldSelf.a"})));
        assert!(!names_old(&json!({"rule": "self.oldSelf == 1"})));
    }

    #[test]
    fn what_passed_unchanged_is_remembered_and_nothing_else() {
        let schema = crate::embedded::schema::Schema::new(json!({"type": "object", "properties": {
            "fixed": {"type": "string",
                "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "is fixed"}]},
            "rises": {"type": "integer",
                "x-kubernetes-validations": [{"rule": "self > oldSelf", "message": "must rise"}]},
        }}));
        let told = |old: Value, new: Value| {
            let old = crate::embedded::schema::Old {
                object: &old,
                checked: true,
                status_only: false,
            };
            let mut causes = Vec::new();
            schema.check(&new, Some(&old), &mut causes);
            causes.into_iter().map(|c| c.message).collect::<Vec<_>>()
        };
        let (a, b) = (json!({"fixed": "a"}), json!({"fixed": "b"}));
        for _ in 0..2 {
            assert!(told(a.clone(), a.clone()).is_empty());
            assert!(told(b.clone(), b.clone()).is_empty());
            assert_eq!(told(a.clone(), b.clone()).len(), 1);
            assert_eq!(told(json!({"rises": 1}), json!({"rises": 1})).len(), 1);
            assert!(told(json!({"rises": 1}), json!({"rises": 2})).is_empty());
        }
    }

    #[test]
    fn projection_keeps_what_is_named() {
        let value = json!({"a": {"b": 1, "c": 2}, "d": 3, "e": 4});
        let parts = [vec!["a", "b"], vec!["d"], vec!["x", "y"]];
        let parts = parts
            .iter()
            .map(|path| path.iter().map(|name| (*name).to_owned()).collect())
            .collect();
        assert_eq!(project(&value, &parts), json!({"a": {"b": 1}, "d": 3}));
        let there = BTreeSet::from([vec!["a".to_owned(), String::new()]]);
        assert_eq!(project(&value, &there), json!({"a": {}}));
    }
}
