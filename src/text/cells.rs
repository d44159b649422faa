//! Text measured, cut, shortened and padded in cells of a terminal, by grapheme.
//!
//! Works on clean text. No result is ever wider than what was asked for.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Cells that a text takes.
pub fn width(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.graphemes(true).map(UnicodeWidthStr::width).sum()
}

/// The beginning of a text, at most `cells` wide, ending at a grapheme's end.
pub fn take(text: &str, cells: usize) -> &str {
    let mut used = 0;
    for (at, sign) in text.grapheme_indices(true) {
        used += sign.width();
        if used > cells {
            return text.get(..at).unwrap_or_default();
        }
    }
    text
}

/// The end of a text, at most `cells` wide, beginning at a grapheme's begin.
fn take_end(text: &str, cells: usize) -> &str {
    let mut used = 0;
    for (at, sign) in text.grapheme_indices(true).rev() {
        used += sign.width();
        if used > cells {
            return text.get(at + sign.len()..).unwrap_or_default();
        }
    }
    text
}

/// Shortens at the right, with `ellipsis` where something is missing: for notes.
pub fn cut<'a>(text: &'a str, cells: usize, ellipsis: &str) -> Cow<'a, str> {
    if width(text) <= cells {
        return Cow::Borrowed(text);
    }
    let sign = width(ellipsis);
    if cells < sign {
        return Cow::Borrowed("");
    }
    let head = take(text, cells - sign);
    Cow::Owned(format!("{}{ellipsis}", head.trim_end()))
}

/// Shortens in the middle, with `ellipsis` where something is missing: for names. Both ends keep
/// 6 cells where 13 or more are given, and share what there is otherwise.
pub fn shorten<'a>(text: &'a str, cells: usize, ellipsis: &str) -> Cow<'a, str> {
    if width(text) <= cells {
        return Cow::Borrowed(text);
    }
    let sign = width(ellipsis);
    if cells < sign {
        return Cow::Borrowed("");
    }
    let left = cells - sign;
    let head = take(text, left.div_ceil(2));
    let tail = take_end(text, left / 2);
    Cow::Owned(format!("{head}{ellipsis}{tail}"))
}

/// Fills up with spaces at the right to exactly `cells`; a wider text stays as it is.
pub fn pad(text: &str, cells: usize) -> Cow<'_, str> {
    let used = width(text);
    if used >= cells {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{text}{}", " ".repeat(cells - used)))
}

/// Cuts or pads at the right to exactly `cells`.
pub fn fit<'a>(text: &'a str, cells: usize, ellipsis: &str) -> Cow<'a, str> {
    match cut(text, cells, ellipsis) {
        Cow::Borrowed(short) => pad(short, cells),
        Cow::Owned(short) => Cow::Owned(pad(&short, cells).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_keep_both_ends() {
        assert_eq!(shorten("westeurope-web-0815", 13, "…"), "westeu…b-0815");
        assert_eq!(shorten("westeurope-web-0815", 14, "…"), "westeur…b-0815");
        assert_eq!(shorten("westeurope-web-0815", 4, "…"), "we…5");
        assert_eq!(shorten("short", 13, "…"), "short");
        assert_eq!(shorten("short", 0, "…"), "");
    }

    #[test]
    fn notes_are_cut_at_the_right_and_columns_are_filled() {
        assert_eq!(cut("gate before prod", 10, "…"), "gate befo…");
        assert_eq!(cut("gate before prod", 6, "…"), "gate…");
        assert_eq!(fit("東京", 3, "…"), "東…");
        assert_eq!(fit("東京", 4, "…"), "東京");
        assert_eq!(fit("ab", 4, "…"), "ab  ");
        assert_eq!(width("👩‍💻x"), 3);
    }

    proptest! {
        #[test]
        fn nothing_gets_wider_than_asked(raw in "\\PC*", cells in 0usize..40) {
            let clean = crate::text::clean(&raw);
            let text = &*clean.text;
            for short in [shorten(text, cells, "…"), cut(text, cells, "…"), take(text, cells).into()] {
                prop_assert!(width(&short) <= cells, "{short:?}");
            }
            prop_assert_eq!(width(&fit(text, cells, "…")), cells);
        }

        #[test]
        fn long_names_keep_six_cells_at_both_ends(name in "[a-z0-9-]{30,60}", cells in 13usize..30) {
            let short = shorten(&name, cells, "…");
            prop_assert_eq!(width(&short), cells);
            prop_assert_eq!(take(&short, 6), take(&name, 6));
            let end = name.get(name.len() - 6..).unwrap_or_default();
            prop_assert!(short.ends_with(end));
        }
    }
}
