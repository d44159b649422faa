//! What a decision looks at. Whoever asks for a decision implements [`Fleet`] on what it has.

use std::sync::Arc;

use jiff::Timestamp;

use super::catalog::{self, Catalog};
use crate::api::{FleetMember, Gate, MemberUpdate, UpdateRun, UpdateStrategy};

/// The fleet as it is known now.
pub trait Fleet {
    /// The member of that name.
    fn member(&self, name: &str) -> Option<Arc<FleetMember>>;

    /// All members, in any order.
    fn members(&self) -> Vec<Arc<FleetMember>>;

    /// The strategy of that name.
    fn strategy(&self, name: &str) -> Option<Arc<UpdateStrategy>>;

    /// The published versions and images, where there is a publication. Without one, what is seen
    /// on the members stands in for it ([`Catalog::observed`]).
    fn catalog(&self) -> Option<Arc<Catalog>> {
        None
    }

    /// The newest image of a family seen on members of a region, with its family; asked only where
    /// nothing is published. Whoever keeps the fleet may keep this too instead of looking each time.
    fn newest_image_seen(&self, region: &str, family: &str) -> Option<String> {
        catalog::newest_seen(&self.members(), region, family)
    }

    /// Whether any member has a maintenance window; without one [`Fleet::window`] is never asked.
    fn has_windows(&self) -> bool {
        false
    }

    /// How the member's maintenance window of that configuration stands at `now`.
    fn window(&self, member: &FleetMember, configuration: &str, now: Timestamp) -> Window {
        let _ = (member, configuration, now);
        Window::None
    }
}

/// How a member's maintenance window stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// The member has none: it may be upgraded at any time.
    None,
    /// Open now.
    Open,
    /// Closed; opens at that instant, where one is known.
    Opens(Option<Timestamp>),
}

/// One run and everything that its next step depends on.
#[derive(Clone, Copy)]
pub struct World<'a> {
    /// The run.
    pub run: &'a UpdateRun,
    /// Its member updates, in any order.
    pub updates: &'a [Arc<MemberUpdate>],
    /// Its gates, in any order.
    pub gates: &'a [Arc<Gate>],
    /// The fleet.
    pub fleet: &'a dyn Fleet,
}
