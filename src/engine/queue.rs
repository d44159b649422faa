//! Why a member's turn has not come yet. It is not stored with the members: of ten thousand most are
//! in line, and what they wait for changes with every slot. It follows from what the run says.

use super::explain;
use super::gates;
use super::tree::is_terminal;
use crate::api::{GroupStatus, StageStatus, State, UpdateRunStatus, WaitingFor};

/// Codes of these reasons, besides those of gates and of runs.
pub mod code {
    /// As many are in flight as may be at once.
    pub const NO_SLOT: &str = "NoSlot";
    /// An earlier stage has not ended.
    pub const STAGE_AHEAD: &str = "StageAhead";
    /// Nothing holds it: its turn comes.
    pub const NEXT: &str = "Next";
}

/// Why a member of this group that is not started has not had its turn. `flying` names those in flight
/// that use the slots it is asked for.
pub fn why(
    run: &str,
    status: &UpdateRunStatus,
    stage: &StageStatus,
    group: &GroupStatus,
    flying: &dyn Fn(Slots) -> Vec<String>,
) -> Option<WaitingFor> {
    let halted = matches!(
        status.state,
        State::NotStarted | State::Stopping | State::Stopped | State::Failed
    );
    if halted {
        return status.waiting_for.first().cloned();
    }
    let ahead = status
        .stages
        .iter()
        .take_while(|other| other.name != stage.name)
        .find(|other| !is_terminal(other.state));
    if let Some(ahead) = ahead {
        let message = format!("Stage {} comes after stage {}", stage.name, ahead.name);
        let next = format!("its turn comes when stage {} has ended", ahead.name);
        return Some(entry(run, stage, group, code::STAGE_AHEAD, message, next));
    }
    let of_gates = [&stage.before_gates, &group.before_gates];
    if let Some(closed) = of_gates.into_iter().find(|list| gates::left(list)) {
        let names = closed.iter().filter_map(|gate| gate.gate_name.as_deref());
        let objects: Vec<String> = names.map(|name| format!("Gate/{name}")).collect();
        let of_gate = |wait: &&WaitingFor| objects.contains(&wait.object);
        return status.waiting_for.iter().find(of_gate).cloned();
    }
    Some(match slots(stage, group) {
        Some(slots) => {
            let (used, most, whose) = match slots {
                Slots::Group => (group.counts.running, group.max_concurrency, ""),
                Slots::Stage => (stage.counts.running, stage.max_concurrency, " of the stage"),
            };
            let names = flying(slots);
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let by = match names.is_empty() {
                true => String::new(),
                false => format!(" by {}", explain::list(&names)),
            };
            let message = format!("slot: {used} of {most}{whose} used{by}");
            let next = "its turn comes when one of them has ended".to_owned();
            entry(run, stage, group, code::NO_SLOT, message, next)
        }
        None => entry(
            run,
            stage,
            group,
            code::NEXT,
            "Its turn has not come yet".to_owned(),
            "the run comes to it in its order".to_owned(),
        ),
    })
}

/// Whose slots are used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slots {
    /// Those of the group.
    Group,
    /// Those of the stage.
    Stage,
}

fn slots(stage: &StageStatus, group: &GroupStatus) -> Option<Slots> {
    if group.counts.running >= group.max_concurrency {
        Some(Slots::Group)
    } else if stage.counts.running >= stage.max_concurrency {
        Some(Slots::Stage)
    } else {
        None
    }
}

fn entry(
    run: &str,
    stage: &StageStatus,
    group: &GroupStatus,
    code: &str,
    message: String,
    next: String,
) -> WaitingFor {
    WaitingFor {
        code: code.to_owned(),
        object: format!("UpdateRun/{run}"),
        stage: Some(stage.name.clone()),
        group: Some(group.name.clone()),
        since: None,
        until: None,
        who: explain::SKIPPERS.to_owned(),
        next,
        message,
    }
}
