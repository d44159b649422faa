//! When a run may end, judged by how long its own upgrades took.
//!
//! A rough figure on purpose: every upgrade yet to come is taken to last as long as half (or nine
//! tenths) of those that have ended, slots are always used, nothing fails, and gates are passed at
//! once. So whoever shows it says how many gates that leaves to people.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::tree::is_terminal;
use super::wait;
use crate::api::{Counts, GroupStatus, StageStatus, State, UpdateRunStatus};

/// Fewer upgrades than this tell nothing.
pub const SAMPLES: usize = 3;

/// A member of the run, as far as it matters here.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// Its group; group names are unique in a run.
    pub group: &'a str,
    /// How far it is.
    pub state: State,
    /// When its turn came.
    pub start: Option<Timestamp>,
    /// When it ended.
    pub end: Option<Timestamp>,
}

/// When a run may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// As likely earlier as later (p50).
    pub early: Timestamp,
    /// Nine times of ten not later (p90).
    pub late: Timestamp,
    /// Upgrades that it is judged by.
    pub samples: usize,
    /// Gates that are still to be passed.
    pub gates: usize,
}

/// The end of a run at work; `None` for any other, and while too few upgrades have ended.
pub fn end<'a>(
    status: &UpdateRunStatus,
    members: impl Iterator<Item = Seen<'a>>,
    now: Timestamp,
) -> Option<Estimate> {
    if !matches!(status.state, State::Running | State::Pending) {
        return None;
    }
    let mut lengths = Vec::new();
    let mut latest = BTreeMap::<&str, Timestamp>::new();
    for member in members {
        match (member.state, member.start, member.end) {
            (State::Completed, Some(start), Some(end)) if end > start => {
                lengths.push(end.duration_since(start).as_secs());
            }
            (State::Running, Some(start), _) => {
                let known = latest.entry(member.group).or_insert(start);
                *known = start.max(*known);
            }
            _ => {}
        }
    }
    let samples = lengths.len();
    if samples < SAMPLES {
        return None;
    }
    lengths.sort_unstable();
    let at = |part: usize| -> Option<Timestamp> {
        let index = (samples * part).div_ceil(10).saturating_sub(1);
        let seconds = lengths.get(index).copied()?;
        let left = stages(status, &latest, seconds, now)?;
        now.checked_add(SignedDuration::from_secs(left)).ok()
    };
    Some(Estimate {
        early: at(5)?,
        late: at(9)?,
        samples,
        gates: gates(status),
    })
}

/// Seconds that all stages to come take, one after the other.
fn stages(
    status: &UpdateRunStatus,
    latest: &BTreeMap<&str, Timestamp>,
    seconds: i64,
    now: Timestamp,
) -> Option<i64> {
    status
        .stages
        .iter()
        .filter(|stage| !is_terminal(stage.state))
        .map(|stage| stage_left(stage, latest, seconds, now))
        .try_fold(0_i64, i64::checked_add)
}

fn stage_left(
    stage: &StageStatus,
    latest: &BTreeMap<&str, Timestamp>,
    seconds: i64,
    now: Timestamp,
) -> i64 {
    let first = |group: &GroupStatus| {
        let start = latest.get(group.name.as_str())?;
        let spent = now.duration_since(*start).as_secs();
        Some((seconds - spent).clamp(0, seconds))
    };
    let groups: Vec<&GroupStatus> = stage
        .groups
        .iter()
        .filter(|group| !is_terminal(group.state))
        .collect();
    let of_group =
        |group: &&GroupStatus| rounds(&group.counts, group.max_concurrency, seconds, first(group));
    let longest = groups.iter().map(of_group).max().unwrap_or(0);
    let first = groups.iter().filter_map(|group| first(group)).max();
    let all = rounds(&stage.counts, stage.max_concurrency, seconds, first);
    let soak = &stage.after_stage_wait;
    let upgrades = longest.max(all);
    match wait::ends_at(soak) {
        Some(end) if soak.state == State::Running => {
            upgrades.max(end.duration_since(now).as_secs().max(0))
        }
        _ if is_terminal(soak.state) => upgrades,
        _ => upgrades.saturating_add(i64::from(soak.duration_seconds)),
    }
}

/// Seconds of as many rounds as the slots take, the first of which may be under way.
fn rounds(counts: &Counts, slots: i32, seconds: i64, first: Option<i64>) -> i64 {
    let left = counts.not_started + counts.pending + counts.running;
    let rounds = i64::from((left + slots.max(1) - 1) / slots.max(1));
    match (rounds, first) {
        (0, _) => 0,
        (_, Some(first)) => seconds.saturating_mul(rounds - 1).saturating_add(first),
        (_, None) => seconds.saturating_mul(rounds),
    }
}

fn gates(status: &UpdateRunStatus) -> usize {
    let stages = status
        .stages
        .iter()
        .filter(|stage| !is_terminal(stage.state));
    stages
        .flat_map(StageStatus::gates)
        .filter(|gate| matches!(gate.state, State::NotStarted | State::Pending))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Stage;
    use crate::engine::testkit::*;

    fn seen(kit: &Kit) -> Vec<(String, State, Option<Timestamp>, Option<Timestamp>)> {
        let members = kit.updates.values();
        members
            .map(|update| {
                let status = update.status.clone().unwrap_or_default();
                (
                    update.spec.group.clone(),
                    status.state,
                    status.start_time.map(|t| t.0),
                    status.completed_time.map(|t| t.0),
                )
            })
            .collect()
    }

    fn estimate(kit: &Kit) -> Option<Estimate> {
        let seen = seen(kit);
        let members = seen.iter().map(|(group, state, start, end)| Seen {
            group,
            state: *state,
            start: *start,
            end: *end,
        });
        super::end(kit.status(), members, kit.now)
    }

    #[test]
    fn it_comes_true_where_all_upgrades_are_alike() {
        let mut kit = Kit::new(vec![
            stage("s", "", vec![group("a", "2"), group("b", "1")]),
            Stage {
                after_stage_wait_in_seconds: Some(1800),
                before_gates: vec![approval("go")],
                ..stage("t", "3", vec![group("c", "5")])
            },
        ])
        .members("a", "a1 a2 a3 a4 a5")
        .members("b", "b1 b2 b3 b4")
        .members("c", "c1 c2 c3 c4");
        kit.start();
        assert_eq!(estimate(&kit), None);
        kit.to(15);
        let told = estimate(&kit).unwrap();
        assert_eq!((told.samples, told.gates), (3, 1));
        assert_eq!(told.early, told.late);
        kit.to(40);
        kit.approve("go");
        assert_eq!(estimate(&kit).unwrap().gates, 0);
        kit.finish();
        assert_eq!(kit.status().completed_time.clone().unwrap().0, told.early);
        assert_eq!(estimate(&kit), None);
    }
}
