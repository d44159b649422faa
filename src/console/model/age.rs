//! How long ago, how long still, and at what time, in words; and when such a word changes.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// How times are shown (`t` turns it).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Times {
    /// How long ago.
    #[default]
    Age,
    /// Wall clock here.
    Local,
    /// Wall clock in UTC.
    Utc,
}

impl Times {
    /// The one after this.
    pub fn next(self) -> Self {
        match self {
            Times::Age => Times::Local,
            Times::Local => Times::Utc,
            Times::Utc => Times::Age,
        }
    }
}

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// A length of time, coarse: `40s`, `12m`, `2h10`, `3d`.
pub fn coarse(seconds: i64) -> String {
    let s = seconds.max(0);
    if s < MINUTE {
        format!("{}s", s / 10 * 10)
    } else if s < HOUR {
        format!("{}m", s / MINUTE)
    } else if s < DAY {
        let minutes = s % HOUR / MINUTE;
        if minutes == 0 {
            format!("{}h", s / HOUR)
        } else {
            format!("{}h{minutes:02}", s / HOUR)
        }
    } else {
        format!("{}d", s / DAY)
    }
}

/// Seconds until [`coarse`] of a growing length changes.
pub fn next_step(seconds: i64) -> i64 {
    let s = seconds.max(0);
    let step = if s < MINUTE {
        10
    } else if s < DAY {
        MINUTE
    } else {
        DAY
    };
    step - s % step
}

/// Words about time, at one instant and in one zone.
#[derive(Clone, Debug)]
pub struct Words<'a> {
    /// The instant it is.
    pub now: Timestamp,
    /// How times are shown.
    pub times: Times,
    /// The zone of the person.
    pub zone: &'a TimeZone,
}

impl Words<'_> {
    /// Seconds from then to now.
    pub fn since(&self, then: Timestamp) -> i64 {
        self.now.duration_since(then).as_secs()
    }

    /// For a column: an age, or a time where the person wants times. From ten days on, a date.
    pub fn column(&self, then: Timestamp) -> String {
        match self.times {
            Times::Age if self.since(then) < 10 * DAY => coarse(self.since(then)),
            Times::Age => self.zoned(then).strftime("%-d %b").to_string(),
            Times::Local | Times::Utc => self.clock(then),
        }
    }

    /// A point in time for a narrow place: `14:36`, or with the day when it is another one.
    pub fn clock(&self, then: Timestamp) -> String {
        let then = self.zoned(then);
        let format = if then.date() == self.zoned(self.now).date() {
            "%H:%M"
        } else {
            "%a %H:%M"
        };
        then.strftime(format).to_string()
    }

    /// A point in time in full: `Thu 13 Aug 23:00 CEST`.
    pub fn point(&self, then: Timestamp) -> String {
        self.zoned(then).strftime("%a %-d %b %H:%M %Z").to_string()
    }

    /// How long until then: minutes above two, tens of seconds below; `now` when it is over.
    pub fn until(&self, then: Timestamp) -> String {
        let left = then.duration_since(self.now).as_secs();
        if left <= 0 {
            "now".to_owned()
        } else if left <= 2 * MINUTE {
            format!("{}s", (left + 9) / 10 * 10)
        } else {
            coarse(left)
        }
    }

    /// Name of the zone that times are shown in.
    pub fn zone_name(&self) -> String {
        self.zoned(self.now).strftime("%Z").to_string()
    }

    fn zoned(&self, then: Timestamp) -> jiff::Zoned {
        match self.times {
            Times::Utc => then.to_zoned(TimeZone::UTC),
            Times::Age | Times::Local => then.to_zoned(self.zone.clone()),
        }
    }
}

/// A length in seconds with two parts: `1h10`, `2d 6h`.
pub fn length(seconds: i64) -> String {
    let hours = seconds % DAY / HOUR;
    if seconds >= DAY && hours > 0 {
        format!("{}d {hours}h", seconds / DAY)
    } else {
        coarse(seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_coarse() {
        for (seconds, text) in [
            (-5, "0s"),
            (9, "0s"),
            (47, "40s"),
            (60, "1m"),
            (719, "11m"),
            (7_800, "2h10"),
            (7_200, "2h"),
            (3_900, "1h05"),
            (3 * DAY + 5, "3d"),
        ] {
            assert_eq!(coarse(seconds), text);
        }
    }

    #[test]
    fn an_age_keeps_its_text_until_the_next_step() {
        for seconds in [0, 7, 10, 59, 60, 61, 3_599, 7_800, 86_399, 86_400, 100_000] {
            let next = next_step(seconds);
            assert_eq!(coarse(seconds), coarse(seconds + next - 1));
            assert_ne!(coarse(seconds), coarse(seconds + next));
        }
    }

    #[test]
    fn points_in_time_name_their_zone() {
        let zone = TimeZone::get("Europe/Paris").unwrap();
        let words = Words {
            now: "2026-08-13T12:40:00Z".parse().unwrap(),
            times: Times::Age,
            zone: &zone,
        };
        let then = "2026-08-13T21:00:00Z".parse().unwrap();
        assert_eq!(words.point(then), "Thu 13 Aug 23:00 CEST");
        assert_eq!(words.until(then), "8h20");
        assert_eq!(
            words.clock("2026-08-12T07:12:00Z".parse().unwrap()),
            "Wed 09:12"
        );
        assert_eq!(
            words.column("2026-07-12T07:12:00Z".parse().unwrap()),
            "12 Jul"
        );
        let utc = Words {
            times: Times::Utc,
            ..words
        };
        assert_eq!(utc.column("2026-08-13T07:12:00Z".parse().unwrap()), "07:12");
        assert_eq!(utc.point(then), "Thu 13 Aug 21:00 UTC");
    }

    #[test]
    fn numbers_and_lengths_read_well() {
        assert_eq!(length(2 * DAY + 6 * HOUR), "2d 6h");
        assert_eq!(length(4_200), "1h10");
    }
}
