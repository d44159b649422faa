//! A structural schema as a tree: what pruning, defaulting, lists and rules need of it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::path::Path;
use crate::embedded::fields;

/// What a node says about keys that are not among its properties.
#[derive(Debug, Default)]
pub(crate) enum Additional {
    /// Nothing: they are unknown.
    #[default]
    None,
    /// They may be anything.
    Any,
    /// All have this schema.
    Node(Box<Node>),
}

/// How the items of a list are told apart.
#[derive(Debug, Default, PartialEq)]
pub(crate) enum ListType {
    #[default]
    Atomic,
    Set,
    /// By these keys.
    Map(Vec<String>),
}

/// A place in a schema.
#[derive(Debug, Default)]
pub(crate) struct Node {
    pub properties: BTreeMap<String, Node>,
    pub additional: Additional,
    pub items: Option<Box<Node>>,
    pub list: ListType,
    pub default: Option<Value>,
    pub nullable: bool,
    /// Unknown fields are kept.
    pub preserve: bool,
    /// A whole object with `apiVersion`, `kind` and `metadata`.
    pub embedded: bool,
    pub int_or_string: bool,
    /// `type`, empty where there is none.
    pub kind: String,
    /// `format`, empty where there is none.
    pub format: String,
    /// `x-kubernetes-validations` as written.
    pub rules: Vec<Value>,
    /// Whether this node or one below it has a rule.
    pub has_rules: bool,
    /// Whether this node or one below it is a set or map list, or a number of 32 bits.
    pub has_lists: bool,
}

impl Node {
    pub(crate) fn parse(schema: &Value) -> Self {
        let flag = |name| schema.get(name) == Some(&Value::Bool(true));
        let properties: BTreeMap<String, Node> = schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .map(|(name, schema)| (name.clone(), Node::parse(schema)))
            .collect();
        let additional = match schema.get("additionalProperties") {
            Some(Value::Bool(true)) => Additional::Any,
            Some(schema @ Value::Object(_)) => Additional::Node(Box::new(Node::parse(schema))),
            _ => Additional::None,
        };
        let items = schema.get("items").map(|s| Box::new(Node::parse(s)));
        let list = match fields::text(schema, &["x-kubernetes-list-type"]) {
            "set" => ListType::Set,
            "map" => ListType::Map(
                fields::list(schema, &["x-kubernetes-list-map-keys"])
                    .filter_map(|key| key.as_str().map(str::to_owned))
                    .collect(),
            ),
            _ => ListType::Atomic,
        };
        let rules: Vec<Value> = fields::list(schema, &["x-kubernetes-validations"])
            .cloned()
            .collect();
        let mut node = Self {
            properties,
            additional,
            items,
            list,
            default: schema.get("default").cloned(),
            nullable: flag("nullable"),
            preserve: flag("x-kubernetes-preserve-unknown-fields"),
            embedded: flag("x-kubernetes-embedded-resource"),
            int_or_string: flag("x-kubernetes-int-or-string"),
            kind: fields::text(schema, &["type"]).to_owned(),
            format: fields::text(schema, &["format"]).to_owned(),
            rules,
            has_rules: false,
            has_lists: false,
        };
        node.has_rules = !node.rules.is_empty() || node.children().any(|c| c.has_rules);
        node.has_lists = node.list != ListType::Atomic
            || node.format == "int32"
            || node.children().any(|c| c.has_lists);
        node
    }

    /// Nodes directly below.
    pub(crate) fn children(&self) -> impl Iterator<Item = &Node> {
        let additional = match &self.additional {
            Additional::Node(node) => Some(&**node),
            _ => None,
        };
        self.properties
            .values()
            .chain(additional)
            .chain(self.items.as_deref())
    }

    /// The node of one key of an object.
    pub(crate) fn child(&self, name: &str) -> Option<&Node> {
        self.properties.get(name).or(match &self.additional {
            Additional::Node(node) => Some(node),
            _ => None,
        })
    }

    /// Whether a key is known, even if nothing is said about its value.
    fn knows(&self, name: &str) -> bool {
        self.child(name).is_some()
            || matches!(self.additional, Additional::Any)
            || (self.embedded && matches!(name, "apiVersion" | "kind" | "metadata"))
    }

    /// Takes away what the schema does not know; `unknown` gets the paths.
    pub(crate) fn prune(&self, value: &mut Value, path: &Path<'_>, unknown: &mut Vec<String>) {
        match value {
            Value::Object(map) => {
                map.retain(|name, _| {
                    let keep = self.preserve || self.knows(name);
                    if !keep {
                        unknown.push(path.field(name).to_string());
                    }
                    keep
                });
                for (name, value) in map {
                    if let Some(node) = self.child(name) {
                        node.prune(value, &path.field(name), unknown);
                    }
                }
            }
            Value::Array(items) => {
                if let Some(node) = &self.items {
                    for (index, item) in items.iter_mut().enumerate() {
                        node.prune(item, &path.item(index), unknown);
                    }
                }
            }
            _ => {}
        }
    }

    /// Drops nulls that may not be there and fills in defaults.
    pub(crate) fn default(&self, value: &mut Value) {
        match value {
            Value::Object(map) => {
                map.retain(|name, value| {
                    !value.is_null() || self.child(name).is_none_or(|node| node.nullable)
                });
                for (name, node) in &self.properties {
                    if let Some(default) = &node.default
                        && !map.contains_key(name)
                    {
                        map.insert(name.clone(), default.clone());
                    }
                }
                for (name, value) in map {
                    if let Some(node) = self.child(name) {
                        node.default(value);
                    }
                }
            }
            Value::Array(items) => {
                if let Some(node) = &self.items {
                    for item in items {
                        node.default(item);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The path of a field below `path`.
pub(crate) fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}
