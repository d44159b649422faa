//! How long after the beginning: `10m0s`, `504h0m0s` written; `2h`, `1h30m`, `21d` read.

use jiff::SignedDuration;

/// As Go writes a duration, in whole seconds and the fraction where there is one.
pub fn write(offset: SignedDuration) -> String {
    let seconds = offset.as_secs();
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let fraction = match offset.subsec_millis() {
        0 => String::new(),
        millis => format!(".{millis:03}"),
    };
    match (hours, minutes) {
        (0, 0) => format!("{rest}{fraction}s"),
        (0, _) => format!("{minutes}m{rest}{fraction}s"),
        _ => format!("{hours}h{minutes}m{rest}{fraction}s"),
    }
}

/// Reads an offset: numbers with a unit of `w`, `d`, `h`, `m`, `s` or `ms`, one after another.
pub fn read(text: &str) -> Option<SignedDuration> {
    let mut rest = text.trim();
    let mut total = SignedDuration::ZERO;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let (number, after) = rest.split_at_checked(digits)?;
        let letters = after
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(after.len());
        let (unit, after) = after.split_at_checked(letters)?;
        let number: i64 = number.parse().ok()?;
        let millis: i64 = match unit {
            "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            "w" => 604_800_000,
            _ => return None,
        };
        let part = SignedDuration::from_millis(number.checked_mul(millis)?);
        total = total.checked_add(part)?;
        rest = after;
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_read_and_written() {
        let cases = [
            ("0s", "0s"),
            ("90s", "1m30s"),
            ("10m", "10m0s"),
            ("1h30m", "1h30m0s"),
            ("21d", "504h0m0s"),
            ("1w1d", "192h0m0s"),
            ("1500ms", "1.500s"),
        ];
        for (given, expected) in cases {
            assert_eq!(write(read(given).unwrap()), expected, "{given}");
        }
        for wrong in ["", "10", "h", "1.5h", "-1h", "10y", "99999999999999999999s"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
