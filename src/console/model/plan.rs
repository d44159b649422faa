//! What a run would do, before anything starts.

use crate::api::UpdateRunSpec;
use crate::console::msg::{Refused, Ticket};
use crate::engine::plan::Plan;

use super::names::Uid;

/// The preview of a run.
#[derive(Clone, Debug)]
pub struct PlanPage {
    /// Name of the run.
    pub name: String,
    /// What it asks for.
    pub spec: UpdateRunSpec,
    /// The run, if it was made already.
    pub run: Option<Uid>,
    /// The plan, when it is there.
    pub state: PlanState,
    /// Selected row.
    pub at: usize,
    /// First visible row.
    pub top: usize,
    /// Stages and groups that show their members.
    pub open: std::collections::BTreeSet<(usize, Option<usize>)>,
}

/// Whether the plan is there.
#[derive(Clone, Debug)]
pub enum PlanState {
    /// It is worked out.
    Loading(Ticket),
    /// It is there.
    Ready(Box<Plan>),
    /// It cannot be made.
    Refused(Refused),
}

/// A row of the preview.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanRow {
    /// A stage.
    Stage(usize),
    /// A group of a stage.
    Group(usize, usize),
    /// A member of a group.
    Member(usize, usize, usize),
    /// The heading of what no group takes.
    Unplaced,
    /// A member that no group takes.
    Left(usize),
}

impl PlanPage {
    /// Rows in order, as folded.
    pub fn rows(&self) -> Vec<PlanRow> {
        let PlanState::Ready(plan) = &self.state else {
            return Vec::new();
        };
        let mut rows = Vec::new();
        for (s, stage) in plan.stages.iter().enumerate() {
            rows.push(PlanRow::Stage(s));
            if !self.open.contains(&(s, None)) {
                continue;
            }
            for (g, group) in stage.groups.iter().enumerate() {
                rows.push(PlanRow::Group(s, g));
                if self.open.contains(&(s, Some(g))) {
                    rows.extend((0..group.members.len()).map(|m| PlanRow::Member(s, g, m)));
                }
            }
        }
        if !plan.unplaced.is_empty() {
            rows.push(PlanRow::Unplaced);
            if self.open.contains(&(usize::MAX, None)) {
                rows.extend((0..plan.unplaced.len()).map(PlanRow::Left));
            }
        }
        rows
    }
}
