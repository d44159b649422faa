//! Finding a gate and whether it can be passed, for whoever wants to approve one (update-runs §8).

use std::sync::Arc;

use super::refusal::{Refusal, code};
use crate::api::{Gate, GateIntent, GateState, Timing};

/// The gate at a place of a run, by display name where several stand there. A gate that was never
/// reached does not exist yet.
pub fn find(
    gates: &[Arc<Gate>],
    run: &str,
    stage: &str,
    group: Option<&str>,
    timing: Timing,
    display: Option<&str>,
) -> Result<Arc<Gate>, Refusal> {
    let place = place(stage, group, timing);
    let mut here: Vec<&Arc<Gate>> = gates
        .iter()
        .filter(|gate| {
            let spec = &gate.spec;
            spec.run == run
                && spec.stage == stage
                && spec.group.as_deref() == group
                && spec.timing == timing
        })
        .filter(|gate| display.is_none_or(|name| gate.spec.display_name.as_deref() == Some(name)))
        .collect();
    if here.is_empty() {
        let named = display
            .map(|name| format!(" \"{name}\""))
            .unwrap_or_default();
        return Err(Refusal::new(
            code::GATE_NOT_FOUND,
            format!("run {run} has no gate{named} {place}, or has not reached it yet"),
        )
        .hint("a gate can be approved from the moment the run reaches it; list the open ones"));
    }
    if here.len() > 1 {
        let open: Vec<_> = here.iter().copied().filter(|g| is_pending(g)).collect();
        if open.len() == 1 {
            here = open;
        }
    }
    match here.as_slice() {
        [gate] => Ok(Arc::clone(gate)),
        several => {
            let names: Vec<_> = several.iter().map(|gate| title(gate)).collect();
            Err(Refusal::new(
                code::GATE_NOT_FOUND,
                format!(
                    "run {run} has {} gates {place}: {}",
                    names.len(),
                    names.join(", ")
                ),
            )
            .hint("say which by its display name or the gate's own name"))
        }
    }
}

/// Whether a gate can be passed now.
pub fn can_approve(gate: &Gate) -> Result<(), Refusal> {
    if is_pending(gate) {
        return Ok(());
    }
    let state = gate.status.as_ref().map(|s| s.state).unwrap_or_default();
    let word = match state {
        GateState::Pending => "approved already".to_owned(),
        other => format!("{other} already"),
    };
    let message = format!(
        "cannot approve gate {} of run {}: it is {word}",
        title(gate),
        gate.spec.run
    );
    Err(Refusal::new(code::GATE_NOT_PENDING, message))
}

/// Whether a gate is open: reached, not passed, not skipped.
pub fn is_pending(gate: &Gate) -> bool {
    let state = gate.status.as_ref().map(|s| s.state).unwrap_or_default();
    state == GateState::Pending && gate.spec.state == GateIntent::Pending
}

/// How a gate is called: its display name in quotes, else its name.
pub fn title(gate: &Gate) -> String {
    match &gate.spec.display_name {
        Some(name) => format!("\"{name}\""),
        None => gate.metadata.name.clone().unwrap_or_default(),
    }
}

/// Where a gate stands, in words: `before group prod/prod-fr`, `after stage prod`.
pub fn place(stage: &str, group: Option<&str>, timing: Timing) -> String {
    let when = match timing {
        Timing::Before => "before",
        Timing::After => "after",
    };
    match group {
        Some(group) => format!("{when} group {stage}/{group}"),
        None => format!("{when} stage {stage}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{GateSpec, GateStatus};

    fn gate(name: &str, display: &str, group: Option<&str>, state: GateState) -> Arc<Gate> {
        let mut gate = Gate::new(
            name,
            GateSpec {
                display_name: (!display.is_empty()).then(|| display.to_owned()),
                run: "r".into(),
                stage: "s".into(),
                group: group.map(str::to_owned),
                ..GateSpec::default()
            },
        );
        gate.status = Some(GateStatus {
            state,
            ..GateStatus::default()
        });
        Arc::new(gate)
    }

    #[test]
    fn by_place() {
        let gates = [
            gate("a", "one", None, GateState::Completed),
            gate("b", "two", None, GateState::Pending),
            gate("c", "", Some("g"), GateState::Pending),
            gate("d", "", Some("g"), GateState::Pending),
        ];
        let name = |group, display| {
            find(&gates, "r", "s", group, Timing::Before, display)
                .map(|gate| gate.metadata.name.clone().unwrap_or_default())
                .map_err(|refusal| refusal.code)
        };
        assert_eq!(name(None, None), Ok("b".into()));
        assert_eq!(name(None, Some("one")), Ok("a".into()));
        assert_eq!(name(None, Some("three")), Err(code::GATE_NOT_FOUND));
        assert_eq!(name(Some("g"), None), Err(code::GATE_NOT_FOUND));
        assert_eq!(name(Some("h"), None), Err(code::GATE_NOT_FOUND));
    }

    #[test]
    fn only_a_pending_gate_can_be_approved() {
        assert!(can_approve(&gate("a", "", None, GateState::Pending)).is_ok());
        for state in [GateState::Completed, GateState::Skipped] {
            let refusal = can_approve(&gate("a", "", None, state)).unwrap_err();
            assert_eq!(refusal.code, code::GATE_NOT_PENDING);
        }
        let mut approved = gate("a", "", None, GateState::Pending).as_ref().clone();
        approved.spec.state = GateIntent::Completed;
        assert_eq!(
            can_approve(&approved).unwrap_err().code,
            code::GATE_NOT_PENDING
        );
    }
}
