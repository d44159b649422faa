//! Members of the fleet, as much as the screens tell of them.

use std::collections::HashMap;

use jiff::Timestamp;

use crate::api::FleetMember;

use super::names::{Name, Names, Uid};

/// What is kept of one `FleetMember`.
#[derive(Clone, Debug, Default)]
pub struct Member {
    /// Identity.
    pub uid: Uid,
    /// Its name.
    pub name: Name,
    /// Its region.
    pub region: Name,
    /// Version of its control plane.
    pub version: Name,
    /// In one word, by the controller.
    pub state: Name,
    /// Pools and nodes in a few words.
    pub pools: Name,
    /// Since when an upgrade is in progress.
    pub operation: Option<Timestamp>,
    /// When it joined.
    pub created: Option<Timestamp>,
    /// Its labels, by their keys.
    labels: Box<[(Name, Name)]>,
    seen: u32,
}

impl Member {
    /// Value of a label.
    pub fn label(&self, key: Name) -> Option<Name> {
        let found = self.labels.iter().find(|(k, _)| *k == key);
        found.map(|(_, value)| *value)
    }
}

/// All members.
#[derive(Debug, Default)]
pub struct Members {
    by_uid: HashMap<Uid, Member>,
    by_name: HashMap<Name, Uid>,
    epoch: u32,
    /// Rises when a member comes or goes.
    pub shape: u64,
}

impl Members {
    /// A member by its name.
    pub fn named(&self, name: Name) -> Option<&Member> {
        self.by_name.get(&name).and_then(|uid| self.by_uid.get(uid))
    }

    /// All of them, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &Member> {
        self.by_uid.values()
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        self.by_uid.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.by_uid.is_empty()
    }

    /// Takes an object in.
    pub fn put(&mut self, names: &mut Names, object: &FleetMember) {
        let status = object.status.as_ref();
        let text = |t: Option<&String>| t.cloned().unwrap_or_default();
        let member = Member {
            uid: Uid::of(object.metadata.uid.as_deref().unwrap_or_default()),
            name: names.intern(object.metadata.name.as_deref().unwrap_or_default()),
            region: names.intern(&text(object.spec.region.as_ref())),
            version: names.intern(&text(status.map(|s| &s.kubernetes_version))),
            state: names.intern(&text(status.map(|s| &s.state))),
            pools: names.intern(&text(status.map(|s| &s.pool_summary))),
            operation: status
                .and_then(|s| s.operation.as_ref())
                .map(|o| o.start_time.0),
            created: object.metadata.creation_timestamp.as_ref().map(|t| t.0),
            labels: object
                .metadata
                .labels
                .iter()
                .flatten()
                .map(|(key, value)| (names.intern(key), names.intern(value)))
                .collect(),
            seen: self.epoch,
        };
        self.by_name.insert(member.name, member.uid);
        if self.by_uid.insert(member.uid, member).is_none() {
            self.shape += 1;
        }
    }

    /// An object is gone.
    pub fn remove(&mut self, uid: Uid) {
        let member = self.by_uid.remove(&uid);
        self.shape += u64::from(member.is_some());
        if let Some(member) = member
            && self.by_name.get(&member.name) == Some(&uid)
        {
            self.by_name.remove(&member.name);
        }
    }

    /// A list begins anew.
    pub fn relist(&mut self) {
        self.epoch += 1;
    }

    /// The list is complete: what it did not bring is gone.
    pub fn synced(&mut self) {
        let epoch = self.epoch;
        self.shape += 1;
        self.by_uid.retain(|_, m| m.seen == epoch);
        let by_uid = &self.by_uid;
        self.by_name.retain(|_, uid| by_uid.contains_key(uid));
    }
}
