//! Instants as they stand on the wire: whole seconds.

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

/// The whole second in which an instant falls: so a wait begun at T with N seconds ends at T+N.
pub(super) fn floor(now: Timestamp) -> Timestamp {
    Timestamp::from_second(now.as_second()).unwrap_or(now)
}

/// `from` and so many seconds; the end of time when that is later than it.
pub(super) fn after(from: Timestamp, seconds: i64) -> Timestamp {
    from.checked_add(SignedDuration::from_secs(seconds))
        .unwrap_or(Timestamp::MAX)
}

/// Seconds from one instant to another; 0 when it is not later.
pub(super) fn seconds_between(from: &Time, to: &Time) -> i64 {
    to.0.as_second().saturating_sub(from.0.as_second()).max(0)
}

/// A duration as in `1h30m`, at most two units.
pub(super) fn short(seconds: i64) -> String {
    let (days, hours) = (seconds / 86_400, seconds % 86_400 / 3600);
    let (minutes, rest) = (seconds % 3600 / 60, seconds % 60);
    match (days, hours, minutes, rest) {
        (0, 0, 0, s) => format!("{s}s"),
        (0, 0, m, 0) => format!("{m}m"),
        (0, 0, m, s) => format!("{m}m{s}s"),
        (0, h, 0, _) => format!("{h}h"),
        (0, h, m, _) => format!("{h}h{m}m"),
        (d, 0, _, _) => format!("{d}d"),
        (d, h, _, _) => format!("{d}d{h}h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_seconds() {
        let late: Timestamp = "2026-03-02T09:00:00.999Z".parse().unwrap();
        assert_eq!(floor(late), "2026-03-02T09:00:00Z".parse().unwrap());
    }

    #[test]
    fn durations_in_words() {
        for (seconds, text) in [
            (0, "0s"),
            (59, "59s"),
            (600, "10m"),
            (630, "10m30s"),
            (7200, "2h"),
            (5400, "1h30m"),
            (90_000, "1d1h"),
            (172_800, "2d"),
        ] {
            assert_eq!(short(seconds), text);
        }
    }
}
