//! Numbers and sentences as people read them.

/// A number with its thousands apart: `1,204`.
pub fn count(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// A number with what is counted: `1 stage`, `2 stages`, `1,204 members`. A number below 0 counts
/// as 0.
pub fn counted(n: impl TryInto<usize>, one: &str) -> String {
    let n = n.try_into().unwrap_or(0);
    let end = if n == 1 { "" } else { "s" };
    format!("{} {one}{end}", count(n))
}

/// A text with a full stop, unless it ends a sentence already.
pub fn sentence(text: &str) -> String {
    let text = text.trim_end();
    match text.chars().next_back() {
        None | Some('.' | '?' | ':') => text.to_owned(),
        Some(_) => format!("{text}."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_no_plural() {
        assert_eq!(count(12), "12");
        assert_eq!(count(1_000_000), "1,000,000");
        assert_eq!(counted(1, "stage"), "1 stage");
        assert_eq!(counted(0, "stage"), "0 stages");
        assert_eq!(counted(1_204_i32, "member"), "1,204 members");
        assert_eq!(counted(-1_i32, "gate"), "0 gates");
    }

    #[test]
    fn a_sentence_ends_once() {
        assert_eq!(sentence("allows 0"), "allows 0.");
        assert_eq!(sentence("allows 0. "), "allows 0.");
        assert_eq!(sentence(""), "");
    }
}
