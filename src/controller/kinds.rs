//! What each kind's change means to the rest of the [`world`](super::world): which index it moves
//! and who must look again.

use std::sync::Arc;

use kube::ResourceExt;
use kube::runtime::reflector::Lookup;
use serde::de::DeserializeOwned;

use super::table::{Changed, Table};
use super::world::{Calls, Tables, index};
use crate::api::{FleetMember, Gate, MemberUpdate, State, UpdateRun, UpdateStrategy};
use crate::engine::catalog::SeenImages;

/// A kind that the world holds.
pub trait Cached:
    kube::Resource<DynamicType = (), Scope = kube::core::ClusterResourceScope>
    + Lookup<DynamicType = ()>
    + Clone
    + DeserializeOwned
    + std::fmt::Debug
    + Send
    + Sync
    + 'static
{
    /// The kind's name.
    const NAME: &'static str;

    #[doc(hidden)]
    #[allow(private_interfaces)]
    fn table(tables: &mut Tables) -> &mut Table<Self>;

    #[doc(hidden)]
    #[allow(private_interfaces)]
    fn changed(tables: &mut Tables, changed: &Changed<Self>, calls: &mut Calls);
}

impl Cached for UpdateRun {
    const NAME: &'static str = "UpdateRun";

    fn table(tables: &mut Tables) -> &mut Table<Self> {
        &mut tables.runs
    }

    fn changed(tables: &mut Tables, changed: &Changed<Self>, calls: &mut Calls) {
        let Some(name) = any(changed).map(ResourceExt::name_any) else {
            return;
        };
        let made = |run: &Arc<Self>| run.status.as_ref().is_some_and(|s| s.strategy.is_some());
        if changed.new.as_ref().is_some_and(|run| !made(run)) {
            tables.unmade.insert(name.clone());
        } else {
            tables.unmade.remove(&name);
        }
        calls.runs.insert(name);
    }
}

impl Cached for MemberUpdate {
    const NAME: &'static str = "MemberUpdate";

    fn table(tables: &mut Tables) -> &mut Table<Self> {
        &mut tables.updates
    }

    fn changed(tables: &mut Tables, changed: &Changed<Self>, calls: &mut Calls) {
        let Some(object) = any(changed) else { return };
        let (run, member) = (object.spec.run.clone(), object.spec.member.clone());
        index(&mut tables.updates_of, &run, changed);
        let state = changed.new.as_ref().and_then(|u| u.status.as_ref());
        let follows = state.is_some_and(|s| matches!(s.state, State::Running | State::Pending));
        if follows {
            let runs = tables.followed.entry(member).or_default();
            runs.insert(run.clone());
        } else if let Some(runs) = tables.followed.get_mut(&member) {
            runs.remove(&run);
            if runs.is_empty() {
                tables.followed.remove(&member);
            }
        }
        calls.runs.insert(run);
    }
}

impl Cached for Gate {
    const NAME: &'static str = "Gate";

    fn table(tables: &mut Tables) -> &mut Table<Self> {
        &mut tables.gates
    }

    fn changed(tables: &mut Tables, changed: &Changed<Self>, calls: &mut Calls) {
        let Some(object) = any(changed) else { return };
        let run = object.spec.run.clone();
        index(&mut tables.gates_of, &run, changed);
        if let (Some(old), None) = (&changed.old, &changed.new) {
            calls.gates_gone.push(old.clone());
        }
        calls.runs.insert(run);
    }
}

impl Cached for FleetMember {
    const NAME: &'static str = "FleetMember";

    fn table(tables: &mut Tables) -> &mut Table<Self> {
        &mut tables.members
    }

    fn changed(tables: &mut Tables, changed: &Changed<Self>, calls: &mut Calls) {
        let Some(name) = any(changed).map(ResourceExt::name_any) else {
            return;
        };
        let (old, new) = (changed.old.as_deref(), changed.new.as_deref());
        if !SeenImages::same(old, new) {
            let images = Arc::make_mut(&mut tables.images);
            old.into_iter().for_each(|old| images.remove(old));
            new.into_iter().for_each(|new| images.add(new));
        }
        if let Some(runs) = tables.followed.get(&name) {
            calls.runs.extend(runs.iter().cloned());
        }
        calls.runs.extend(tables.unmade.iter().cloned());
        calls.members.insert(name);
    }
}

impl Cached for UpdateStrategy {
    const NAME: &'static str = "UpdateStrategy";

    fn table(tables: &mut Tables) -> &mut Table<Self> {
        &mut tables.strategies
    }

    fn changed(tables: &mut Tables, changed: &Changed<Self>, calls: &mut Calls) {
        calls.runs.extend(tables.unmade.iter().cloned());
        if let Some(new) = &changed.new {
            calls.strategies.insert(new.name_any());
        }
    }
}

fn any<K>(changed: &Changed<K>) -> Option<&K> {
    changed.new.as_deref().or(changed.old.as_deref())
}
