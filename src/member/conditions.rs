//! Setting a condition the way Kubernetes means it: the transition time moves with the status.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};

/// Sets the condition of type `kind`, keeping its transition time while the status stays.
pub fn set(
    conditions: &mut Vec<Condition>,
    kind: &str,
    holds: bool,
    reason: &str,
    message: &str,
    generation: Option<i64>,
    now: Timestamp,
) {
    let status = if holds { "True" } else { "False" };
    let since = conditions
        .iter()
        .find(|c| c.type_ == kind && c.status == status)
        .map_or(Time(now), |c| c.last_transition_time.clone());
    let condition = Condition {
        type_: kind.to_owned(),
        status: status.to_owned(),
        reason: reason.to_owned(),
        message: message.to_owned(),
        observed_generation: generation,
        last_transition_time: since,
    };
    match conditions.iter_mut().find(|c| c.type_ == kind) {
        Some(there) => *there = condition,
        None => conditions.push(condition),
    }
}
