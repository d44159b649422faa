//! Kubernetes versions, and the path one upgrade may take (update-runs §13.1).

use std::fmt;

/// `X.Y.Z`, or the alias `X.Y` for whatever patch of that minor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// Major.
    pub major: u32,
    /// Minor.
    pub minor: u32,
    /// Patch; `None` in an alias.
    pub patch: Option<u32>,
}

/// Pools may be this many minors behind the control plane.
pub const MAX_SKEW: u32 = 3;

impl Version {
    /// Reads `X.Y.Z` or `X.Y`, with or without a leading `v`, without leading zeros.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let mut parts = text.split('.');
        let major = number(parts.next()?)?;
        let minor = number(parts.next()?)?;
        let patch = match parts.next() {
            Some(part) => Some(number(part)?),
            None => None,
        };
        parts.next().is_none().then_some(Self {
            major,
            minor,
            patch,
        })
    }

    /// Whether a cluster at `self` has what `target` asks for; an alias asks for its minor only.
    pub fn at_or_above(self, target: Self) -> bool {
        (self.major, self.minor, self.patch.unwrap_or(0))
            >= (target.major, target.minor, target.patch.unwrap_or(0))
    }

    /// Whether both are of the same minor.
    pub fn same_minor(self, other: Self) -> bool {
        (self.major, self.minor) == (other.major, other.minor)
    }

    /// How many minors `self` is ahead of `behind`; `None` across majors or when it is not ahead.
    pub fn minors_ahead_of(self, behind: Self) -> Option<u32> {
        (self.major == behind.major)
            .then(|| self.minor.checked_sub(behind.minor))
            .flatten()
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.patch {
            Some(patch) => write!(f, "{}.{}.{patch}", self.major, self.minor),
            None => write!(f, "{}.{}", self.major, self.minor),
        }
    }
}

/// Why a control plane at `from` cannot go to `to` in one upgrade; `None` when it can.
pub fn control_plane_path(from: Version, to: Version) -> Option<String> {
    if from.at_or_above(to) {
        return None;
    }
    match to.minors_ahead_of(from) {
        Some(0 | 1) => None,
        Some(n) => Some(format!(
            "the control plane is at {from} and {to} is {n} minor versions ahead; \
             an upgrade moves one minor at a time"
        )),
        None => Some(format!(
            "the control plane is at {from}, another major version than {to}"
        )),
    }
}

/// Why a pool at `pool` cannot stay while the control plane goes to `plane`; `None` when it can.
pub fn skew(pool: Version, plane: Version) -> Option<String> {
    match plane.minors_ahead_of(pool) {
        Some(n) if n <= MAX_SKEW => None,
        _ => Some(format!(
            "at {pool} it would be more than {MAX_SKEW} minor versions behind a control plane at {plane}"
        )),
    }
}

fn number(text: &str) -> Option<u32> {
    let plain = text.bytes().all(|b| b.is_ascii_digit());
    let leading_zero = text.len() > 1 && text.starts_with('0');
    (plain && !leading_zero)
        .then(|| text.parse().ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(text: &str) -> Version {
        Version::parse(text).unwrap()
    }

    #[test]
    fn forms() {
        for (text, shown) in [
            ("1.33.4", "1.33.4"),
            ("v1.33.4", "1.33.4"),
            ("1.33", "1.33"),
        ] {
            assert_eq!(v(text).to_string(), shown);
        }
        for text in [
            "", "1", "1.", "1.x", "1.33.4.5", "01.33.4", "1.033", "vv1.33", "1.33.-1",
        ] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }

    #[test]
    fn at_or_above_the_target() {
        for (have, want, yes) in [
            ("1.33.4", "1.33.4", true),
            ("1.33.10", "1.33.9", true),
            ("1.34.0", "1.33.9", true),
            ("1.33.3", "1.33.4", false),
            ("1.33.0", "1.33", true),
            ("1.32.9", "1.33", false),
        ] {
            assert_eq!(v(have).at_or_above(v(want)), yes, "{have} {want}");
        }
    }

    #[test]
    fn one_minor_at_a_time() {
        assert_eq!(control_plane_path(v("1.28.3"), v("1.29.0")), None);
        assert_eq!(control_plane_path(v("1.28.3"), v("1.28.9")), None);
        assert!(control_plane_path(v("1.28.3"), v("1.30.0")).is_some());
        assert!(control_plane_path(v("1.28.3"), v("2.0.0")).is_some());
    }

    #[test]
    fn pools_may_be_three_minors_behind() {
        assert_eq!(skew(v("1.28.0"), v("1.31.0")), None);
        assert!(skew(v("1.28.0"), v("1.32.0")).is_some());
        assert!(skew(v("1.32.0"), v("1.31.0")).is_some());
    }
}
