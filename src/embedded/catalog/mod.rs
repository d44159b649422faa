//! Which resources are served: the built-in ones and those of established definitions.
//!
//! A catalog never changes; a change of a definition makes a new one. Requests look resources up
//! here and never read definitions themselves.

mod builtin;
mod custom;
mod resource;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

pub(crate) use builtin::{DEFINITIONS, NAMESPACES};
pub(crate) use resource::{Builtin, Column, Nature, Resource, api_version};

/// Resources of one group and version.
type Plurals = BTreeMap<Arc<str>, Arc<Resource>>;

/// All served resources.
#[derive(Clone, Default)]
pub(crate) struct Catalog {
    /// Group, then version, then plural.
    groups: BTreeMap<Arc<str>, BTreeMap<Arc<str>, Plurals>>,
}

impl Catalog {
    /// The built-in resources and what the established ones among `definitions` add. What did
    /// not change is taken over from `before`, with all that was compiled for it; what did counts
    /// from `revision`.
    pub(crate) fn new(definitions: &[Value], before: Option<&Catalog>, revision: u64) -> Self {
        let mut catalog = Self::default();
        for resource in builtin::resources() {
            catalog.add(resource);
        }
        for definition in definitions {
            for resource in custom::resources(definition, before, revision) {
                catalog.add(resource);
            }
        }
        catalog
    }

    fn add(&mut self, resource: Arc<Resource>) {
        let version = resource.version.clone();
        self.groups
            .entry(resource.group.clone())
            .or_default()
            .entry(version)
            .or_default()
            .insert(resource.plural.clone(), resource);
    }

    pub(crate) fn find(&self, group: &str, version: &str, plural: &str) -> Option<&Arc<Resource>> {
        self.groups.get(group)?.get(version)?.get(plural)
    }

    /// The resource of a kind, for owner references.
    pub(crate) fn of_kind(&self, api_version: &str, kind: &str) -> Option<&Arc<Resource>> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        self.groups
            .get(group)?
            .get(version)?
            .values()
            .find(|resource| &*resource.kind == kind)
    }

    /// Groups but the core one, each with its versions, best first.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (&Arc<str>, Vec<&Arc<str>>)> {
        self.groups
            .iter()
            .filter(|(group, _)| !group.is_empty())
            .map(|(group, versions)| {
                let mut versions: Vec<_> = versions.keys().collect();
                versions.sort_by_key(|version| std::cmp::Reverse(rank(version)));
                (group, versions)
            })
    }

    /// Resources of one group and version, by plural.
    pub(crate) fn resources(
        &self,
        group: &str,
        version: &str,
    ) -> impl Iterator<Item = &Arc<Resource>> {
        self.groups
            .get(group)
            .and_then(|versions| versions.get(version))
            .into_iter()
            .flat_map(BTreeMap::values)
    }

    /// Every resource once a table, in its stored or best version.
    pub(crate) fn tables(&self) -> BTreeMap<Arc<str>, Arc<Resource>> {
        let mut tables: BTreeMap<Arc<str>, Arc<Resource>> = BTreeMap::new();
        let all = self.groups.values().flat_map(BTreeMap::values);
        for resource in all.flat_map(BTreeMap::values) {
            let stored = match &resource.nature {
                Nature::Builtin(builtin) => *builtin != Builtin::NewEvent,
                Nature::Custom(version) => version.storage,
            };
            if stored || !tables.contains_key(&resource.table) {
                tables.insert(resource.table.clone(), resource.clone());
            }
        }
        tables
    }
}

/// Stable before beta before alpha, newer before older.
fn rank(version: &str) -> impl Ord + use<> {
    kube::core::Version::parse(version).priority()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_events_share_a_table() {
        let catalog = Catalog::new(&[], None, 0);
        let old = catalog.find("", "v1", "events").unwrap();
        let new = catalog.find("events.k8s.io", "v1", "events").unwrap();
        assert_eq!(old.table, new.table);
        assert!(catalog.tables().get("events").unwrap().is(Builtin::Event));
        assert_eq!(old.selectable.len(), new.selectable.len());
    }
}
