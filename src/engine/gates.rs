//! Gates in a run's tree: opening, passing and skipping them (update-runs §8).

use std::sync::Arc;

use jiff::Timestamp;

use super::counts;
use super::decide::GateChange;
use super::fact::{Fact, Subject};
use super::gate;
use super::identity;
use super::pass::Pass;
use super::scheduled_start;
use super::tree::Tree;
use crate::api::{
    Gate, GateConfig, GateEntry, GateIntent, GateSpec, GateState, GateStatus, GateType, State,
    Timing,
};

/// Who completed a gate that opened by itself.
pub const BY_SCHEDULE: &str = "schedule";

/// Where a list of gates stands.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    pub stage: &'p str,
    pub group: Option<&'p str>,
    pub timing: Timing,
}

/// Records, for every open gate of the tree, that a user or its schedule has passed it: also while
/// the run is halted.
///
/// `adopt`: also take up gates that a decision made which was cut short before the run's status was
/// written.
pub(super) fn record_all(pass: &mut Pass<'_>, tree: &mut Tree<'_>, adopt: bool) {
    let unknown = adopt && pass.gates.len() > named(tree);
    // A stage whose predecessor has members to go is not reached: what made its gate was a request
    // that is still to be answered, and may be answered differently by now.
    let mut reached = true;
    for stage in &mut tree.stages {
        let adopt = unknown && reached;
        reached &= counts::all_terminal(&stage.live());
        let name = stage.status.name.as_str();
        let place = |group, timing| Place {
            stage: name,
            group,
            timing,
        };
        record(
            pass,
            &mut stage.status.before_gates,
            place(None, Timing::Before),
            adopt,
        );
        record(
            pass,
            &mut stage.status.after_gates,
            place(None, Timing::After),
            adopt,
        );
        for group in &mut stage.groups {
            let group_name = Some(group.status.name.as_str());
            record(
                pass,
                &mut group.status.before_gates,
                place(group_name, Timing::Before),
                adopt,
            );
            record(
                pass,
                &mut group.status.after_gates,
                place(group_name, Timing::After),
                adopt,
            );
        }
    }
}

fn record(pass: &mut Pass<'_>, entries: &mut [GateEntry], place: Place<'_>, adopt: bool) {
    for (index, entry) in entries.iter_mut().enumerate() {
        let unknown = adopt && entry.state == State::NotStarted;
        if entry.state != State::Pending && !unknown {
            continue;
        }
        let name = name_of(pass, entry, place, index);
        if let Some(gate) = pass.gates.get(name.as_str()).copied() {
            if unknown {
                reach(pass, entry, name.clone(), Some(gate));
            }
            follow(pass, entry, &name, gate);
        }
    }
}

fn named(tree: &Tree<'_>) -> usize {
    let stages = tree
        .stages
        .iter()
        .map(|stage| (&stage.status.before_gates, &stage.status.after_gates));
    let groups = tree
        .groups()
        .map(|group| (&group.status.before_gates, &group.status.after_gates));
    let lists = stages.chain(groups);
    lists
        .flat_map(|(before, after)| before.iter().chain(after))
        .filter(|entry| entry.gate_name.is_some())
        .count()
}

fn reach(pass: &Pass<'_>, entry: &mut GateEntry, name: String, gate: Option<&Arc<Gate>>) {
    let made = gate.and_then(|gate| gate.status.as_ref()?.start_time.clone());
    entry.state = State::Pending;
    entry.start_time = made
        .or_else(|| entry.start_time.take())
        .or_else(|| pass.time());
    entry.gate_name = Some(name);
}

/// Opens all gates of a list that are not open yet. True when none of them is Pending.
pub(super) fn open(
    pass: &mut Pass<'_>,
    entries: &mut [GateEntry],
    configs: &[GateConfig],
    place: Place<'_>,
) -> bool {
    let mut passed = true;
    for (index, entry) in entries.iter_mut().enumerate() {
        let config = configs.get(index);
        let name = name_of(pass, entry, place, index);
        let exists = pass.gates.contains_key(name.as_str());
        match (entry.state, config) {
            (State::NotStarted, Some(config)) => open_one(pass, entry, config, place, name),
            // Somebody removed the object by force: without it nobody could pass the gate.
            (State::Pending, Some(config)) if !exists => {
                open_one(pass, entry, config, place, name);
            }
            _ => {}
        }
        passed &= entry.state != State::Pending;
    }
    passed
}

fn open_one(
    pass: &mut Pass<'_>,
    entry: &mut GateEntry,
    config: &GateConfig,
    place: Place<'_>,
    name: String,
) {
    let existing = pass.gates.get(name.as_str()).copied();
    reach(pass, entry, name.clone(), existing);
    if let Some(gate) = existing {
        // A decision before this one made it and was cut short.
        follow(pass, entry, &name, gate);
        return;
    }
    let spec = GateSpec {
        display_name: config.display_name.clone(),
        type_: config.type_,
        scheduled_start: config
            .scheduled_start_configuration
            .as_ref()
            .and_then(|start| scheduled_start::fix(start, pass.now)),
        run: pass.run_name.to_owned(),
        stage: place.stage.to_owned(),
        group: place.group.map(str::to_owned),
        timing: place.timing,
        ..GateSpec::default()
    };
    let mut status = GateStatus {
        start_time: entry.start_time.clone(),
        ..GateStatus::default()
    };
    tell(pass, "FleetGateCreated", &name, &spec, GateState::Pending);
    if due(&spec, pass.now) {
        complete(pass, entry, &mut status, BY_SCHEDULE);
        tell(pass, "FleetGateUpdated", &name, &spec, status.state);
    } else if let Some(at) = opens_at(&spec) {
        pass.wake_at(at);
    }
    pass.changes.push(GateChange::Create { name, spec, status });
}

// Brings an open entry and its gate object together.
fn follow(pass: &mut Pass<'_>, entry: &mut GateEntry, name: &str, gate: &Gate) {
    let old = gate.status.as_ref();
    let consent = gate.spec.state == GateIntent::Completed || due(&gate.spec, pass.now);
    let passed = old.filter(|status| status.state == GateState::Completed);
    if let Some(status) = passed.filter(|_| consent) {
        entry.state = State::Completed;
        entry.completed_time = status.completed_time.clone().or_else(|| pass.time());
        return;
    }
    // A status that says otherwise was not written by this controller: only the spec, which tells who
    // asked, and the clock pass a gate.
    let mut status = match passed {
        Some(_) => GateStatus::default(),
        None => old.cloned().unwrap_or_default(),
    };
    status.start_time = status.start_time.or_else(|| entry.start_time.clone());
    if gate.spec.state == GateIntent::Completed {
        let by = gate.spec.completed_by.as_deref().unwrap_or_default();
        complete(pass, entry, &mut status, by);
    } else if due(&gate.spec, pass.now) {
        complete(pass, entry, &mut status, BY_SCHEDULE);
    } else if let Some(at) = opens_at(&gate.spec) {
        pass.wake_at(at);
    }
    if status.state == GateState::Completed {
        tell(pass, "FleetGateUpdated", name, &gate.spec, status.state);
    }
    write(pass, name, gate, status);
}

fn complete(pass: &Pass<'_>, entry: &mut GateEntry, status: &mut GateStatus, by: &str) {
    entry.state = State::Completed;
    entry.completed_time = pass.time();
    status.state = GateState::Completed;
    status.completed_time = pass.time();
    status.completed_by = (!by.is_empty()).then(|| by.to_owned());
}

/// Skips all gates of a list that are not done.
pub(super) fn skip(pass: &mut Pass<'_>, entries: &mut [GateEntry], place: Place<'_>) {
    for (index, entry) in entries.iter_mut().enumerate() {
        if !matches!(entry.state, State::NotStarted | State::Pending) {
            continue;
        }
        entry.state = State::Skipped;
        entry.completed_time = pass.time();
        let name = name_of(pass, entry, place, index);
        let Some(gate) = pass.gates.get(name.as_str()).copied() else {
            continue;
        };
        let mut status = gate.status.clone().unwrap_or_default();
        if status.state != GateState::Pending {
            continue;
        }
        status.start_time = status.start_time.or_else(|| entry.start_time.clone());
        status.state = GateState::Skipped;
        status.completed_time = pass.time();
        tell(
            pass,
            "FleetGateUpdated",
            &name,
            &gate.spec,
            GateState::Skipped,
        );
        write(pass, &name, gate, status);
    }
}

/// Whether a list has gates that are not done.
pub(super) fn left(entries: &[GateEntry]) -> bool {
    entries
        .iter()
        .any(|gate| matches!(gate.state, State::NotStarted | State::Pending))
}

/// Whether a list has an open gate.
pub(super) fn waits(entries: &[GateEntry]) -> bool {
    entries.iter().any(|gate| gate.state == State::Pending)
}

/// When a gate opens by itself.
pub(super) fn opens_at(spec: &GateSpec) -> Option<Timestamp> {
    let start = spec.scheduled_start.as_ref()?;
    (spec.type_ == GateType::ScheduledStart).then_some(start.absolute_start_time.0)
}

fn due(spec: &GateSpec, now: Timestamp) -> bool {
    opens_at(spec).is_some_and(|at| at <= now)
}

fn name_of(pass: &Pass<'_>, entry: &GateEntry, place: Place<'_>, index: usize) -> String {
    match &entry.gate_name {
        Some(name) => name.clone(),
        None => identity::gate(pass.run_uid, place.stage, place.group, place.timing, index),
    }
}

fn write(pass: &mut Pass<'_>, name: &str, gate: &Gate, mut status: GateStatus) {
    let old = gate.status.as_ref();
    if old == Some(&status) {
        return;
    }
    status.observed_generation = gate.metadata.generation;
    pass.changes.push(GateChange::Status {
        name: name.to_owned(),
        status,
    });
}

// The payload of update-runs §8.5.
fn tell(pass: &mut Pass<'_>, reason: &str, name: &str, spec: &GateSpec, state: GateState) {
    let display = spec.display_name.as_deref().unwrap_or_default();
    let group = spec
        .group
        .as_deref()
        .map(|group| format!(" group={group}"))
        .unwrap_or_default();
    let note = format!(
        "Gate {}: gate={name} displayName={display:?} gateType={} state={state} run={} runId={} stage={}{group} timing={}",
        gate::place(&spec.stage, spec.group.as_deref(), spec.timing),
        spec.type_,
        spec.run,
        pass.run_uid,
        spec.stage,
        spec.timing,
    );
    pass.facts
        .push(Fact::normal(Subject::Gate(name.to_owned()), reason, note));
}
