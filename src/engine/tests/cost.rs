//! What a decision asks of the fleet: as much as happens, not as much as there is.

use std::cell::Cell;
use std::sync::Arc;

use crate::api::*;
use crate::engine::decide;
use crate::engine::testkit::*;
use crate::engine::world::{Fleet, World};

/// Counts what is asked.
struct Counting<'a> {
    fleet: &'a TestFleet,
    one: Cell<usize>,
    all: Cell<usize>,
}

impl Fleet for Counting<'_> {
    fn member(&self, name: &str) -> Option<Arc<FleetMember>> {
        self.one.set(self.one.get() + 1);
        self.fleet.member(name)
    }
    fn members(&self) -> Vec<Arc<FleetMember>> {
        self.all.set(self.all.get() + 1);
        self.fleet.members()
    }
    fn strategy(&self, name: &str) -> Option<Arc<UpdateStrategy>> {
        self.fleet.strategy(name)
    }
    fn newest_image_seen(&self, _: &str, _: &str) -> Option<String> {
        Some("F-2".into())
    }
}

/// How often one member, and how often all of them, are asked for by the decision that follows on the
/// end of an upgrade in the middle of a run of that many members, and how many it begins.
fn asked(members: usize) -> (usize, usize, usize) {
    let names: Vec<String> = (0..members).map(|n| format!("m{n:03}")).collect();
    let mut kit = Kit::new(vec![stage("s", "4", vec![group("g", "4")])]);
    for name in &names {
        kit.add(name, "g", "1.32.9");
        kit.edit_member(name, |member| {
            member.status.as_mut().unwrap().node_pools = vec![NodePool {
                name: "np".into(),
                kubernetes_version: "1.32.9".into(),
                node_image: "F-1".into(),
                ..NodePool::default()
            }];
        });
    }
    kit.start();
    let middle = i64::try_from(members / 8).unwrap();
    kit.to(10 * middle);
    kit.advance(kit.next_event().unwrap());
    let fleet = Counting {
        fleet: &kit.fleet,
        one: Cell::new(0),
        all: Cell::new(0),
    };
    let updates: Vec<_> = kit.updates.values().cloned().collect();
    let world = World {
        run: &kit.run,
        updates: &updates,
        gates: &[],
        fleet: &fleet,
    };
    let decision = decide(&world, kit.now);
    (fleet.one.get(), fleet.all.get(), decision.begins.len())
}

#[test]
fn a_decision_looks_at_the_members_that_it_is_about_and_at_no_others() {
    let (few, many) = (asked(24), asked(240));
    assert_eq!(few, many);
    let (one, all, begins) = few;
    assert_eq!((all, begins), (0, 4));
    // Those that ended, and those that begin.
    assert!(one <= 4 + 3 * 4, "{one}");
}
