//! How one process tells another what time it has: an instant, and how fast it goes on.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;

use super::Clock;

/// Header of an answer that tells the time of who gave it.
pub const HEADER: &str = "fleetdeck-clock";

/// What a clock showed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// The instant.
    pub now: Timestamp,
    /// How many seconds pass there in one second of the machine; `None` where time jumps from
    /// one event to the next.
    pub speed: Option<f64>,
}

impl Clock {
    /// The instant and the speed, to be told to others.
    pub fn reading(&self) -> Reading {
        Reading {
            now: self.now(),
            speed: self.speed(),
        }
    }
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.speed {
            Some(speed) => write!(f, "{}; speed={speed}", self.now),
            None => write!(f, "{}; speed=max", self.now),
        }
    }
}

/// What was told is no reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoReading;

impl FromStr for Reading {
    type Err = NoReading;

    fn from_str(text: &str) -> Result<Self, NoReading> {
        let (now, speed) = text.split_once("; speed=").ok_or(NoReading)?;
        let now = now.parse().map_err(|_| NoReading)?;
        if speed == "max" {
            return Ok(Self { now, speed: None });
        }
        match speed.parse::<f64>() {
            Ok(speed) if speed.is_finite() && speed > 0.0 => Ok(Self {
                now,
                speed: Some(speed),
            }),
            _ => Err(NoReading),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_understood() {
        let now = "2026-03-02T09:00:00.25Z".parse().unwrap();
        for speed in [Some(1.0), Some(0.5), Some(3600.0), None] {
            let reading = Reading { now, speed };
            assert_eq!(reading.to_string().parse(), Ok(reading));
        }
        for wrong in [
            "",
            "now; speed=1",
            "2026-03-02T09:00:00Z",
            "2026-03-02T09:00:00Z; speed=0",
            "2026-03-02T09:00:00Z; speed=inf",
        ] {
            assert_eq!(wrong.parse::<Reading>(), Err(NoReading), "{wrong}");
        }
    }
}
