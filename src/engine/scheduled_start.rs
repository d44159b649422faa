//! When a scheduled gate opens (update-runs §8.4).

use jiff::civil::{Time, Weekday as Day};
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};

use crate::api::{ScheduledStart, ScheduledStartConfiguration, Weekday};

/// Reads `HH:MM`, from 00:00 to 23:59.
pub fn time_of_day(text: &str) -> Option<Time> {
    let (hours, minutes) = text.split_once(':')?;
    Time::new(two_digits(hours)?, two_digits(minutes)?, 0, 0).ok()
}

/// Reads `+HH:MM` or `-HH:MM`, between -14:00 and +14:00.
pub fn offset(text: &str) -> Option<Offset> {
    let (sign, rest) = match (text.strip_prefix('+'), text.strip_prefix('-')) {
        (Some(rest), _) => (1, rest),
        (_, Some(rest)) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':')?;
    let (hours, minutes) = (two_digits(hours)?, two_digits(minutes)?);
    let seconds = (i32::from(hours) * 60 + i32::from(minutes)) * 60;
    if minutes > 59 || seconds > 14 * 3600 {
        return None;
    }
    Offset::from_seconds(sign * seconds).ok()
}

/// The first instant at or after `now` whose weekday and time of day at the offset are those of the
/// configuration; equal counts as now. `None` when the configuration cannot be read.
pub fn next(configuration: &ScheduledStartConfiguration, now: Timestamp) -> Option<Timestamp> {
    let time = time_of_day(&configuration.start_time)?;
    let offset = offset(&configuration.utc_offset)?;
    let today = offset.to_datetime(now).date();
    let ahead = today.weekday().until(day(configuration.start_day));
    let date = today
        .checked_add(SignedDuration::from_hours(24 * i64::from(ahead)))
        .ok()?;
    let instant = offset.to_timestamp(date.to_datetime(time)).ok()?;
    if instant >= now {
        return Some(instant);
    }
    instant.checked_add(SignedDuration::from_hours(24 * 7)).ok()
}

/// The configuration with the instant fixed, as a gate that is reached at `now` keeps it.
pub fn fix(configuration: &ScheduledStartConfiguration, now: Timestamp) -> Option<ScheduledStart> {
    let instant = next(configuration, now)?;
    Some(ScheduledStart {
        start_day: configuration.start_day,
        start_time: configuration.start_time.clone(),
        utc_offset: configuration.utc_offset.clone(),
        absolute_start_time: k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(instant),
    })
}

fn day(day: Weekday) -> Day {
    match day {
        Weekday::Monday => Day::Monday,
        Weekday::Tuesday => Day::Tuesday,
        Weekday::Wednesday => Day::Wednesday,
        Weekday::Thursday => Day::Thursday,
        Weekday::Friday => Day::Friday,
        Weekday::Saturday => Day::Saturday,
        Weekday::Sunday => Day::Sunday,
    }
}

fn two_digits(text: &str) -> Option<i8> {
    let plain = text.len() == 2 && text.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_examples() {
        for (day, time, offset, reached, want) in [
            (
                Weekday::Wednesday,
                "02:00",
                "+00:00",
                "2026-03-02T09:00:00Z",
                "2026-03-04T02:00:00Z",
            ),
            (
                Weekday::Wednesday,
                "02:00",
                "+00:00",
                "2026-03-04T03:00:00Z",
                "2026-03-11T02:00:00Z",
            ),
            (
                Weekday::Wednesday,
                "02:00",
                "+00:00",
                "2026-03-04T02:00:00Z",
                "2026-03-04T02:00:00Z",
            ),
            (
                Weekday::Thursday,
                "10:00",
                "-08:00",
                "2026-03-02T00:00:00Z",
                "2026-03-05T18:00:00Z",
            ),
            (
                Weekday::Monday,
                "01:00",
                "+10:00",
                "2026-03-07T00:00:00Z",
                "2026-03-08T15:00:00Z",
            ),
            (
                Weekday::Wednesday,
                "02:00",
                "+00:00",
                "2026-03-04T02:00:01Z",
                "2026-03-11T02:00:00Z",
            ),
        ] {
            let configuration = ScheduledStartConfiguration {
                start_day: day,
                start_time: time.into(),
                utc_offset: offset.into(),
            };
            let got = next(&configuration, reached.parse().unwrap());
            assert_eq!(
                got,
                Some(want.parse().unwrap()),
                "{day:?} {time} {offset} {reached}"
            );
        }
    }

    #[test]
    fn forms() {
        for text in ["00:00", "23:59", "02:30"] {
            assert!(time_of_day(text).is_some(), "{text}");
        }
        for text in [
            "24:00", "12:60", "1:00", "12:0", "12", "12:00:00", "aa:bb", "",
        ] {
            assert_eq!(time_of_day(text), None, "{text}");
        }
        for text in ["+00:00", "-14:00", "+14:00", "+05:30", "-13:59"] {
            assert!(offset(text).is_some(), "{text}");
        }
        for text in [
            "00:00", "+14:01", "-15:00", "+5:30", "+05:60", "Z", "", "+0530",
        ] {
            assert_eq!(offset(text), None, "{text}");
        }
    }
}
