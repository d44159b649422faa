//! A fleet in memory, and how its members' upgrades go.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use crate::api::*;
use crate::engine::catalog::Catalog;
use crate::engine::world::{Fleet, Window};

/// How a member's upgrades go.
#[derive(Clone, Debug)]
pub struct Script {
    pub minutes: i64,
    /// So many attempts fail first.
    pub fails: i32,
    pub hangs: bool,
}

#[derive(Default, Clone)]
pub struct TestFleet {
    pub members: BTreeMap<String, Arc<FleetMember>>,
    pub strategies: BTreeMap<String, Arc<UpdateStrategy>>,
    pub catalog: Option<Arc<Catalog>>,
    pub windows: BTreeMap<String, Vec<(Timestamp, Timestamp)>>,
}

impl Fleet for TestFleet {
    fn member(&self, name: &str) -> Option<Arc<FleetMember>> {
        self.members.get(name).cloned()
    }
    fn members(&self) -> Vec<Arc<FleetMember>> {
        self.members.values().cloned().collect()
    }
    fn strategy(&self, name: &str) -> Option<Arc<UpdateStrategy>> {
        self.strategies.get(name).cloned()
    }
    fn catalog(&self) -> Option<Arc<Catalog>> {
        self.catalog.clone()
    }
    fn has_windows(&self) -> bool {
        !self.windows.is_empty()
    }
    fn window(&self, member: &FleetMember, _: &str, now: Timestamp) -> Window {
        let name = member.metadata.name.as_deref().unwrap_or_default();
        let Some(spans) = self.windows.get(name) else {
            return Window::None;
        };
        if spans.iter().any(|(from, to)| *from <= now && now < *to) {
            return Window::Open;
        }
        Window::Opens(
            spans
                .iter()
                .map(|(from, _)| *from)
                .filter(|from| *from > now)
                .min(),
        )
    }
}
