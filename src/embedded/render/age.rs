//! Ages, as kubectl prints them.

use jiff::Timestamp;

/// Time from `instant` to `now` in a few letters, such as `2m16s` or `333d`.
pub(crate) fn age(instant: Timestamp, now: Timestamp) -> String {
    let seconds = now.duration_since(instant).as_secs();
    if seconds < -1 {
        return "<invalid>".to_owned();
    }
    let seconds = seconds.max(0);
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    let two = |big: i64, unit: &str, small: i64, small_unit: &str| {
        if small == 0 {
            format!("{big}{unit}")
        } else {
            format!("{big}{unit}{small}{small_unit}")
        }
    };
    if seconds < 120 {
        format!("{seconds}s")
    } else if minutes < 10 {
        two(minutes, "m", seconds % 60, "s")
    } else if minutes < 180 {
        format!("{minutes}m")
    } else if hours < 8 {
        two(hours, "h", minutes % 60, "m")
    } else if hours < 48 {
        format!("{hours}h")
    } else if days < 8 {
        two(days, "d", hours % 24, "h")
    } else if days < 730 {
        format!("{days}d")
    } else if days < 365 * 8 {
        two(days / 365, "y", days % 365, "d")
    } else {
        format!("{}y", days / 365)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::SignedDuration;

    #[test]
    fn ages() {
        let now: Timestamp = "2026-03-02T09:00:00Z".parse().unwrap();
        for (seconds, text) in [
            (0, "0s"),
            (119, "119s"),
            (136, "2m16s"),
            (180, "3m"),
            (3599, "59m"),
            (3 * 3600, "3h"),
            (3 * 3600 + 60, "3h1m"),
            (47 * 3600, "47h"),
            (333 * 86_400, "333d"),
        ] {
            assert_eq!(age(now - SignedDuration::from_secs(seconds), now), text);
        }
        assert_eq!(age(now + SignedDuration::from_secs(5), now), "<invalid>");
    }
}
