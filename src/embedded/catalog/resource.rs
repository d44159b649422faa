//! One served resource: its names, and how its objects are checked, shown and selected.

use std::sync::Arc;

use bytes::Bytes;

use super::custom::Version;
use crate::embedded::refusal::About;

/// A kind whose rules are in this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    Namespace,
    ConfigMap,
    Secret,
    /// Core v1 events: the stored form.
    Event,
    /// The same objects as events.k8s.io shows them.
    NewEvent,
    Lease,
    Definition,
}

/// Where the rules of a kind come from.
#[derive(Clone)]
pub(crate) enum Nature {
    Builtin(Builtin),
    Custom(Arc<Version>),
}

/// A column of a table, as `kubectl get` prints it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Column {
    pub name: String,
    pub kind: String,
    pub format: String,
    pub description: String,
    pub priority: i64,
    pub path: String,
}

/// A resource at one group and version.
pub(crate) struct Resource {
    pub group: Arc<str>,
    pub version: Arc<str>,
    pub plural: Arc<str>,
    pub singular: String,
    pub kind: Arc<str>,
    pub list_kind: String,
    pub short_names: Vec<String>,
    pub categories: Vec<String>,
    pub namespaced: bool,
    /// Whether `/status` is a subresource.
    pub status: bool,
    /// Where the objects are: `plural.group` of the stored form.
    pub table: Arc<str>,
    pub nature: Nature,
    /// Empty: name and age alone.
    pub columns: Vec<Column>,
    /// Paths that field selectors may name beside name and namespace, such as `.spec.run`.
    pub selectable: Arc<[Box<str>]>,
    /// `{"apiVersion":"…","kind":"…",`
    pub prefix: Bytes,
}

impl Resource {
    /// `group/version`, or the version alone for the core group.
    pub(crate) fn api_version(&self) -> String {
        api_version(&self.group, &self.version)
    }

    pub(crate) fn builtin(&self) -> Option<Builtin> {
        match self.nature {
            Nature::Builtin(builtin) => Some(builtin),
            Nature::Custom(_) => None,
        }
    }

    pub(crate) fn custom(&self) -> Option<&Arc<Version>> {
        match &self.nature {
            Nature::Custom(version) => Some(version),
            Nature::Builtin(_) => None,
        }
    }

    pub(crate) fn is(&self, builtin: Builtin) -> bool {
        self.builtin() == Some(builtin)
    }

    /// For messages that name the plural.
    pub(crate) fn about<'a>(&'a self, name: &'a str) -> About<'a> {
        About {
            group: &self.group,
            kind: &self.plural,
            name,
        }
    }

    /// For messages that name the kind.
    pub(crate) fn about_kind<'a>(&'a self, name: &'a str) -> About<'a> {
        About {
            group: &self.group,
            kind: &self.kind,
            name,
        }
    }

    /// Whether `metadata.generation` counts changes.
    pub(crate) fn counts_generation(&self) -> bool {
        matches!(
            self.nature,
            Nature::Custom(_) | Nature::Builtin(Builtin::Definition)
        )
    }
}

pub(crate) fn api_version(group: &str, version: &str) -> String {
    if group.is_empty() {
        version.to_owned()
    } else {
        format!("{group}/{version}")
    }
}

/// What stands before the stored bytes of an object of this kind.
pub(crate) fn prefix(api_version: &str, kind: &str) -> Bytes {
    // Group, version and kind are checked names: nothing in them needs an escape.
    format!("{{\"apiVersion\":\"{api_version}\",\"kind\":\"{kind}\",").into()
}
