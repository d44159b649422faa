//! Names that a run gives: pure functions of the run and a place in it, so that a repeated decision
//! names the same thing.

use uuid::Uuid;

use crate::api::Timing;

/// A text that stands for others; the same for the same parts.
pub(super) fn digest(parts: &[&str]) -> String {
    named(parts).simple().to_string()
}

/// Name of a gate object: a lower-case GUID.
pub(super) fn gate(
    run_uid: &str,
    stage: &str,
    group: Option<&str>,
    timing: Timing,
    index: usize,
) -> String {
    let timing = timing.to_string();
    let index = index.to_string();
    named(&[
        run_uid,
        "gate",
        stage,
        group.unwrap_or("/"),
        &timing,
        &index,
    ])
    .to_string()
}

/// Id of an upgrade: one an attempt of a member in a run.
pub(super) fn operation(run_uid: &str, member: &str, attempt: i32) -> String {
    named(&[run_uid, "operation", member, &attempt.to_string()]).to_string()
}

/// Name of a member update.
pub fn member_update(run: &str, member: &str) -> String {
    format!("{run}.{member}")
}

// A separator that no part can contain keeps ("ab", "c") and ("a", "bc") apart.
fn named(parts: &[&str]) -> Uuid {
    Uuid::new_v5(&Uuid::NAMESPACE_OID, parts.join("\u{0}").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_and_attempt_has_a_name_of_its_own() {
        let names = [
            gate("u", "s", None, Timing::Before, 0),
            gate("u", "s", None, Timing::After, 0),
            gate("u", "s", None, Timing::Before, 1),
            gate("u", "s", Some("s"), Timing::Before, 0),
            gate("v", "s", None, Timing::Before, 0),
            operation("u", "m", 1),
            operation("u", "m", 2),
        ];
        let distinct: std::collections::BTreeSet<_> = names.iter().collect();
        assert_eq!(distinct.len(), names.len());
        assert_eq!(names[0], gate("u", "s", None, Timing::Before, 0));
        assert_eq!(names[0].len(), 36);
        assert_eq!(digest(&["a"]).len(), 32);
    }
}
