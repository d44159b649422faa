//! How many failures are tolerated, and when they are too many (update-runs §7.1–§7.3).

use super::limits::Limit;

/// Resolves a tolerance for a scope of `members` members. The text has passed validation.
pub fn resolve(text: Option<&str>, members: usize) -> i32 {
    match text.and_then(Limit::tolerance) {
        None => 0,
        Some(Limit::Count(n)) => n,
        Some(Limit::Percent(p)) => {
            let n = i64::try_from(members).unwrap_or(i64::MAX / 200);
            i32::try_from((i64::from(p) * n + 99) / 100).unwrap_or(i32::MAX)
        }
    }
}

/// How a percentage became a number, for people; empty where there was nothing to round.
pub fn rounding(text: Option<&str>, members: usize) -> String {
    match text.and_then(Limit::tolerance) {
        Some(Limit::Percent(p)) => {
            format!("{p}% of {members} = {}, rounded up", resolve(text, members))
        }
        _ => String::new(),
    }
}

/// Exceeded means strictly more: with tolerance 3 the fourth failure exceeds it.
pub fn exceeded(failures: i32, tolerance: i32) -> bool {
    failures > tolerance
}

/// Whether a text, as written, tolerates anything at all.
pub fn tolerates(text: Option<&str>) -> bool {
    !matches!(
        text.and_then(Limit::tolerance),
        None | Some(Limit::Count(0) | Limit::Percent(0))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_round_up() {
        for (text, n, want) in [
            ("25%", 5, 2),
            ("25%", 7, 2),
            ("25%", 12, 3),
            ("25%", 19, 5),
            ("25%", 4, 1),
            ("1%", 3, 1),
            ("7%", 100, 7),
            ("100%", 4, 4),
            ("0%", 100, 0),
            ("20%", 10, 2),
        ] {
            assert_eq!(resolve(Some(text), n), want, "{text} of {n}");
        }
    }

    #[test]
    fn unset_is_none_and_numbers_may_exceed_the_members() {
        assert_eq!(resolve(None, 10), 0);
        assert_eq!(resolve(Some("0"), 10), 0);
        assert_eq!(resolve(Some("12"), 4), 12);
    }

    #[test]
    fn exceeded_is_strict() {
        assert!(!exceeded(3, 3));
        assert!(exceeded(4, 3));
        assert!(exceeded(1, 0));
        assert!(!exceeded(0, 0));
    }
}
