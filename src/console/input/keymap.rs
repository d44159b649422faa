//! Which action a key or chord stands for in a place.

use std::collections::BTreeMap;

use super::{Key, Place};

/// One line of a key file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Where it holds.
    pub place: Place,
    /// One key, or a chord.
    pub keys: Vec<Key>,
    /// Id of the action, `noun.verb`; `none` stands for nothing at all.
    pub action: String,
    /// What follows the id, for example `format=ansi`.
    pub argument: String,
}

/// What the keys pressed so far stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup<'a> {
    /// An action.
    Action(&'a Binding),
    /// The beginning of chords: what may come next.
    Prefix(Vec<&'a Binding>),
    /// Nothing.
    None,
}

/// All bindings in force.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Keymap {
    name: String,
    bindings: BTreeMap<(Place, Vec<Key>), Binding>,
}

impl Keymap {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            bindings: BTreeMap::new(),
        }
    }

    /// Name of the preset that it is made from.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What `keys` stand for where `places` hold, the most special place first.
    pub fn lookup(&self, places: &[Place], keys: &[Key]) -> Lookup<'_> {
        let mut next: BTreeMap<&[Key], &Binding> = BTreeMap::new();
        for place in places {
            let mut prefix = false;
            for ((_, bound), binding) in self.beginning_with(*place, keys) {
                if bound.len() > keys.len() {
                    prefix = true;
                    next.entry(bound.as_slice()).or_insert(binding);
                } else if !prefix && next.is_empty() {
                    return match binding.action.as_str() {
                        "none" => Lookup::None,
                        _ => Lookup::Action(binding),
                    };
                }
            }
        }
        let next: Vec<_> = next.into_values().filter(|b| b.action != "none").collect();
        if next.is_empty() {
            Lookup::None
        } else {
            Lookup::Prefix(next)
        }
    }

    /// The keys that stand for an action where `places` hold, the shortest first.
    pub fn keys_of(&self, places: &[Place], action: &str) -> Vec<&[Key]> {
        let mut found: Vec<&[Key]> = Vec::new();
        for place in places {
            let bound = self.of_place(*place).filter(|b| b.action == action);
            for binding in bound {
                // A key that a more special place uses otherwise does not reach this binding.
                let reaches = self.lookup(places, &binding.keys) == Lookup::Action(binding);
                if reaches && !found.contains(&binding.keys.as_slice()) {
                    found.push(&binding.keys);
                }
            }
        }
        found.sort_by_key(|keys| (keys.len(), keys.iter().any(|k| k.ctrl || k.alt)));
        found
    }

    /// All bindings, by place.
    pub fn bindings(&self) -> impl Iterator<Item = &Binding> {
        self.bindings.values()
    }

    /// Takes a binding in. What stood on the same keys, or made them ambiguous, gives way.
    pub(super) fn put(&mut self, binding: Binding) {
        let rivals = self.rivals(&binding);
        for keys in rivals {
            self.bindings.remove(&(binding.place, keys));
        }
        let key = (binding.place, binding.keys.clone());
        self.bindings.insert(key, binding);
    }

    /// Keys of the same place that are the same, begin with these, or are their beginning.
    pub(super) fn rivals(&self, binding: &Binding) -> Vec<Vec<Key>> {
        self.of_place(binding.place)
            .filter(|b| b.keys.starts_with(&binding.keys) || binding.keys.starts_with(&b.keys))
            .map(|b| b.keys.clone())
            .collect()
    }

    pub(super) fn get(&self, place: Place, keys: &[Key]) -> Option<&Binding> {
        self.bindings.get(&(place, keys.to_vec()))
    }

    fn of_place(&self, place: Place) -> impl Iterator<Item = &Binding> {
        self.beginning_with(place, &[]).map(|(_, b)| b)
    }

    fn beginning_with<'a>(
        &'a self,
        place: Place,
        keys: &[Key],
    ) -> impl Iterator<Item = (&'a (Place, Vec<Key>), &'a Binding)> {
        let from = (place, keys.to_vec());
        let keys = keys.to_vec();
        self.bindings
            .range(from..)
            .take_while(move |((p, k), _)| *p == place && k.starts_with(&keys))
    }
}
