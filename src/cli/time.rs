//! Ages, instants and lengths of time as the command line prints and reads them.

use jiff::{SignedDuration, Timestamp};

/// `40s`, `12m`, `2h10m`, `3d`: coarse, for columns.
pub fn age(since: Timestamp, now: Timestamp) -> String {
    let seconds = now.duration_since(since).as_secs().max(0);
    match seconds {
        0..120 => format!("{seconds}s"),
        120..7200 => format!("{}m", seconds / 60),
        7200..172_800 => {
            let minutes = seconds % 3600 / 60;
            if minutes == 0 {
                format!("{}h", seconds / 3600)
            } else {
                format!("{}h{minutes}m", seconds / 3600)
            }
        }
        _ => format!("{}d", seconds / 86_400),
    }
}

/// `2026-03-02 09:00:00Z`: for details.
pub fn instant(at: Timestamp) -> String {
    let at = at.to_zoned(jiff::tz::TimeZone::UTC);
    at.strftime("%Y-%m-%d %H:%M:%SZ").to_string()
}

/// `90s`, `30m`, `1h30m`, `2d`, `0s`; a bare number is seconds.
pub fn parse_length(text: &str) -> Option<SignedDuration> {
    if let Ok(seconds) = text.parse::<u32>() {
        return Some(SignedDuration::from_secs(i64::from(seconds)));
    }
    let mut total = SignedDuration::ZERO;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let (number, tail) = rest.split_at(digits);
        let number: i64 = number.parse().ok()?;
        let letters = tail
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(letters);
        let seconds = match unit {
            "d" => 86_400,
            "h" => 3600,
            "m" => 60,
            "s" => 1,
            _ => return None,
        };
        let part = SignedDuration::from_secs(number.checked_mul(seconds)?);
        total = total.checked_add(part)?;
        rest = tail;
    }
    (!text.is_empty()).then_some(total)
}

/// `1h30m` from seconds.
pub fn length(seconds: i64) -> String {
    let parts = [(86_400, "d"), (3600, "h"), (60, "m"), (1, "s")];
    let mut rest = seconds.max(0);
    let mut text = String::new();
    for (size, unit) in parts {
        if rest >= size {
            text.push_str(&format!("{}{unit}", rest / size));
            rest %= size;
        }
    }
    if text.is_empty() {
        text.push_str("0s");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_coarse() {
        let now: Timestamp = "2026-03-02T09:00:00Z".parse().unwrap();
        let ago = |s| age(now - SignedDuration::from_secs(s), now);
        assert_eq!(
            [
                ago(0),
                ago(119),
                ago(120),
                ago(7200),
                ago(9000),
                ago(200_000),
                ago(-5)
            ],
            ["0s", "119s", "2m", "2h", "2h30m", "2d", "0s"]
        );
    }

    #[test]
    fn lengths_are_read_and_written() {
        for (text, seconds) in [
            ("90s", 90),
            ("30m", 1800),
            ("1h30m", 5400),
            ("2d", 172_800),
            ("7", 7),
            ("0s", 0),
        ] {
            assert_eq!(
                parse_length(text),
                Some(SignedDuration::from_secs(seconds)),
                "{text}"
            );
        }
        for text in ["", "x", "5x", "m", "1.5h", "-5s"] {
            assert_eq!(parse_length(text), None, "{text}");
        }
        assert_eq!(length(5400), "1h30m");
        assert_eq!(length(0), "0s");
    }
}
