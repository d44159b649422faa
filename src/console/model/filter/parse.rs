//! Reads a filter's text into terms.

use crate::api::State;

use regex::RegexBuilder;

use super::{Filter, Label, Order, Pattern, Schema, Term, Test, nearest, squeezed, version};

/// A term that is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The term, as typed.
    pub term: String,
    /// What is wrong with it.
    pub message: String,
    /// The whole filter as it was probably meant.
    pub instead: Option<String>,
}

pub(super) fn parse(text: &str, schema: &Schema) -> Filter {
    let mut filter = Filter {
        text: text.to_owned(),
        ..Filter::default()
    };
    let mut words = split(text).into_iter().peekable();
    while let Some(word) = words.next() {
        // As k9s writes labels and near names: `-l env=prod`, `-f text`.
        let form = match word.as_str() {
            "-l" => "label:",
            "-f" => "~",
            _ => "",
        };
        let raw = match words.next_if(|_| !form.is_empty()) {
            Some(next) => format!("{form}{next}"),
            None => word,
        };
        let (not, body) = match raw.strip_prefix(['!', '-']) {
            Some(body) => (true, body),
            None => (false, raw.as_str()),
        };
        if body.is_empty() {
            continue;
        }
        match test(body, schema) {
            Ok(test) => filter.terms.push(Term { not, test }),
            Err((message, wrong_right)) => filter.faults.push(Fault {
                term: raw.clone(),
                message,
                instead: wrong_right
                    .map(|(wrong, right)| text.replacen(&raw, &raw.replacen(&wrong, &right, 1), 1)),
            }),
        }
    }
    filter
}

/// Words apart at blanks; quotes and regular expressions keep blanks.
fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    // What ends the part in which a blank is a character like others.
    let mut until = None;
    for c in text.chars() {
        match (until, c) {
            (Some(end), c) => {
                // An escaped slash is one of the expression.
                if c == end && !(c == '/' && word.ends_with('\\')) {
                    until = None;
                }
                word.push(c);
            }
            (None, '"') => {
                until = Some('"');
                word.push(c);
            }
            (None, '/') if matches!(word.as_str(), "" | "!" | "-") => {
                until = Some('/');
                word.push(c);
            }
            (None, c) if c.is_whitespace() => words.push(std::mem::take(&mut word)),
            (None, c) => word.push(c),
        }
    }
    words.push(word);
    words.retain(|w| !w.is_empty());
    words
}

type Misread = (String, Option<(String, String)>);

fn test(body: &str, schema: &Schema) -> Result<Test, Misread> {
    if let Some(letters) = body.strip_prefix('~') {
        return Ok(Test::Fuzzy(letters.to_owned()));
    }
    if let Some(expression) = body.strip_prefix('/') {
        return pattern(expression.strip_suffix('/').unwrap_or(expression));
    }
    if let Some(phrase) = body.strip_prefix('"') {
        return Ok(text_test(phrase.trim_end_matches('"')));
    }
    let Some((column, value)) = comparison(body) else {
        return Ok(text_test(body));
    };
    if column == "is" {
        return questions(value, schema);
    }
    if column == "label" && schema.labels {
        return labels(value);
    }
    if let Some(column) = schema.words.iter().find(|c| **c == column) {
        let compared = schema.versions.contains(column);
        return match order(value).filter(|_| compared) {
            Some((order, digits)) => versions(column, order, digits),
            None => words(column, value),
        };
    }
    if let Some(column) = schema.numbers.iter().find(|c| **c == column) {
        return number(column, value);
    }
    let known = schema.words.iter().chain(schema.numbers).copied();
    let near = nearest(column, known.chain(["is"]));
    let fix = near.map(|n| (column.to_owned(), n.to_owned()));
    Err((format!("\"{column}\" is no column of this view."), fix))
}

/// `column:value`, or `column<value` and the like.
fn comparison(body: &str) -> Option<(&str, &str)> {
    let at = body.find([':', '<', '>', '='])?;
    let (column, value) = body.split_at_checked(at)?;
    let plain = !column.is_empty() && column.chars().all(|c| c.is_ascii_lowercase());
    plain.then_some((column, value.strip_prefix(':').unwrap_or(value)))
}

/// Ignores case unless a letter of it that is no class (`\\W`) is a capital.
fn pattern(expression: &str) -> Result<Test, Misread> {
    let mut escaped = false;
    let capital = expression.chars().any(|c| {
        let is_class = escaped;
        escaped = c == '\\' && !is_class;
        !is_class && c.is_uppercase()
    });
    let built = RegexBuilder::new(expression)
        .case_insensitive(!capital)
        .size_limit(1 << 20)
        .build();
    built.map(|r| Test::Pattern(Pattern(r))).map_err(|error| {
        let error = error.to_string();
        let last = error.lines().last().unwrap_or_default();
        let why = last.trim_start_matches("error: ");
        (
            format!("/{expression}/ is no regular expression: {why}."),
            None,
        )
    })
}

fn labels(value: &str) -> Result<Test, Misread> {
    let labels: Vec<Label> = value
        .split(',')
        .filter(|l| !l.is_empty())
        .map(|label| {
            let (label, missing) = match label.strip_prefix('!') {
                Some(rest) => (rest, true),
                None => (label, false),
            };
            let (key, value) = match label.split_once('=') {
                Some((key, value)) => (key, Some(value.trim_start_matches('=').to_owned())),
                None => (label, None),
            };
            let unlike = value.is_some() && key.ends_with('!');
            Label {
                key: key.trim_end_matches('!').to_owned(),
                value,
                not: missing != unlike,
            }
        })
        .collect();
    match labels.iter().any(|l| l.key.is_empty()) || labels.is_empty() {
        true => Err((format!("label:{value} names no label."), None)),
        false => Ok(Test::Label(labels)),
    }
}

fn versions(column: &'static str, order: Order, digits: &str) -> Result<Test, Misread> {
    let value = version::parse(digits).ok_or_else(|| {
        let message = format!("\"{digits}\" is no version for {column}.");
        (message, None)
    })?;
    Ok(Test::Version {
        column,
        order,
        value,
    })
}

fn text_test(needle: &str) -> Test {
    Test::Text {
        needle: needle.to_owned(),
        fold: !needle.chars().any(char::is_uppercase),
    }
}

fn questions(value: &str, schema: &Schema) -> Result<Test, Misread> {
    let mut asked = Vec::new();
    for word in value.split(',').filter(|w| !w.is_empty()) {
        match schema.questions.iter().find(|q| **q == word) {
            Some(question) => asked.push(*question),
            None => {
                let near = nearest(word, schema.questions.iter().copied());
                let fix = near.map(|n| (word.to_owned(), n.to_owned()));
                return Err((format!("is:\"{word}\" is not known in this view."), fix));
            }
        }
    }
    Ok(Test::Is(asked))
}

fn words(column: &'static str, value: &str) -> Result<Test, Misread> {
    let values: Vec<String> = value
        .split(',')
        .map(|v| v.trim_matches('"').to_owned())
        .filter(|v| !v.is_empty())
        .collect();
    if column == "state" {
        let known: Vec<String> = State::ALL.iter().map(|s| squeezed(s.as_str())).collect();
        for value in values.iter().filter(|v| !v.ends_with('*')) {
            let word = squeezed(value);
            if !known.contains(&word) {
                let near = nearest(&word, known.iter().map(String::as_str));
                let fix = near.map(|n| (value.clone(), n.to_owned()));
                return Err((format!("\"{value}\" is no state."), fix));
            }
        }
    }
    Ok(Test::Word { column, values })
}

/// `<`, `>=` and the like in front of a value.
fn order(value: &str) -> Option<(Order, &str)> {
    let orders = [
        ("<=", Order::AtMost),
        (">=", Order::AtLeast),
        ("<", Order::Less),
        (">", Order::More),
        ("=", Order::Equal),
    ];
    orders
        .iter()
        .find_map(|(sign, order)| value.strip_prefix(sign).map(|rest| (*order, rest)))
}

fn number(column: &'static str, value: &str) -> Result<Test, Misread> {
    let (order, digits) = order(value).unwrap_or((Order::Equal, value));
    let value = quantity(digits)
        .ok_or_else(|| (format!("\"{digits}\" is no number for {column}."), None))?;
    Ok(Test::Number {
        column,
        order,
        value,
    })
}

/// `3`, `50%`, `2h`, `10d`; times in seconds.
fn quantity(text: &str) -> Option<f64> {
    let unit = |factor: f64, suffix: char| {
        text.strip_suffix(suffix)
            .and_then(|n| n.parse::<f64>().ok())
            .map(|n| n * factor)
    };
    text.parse::<f64>()
        .ok()
        .or_else(|| unit(1.0, '%'))
        .or_else(|| unit(1.0, 's'))
        .or_else(|| unit(60.0, 'm'))
        .or_else(|| unit(3_600.0, 'h'))
        .or_else(|| unit(86_400.0, 'd'))
        .filter(|n| n.is_finite())
}

#[cfg(test)]
mod tests {
    use super::super::Facts;
    use super::*;
    use proptest::prelude::*;
    use std::borrow::Cow;

    const SCHEMA: Schema = Schema {
        words: &["state", "stage", "version"],
        versions: &["version"],
        labels: true,
        numbers: &["age", "left", "done"],
        questions: &["gate", "blocked"],
    };

    struct Sample;

    impl Facts for Sample {
        fn any_text(&self, test: &dyn Fn(&str) -> bool) -> bool {
            test("weu-web-08 drain Blocked")
        }
        fn label(&self, key: &str) -> Option<&str> {
            (key == "env").then_some("prod")
        }
        fn name(&self) -> &str {
            "weu-web-08"
        }
        fn word(&self, column: &str) -> Option<Cow<'_, str>> {
            match column {
                "state" => Some("NotStarted".into()),
                "version" => Some("1.32.9".into()),
                _ => None,
            }
        }
        fn number(&self, column: &str) -> Option<f64> {
            (column == "age").then_some(7_300.0)
        }
        fn is(&self, question: &str) -> bool {
            question == "gate"
        }
    }

    #[test]
    fn every_form_means_what_the_guide_says() {
        for (text, lets) in [
            ("", true),
            ("web", true),
            ("WEB", false),
            ("drain", true),
            ("Drain", false),
            ("web eu-9", false),
            ("~wb08", true),
            ("~80", false),
            ("~eu8", true),
            ("\"drain blocked\"", true),
            ("\"blocked drain\"", false),
            ("state:notstarted", true),
            ("state:failed,NotStarted", true),
            ("state:failed", false),
            ("!state:failed", true),
            ("-web", false),
            ("version:1.32.*", true),
            ("version:<1.33", true),
            ("version:<1.9", false),
            ("version:>=1.32.9", true),
            ("version>1.32.9", false),
            ("/web-\\d+ DRAIN/", false),
            ("/web-\\d+ drain blocked/", true),
            ("/web-\\d+ drain B/", true),
            ("!/web-\\d+/", false),
            ("/WEB/", false),
            ("/^eu/", false),
            ("/a\\/b/", false),
            ("label:env", true),
            ("label:env=prod", true),
            ("label:env=lab,env=prod", true),
            ("label:env!=prod", false),
            ("label:!canary", true),
            ("!label:env", false),
            ("-l env=prod web", true),
            ("-l env=lab", false),
            ("-f wb08", true),
            ("-l", false),
            ("age:>2h", true),
            ("age<2h", false),
            ("left:<1", false),
            ("is:gate", true),
            ("is:blocked", false),
            ("is:blocked,gate", true),
            ("!", true),
        ] {
            let filter = Filter::parse(text, &SCHEMA);
            assert_eq!(filter.faults, [], "{text}");
            assert_eq!(filter.lets(&Sample), lets, "{text}");
        }
    }

    #[test]
    fn what_is_not_known_is_explained() {
        let fault = |text: &str| Filter::parse(text, &SCHEMA).faults.remove(0);
        let faild = fault("web state:faild");
        assert_eq!(faild.message, "\"faild\" is no state.");
        assert_eq!(faild.instead.as_deref(), Some("web state:failed"));
        assert_eq!(fault("stat:x").instead.as_deref(), Some("state:x"));
        assert_eq!(fault("is:gat").instead.as_deref(), Some("is:gate"));
        assert_eq!(fault("age:>soon").instead, None);
        assert_eq!(
            fault("/web-(/").message,
            "/web-(/ is no regular expression: unclosed group."
        );
        assert_eq!(
            fault("version:<new").message,
            "\"new\" is no version for version."
        );
        assert_eq!(fault("label:=x").message, "label:=x names no label.");
        assert_eq!(
            fault("colour:red").message,
            "\"colour\" is no column of this view."
        );
        // What is not understood does not hide rows.
        assert!(Filter::parse("state:faild", &SCHEMA).lets(&Sample));
    }

    proptest! {
        #[test]
        fn no_text_makes_the_parser_fall(text in ".*") {
            let filter = Filter::parse(&text, &SCHEMA);
            let _ = filter.lets(&Sample);
        }
    }
}
