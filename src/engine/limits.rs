//! How many members may be in flight: from the text in a strategy to a number (update-runs §6.1).

/// The largest stage value, and the one of a stage that sets none.
pub const STAGE_CEILING: i32 = 50;

/// A limit as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// A number.
    Count(i32),
    /// A percentage of the scope's members.
    Percent(i32),
}

impl Limit {
    /// Reads a positive number without leading zero, or 1 to 100 followed by `%`.
    pub fn concurrency(text: &str) -> Option<Self> {
        Self::parse(text).filter(|limit| !matches!(limit, Limit::Count(0) | Limit::Percent(0)))
    }

    /// Reads 0 or a positive number without leading zero, or 0 to 100 followed by `%`.
    pub fn tolerance(text: &str) -> Option<Self> {
        Self::parse(text)
    }

    fn parse(text: &str) -> Option<Self> {
        let (digits, percent) = match text.strip_suffix('%') {
            Some(digits) => (digits, true),
            None => (text, false),
        };
        let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        let leading_zero = digits.len() > 1 && digits.starts_with('0');
        if !plain || leading_zero {
            return None;
        }
        let number: i32 = digits.parse().ok()?;
        match percent {
            true => (number <= 100).then_some(Limit::Percent(number)),
            false => Some(Limit::Count(number)),
        }
    }
}

/// A resolved limit and how it came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The number that holds.
    pub value: i32,
    /// The number before it was capped, when it was.
    pub capped_from: Option<i32>,
    /// How a percentage became a number, for people; empty where there was nothing to round.
    pub rounding: String,
}

/// Concurrency of a stage of `members` members. The text has passed validation.
pub fn stage(text: Option<&str>, members: usize) -> Resolved {
    let asked = ask(text, members, STAGE_CEILING);
    cap(asked, STAGE_CEILING)
}

/// Concurrency of a group of `members` members in a stage whose resolved value is `ceiling`.
pub fn group(text: Option<&str>, members: usize, ceiling: i32) -> Resolved {
    let asked = ask(text, members, 1);
    let count = i32::try_from(members).unwrap_or(i32::MAX);
    cap(asked, ceiling.min(count).max(1))
}

fn ask(text: Option<&str>, members: usize, default: i32) -> (i32, String) {
    match text.and_then(Limit::concurrency) {
        None => (default, String::new()),
        Some(Limit::Count(n)) => (n, String::new()),
        Some(Limit::Percent(p)) => {
            let value = percent(p, members).max(1);
            (
                value,
                format!("{p}% of {members} = {value}, rounded down, at least 1"),
            )
        }
    }
}

// Integer arithmetic: binary floating point gets cases such as 58 % of 50 wrong.
fn percent(p: i32, members: usize) -> i32 {
    let n = i64::try_from(members).unwrap_or(i64::MAX / 100);
    i32::try_from(i64::from(p) * n / 100).unwrap_or(i32::MAX)
}

fn cap((asked, rounding): (i32, String), ceiling: i32) -> Resolved {
    let value = asked.min(ceiling);
    Resolved {
        value,
        capped_from: (value < asked).then_some(asked),
        rounding,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grammar_of_concurrency() {
        for text in ["1", "50", "7%", "100%"] {
            assert!(Limit::concurrency(text).is_some(), "{text}");
        }
        for text in [
            "0",
            "0%",
            "03",
            "101%",
            "2.5",
            "25 %",
            "",
            "%",
            "-1",
            "+1",
            "99999999999",
        ] {
            assert_eq!(Limit::concurrency(text), None, "{text}");
        }
    }

    #[test]
    fn grammar_of_tolerance() {
        for text in ["0", "3", "0%", "100%"] {
            assert!(Limit::tolerance(text).is_some(), "{text}");
        }
        for text in ["-1", "03", "101%", "1.5%", "", "00"] {
            assert_eq!(Limit::tolerance(text), None, "{text}");
        }
    }

    #[test]
    fn percentages_round_down_to_at_least_one() {
        for (text, n, floor_then_min_1) in [
            ("10%", 3, 1),
            ("25%", 20, 5),
            ("50%", 8, 4),
            ("25%", 12, 3),
            ("50%", 1, 1),
            ("99%", 100, 50),
            ("100%", 0, 1),
            ("58%", 50, 29),
        ] {
            assert_eq!(
                stage(Some(text), n).value,
                floor_then_min_1,
                "{text} of {n}"
            );
        }
        assert_eq!(group(Some("99%"), 100, 100).value, 99);
        assert_eq!(stage(Some("99%"), 100).capped_from, Some(99));
    }

    #[test]
    fn defaults() {
        assert_eq!(stage(None, 3).value, 50);
        assert_eq!(group(None, 3, 50).value, 1);
    }

    /// The documented examples: (stage, members of the stage, groups with their members, resolved).
    #[test]
    fn recovered_examples() {
        type Groups<'a> = &'a [(&'a str, usize, i32)];
        let examples: &[(&str, usize, i32, Groups<'_>)] = &[
            ("4", 20, 4, &[("2", 10, 2), ("2", 10, 2)]),
            ("2", 20, 2, &[("5", 10, 2), ("5", 10, 2)]),
            ("25%", 20, 5, &[("50%", 8, 4), ("25%", 12, 3)]),
            ("7", 9, 7, &[("3", 5, 3), ("50%", 4, 2)]),
            ("4", 12, 4, &[("3", 6, 3), ("3", 6, 3)]),
            ("7", 1, 7, &[("100%", 0, 1), ("50%", 1, 1)]),
        ];
        for (text, n, want, groups) in examples {
            let ceiling = stage(Some(text), *n).value;
            assert_eq!(ceiling, *want, "stage {text} of {n}");
            for (text, n, want) in *groups {
                assert_eq!(
                    group(Some(text), *n, ceiling).value,
                    *want,
                    "group {text} of {n}"
                );
            }
        }
    }

    #[test]
    fn a_group_is_capped_by_its_stage_and_its_size() {
        assert_eq!(group(Some("5"), 10, 2).capped_from, Some(5));
        assert_eq!(group(Some("5"), 3, 50).value, 3);
        assert_eq!(group(Some("5"), 0, 50).value, 1);
        assert_eq!(group(Some("2"), 10, 4).capped_from, None);
    }
}
