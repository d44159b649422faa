//! The one door for text from a cluster: nothing that steers a terminal comes through.
//!
//! Control codes, escape sequences, direction marks and other invisible signs are taken out and
//! counted, so that a row can say that there was something. Must not know where the text is shown.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Code points that one visible sign may consist of; more are only there to do harm.
const LONGEST_SIGN: usize = 12;

/// A text that may be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clean<'a> {
    /// One line without any control code.
    pub text: Cow<'a, str>,
    /// How many harmful things were taken out (an escape sequence counts as one).
    pub removed: usize,
}

impl Clean<'_> {
    /// The text alone.
    pub fn into_owned(self) -> String {
        self.text.into_owned()
    }
}

impl std::fmt::Display for Clean<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&self.text)
    }
}

/// Cleans a text into one line. Line ends and tabs become a space, which is not counted.
pub fn clean(raw: &str) -> Clean<'_> {
    if raw.bytes().all(|b| matches!(b, b' '..=b'~')) {
        return Clean {
            text: Cow::Borrowed(raw),
            removed: 0,
        };
    }
    let (visible, mut removed) = without_controls(raw);
    let mut text = String::with_capacity(visible.len());
    for sign in visible.graphemes(true) {
        let short: String = sign.chars().take(LONGEST_SIGN).collect();
        if short.width() == 0 {
            removed += 1;
            continue;
        }
        removed += sign.chars().count().saturating_sub(LONGEST_SIGN);
        text.push_str(&short);
    }
    Clean {
        text: Cow::Owned(text),
        removed,
    }
}

/// Cleans a text of several lines; a tab becomes four spaces.
pub fn clean_lines(raw: &str) -> (Vec<String>, usize) {
    let mut removed = 0;
    let line = |line: &str| {
        let line = line
            .strip_suffix('\r')
            .unwrap_or(line)
            .replace('\t', "    ");
        let clean = clean(&line);
        removed += clean.removed;
        clean.text.into_owned()
    };
    let lines = raw.split('\n').map(line).collect();
    (lines, removed)
}

/// Takes out what steers a terminal or the direction of writing.
fn without_controls(raw: &str) -> (String, usize) {
    let mut text = String::with_capacity(raw.len());
    let mut removed = 0;
    let mut rest = raw.chars();
    while let Some(c) = rest.next() {
        match c {
            '\n' | '\t' | '\u{2028}' | '\u{2029}' => text.push(' '),
            '\r' => {
                if !rest.as_str().starts_with('\n') {
                    text.push(' ');
                }
            }
            '\u{1b}' => {
                skip_escape(&mut rest);
                removed += 1;
            }
            '\u{9b}' => {
                skip_control_sequence(&mut rest);
                removed += 1;
            }
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => {
                skip_string(&mut rest);
                removed += 1;
            }
            c if steers(c) => removed += 1,
            c => text.push(c),
        }
    }
    (text, removed)
}

fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Direction marks, embeddings, overrides, isolates.
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            // Invisible: spaces of no width, joiners of words, soft hyphen, fillers, marks of
            // annotation, language tags, private use (fonts put anything there).
            | '\u{ad}' | '\u{200b}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{feff}'
            | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
            | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}')
}

/// After ESC: a control sequence, a string up to its end, or one more character.
fn skip_escape(rest: &mut std::str::Chars<'_>) {
    let mut after = rest.clone();
    match after.next() {
        Some('[') => {
            *rest = after;
            skip_control_sequence(rest);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            *rest = after;
            skip_string(rest);
        }
        Some(c) if c.is_ascii_graphic() => {
            *rest = after;
            // Intermediate signs such as `ESC ( B` are followed by a final one.
            if matches!(c, '#' | '%' | '('..='/') {
                let mut last = rest.clone();
                if last.next().is_some_and(|c| c.is_ascii_graphic()) {
                    *rest = last;
                }
            }
        }
        _ => {}
    }
}

/// Parameters, then one final sign. A sequence that breaks off takes nothing along.
fn skip_control_sequence(rest: &mut std::str::Chars<'_>) {
    let mut after = rest.clone();
    while let Some(c) = after.next() {
        match c {
            ' '..='?' => {}
            '@'..='~' => {
                *rest = after;
                return;
            }
            _ => return,
        }
    }
}

/// Everything up to BEL or the string terminator. Without an end, only the introducer goes.
fn skip_string(rest: &mut std::str::Chars<'_>) {
    let mut after = rest.clone();
    while let Some(c) = after.next() {
        let ends = match c {
            '\u{7}' | '\u{9c}' => true,
            '\u{1b}' => after.as_str().starts_with('\\') && after.next().is_some(),
            _ => false,
        };
        if ends {
            *rest = after;
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn plain_text_is_not_copied() {
        let clean = clean("weu-web-08 is ready");
        assert!(matches!(clean.text, Cow::Borrowed(_)));
        assert_eq!(clean.removed, 0);
    }

    #[test]
    fn what_steers_a_terminal_is_removed_and_counted() {
        for (raw, text, removed) in [
            ("a\u{1b}[31mred\u{1b}[0m", "ared", 2),
            ("x\u{1b}]0;title\u{7}y", "xy", 1),
            ("x\u{1b}]52;c;AAAA\u{1b}\\y", "xy", 1),
            ("x\u{9b}2Jy", "xy", 1),
            ("x\u{1b}(By\u{1b}c", "xy", 2),
            ("x\u{1b}]never ends", "xnever ends", 1),
            ("bell\u{7} back\u{8}", "bell back", 2),
            ("user\u{202e}txt.exe", "usertxt.exe", 1),
            ("a\u{200b}b\u{feff}", "ab", 2),
            ("two\nlines\r\nand\ttab", "two lines and tab", 0),
            ("\u{301}x", "x", 1),
            ("Zürich 東京 👩‍💻", "Zürich 東京 👩‍💻", 0),
        ] {
            let clean = clean(raw);
            assert_eq!((&*clean.text, clean.removed), (text, removed), "{raw:?}");
        }
    }

    #[test]
    fn a_heap_of_marks_is_cut() {
        let raw = format!("e{}x", "\u{301}".repeat(500));
        let clean = clean(&raw);
        assert!(clean.text.chars().count() < 20);
        assert!(clean.removed > 400);
    }

    #[test]
    fn lines_stay_lines() {
        let (lines, removed) = clean_lines("a:\r\n\tb\u{1b}[0m\nc");
        assert_eq!(lines, ["a:", "    b", "c"]);
        assert_eq!(removed, 1);
    }

    proptest! {
        #[test]
        fn nothing_that_steers_comes_through(raw in "(\\PC|[\\x00-\\x1f\\x7f-\\x9f]|\\x1b\\[|\\x1b\\]|[\\u{200b}-\\u{206f}]|[\\u{300}-\\u{310}])*") {
            let clean = clean(&raw);
            prop_assert!(!clean.text.chars().any(steers));
            prop_assert!(clean.text.graphemes(true).all(|g| g.width() > 0));
            // Clean text is clean.
            let again = super::clean(&clean.text);
            prop_assert_eq!(&again.text, &clean.text);
        }
    }
}
