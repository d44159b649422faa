//! One decision in the making: what it looks at, and what it has decided so far.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::decide::{Begin, GateChange};
use super::fact::Fact;
use super::world::{Fleet, World};
use crate::api::{Gate, UpdateRun};

/// Context of one decision.
pub(super) struct Pass<'a> {
    pub run: &'a UpdateRun,
    pub fleet: &'a dyn Fleet,
    pub now: Timestamp,
    pub run_name: &'a str,
    pub run_uid: &'a str,
    /// The run's gates by name.
    pub gates: BTreeMap<&'a str, &'a Arc<Gate>>,
    pub changes: Vec<GateChange>,
    pub begins: Vec<Begin>,
    pub facts: Vec<Fact>,
    /// To be decided again as soon as this is written.
    pub again: bool,
    wake: Option<Timestamp>,
    touched: u32,
}

impl<'a> Pass<'a> {
    pub fn new(world: &World<'a>, now: Timestamp) -> Self {
        let meta = &world.run.metadata;
        Self {
            run: world.run,
            fleet: world.fleet,
            now,
            run_name: meta.name.as_deref().unwrap_or_default(),
            run_uid: meta.uid.as_deref().unwrap_or_default(),
            gates: world
                .gates
                .iter()
                .filter_map(|gate| Some((gate.metadata.name.as_deref()?, gate)))
                .collect(),
            changes: Vec::new(),
            begins: Vec::new(),
            facts: Vec::new(),
            again: false,
            wake: None,
            touched: 0,
        }
    }

    /// This instant, as it stands on the wire.
    pub fn time(&self) -> Option<Time> {
        Some(Time(self.now))
    }

    /// Notes that the run may change by itself at an instant.
    pub fn wake_at(&mut self, at: Timestamp) {
        self.wake = Some(self.wake.map_or(at, |earlier| earlier.min(at)));
    }

    /// The earliest instant noted.
    pub fn wake(&self) -> Option<Timestamp> {
        self.wake
    }

    /// The next number in the order in which members were decided.
    pub fn touch(&mut self) -> u32 {
        self.touched += 1;
        self.touched
    }
}
