//! Structural schemas of custom resources: prune, default, validate, rules.
//!
//! A schema is compiled once per version of a definition, each part when it is first needed.

mod check;
mod lists;
mod lower;
mod node;
mod path;
mod ratchet;
mod rules;

use std::sync::OnceLock;

use kube::core::cel;
use serde_json::{Value, json};

use self::rules::Rules;
use crate::embedded::refusal::Cause;

pub(crate) use lower::is_pattern;
pub(crate) use node::{Node, join};
pub(crate) use path::Path;

/// The compiled schema of one version.
pub(crate) struct Schema {
    root: Node,
    open_api: Value,
    values: OnceLock<Result<jsonschema::Validator, String>>,
    /// For writes of the status alone.
    status: OnceLock<Result<jsonschema::Validator, String>>,
    rules: OnceLock<(cel::Validator, Rules)>,
}

/// The state before a write.
pub(crate) struct Old<'a> {
    pub object: &'a Value,
    /// It has passed this very schema.
    pub checked: bool,
    /// The write is one of the status alone.
    pub status_only: bool,
}

impl Schema {
    pub(crate) fn new(open_api: Value) -> Self {
        let mut root = Node::parse(&open_api);
        // These are implied, whatever a definition says of them.
        for implied in ["apiVersion", "kind", "metadata"] {
            root.properties.remove(implied);
        }
        root.embedded = true;
        Self {
            root,
            open_api,
            values: OnceLock::new(),
            status: OnceLock::new(),
            rules: OnceLock::new(),
        }
    }

    /// Drops unknown fields, whose paths are returned in order, and fills in defaults.
    pub(crate) fn shape(&self, value: &mut Value) -> Vec<String> {
        let mut unknown = Vec::new();
        self.root.prune(value, &Path::Root, &mut unknown);
        unknown.sort();
        self.root.default(value);
        unknown
    }

    /// Adds what is wrong with a whole object to what is wrong with its metadata.
    pub(crate) fn check(&self, object: &Value, old: Option<&Old<'_>>, causes: &mut Vec<Cause>) {
        let before = old.map(|old| old.object);
        causes.extend(if old.is_some_and(|old| old.status_only) {
            self.check_status(object, before)
        } else {
            check_values(&self.values, &self.open_api, &self.root, object, before, "")
        });
        self.check_lists(object, before, causes);
        if !self.root.has_rules {
            return;
        }
        if causes.iter().any(check::blocks_rules) {
            causes.push(Cause::invalid(
                "<nil>",
                "null",
                "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
            ));
            return;
        }
        let (validator, rules) = self.rules();
        let checked = old.is_some_and(|old| old.checked);
        let run = rules::Run { validator, checked };
        rules.check(&run, &self.root, object, before, &Path::Root, causes);
    }

    fn check_status(&self, object: &Value, old: Option<&Value>) -> Vec<Cause> {
        let (Some(status), Some(node)) = (object.get("status"), self.root.child("status")) else {
            return Vec::new();
        };
        let old = old.and_then(|old| old.get("status"));
        let schema = self.open_api.pointer("/properties/status");
        let any = json!({});
        check_values(
            &self.status,
            schema.unwrap_or(&any),
            node,
            status,
            old,
            "status",
        )
    }

    fn check_lists(&self, object: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
        let mut found = Vec::new();
        lists::check(&self.root, object, &Path::Root, &mut found);
        if found.is_empty() {
            return;
        }
        // An object that was wrong before may stay so.
        let mut before = Vec::new();
        if let Some(old) = old {
            lists::check(&self.root, old, &Path::Root, &mut before);
        }
        if before.is_empty() {
            causes.extend(found);
        }
    }

    fn rules(&self) -> &(cel::Validator, Rules) {
        self.rules
            .get_or_init(|| (cel::Validator::new(), Rules::compile(&self.root)))
    }

    /// What keeps the schema from being used, as pairs of a path in it and a text.
    pub(crate) fn problems(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        let values = self.values.get_or_init(|| lower::compile(&self.open_api));
        if let Err(error) = values {
            found.push((String::new(), error.clone()));
        }
        self.rules().1.errors("", &mut found);
        found
    }
}

fn check_values(
    compiled: &OnceLock<Result<jsonschema::Validator, String>>,
    schema: &Value,
    node: &Node,
    value: &Value,
    old: Option<&Value>,
    base: &str,
) -> Vec<Cause> {
    match compiled.get_or_init(|| lower::compile(schema)) {
        Ok(validator) => check::check(validator, node, value, old, base),
        // Such a definition is refused when it is made; fail closed all the same.
        Err(error) => vec![Cause::invalid("<nil>", "null", error)],
    }
}
