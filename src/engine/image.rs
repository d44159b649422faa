//! Node images: `FAMILY-VERSION`, compared field by field as numbers (update-runs §4.2).

use std::cmp::Ordering;

/// Family and version of a node image; `None` when the text is not of the form `FAMILY-VERSION`.
pub fn split(image: &str) -> Option<(&str, &str)> {
    let (family, version) = image.rsplit_once('-')?;
    let numeric = version
        .split('.')
        .all(|field| !field.is_empty() && field.bytes().all(|b| b.is_ascii_digit()));
    (numeric && !family.is_empty()).then_some((family, version))
}

/// The family of a node image.
pub fn family(image: &str) -> Option<&str> {
    split(image).map(|(family, _)| family)
}

/// The version of a node image that is of `family`.
pub fn version_in<'a>(image: &'a str, family: &str) -> Option<&'a str> {
    split(image.strip_prefix(family).map(|_| image)?)
        .filter(|(f, _)| *f == family)
        .map(|(_, version)| version)
}

/// Compares two versions of one family field by field; a missing field counts as 0.
pub fn compare(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a.split('.'), b.split('.'));
    loop {
        let (l, r) = (left.next(), right.next());
        if l.is_none() && r.is_none() {
            return Ordering::Equal;
        }
        let order = field(l.unwrap_or("0")).cmp(&field(r.unwrap_or("0")));
        if order != Ordering::Equal {
            return order;
        }
    }
}

// A field of any length compares as the number it is: first by digits, then by text.
fn field(text: &str) -> (usize, &str) {
    let digits = text.trim_start_matches('0');
    (digits.len(), digits)
}

/// Whether a pool with image `have` is at or ahead of `target`, an image of the same family.
pub fn at_or_ahead(have: &str, target: &str) -> bool {
    match (split(have), split(target)) {
        (Some((f, v)), Some((g, w))) => f == g && compare(v, w) != Ordering::Less,
        _ => have == target,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn family_and_version() {
        assert_eq!(
            split("AKSUbuntu-2204gen2containerd-202502.26.0"),
            Some(("AKSUbuntu-2204gen2containerd", "202502.26.0"))
        );
        assert_eq!(
            split("AKSWindows-2022-containerd-20348.3207.250214"),
            Some(("AKSWindows-2022-containerd", "20348.3207.250214"))
        );
        for text in [
            "",
            "F",
            "F-",
            "-1",
            "F-1.",
            "F-1.x",
            "AKSUbuntu-2204gen2containerd",
        ] {
            assert_eq!(split(text), None, "{text}");
        }
    }

    #[test]
    fn versions_compare_as_numbers() {
        for (a, b, order) in [
            ("202502.26.0", "202502.3.0", Ordering::Greater),
            ("202502.26.0", "202502.26.0", Ordering::Equal),
            ("202502.26", "202502.26.0", Ordering::Equal),
            ("20348.3207.250214", "20348.3208.1", Ordering::Less),
            ("0801", "815", Ordering::Less),
        ] {
            assert_eq!(compare(a, b), order, "{a} {b}");
        }
        assert!(at_or_ahead("F-202502.26.0", "F-202502.26.0"));
        assert!(at_or_ahead("F-202503.1.0", "F-202502.26.0"));
        assert!(!at_or_ahead("F-202502.3.0", "F-202502.26.0"));
        assert!(!at_or_ahead("G-202503.1.0", "F-202502.26.0"));
        assert_eq!(version_in("F-1.2", "F"), Some("1.2"));
        assert_eq!(version_in("FF-1.2", "F"), None);
    }
}
