//! Members' parts in runs, kept small: ten thousand of them are a few megabytes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;

use crate::api::{MemberUpdate, State, WaitingFor};

use super::names::{Name, Names, Uid};

/// What is kept of one `MemberUpdate`.
#[derive(Clone, Debug, Default)]
pub struct Update {
    /// Identity.
    pub uid: Uid,
    /// Name of the run.
    pub run: Name,
    /// Name of the stage.
    pub stage: Name,
    /// Name of the group.
    pub group: Name,
    /// Name of the member.
    pub member: Name,
    /// Control plane version before the first attempt.
    pub from: Name,
    /// Place in the group.
    pub position: i32,
    /// How far it is.
    pub state: State,
    /// Upgrades issued.
    pub attempt: i32,
    /// When its turn came.
    pub start: Option<Timestamp>,
    /// When it ended.
    pub end: Option<Timestamp>,
    /// What little remains to be told; absent while there is nothing.
    pub note: Option<Box<Note>>,
    seen: u32,
    /// Deleted, and kept because the selection is on it.
    pub gone: Option<Timestamp>,
}

/// What is to be told of a member beyond its state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Note {
    /// Its message.
    pub message: String,
    /// Code of its error.
    pub code: String,
    /// Text of its error.
    pub error: String,
    /// Why it stands still.
    pub waits: Vec<WaitingFor>,
}

impl Update {
    /// The first thing it waits for.
    pub fn wait(&self) -> Option<&WaitingFor> {
        self.note.as_ref().and_then(|n| n.waits.first())
    }

    /// One text about it: why it waits, failed or was skipped; empty while there is nothing.
    pub fn remark(&self) -> &str {
        let Some(note) = &self.note else {
            return "";
        };
        let wait = note.waits.first().map_or("", |w| w.message.as_str());
        [wait, &note.error, &note.message]
            .into_iter()
            .find(|t| !t.is_empty())
            .unwrap_or("")
    }
}

/// Handle of an [`Update`]; stays the same while the object exists.
pub type UpdateId = u32;

/// Members of one run by stage and group, each in its order.
pub type Groups = BTreeMap<(Name, Name), Vec<UpdateId>>;

/// All member updates of all runs.
#[derive(Debug, Default)]
pub struct Updates {
    slots: Vec<Option<Update>>,
    free: Vec<UpdateId>,
    by_uid: HashMap<Uid, UpdateId>,
    runs: BTreeMap<Name, Groups>,
    unsorted: BTreeSet<(Name, (Name, Name))>,
    epoch: u32,
    /// Rises when a member update comes or goes.
    pub shape: u64,
    none: Groups,
}

impl Updates {
    /// One of them.
    pub fn get(&self, id: UpdateId) -> Option<&Update> {
        self.slots.get(id as usize).and_then(|s| s.as_ref())
    }

    /// The handle of an identity.
    pub fn find(&self, uid: Uid) -> Option<UpdateId> {
        self.by_uid.get(&uid).copied()
    }

    /// Those of a run.
    pub fn of_run(&self, run: Name) -> &Groups {
        self.runs.get(&run).unwrap_or(&self.none)
    }

    /// Those of a group, in order.
    pub fn of_group(&self, run: Name, stage: Name, group: Name) -> &[UpdateId] {
        self.of_run(run)
            .get(&(stage, group))
            .map_or(&[], |ids| ids.as_slice())
    }

    /// Number of all.
    pub fn len(&self) -> usize {
        self.by_uid.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.by_uid.is_empty()
    }

    /// Takes an object in; returns the run it belongs to.
    pub fn put(&mut self, names: &mut Names, object: &MemberUpdate) -> Name {
        let mut update = record(names, object);
        update.seen = self.epoch;
        let run = update.run;
        let key = (update.stage, update.group);
        match self.by_uid.get(&update.uid).copied() {
            Some(id) => {
                if let Some(slot) = self.slots.get_mut(id as usize) {
                    *slot = Some(update);
                }
            }
            None => {
                self.shape += 1;
                let uid = update.uid;
                let id = self.add(update);
                self.by_uid.insert(uid, id);
                self.runs
                    .entry(run)
                    .or_default()
                    .entry(key)
                    .or_default()
                    .push(id);
                self.unsorted.insert((run, key));
            }
        }
        run
    }

    fn add(&mut self, update: Update) -> UpdateId {
        if let Some(id) = self.free.pop() {
            if let Some(slot) = self.slots.get_mut(id as usize) {
                *slot = Some(update);
            }
            return id;
        }
        self.slots.push(Some(update));
        u32::try_from(self.slots.len() - 1).unwrap_or(u32::MAX)
    }

    /// Notes that an object is gone; [`Updates::settle`] then forgets it unless it is `kept`.
    pub fn remove(&mut self, uid: Uid, now: Timestamp) -> Option<Name> {
        let id = self.by_uid.get(&uid).copied()?;
        let update = self.slots.get_mut(id as usize)?.as_mut()?;
        update.gone = Some(now);
        self.shape += 1;
        self.unsorted
            .insert((update.run, (update.stage, update.group)));
        Some(update.run)
    }

    /// Forgets all of them.
    pub fn clear(&mut self) {
        let shape = self.shape + 1;
        *self = Self {
            shape,
            ..Self::default()
        };
    }

    /// A list begins anew.
    pub fn relist(&mut self) {
        self.epoch += 1;
    }

    /// The list is complete: what it did not bring is gone. Returns the runs concerned.
    pub fn synced(&mut self, now: Timestamp) -> BTreeSet<Name> {
        let epoch = self.epoch;
        let missing: Vec<Uid> = self
            .slots
            .iter()
            .flatten()
            .filter(|u| u.seen != epoch && u.gone.is_none())
            .map(|u| u.uid)
            .collect();
        missing
            .into_iter()
            .filter_map(|uid| self.remove(uid, now))
            .collect()
    }

    /// Ends a batch: forgets what is gone, except `kept`, and puts groups in order.
    pub fn settle(&mut self, names: &Names, kept: Option<Uid>) {
        for (run, key) in std::mem::take(&mut self.unsorted) {
            let Some(groups) = self.runs.get_mut(&run) else {
                continue;
            };
            let Some(ids) = groups.get_mut(&key) else {
                continue;
            };
            let (slots, free, by_uid) = (&mut self.slots, &mut self.free, &mut self.by_uid);
            ids.retain(|id| {
                let Some(slot) = slots.get_mut(*id as usize) else {
                    return false;
                };
                match slot {
                    Some(u) if u.gone.is_some() && kept != Some(u.uid) => {
                        by_uid.remove(&u.uid);
                        *slot = None;
                        free.push(*id);
                        false
                    }
                    Some(u) if u.gone.is_some() => {
                        self.unsorted.insert((run, key));
                        true
                    }
                    Some(_) => true,
                    None => false,
                }
            });
            ids.sort_by(|a, b| {
                let of = |id: &UpdateId| slots.get(*id as usize).and_then(|s| s.as_ref());
                match (of(a), of(b)) {
                    (Some(a), Some(b)) => {
                        (a.position, names.text(a.member)).cmp(&(b.position, names.text(b.member)))
                    }
                    (a, b) => a.is_some().cmp(&b.is_some()),
                }
            });
            if ids.is_empty() {
                groups.remove(&key);
                if groups.is_empty() {
                    self.runs.remove(&run);
                }
            }
        }
    }
}

fn record(names: &mut Names, object: &MemberUpdate) -> Update {
    let spec = &object.spec;
    let status = object.status.as_ref();
    let note = status.and_then(|s| {
        let error = s.error.clone().unwrap_or_default();
        let note = Note {
            message: s.message.clone(),
            code: error.code,
            error: error.message,
            waits: s.waiting_for.clone(),
        };
        (note != Note::default()).then(|| Box::new(note))
    });
    Update {
        uid: Uid::of(object.metadata.uid.as_deref().unwrap_or_default()),
        run: names.intern(&spec.run),
        stage: names.intern(&spec.stage),
        group: names.intern(&spec.group),
        member: names.intern(&spec.member),
        from: names.intern(
            status
                .and_then(|s| s.from_version.as_deref())
                .unwrap_or_default(),
        ),
        position: spec.position,
        state: status.map(|s| s.state).unwrap_or_default(),
        attempt: status.map(|s| s.attempt).unwrap_or_default(),
        start: status.and_then(|s| s.start_time.as_ref()).map(|t| t.0),
        end: status.and_then(|s| s.completed_time.as_ref()).map(|t| t.0),
        note,
        seen: 0,
        gone: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{MemberUpdateSpec, MemberUpdateStatus};

    fn object(member: &str, position: i32) -> MemberUpdate {
        let mut object = MemberUpdate::new(
            &format!("r.{member}"),
            MemberUpdateSpec {
                run: "r".to_owned(),
                stage: "s".to_owned(),
                group: "g".to_owned(),
                member: member.to_owned(),
                position,
                ..Default::default()
            },
        );
        object.metadata.uid = Some(member.to_owned());
        object.status = Some(MemberUpdateStatus::default());
        object
    }

    #[test]
    fn a_group_is_in_its_order_and_forgets_what_is_gone() {
        let mut names = Names::default();
        let mut updates = Updates::default();
        for (member, position) in [("c", 2), ("a", 0), ("b", 1)] {
            updates.put(&mut names, &object(member, position));
        }
        updates.settle(&names, None);
        let run = names.find("r").unwrap();
        let (stage, group) = (names.find("s").unwrap(), names.find("g").unwrap());
        let members = |updates: &Updates, names: &Names| -> Vec<String> {
            updates
                .of_group(run, stage, group)
                .iter()
                .map(|id| names.text(updates.get(*id).unwrap().member).to_owned())
                .collect()
        };
        assert_eq!(members(&updates, &names), ["a", "b", "c"]);

        updates.remove(Uid::of("b"), Timestamp::UNIX_EPOCH);
        updates.settle(&names, Some(Uid::of("b")));
        assert_eq!(members(&updates, &names), ["a", "b", "c"]);
        updates.settle(&names, None);
        assert_eq!(members(&updates, &names), ["a", "c"]);
    }

    #[test]
    fn a_new_list_drops_what_it_does_not_bring() {
        let mut names = Names::default();
        let mut updates = Updates::default();
        updates.put(&mut names, &object("a", 0));
        updates.put(&mut names, &object("b", 1));
        updates.relist();
        updates.put(&mut names, &object("b", 1));
        updates.synced(Timestamp::UNIX_EPOCH);
        updates.settle(&names, None);
        assert_eq!(updates.len(), 1);
        assert!(updates.find(Uid::of("b")).is_some());
    }
}
