//! The run's tree while a decision is made: stages, groups and members with their new states.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::counts;
use super::pass::Pass;
use crate::api::{
    Counts, FrozenStrategy, GateConfig, GateEntry, GroupStatus, MemberUpdate, MemberUpdateSpec,
    MemberUpdateStatus, Stage, StageStatus, State, UpdateRunStatus,
};

/// All stages of a run.
pub(super) struct Tree<'a> {
    pub strategy: FrozenStrategy,
    pub stages: Vec<StageNode<'a>>,
}

/// A stage; the groups are here, not in its status.
pub(super) struct StageNode<'a> {
    pub status: StageStatus,
    pub groups: Vec<GroupNode<'a>>,
}

/// A group with its members in order of their names.
pub(super) struct GroupNode<'a> {
    pub status: GroupStatus,
    pub members: Vec<MemberNode<'a>>,
    /// Of the members as they are now; `status.counts` is what was recorded last.
    pub live: Counts,
}

/// A member update.
pub(super) struct MemberNode<'a> {
    pub spec: Spec<'a>,
    before: Option<&'a MemberUpdateStatus>,
    after: Option<Box<MemberUpdateStatus>>,
    touched: u32,
    /// That of the status. Decisions look at the state of each member many times over, and the
    /// statuses lie all over the memory.
    state: State,
}

/// Where a member update is: on the hub, or made by this decision. A node stays small this way: there
/// is one for every member in every decision.
pub(super) enum Spec<'a> {
    Stored(&'a MemberUpdateSpec),
    Made(Box<MemberUpdateSpec>),
}

impl std::ops::Deref for Spec<'_> {
    type Target = MemberUpdateSpec;

    fn deref(&self) -> &MemberUpdateSpec {
        match self {
            Spec::Stored(spec) => spec,
            Spec::Made(spec) => spec,
        }
    }
}

impl<'a> Tree<'a> {
    /// Takes the tree out of a status and puts the member updates into it.
    pub fn take(status: &mut UpdateRunStatus, updates: &'a [Arc<MemberUpdate>]) -> Option<Self> {
        let strategy = status.strategy.take()?;
        let mut stages: Vec<StageNode<'a>> = std::mem::take(&mut status.stages)
            .into_iter()
            .map(|mut status| StageNode {
                groups: std::mem::take(&mut status.groups)
                    .into_iter()
                    .map(GroupNode::new)
                    .collect(),
                status,
            })
            .collect();
        place(&mut stages, updates);
        Some(Self { strategy, stages })
    }

    /// Puts the tree back into the status.
    pub fn give_back(self, status: &mut UpdateRunStatus) {
        status.strategy = Some(self.strategy);
        status.stages = self
            .stages
            .into_iter()
            .map(|stage| StageStatus {
                groups: stage.groups.into_iter().map(|group| group.status).collect(),
                ..stage.status
            })
            .collect();
    }

    /// The stage that work is in: the first that is not terminal.
    pub fn current(&mut self) -> Option<(usize, &mut StageNode<'a>)> {
        self.stages
            .iter_mut()
            .enumerate()
            .find(|(_, stage)| !is_terminal(stage.status.state))
    }

    /// How many member updates should be there and are not, in groups that have not ended.
    pub fn missing(&self) -> i32 {
        self.groups().map(GroupNode::missing).sum()
    }

    /// All groups in order.
    pub fn groups(&self) -> impl Iterator<Item = &GroupNode<'a>> {
        self.stages.iter().flat_map(|stage| &stage.groups)
    }

    /// All members in order.
    pub fn members(&self) -> impl Iterator<Item = &MemberNode<'a>> {
        self.groups().flat_map(|group| &group.members)
    }

    /// Member updates that changed, in the order in which they were decided.
    pub fn changed(&mut self) -> Vec<Change> {
        let mut changed: Vec<_> = self
            .stages
            .iter_mut()
            .flat_map(|stage| &mut stage.groups)
            .flat_map(|group| &mut group.members)
            .filter_map(MemberNode::changed)
            .collect();
        changed.sort_by_key(|change| change.touched);
        changed
    }
}

/// A member update with a new status.
pub(super) struct Change {
    touched: u32,
    pub member: String,
    /// The state before.
    pub was: State,
    pub status: MemberUpdateStatus,
}

// Group names are unique in a strategy, so a name is a place.
fn place<'a>(stages: &mut [StageNode<'a>], updates: &'a [Arc<MemberUpdate>]) {
    let mut groups: BTreeMap<String, &mut GroupNode<'a>> = stages
        .iter_mut()
        .flat_map(|stage| &mut stage.groups)
        .map(|group| (group.status.name.clone(), group))
        .collect();
    for update in updates {
        if let Some(group) = groups.get_mut(update.spec.group.as_str()) {
            let member = MemberNode::new(Spec::Stored(&update.spec), update.status.as_ref());
            counts::add(&mut group.live, member.state());
            group.members.push(member);
        }
    }
    for group in groups.into_values() {
        group.members.sort_by(|a, b| a.order().cmp(&b.order()));
    }
}

impl<'a> StageNode<'a> {
    /// Members of all groups, as they are now.
    pub fn live(&self) -> Counts {
        let mut total = Counts::default();
        for group in &self.groups {
            counts::sum(&mut total, &group.live);
        }
        total
    }
}

impl StageNode<'_> {
    /// Whether a gate object was made or a member's turn has come.
    pub fn reached(&self) -> bool {
        any_made(&self.status.before_gates)
            || any_made(&self.status.after_gates)
            || self
                .groups
                .iter()
                .any(|group| group.reached() || group.had_a_turn())
    }
}

fn any_made(gates: &[GateEntry]) -> bool {
    gates.iter().any(|gate| gate.gate_name.is_some())
}

impl GroupNode<'_> {
    /// How many of its member updates are not there; those of a group that has ended are not missed.
    pub fn missing(&self) -> i32 {
        match is_terminal(self.status.state) {
            true => 0,
            false => (self.status.counts.total - self.live.total).max(0),
        }
    }

    pub fn new(status: GroupStatus) -> Self {
        Self {
            status,
            members: Vec::new(),
            live: Counts::default(),
        }
    }

    /// Whether a gate object was made or a member's turn has come.
    pub fn reached(&self) -> bool {
        self.status.start_time.is_some()
            || any_made(&self.status.before_gates)
            || any_made(&self.status.after_gates)
    }

    /// Whether a member's turn has come.
    pub fn had_a_turn(&self) -> bool {
        self.live.not_started < self.live.total
            && self
                .members
                .iter()
                .any(|member| member.status().start_time.is_some())
    }

    /// A member's turn that was written before a crash kept the group from being written.
    pub fn recover(&mut self) {
        if self.status.start_time.is_none() && self.live.not_started < self.live.total {
            let turns = self
                .members
                .iter()
                .filter_map(|m| m.status().start_time.as_ref());
            self.status.start_time = turns.min_by_key(|time| time.0).cloned();
        }
    }

    /// Ends the group in a state.
    pub fn end(&mut self, pass: &Pass<'_>, state: State) {
        self.status.state = state;
        self.status.completed_time = pass.time();
    }
}

impl<'a> MemberNode<'a> {
    pub fn new(spec: Spec<'a>, before: Option<&'a MemberUpdateStatus>) -> Self {
        Self {
            spec,
            before,
            after: None,
            touched: 0,
            state: before.map(|before| before.state).unwrap_or_default(),
        }
    }

    /// The status as it is now.
    pub fn status(&self) -> &MemberUpdateStatus {
        static NONE: MemberUpdateStatus = MemberUpdateStatus {
            observed_generation: None,
            state: State::NotStarted,
            start_time: None,
            completed_time: None,
            attempt: 0,
            operation_id: None,
            from_version: None,
            message: String::new(),
            error: None,
            waiting_for: Vec::new(),
            conditions: Vec::new(),
        };
        self.after.as_deref().or(self.before).unwrap_or(&NONE)
    }

    fn changed(&mut self) -> Option<Change> {
        let after = self
            .after
            .take()
            .filter(|after| self.before != Some(&**after))?;
        Some(Change {
            touched: self.touched,
            member: self.spec.member.clone(),
            was: self.before.map(|before| before.state).unwrap_or_default(),
            status: *after,
        })
    }

    pub fn state(&self) -> State {
        self.state
    }

    /// The status, to be changed; its state is changed by [`MemberNode::enter`] alone.
    pub fn change(&mut self, pass: &mut Pass<'_>) -> &mut MemberUpdateStatus {
        if self.touched == 0 {
            self.touched = pass.touch();
        }
        let before = self.before;
        self.after
            .get_or_insert_with(|| Box::new(before.cloned().unwrap_or_default()))
    }

    /// Takes over a status that an earlier member update of the same member had.
    pub fn take_over(&mut self, pass: &mut Pass<'_>, status: &MemberUpdateStatus) {
        self.state = status.state;
        self.change(pass).clone_from(status);
    }

    /// Moves to a state; the group's counts follow.
    pub fn enter(
        &mut self,
        pass: &mut Pass<'_>,
        live: &mut Counts,
        state: State,
    ) -> &mut MemberUpdateStatus {
        counts::shift(live, self.state, state);
        self.state = state;
        let status = self.change(pass);
        status.state = state;
        status
    }

    fn order(&self) -> (i32, &str) {
        (self.spec.position, &self.spec.member)
    }
}

/// Whether a stage or group is over for good.
pub(super) fn is_terminal(state: State) -> bool {
    matches!(state, State::Completed | State::Skipped)
}

/// The written gates of a stage or group: before and after. The default strategy and implicit groups
/// have none.
pub(super) fn configs<'s>(
    strategy: &'s FrozenStrategy,
    stage: usize,
    group: Option<&str>,
) -> (&'s [GateConfig], &'s [GateConfig]) {
    let found: Option<&Stage> = strategy.stages.get(stage);
    match (found, group) {
        (Some(stage), None) => (&stage.before_gates, &stage.after_gates),
        (Some(stage), Some(name)) => stage
            .groups
            .iter()
            .find(|group| group.name == name)
            .map(|group| (group.before_gates.as_slice(), group.after_gates.as_slice()))
            .unwrap_or_default(),
        (None, _) => Default::default(),
    }
}
