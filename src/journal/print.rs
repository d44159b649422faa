//! An entry as a line for people.

use super::Entry;

/// One line, without its end: `+10m0s  UpdateRun/weekly  stage prod: NotStarted → Running  (why)`.
pub fn line(entry: &Entry) -> String {
    let place = match (&entry.stage, &entry.group) {
        (Some(stage), Some(group)) => format!(" of {stage}/{group}"),
        (Some(stage), None) => format!(" of {stage}"),
        _ => String::new(),
    };
    let change = match (entry.from.as_str(), entry.to.as_str()) {
        ("", "") => String::new(),
        ("", to) => format!(": {to}"),
        (from, "") => format!(": {from} → gone"),
        (from, to) => format!(": {from} → {to}"),
    };
    let reason = match (entry.reason.as_str(), entry.message.as_str()) {
        ("", "") => String::new(),
        (reason, "") => format!("  ({reason})"),
        ("", message) => format!("  ({message})"),
        (reason, message) => format!("  ({reason}: {message})"),
    };
    format!(
        "{} {:>10}  {}  {}{place}{change}{reason}",
        entry.instant,
        format!("+{}", entry.offset),
        entry.object,
        entry.what
    )
}
