//! Keys in, effects and screens out.

mod approving;
mod following;
mod looking;
mod marking;
mod reasons;
mod writing;

use super::model::Model;
use crate::api::UpdateRun;

fn run(model: &Model, name: &str) -> UpdateRun {
    model.store.run_named(name).unwrap().1.as_ref().clone()
}

/// A plan of two stages.
pub fn plan() -> crate::engine::plan::Plan {
    use crate::engine::plan::{Plan, PlannedGroup, PlannedStage};
    let group = |name: &str, members: &[&str]| PlannedGroup {
        name: name.to_owned(),
        members: members.iter().map(|m| (*m).to_owned()).collect(),
        max_concurrency: 2,
        max_allowed_failures: 0,
        rule: format!("ring={name}"),
        ..PlannedGroup::default()
    };
    Plan {
        stages: vec![
            PlannedStage {
                name: "ring-1".to_owned(),
                max_concurrency: 2,
                members: 2,
                wait_seconds: 14_400,
                groups: vec![group("ring-1-a", &["us-a-01", "us-a-02"])],
                ..PlannedStage::default()
            },
            PlannedStage {
                name: "ring-2".to_owned(),
                max_concurrency: 3,
                max_allowed_failures: 2,
                rounding: "10% of 34 = 3, rounded down, at least 1".to_owned(),
                members: 3,
                groups: vec![group("ring-2-east", &["us-e-01", "us-e-02", "us-e-03"])],
                before_gates: vec![crate::api::GateConfig {
                    display_name: Some("Approve ring-2".to_owned()),
                    ..Default::default()
                }],
                ..PlannedStage::default()
            },
        ],
        unplaced: vec!["us-new-01".to_owned(), "us-lab-09".to_owned()],
        warnings: vec![crate::engine::findings::Finding::plan(
            "stage ring-2 allows 2 failures, its groups none: only both together tolerate one",
        )],
        at_target: vec!["us-a-02".to_owned()],
        kubernetes_version: Some("1.34.0".to_owned()),
        ..Plan::default()
    }
}
