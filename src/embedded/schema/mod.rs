//! Structural schemas of custom resources: prune, default, validate, rules.
//!
//! A schema is compiled once per version of a definition, each part when it is first needed.

mod node;

use serde_json::Value;

pub(crate) use node::{Additional, ListType, Node, join};

/// The compiled schema of one version.
pub(crate) struct Schema {
    root: Node,
}

impl Schema {
    pub(crate) fn new(open_api: Value) -> Self {
        let mut root = Node::parse(&open_api);
        // These are implied, whatever a definition says of them.
        for implied in ["apiVersion", "kind", "metadata"] {
            root.properties.remove(implied);
        }
        root.embedded = true;
        Self { root }
    }

    pub(crate) fn root(&self) -> &Node {
        &self.root
    }

    /// Drops unknown fields, whose paths are returned in order, and fills in defaults.
    pub(crate) fn shape(&self, value: &mut Value) -> Vec<String> {
        let mut unknown = Vec::new();
        self.root.prune(value, "", &mut unknown);
        unknown.sort();
        self.root.default(value);
        unknown
    }
}
