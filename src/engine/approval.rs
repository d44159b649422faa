//! What passing gates would do, for whoever confirms it: the run's own next decision on a world in
//! which they are passed, beside the one without that. No rule stands here.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use super::decide::{Decision, decide};
use super::explain;
use super::gate;
use super::refusal::{Refusal, code};
use super::world::World;
use crate::api::{GateIntent, MemberUpdateStatus, State, Timing, WaitingFor};

/// What passing gates does, compared with what happens anyway.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ApprovalEffect {
    /// Members whose upgrade begins at once, in the order of the decision.
    pub starts: Vec<String>,
    /// Members whose turn comes at once and that need no upgrade.
    pub settled: Vec<String>,
    /// Members whose turn comes at once and that must wait.
    pub held: Vec<String>,
    /// Members whose turn comes at once and that fail before an upgrade begins.
    pub fails: Vec<String>,
    /// Stages and groups that end at once, as `stage prod`.
    pub ends: Vec<String>,
    /// What stands still then, and did not before or stands still in the same place.
    pub waits: Vec<WaitingFor>,
    /// Members behind the gates that have not begun then.
    pub later: usize,
    /// State of the run then, where nothing is begun in that state until the run is resumed.
    pub on_resume: Option<State>,
}

/// What passing these gates of a run together would do; a refusal when one of them is not open.
pub fn check(world: &World<'_>, names: &[&str], now: Timestamp) -> Result<ApprovalEffect, Refusal> {
    let mut gates = world.gates.to_vec();
    for name in names {
        let found = gates
            .iter_mut()
            .find(|g| g.metadata.name.as_deref() == Some(*name));
        let gate = found.ok_or_else(|| {
            Refusal::new(code::GATE_NOT_FOUND, format!("there is no gate {name}"))
        })?;
        gate::can_approve(gate)?;
        Arc::make_mut(gate).spec.state = GateIntent::Completed;
    }
    let passed = World {
        gates: &gates,
        ..*world
    };
    let (without, with) = (decide(world, now), decide(&passed, now));
    Ok(compare(world, names, &without, &with))
}

fn compare(
    world: &World<'_>,
    names: &[&str],
    without: &Decision,
    with: &Decision,
) -> ApprovalEffect {
    let anyway: BTreeSet<&str> = without.begins.iter().map(|b| b.member.as_str()).collect();
    let starts = with.begins.iter().map(|b| b.member.clone());
    let starts: Vec<String> = starts.filter(|m| !anyway.contains(m.as_str())).collect();
    let changed: Vec<(&str, &MemberUpdateStatus)> = with
        .updates
        .iter()
        .filter(|change| !without.updates.contains(change))
        .map(|(member, status)| (member.as_str(), status))
        .collect();
    let that = |pick: fn(State) -> bool| {
        let those = changed.iter().filter(|(_, status)| pick(status.state));
        those.map(|(member, _)| (*member).to_owned()).collect()
    };
    let places = places(world, names);
    let goes = matches!(
        with.status.state,
        State::Running | State::Pending | State::Completed | State::Skipped
    );
    ApprovalEffect {
        starts,
        settled: that(|s| matches!(s, State::Completed | State::Skipped)),
        held: that(|s| s == State::Pending),
        fails: that(|s| s == State::Failed),
        ends: ends(without, with),
        waits: waits(&places, without, with),
        later: later(world, &places, with),
        on_resume: (!goes).then_some(with.status.state),
    }
}

/// A gate's stage and group, and on which side of them it stands.
type Place = (String, Option<String>, Timing);

fn places(world: &World<'_>, names: &[&str]) -> Vec<Place> {
    let ours = world.gates.iter().filter(|g| {
        let name = g.metadata.name.as_deref().unwrap_or_default();
        names.contains(&name)
    });
    let place = |g: &Arc<crate::api::Gate>| {
        let spec = &g.spec;
        (spec.stage.clone(), spec.group.clone(), spec.timing)
    };
    ours.map(place).collect()
}

fn ends(without: &Decision, with: &Decision) -> Vec<String> {
    let over = |s: State| matches!(s, State::Completed | State::Skipped);
    let list = |decision: &Decision| -> BTreeMap<String, State> {
        let mut states = BTreeMap::new();
        for stage in &decision.status.stages {
            states.insert(format!("stage {}", stage.name), stage.state);
            for group in &stage.groups {
                states.insert(format!("group {}", group.name), group.state);
            }
        }
        states
    };
    let before = list(without);
    list(with)
        .into_iter()
        .filter(|(place, state)| over(*state) && !before.get(place).is_some_and(|s| over(*s)))
        .map(|(place, _)| place)
        .collect()
}

/// What is new among the things that stand still, and what holds the same stage or group still.
fn waits(places: &[Place], without: &Decision, with: &Decision) -> Vec<WaitingFor> {
    let by_itself = [explain::code::IN_FLIGHT, explain::code::MORE];
    let before = &without.status.waiting_for;
    let same_place = |wait: &WaitingFor| {
        places.iter().any(|(stage, group, _)| {
            wait.stage.as_deref() == Some(stage) && (group.is_none() || wait.group == *group)
        })
    };
    let all = with.status.waiting_for.iter();
    all.filter(|w| !by_itself.contains(&w.code.as_str()))
        .filter(|w| !before.contains(w) || same_place(w))
        .cloned()
        .collect()
}

/// Members of the stages and groups behind the gates that have not begun after the decision.
fn later(world: &World<'_>, places: &[Place], with: &Decision) -> usize {
    let stages: Vec<&str> = with.status.stages.iter().map(|s| s.name.as_str()).collect();
    let behind: Vec<(&str, Option<&str>)> = places
        .iter()
        .filter_map(|(stage, group, timing)| match (timing, group) {
            (Timing::Before, group) => Some((stage.as_str(), group.as_deref())),
            (Timing::After, Some(_)) => None,
            (Timing::After, None) => {
                let at = stages.iter().position(|s| s == stage)?;
                Some((*stages.get(at + 1)?, None))
            }
        })
        .collect();
    let new: BTreeMap<&str, State> = with
        .updates
        .iter()
        .map(|(member, status)| (member.as_str(), status.state))
        .collect();
    let is_behind = |stage: &str, group: &str| {
        behind
            .iter()
            .any(|(s, g)| *s == stage && g.is_none_or(|g| g == group))
    };
    world
        .updates
        .iter()
        .filter(|u| is_behind(&u.spec.stage, &u.spec.group))
        .filter(|u| {
            let old = u.status.as_ref().map(|s| s.state).unwrap_or_default();
            let state = new.get(u.spec.member.as_str()).copied().unwrap_or(old);
            state == State::NotStarted
        })
        .count()
}
