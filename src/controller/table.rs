//! One kind's objects as this process knows them: from its watch, and from its own writes.
//!
//! An own write is put here as soon as it is answered, so that no decision runs on a world older
//! than what the decision before it wrote. The resource version keeps an older watch event from
//! undoing that.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use kube::ResourceExt;

/// Deletions remembered, so that the late answer to an own write revives nothing.
const REMEMBERED: usize = 1024;

/// Objects of one kind by name.
#[derive(Debug)]
pub struct Table<K> {
    items: Arc<BTreeMap<String, Arc<K>>>,
    gone: VecDeque<(String, u64)>,
    listing: Option<BTreeSet<String>>,
}

/// What a write or an event changed: the object before and after.
#[derive(Debug)]
pub struct Changed<K> {
    /// Before; `None` when the object is new here.
    pub old: Option<Arc<K>>,
    /// After; `None` when it is gone.
    pub new: Option<Arc<K>>,
}

impl<K> Default for Table<K> {
    fn default() -> Self {
        Self {
            items: Arc::default(),
            gone: VecDeque::new(),
            listing: None,
        }
    }
}

impl<K: ResourceExt> Table<K> {
    /// The objects as they are now; later changes do not show in it.
    pub fn all(&self) -> Arc<BTreeMap<String, Arc<K>>> {
        self.items.clone()
    }

    /// One object.
    pub fn get(&self, name: &str) -> Option<Arc<K>> {
        self.items.get(name).cloned()
    }

    /// A watch begins to list.
    pub fn begin_list(&mut self) {
        self.listing = Some(BTreeSet::new());
    }

    /// The list is complete: what it did not name is gone.
    pub fn end_list(&mut self) -> Vec<Changed<K>> {
        let Some(listed) = self.listing.take() else {
            return Vec::new();
        };
        let stale: Vec<_> = self
            .items
            .keys()
            .filter(|name| !listed.contains(*name))
            .cloned()
            .collect();
        let items = Arc::make_mut(&mut self.items);
        stale
            .into_iter()
            .filter_map(|name| items.remove(&name))
            .map(|old| Changed {
                old: Some(old),
                new: None,
            })
            .collect()
    }

    /// Takes in `object`, unless what is here is as new.
    pub fn put(&mut self, object: K) -> Option<Changed<K>> {
        let name = object.name_any();
        if let Some(listed) = &mut self.listing {
            listed.insert(name.clone());
        }
        let version = version(&object);
        let old = self.items.get(&name).cloned();
        match &old {
            Some(old) if !newer(version, self::version(old.as_ref())) => return None,
            None if self.died_after(&name, version) => return None,
            _ => {}
        }
        let new = Arc::new(object);
        Arc::make_mut(&mut self.items).insert(name, new.clone());
        Some(Changed {
            old,
            new: Some(new),
        })
    }

    /// Takes in a deletion, unless what is here is a later object of the same name.
    pub fn remove(&mut self, object: &K) -> Option<Changed<K>> {
        let name = object.name_any();
        let version = version(object);
        if let Some(version) = version {
            self.gone.push_back((name.clone(), version));
            if self.gone.len() > REMEMBERED {
                self.gone.pop_front();
            }
        }
        let here = self.items.get(&name)?;
        if newer(self::version(here.as_ref()), version) {
            return None;
        }
        let old = Arc::make_mut(&mut self.items).remove(&name);
        Some(Changed { old, new: None })
    }

    fn died_after(&self, name: &str, version: Option<u64>) -> bool {
        let mut deaths = self.gone.iter().filter(|(gone, _)| gone == name);
        version.is_some_and(|version| deaths.any(|(_, died)| *died >= version))
    }
}

fn version<K: ResourceExt>(object: &K) -> Option<u64> {
    object.resource_version()?.parse().ok()
}

/// Whether `a` is newer than `b`; what cannot be compared counts as newer.
fn newer(a: Option<u64>, b: Option<u64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a > b,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{Gate, GateSpec};

    fn gate(name: &str, version: u64, comment: &str) -> Gate {
        let spec = GateSpec {
            comment: Some(comment.to_owned()),
            ..GateSpec::default()
        };
        let mut gate = Gate::new(name, spec);
        gate.metadata.resource_version = Some(version.to_string());
        gate
    }

    fn comment(table: &Table<Gate>, name: &str) -> Option<String> {
        table.get(name).and_then(|g| g.spec.comment.clone())
    }

    #[test]
    fn an_older_event_never_undoes_a_newer_write() {
        let mut table = Table::default();
        assert!(table.put(gate("a", 5, "own")).is_some());
        assert!(table.put(gate("a", 4, "late")).is_none());
        assert!(
            table.put(gate("a", 5, "echo")).is_none(),
            "the echo of an own write is no news"
        );
        assert_eq!(comment(&table, "a").as_deref(), Some("own"));
    }

    #[test]
    fn a_deletion_holds_against_the_late_answer_to_a_write() {
        let mut table = Table::default();
        table.put(gate("a", 5, ""));
        assert!(table.remove(&gate("a", 7, "")).is_some());
        assert!(table.put(gate("a", 6, "late")).is_none());
        assert!(table.put(gate("a", 8, "made anew")).is_some());
        assert!(
            table.remove(&gate("a", 7, "")).is_none(),
            "the older object's deletion spares the new one"
        );
    }

    #[test]
    fn a_list_ends_what_it_does_not_name() {
        let mut table = Table::default();
        table.put(gate("a", 1, ""));
        table.put(gate("b", 2, ""));
        table.begin_list();
        table.put(gate("b", 2, ""));
        table.put(gate("own", 9, "made while the list was on its way"));
        let changed = table.end_list();
        assert_eq!(changed.len(), 1);
        assert_eq!(table.all().keys().collect::<Vec<_>>(), ["b", "own"]);
    }
}
