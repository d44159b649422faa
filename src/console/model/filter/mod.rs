//! The filter language: terms are ANDed, commas inside a term are OR, `!` or `-` turns one round.
//!
//! Which columns and questions there are is the view's to say ([`Schema`]); a term that it does
//! not know is kept as a [`Fault`] with a suggestion and does not take part.

mod near;
mod parse;
mod version;

pub use near::nearest;
pub use parse::Fault;

use std::borrow::Cow;

use regex::Regex;

/// What a view's rows can be asked.
#[derive(Clone, Copy, Debug)]
pub struct Schema {
    /// Columns with words: `state`, `stage`.
    pub words: &'static [&'static str],
    /// Columns with numbers, shares or times: `age`, `left`.
    pub numbers: &'static [&'static str],
    /// Which of the columns with words hold versions, and can be compared as such.
    pub versions: &'static [&'static str],
    /// Whether rows have labels.
    pub labels: bool,
    /// Ready-made questions after `is:`.
    pub questions: &'static [&'static str],
}

/// A row, as a filter asks it.
pub trait Facts {
    /// Whether any text column passes a test.
    fn any_text(&self, test: &dyn Fn(&str) -> bool) -> bool;
    /// Name of the row's object.
    fn name(&self) -> &str;
    /// Content of a column with words.
    fn word(&self, column: &str) -> Option<Cow<'_, str>>;
    /// Content of a column with numbers; times in seconds, shares in per cent.
    fn number(&self, column: &str) -> Option<f64>;
    /// Value of a label, where the row has it.
    fn label(&self, key: &str) -> Option<&str>;
    /// Answer to a ready-made question.
    fn is(&self, question: &str) -> bool;
}

/// A filter, understood as far as it can be.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// As typed.
    pub text: String,
    /// What is not understood.
    pub faults: Vec<Fault>,
    terms: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq)]
struct Term {
    not: bool,
    test: Test,
}

#[derive(Clone, Debug, PartialEq)]
enum Test {
    Text {
        needle: String,
        fold: bool,
    },
    Fuzzy(String),
    Word {
        column: &'static str,
        values: Vec<String>,
    },
    Number {
        column: &'static str,
        order: Order,
        value: f64,
    },
    Pattern(Pattern),
    Version {
        column: &'static str,
        order: Order,
        value: Vec<u64>,
    },
    Label(Vec<Label>),
    Is(Vec<&'static str>),
}

/// A regular expression; the same where it is written the same.
#[derive(Clone, Debug)]
struct Pattern(Regex);

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

/// `key`, `!key`, `key=value`, `key!=value`.
#[derive(Clone, Debug, PartialEq)]
struct Label {
    key: String,
    value: Option<String>,
    not: bool,
}

impl Label {
    fn holds(&self, row: &impl Facts) -> bool {
        let found = row.label(&self.key);
        let is = match &self.value {
            Some(value) => found == Some(value.as_str()),
            None => found.is_some(),
        };
        is != self.not
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    Less,
    AtMost,
    Equal,
    AtLeast,
    More,
}

impl Filter {
    /// Reads a filter.
    pub fn parse(text: &str, schema: &Schema) -> Self {
        parse::parse(text, schema)
    }

    /// Whether it lets every row through.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether a row passes.
    pub fn lets(&self, row: &impl Facts) -> bool {
        self.terms.iter().all(|t| t.test.holds(row) != t.not)
    }
}

impl Test {
    fn holds(&self, row: &impl Facts) -> bool {
        match self {
            Test::Text { needle, fold } => row.any_text(&|text| contains(text, needle, *fold)),
            Test::Pattern(pattern) => row.any_text(&|text| pattern.0.is_match(text)),
            Test::Label(labels) => labels.iter().any(|l| l.holds(row)),
            Test::Version {
                column,
                order,
                value,
            } => row
                .word(column)
                .and_then(|word| version::parse(&word))
                .is_some_and(|own| order.allows(version::compare(&own, value))),
            Test::Fuzzy(letters) => in_order(letters, row.name()),
            Test::Word { column, values } => {
                let word = row.word(column).unwrap_or_default();
                values.iter().any(|v| matches_word(v, &word))
            }
            Test::Number {
                column,
                order,
                value,
            } => row.number(column).is_some_and(|n| order.holds(n, *value)),
            Test::Is(questions) => questions.iter().any(|q| row.is(q)),
        }
    }
}

impl Order {
    fn allows(self, is: std::cmp::Ordering) -> bool {
        match self {
            Order::Less => is.is_lt(),
            Order::AtMost => is.is_le(),
            Order::Equal => is.is_eq(),
            Order::AtLeast => is.is_ge(),
            Order::More => is.is_gt(),
        }
    }

    fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Order::Less => left < right,
            Order::AtMost => left <= right,
            Order::Equal => left == right,
            Order::AtLeast => left >= right,
            Order::More => left > right,
        }
    }
}

/// Whether a text contains another; `fold` ignores case.
pub fn contains(text: &str, needle: &str, fold: bool) -> bool {
    if !fold {
        return text.contains(needle);
    }
    if text.is_ascii() && needle.is_ascii() {
        let (text, needle) = (text.as_bytes(), needle.as_bytes());
        return needle.is_empty()
            || text
                .windows(needle.len())
                .any(|w| w.eq_ignore_ascii_case(needle));
    }
    text.to_lowercase().contains(&needle.to_lowercase())
}

fn in_order(letters: &str, name: &str) -> bool {
    let mut rest = name.chars().flat_map(char::to_lowercase);
    letters
        .chars()
        .flat_map(char::to_lowercase)
        .all(|l| rest.any(|c| c == l))
}

/// A value with `*` at its end is a beginning; blanks and case do not count.
fn matches_word(value: &str, word: &str) -> bool {
    let word: String = squeezed(word);
    match value.strip_suffix('*') {
        Some(beginning) => word.starts_with(&squeezed(beginning)),
        None => word == squeezed(value),
    }
}

/// A word without blanks and case, so that `not started` and `NotStarted` are one.
pub fn squeezed(word: &str) -> String {
    word.chars()
        .filter(|c| !c.is_whitespace())
        .flat_map(char::to_lowercase)
        .collect()
}
