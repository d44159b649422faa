//! Short ways to write stages, groups and gates.

use crate::api::*;

pub fn approval(name: &str) -> GateConfig {
    GateConfig {
        display_name: Some(name.into()),
        ..GateConfig::default()
    }
}

pub fn scheduled(name: &str, day: Weekday, time: &str) -> GateConfig {
    GateConfig {
        display_name: Some(name.into()),
        type_: GateType::ScheduledStart,
        scheduled_start_configuration: Some(ScheduledStartConfiguration {
            start_day: day,
            start_time: time.into(),
            utc_offset: "+00:00".into(),
        }),
    }
}

/// Limits as `"concurrency/failures"`; an empty part is unset.
fn limits(text: &str) -> (Option<String>, Option<String>) {
    let (c, f) = text.split_once('/').unwrap_or((text, ""));
    let some = |t: &str| (!t.is_empty()).then(|| t.to_owned());
    (some(c), some(f))
}

pub fn group(name: &str, text: &str) -> Group {
    let (max_concurrency, max_allowed_failures) = limits(text);
    Group {
        name: name.into(),
        max_concurrency,
        max_allowed_failures,
        ..Group::default()
    }
}

pub fn stage(name: &str, text: &str, groups: Vec<Group>) -> Stage {
    let (max_concurrency, max_allowed_failures) = limits(text);
    Stage {
        name: name.into(),
        max_concurrency,
        max_allowed_failures,
        groups,
        ..Stage::default()
    }
}
