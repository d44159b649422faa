//! Breaks sentences into lines.

use crate::text;

/// Lines of at most `cells`, broken at blanks; a word that is wider is broken where it must be.
pub fn wrap(sentence: &str, cells: usize) -> Vec<String> {
    let cells = cells.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in sentence.split(' ') {
        let mut word = word;
        let gap = usize::from(!line.is_empty());
        if text::width(&line) + gap + text::width(word) <= cells {
            if gap == 1 {
                line.push(' ');
            }
            line.push_str(word);
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        while text::width(word) > cells {
            let head = text::take(word, cells);
            let Some(rest) = word.strip_prefix(head).filter(|_| !head.is_empty()) else {
                break;
            };
            lines.push(head.to_owned());
            word = rest;
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_blanks_and_long_words_where_they_must() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrap("", 5), [""]);
    }
}
