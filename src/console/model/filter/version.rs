//! Versions as a filter compares them: by their numbers, as far as both have them.

use std::cmp::Ordering;

/// `1.33`, `v1.33.4`, `202608.05.0`; `None` for anything else.
pub fn parse(text: &str) -> Option<Vec<u64>> {
    let text = text.trim();
    let text = text.strip_prefix('v').unwrap_or(text);
    text.split('.').map(|part| part.parse().ok()).collect()
}

/// Compares two versions; what one of them does not say counts as 0.
pub fn compare(one: &[u64], other: &[u64]) -> Ordering {
    let length = one.len().max(other.len());
    let padded = |v: &[u64]| -> Vec<u64> {
        let zeros = std::iter::repeat(0);
        v.iter().copied().chain(zeros).take(length).collect()
    };
    padded(one).cmp(&padded(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        let order = |a: &str, b: &str| compare(&parse(a).unwrap(), &parse(b).unwrap());
        assert_eq!(order("1.9.0", "1.32"), Ordering::Less);
        assert_eq!(order("v1.33", "1.33.0"), Ordering::Equal);
        assert_eq!(order("1.33.4", "1.33"), Ordering::Greater);
        assert_eq!(parse("latest"), None);
        assert_eq!(parse("1.x"), None);
    }
}
