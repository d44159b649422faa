//! What the run waits for, one entry a thing that stands still (objects.md).

use std::collections::BTreeMap;

use super::conditions;
use super::decide::GateChange;
use super::explain;
use super::gates;
use super::pass::Pass;
use super::tree::{GroupNode, StageNode, Tree};
use super::wait;
use crate::api::{
    Gate, GateSpec, GateStatus, RequestAction, RunIntent, State, UpdateRunStatus, WaitingFor,
};

/// Most entries that a run lists.
const MOST: usize = 100;

/// Writes what the run waits for, and the column that has the first of it in a few words.
pub(super) fn write(pass: &Pass<'_>, status: &mut UpdateRunStatus, tree: Option<&Tree<'_>>) {
    let mut open = Vec::new();
    let mut entries = match tree {
        None => not_initialized(pass, status),
        Some(tree) => {
            open = open_gates(pass, tree);
            reasons(pass, status, tree, &open)
        }
    };
    let more = entries.len().saturating_sub(MOST);
    if more > 0 {
        entries.truncate(MOST);
        entries.push(explain::more(pass.run_name, more));
    }
    let waits = entries
        .first()
        .map(|first| short(first, &open))
        .unwrap_or_default();
    if status.waits != waits {
        status.waits = waits;
    }
    status.waiting_for = entries;
}

fn short(entry: &WaitingFor, open: &[Gate]) -> String {
    let name = entry.object.strip_prefix("Gate/");
    let gate = open
        .iter()
        .find(|gate| gate.metadata.name.as_deref() == name);
    explain::short(entry, gate.filter(|_| name.is_some()))
}

fn not_initialized(pass: &Pass<'_>, status: &UpdateRunStatus) -> Vec<WaitingFor> {
    let since = status
        .conditions
        .iter()
        .find(|condition| condition.type_ == conditions::INITIALIZED)
        .map(|condition| condition.last_transition_time.clone());
    let error = status.error.clone().unwrap_or_default();
    vec![explain::not_initialized(
        pass.run_name,
        &error.code,
        &error.message,
        since,
    )]
}

fn reasons(
    pass: &Pass<'_>,
    status: &UpdateRunStatus,
    tree: &Tree<'_>,
    open: &[Gate],
) -> Vec<WaitingFor> {
    let run = pass.run_name;
    let current = tree
        .stages
        .iter()
        .find(|stage| !super::tree::is_terminal(stage.status.state));
    let gates = open
        .iter()
        .map(|gate| explain::gate_open(gate, gates::opens_at(&gate.spec)));
    let mut entries: Vec<WaitingFor> = match (status.state, current) {
        (State::NotStarted, _) => {
            let since = pass.run.metadata.creation_timestamp.clone();
            vec![explain::not_started(run, since, start_was_refused(status))]
        }
        (State::Stopping, Some(stage)) => vec![stopping(pass, stage)],
        (State::Stopped, _) => {
            let refused = status.observed_state == Some(RunIntent::Run);
            vec![explain::stopped(
                run,
                status.completed_time.clone(),
                refused,
            )]
        }
        (State::Failed, _) => {
            let error = status.error.clone().unwrap_or_default();
            vec![explain::failed(run, &error, status.completed_time.clone())]
        }
        _ => Vec::new(),
    };
    if matches!(
        status.state,
        State::NotStarted | State::Completed | State::Skipped
    ) {
        return entries;
    }
    entries.extend(gates);
    if let Some(stage) = current {
        let running = stage.status.after_stage_wait.state == State::Running;
        if let Some(end) = wait::ends_at(&stage.status.after_stage_wait).filter(|_| running) {
            entries.push(explain::wait_running(run, &stage.status, end));
        }
        for group in &stage.groups {
            entries.extend(members(run, group));
        }
    }
    entries
}

fn start_was_refused(status: &UpdateRunStatus) -> bool {
    status.observed_state == Some(RunIntent::Run)
        && status
            .requests
            .iter()
            .rev()
            .find(|request| request.action == RequestAction::Start)
            .is_some_and(|request| !request.accepted)
}

fn stopping(pass: &Pass<'_>, stage: &StageNode<'_>) -> WaitingFor {
    let members: Vec<&str> = stage
        .groups
        .iter()
        .filter(|group| group.live.running > 0)
        .flat_map(|group| &group.members)
        .filter(|member| member.state() == State::Running)
        .map(|member| member.spec.member.as_str())
        .collect();
    let why = match super::halt::exceeded(stage) {
        true => "More failed than is tolerated, and nothing more is started",
        false => "The run was asked to stop, and nothing more is started",
    };
    explain::in_flight(pass.run_name, &stage.status.name, &members, why)
}

// One entry a reason: the members themselves say more.
fn members(run: &str, group: &GroupNode<'_>) -> Vec<WaitingFor> {
    if group.live.pending + group.live.running == 0 {
        return Vec::new();
    }
    let mut reasons = BTreeMap::<&str, (&WaitingFor, Vec<&str>)>::new();
    for member in &group.members {
        let state = member.state();
        if !matches!(state, State::Pending | State::Running) {
            continue;
        }
        let Some(first) = member.status().waiting_for.first() else {
            continue;
        };
        let (earliest, names) = reasons
            .entry(&first.code)
            .or_insert_with(|| (first, Vec::new()));
        let until = |entry: &WaitingFor| entry.until.as_ref().map(|time| time.0);
        if until(first).is_some_and(|at| until(earliest).is_none_or(|best| at < best)) {
            *earliest = first;
        }
        names.push(&member.spec.member);
    }
    reasons
        .values()
        .map(|(first, names)| explain::pending_group(run, names, first))
        .collect()
}

/// The gates that are open when this decision is done, as they will stand on the hub.
fn open_gates(pass: &Pass<'_>, tree: &Tree<'_>) -> Vec<Gate> {
    let lists = tree.stages.iter().flat_map(|stage| {
        let own = stage
            .status
            .before_gates
            .iter()
            .chain(&stage.status.after_gates);
        let groups = stage.groups.iter().flat_map(|group| {
            group
                .status
                .before_gates
                .iter()
                .chain(&group.status.after_gates)
        });
        own.chain(groups)
    });
    lists
        .filter(|entry| entry.state == State::Pending)
        .filter_map(|entry| {
            let name = entry.gate_name.as_deref()?;
            let mut gate = match pass.gates.get(name) {
                Some(gate) => gate.as_ref().clone(),
                None => Gate::new(name, created(pass, name)?.clone()),
            };
            // What people are told to open is open since the run reached it.
            gate.status
                .get_or_insert_with(GateStatus::default)
                .start_time = entry.start_time.clone();
            Some(gate)
        })
        .collect()
}

fn created<'p>(pass: &'p Pass<'_>, name: &str) -> Option<&'p GateSpec> {
    pass.changes.iter().find_map(|change| match change {
        GateChange::Create {
            name: made, spec, ..
        } if made == name => Some(spec),
        _ => None,
    })
}
