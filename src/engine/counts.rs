//! Members by state.

use crate::api::{Counts, State};

/// Counts a member in a state.
pub(super) fn add(counts: &mut Counts, state: State) {
    counts.total += 1;
    *slot(counts, state) += 1;
}

/// Moves a member from one state to another.
pub(super) fn shift(counts: &mut Counts, from: State, to: State) {
    *slot(counts, from) -= 1;
    *slot(counts, to) += 1;
}

/// Both together.
pub(super) fn sum(into: &mut Counts, other: &Counts) {
    into.total += other.total;
    into.not_started += other.not_started;
    into.pending += other.pending;
    into.running += other.running;
    into.completed += other.completed;
    into.failed += other.failed;
    into.skipped += other.skipped;
}

/// Members that have ended: completed, failed or skipped.
pub fn terminal(counts: &Counts) -> i32 {
    counts.completed + counts.failed + counts.skipped
}

/// Whether every member was skipped; also true without members.
pub(super) fn all_skipped(counts: &Counts) -> bool {
    counts.skipped == counts.total
}

/// Whether every member has ended.
pub(super) fn all_terminal(counts: &Counts) -> bool {
    terminal(counts) == counts.total
}

/// Terminal of total, as in `26/47`.
pub fn progress(counts: &Counts) -> String {
    format!("{}/{}", terminal(counts), counts.total)
}

// A stopped member was pending and will be again: it counts as pending. The others do not occur.
fn slot(counts: &mut Counts, state: State) -> &mut i32 {
    match state {
        State::NotStarted => &mut counts.not_started,
        State::Pending | State::Stopped => &mut counts.pending,
        State::Running | State::Stopping => &mut counts.running,
        State::Completed => &mut counts.completed,
        State::Failed => &mut counts.failed,
        State::Skipped => &mut counts.skipped,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counting() {
        let mut counts = Counts::default();
        for state in [
            State::NotStarted,
            State::Running,
            State::Stopped,
            State::Failed,
        ] {
            add(&mut counts, state);
        }
        assert_eq!((counts.total, counts.pending, counts.running), (4, 1, 1));
        shift(&mut counts, State::Running, State::Completed);
        assert_eq!(progress(&counts), "2/4");
        assert!(!all_terminal(&counts) && !all_skipped(&counts));
        assert!(all_skipped(&Counts::default()));
    }
}
