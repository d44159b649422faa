//! What every task of a leading controller works with.

use std::sync::Arc;

use kube::{Api, Client};

use super::events::Events;
use super::timers::Timers;
use super::world::World;
use crate::api::FleetMember;
use crate::clock::Clock;
use crate::member::MemberProvider;
use crate::member::simulated::Simulated;

/// Writes of one decision on their way at once.
const PARALLEL: usize = 16;

/// Shared by the tasks of a leading controller.
pub struct Context {
    /// The hub.
    pub client: Client,
    /// Time of runs.
    pub clock: Clock,
    /// What is known.
    pub world: Arc<World>,
    /// When runs change by themselves.
    pub timers: Timers,
    /// Events on their way out.
    pub events: Events,
    simulated: Simulated,
}

impl Context {
    /// Of a controller that works on the hub behind `client`.
    pub fn new(client: Client, clock: Clock, world: Arc<World>, events: Events) -> Self {
        Self {
            simulated: Simulated::new(client.clone()),
            timers: Timers::default(),
            client,
            clock,
            world,
            events,
        }
    }

    /// All objects of a kind.
    pub fn api<K>(&self) -> Api<K>
    where
        K: kube::Resource<DynamicType = (), Scope = kube::core::ClusterResourceScope>,
    {
        Api::all(self.client.clone())
    }

    /// How runs act on `member`. The schema lets no member in whose provider is not one of these.
    pub fn provider(&self, member: &FleetMember) -> &dyn MemberProvider {
        let _ = member;
        &self.simulated
    }

    /// The provider of simulated members, for the simulator.
    pub fn simulated(&self) -> &Simulated {
        &self.simulated
    }

    /// How many writes of one decision may be on their way at once. Under a manual clock the
    /// order in which they happen is part of the result.
    pub fn parallel(&self) -> usize {
        if self.clock.is_manual() { 1 } else { PARALLEL }
    }
}
