//! The tree of a run as a table: stages, gates, groups, members, waits, indented.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use crate::api::{
    Counts, Gate, GateEntry, GroupStatus, MemberUpdate, StageStatus, State, WaitStatus,
};
use crate::cli::output::{Cell, Table, Tint};
use crate::cli::time;
use crate::hub::verbs::Scene;

/// What the rows are made from.
struct Tree<'a> {
    table: Table,
    members: BTreeMap<(&'a str, &'a str), Vec<&'a MemberUpdate>>,
    gates: BTreeMap<&'a str, &'a Gate>,
    now: Timestamp,
}

/// The tree of a run.
pub fn tree(scene: &Scene, now: Timestamp) -> Table {
    let mut members: BTreeMap<_, Vec<&MemberUpdate>> = BTreeMap::new();
    for update in &scene.updates {
        let place = (update.spec.stage.as_str(), update.spec.group.as_str());
        members.entry(place).or_default().push(update);
    }
    let gates = scene.gates.iter().map(Arc::as_ref);
    let mut tree = Tree {
        table: Table::new(&["PART", "STATE", "DONE", "FAILED", "AT-ONCE", "TIME", "NOTE"]),
        members,
        gates: gates
            .filter_map(|g| Some((g.metadata.name.as_deref()?, g)))
            .collect(),
        now,
    };
    let stages = scene.run.status.iter().flat_map(|s| &s.stages);
    for stage in stages {
        tree.stage(stage);
    }
    tree.table
}

impl<'a> Tree<'a> {
    fn stage(&mut self, stage: &'a StageStatus) {
        self.scope(Scope {
            depth: 0,
            title: format!("stage {}", stage.name),
            state: stage.state,
            counts: &stage.counts,
            failures: (stage.failure_count, stage.max_allowed_failures),
            at_once: stage.max_concurrency,
            span: (stage.start_time.as_ref(), stage.completed_time.as_ref()),
            note: stage.error.as_ref().map_or("", |e| e.message.as_str()),
        });
        for gate in &stage.before_gates {
            self.gate(1, "before", gate);
        }
        for group in &stage.groups {
            self.group(&stage.name, group);
        }
        for gate in &stage.after_gates {
            self.gate(1, "after", gate);
        }
        if stage.after_stage_wait.duration_seconds > 0 {
            self.wait(&stage.after_stage_wait);
        }
    }

    fn group(&mut self, stage: &'a str, group: &'a GroupStatus) {
        self.scope(Scope {
            depth: 1,
            title: format!("group {}", group.name),
            state: group.state,
            counts: &group.counts,
            failures: (group.failure_count, group.max_allowed_failures),
            at_once: group.max_concurrency,
            span: (group.start_time.as_ref(), group.completed_time.as_ref()),
            note: group.error.as_ref().map_or("", |e| e.message.as_str()),
        });
        for gate in &group.before_gates {
            self.gate(2, "before", gate);
        }
        let members = self.members.remove(&(stage, group.name.as_str()));
        for member in members.into_iter().flatten() {
            self.member(member);
        }
        for gate in &group.after_gates {
            self.gate(2, "after", gate);
        }
    }

    fn member(&mut self, update: &MemberUpdate) {
        let status = update.status.clone().unwrap_or_default();
        let mut notes = Vec::new();
        if status.attempt > 1 {
            notes.push(format!("attempt {}", status.attempt));
        }
        match (&status.error, status.waiting_for.first()) {
            (Some(error), _) => notes.push(format!("{}: {}", error.code, error.message)),
            (None, Some(waits)) => notes.push(waits.message.clone()),
            (None, None) if !status.message.is_empty() => notes.push(status.message.clone()),
            (None, None) => {}
        }
        let span = (status.start_time.as_ref(), status.completed_time.as_ref());
        self.table.row([
            indented(2, &update.spec.member),
            state(status.state),
            Cell::default(),
            Cell::default(),
            Cell::default(),
            Cell::new(self.took(span)),
            Cell::new(notes.join("; ")),
        ]);
    }

    fn gate(&mut self, depth: usize, timing: &str, entry: &GateEntry) {
        let title = match &entry.display_name {
            Some(name) => format!("gate {timing} \"{name}\""),
            None => format!("gate {timing}"),
        };
        let gate = entry.gate_name.as_deref().and_then(|n| self.gates.get(n));
        let mut notes = Vec::new();
        if let Some(gate) = gate.filter(|_| entry.state == State::Completed) {
            let by = gate.status.as_ref().and_then(|s| s.completed_by.as_deref());
            let by = by.filter(|by| !by.is_empty());
            notes.extend(by.map(|by| format!("by {by}")));
            notes.extend(gate.spec.comment.clone());
        } else {
            let ahead = matches!(entry.state, State::NotStarted | State::Pending);
            let opens = gate
                .filter(|_| ahead)
                .and_then(|g| g.spec.scheduled_start.as_ref());
            notes
                .extend(opens.map(|s| format!("opens {}", time::instant(s.absolute_start_time.0))));
            notes.extend(entry.gate_name.clone());
        }
        let span = (entry.start_time.as_ref(), entry.completed_time.as_ref());
        self.plain(depth, &title, entry.state, span, notes.join(": "));
    }

    fn wait(&mut self, wait: &WaitStatus) {
        let title = format!("wait {}", time::length(wait.duration_seconds.into()));
        let span = (wait.start_time.as_ref(), wait.completed_time.as_ref());
        let ends = wait
            .start_time
            .as_ref()
            .filter(|_| wait.state == State::Running)
            .map(|start| start.0 + jiff::SignedDuration::from_secs(wait.duration_seconds.into()));
        let note = ends.map_or_else(String::new, |at| format!("until {}", time::instant(at)));
        self.plain(1, &title, wait.state, span, note);
    }

    fn plain(&mut self, depth: usize, title: &str, of: State, span: Span<'_>, note: String) {
        self.table.row([
            indented(depth, title),
            state(of),
            Cell::default(),
            Cell::default(),
            Cell::default(),
            Cell::new(self.took(span)),
            Cell::new(note),
        ]);
    }

    fn scope(&mut self, scope: Scope<'_>) {
        let counts = scope.counts;
        let done = counts.completed + counts.skipped + counts.failed;
        let (failed, allowed) = scope.failures;
        let over = if failed > allowed {
            Tint::Bad
        } else {
            Tint::Plain
        };
        self.table.row([
            indented(scope.depth, &scope.title),
            state(scope.state),
            Cell::new(format!("{done}/{}", counts.total)),
            Cell::tinted(format!("{failed}/{allowed}"), over),
            Cell::new(format!("{}/{}", counts.running, scope.at_once)),
            Cell::new(self.took(scope.span)),
            Cell::new(scope.note),
        ]);
    }

    /// How long it took, or takes so far.
    fn took(&self, (start, end): Span<'_>) -> String {
        let Some(start) = start else {
            return String::new();
        };
        time::age(start.0, end.map_or(self.now, |end| end.0))
    }
}

type Span<'a> = (Option<&'a Time>, Option<&'a Time>);

struct Scope<'a> {
    depth: usize,
    title: String,
    state: State,
    counts: &'a Counts,
    failures: (i32, i32),
    at_once: i32,
    span: Span<'a>,
    note: &'a str,
}

fn indented(depth: usize, text: &str) -> Cell {
    Cell::new(format!("{}{text}", "  ".repeat(depth)))
}

fn state(state: State) -> Cell {
    Cell::tinted(state.as_str(), Tint::of_state(state))
}
