//! Label selectors, with the grammar and the messages of the API.

use std::collections::BTreeSet;

use crate::embedded::store::Object;

#[derive(Clone, Debug, PartialEq)]
enum Test {
    Exists,
    Missing,
    /// Equal to one of these.
    In(Vec<String>),
    /// Missing, or equal to none of these.
    NotIn(Vec<String>),
    Greater(i64),
    Less(i64),
}

#[derive(Clone, Debug, PartialEq)]
struct Requirement {
    key: String,
    test: Test,
}

/// All must hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Labels(Vec<Requirement>);

impl Labels {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser {
            tokens: tokens(text),
            next: 0,
        };
        parser.selector().map(Self).map_err(|error| match error {
            Error::Bare(text) => text,
            Error::Requirement(text) => format!("unable to parse requirement: {text}"),
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn matches(&self, object: &Object) -> bool {
        self.0.iter().all(|requirement| {
            let value = object.label(&requirement.key);
            let number = || value.and_then(|value| value.parse::<i64>().ok());
            match &requirement.test {
                Test::Exists => value.is_some(),
                Test::Missing => value.is_none(),
                Test::In(values) => value.is_some_and(|v| values.iter().any(|x| x == v)),
                Test::NotIn(values) => value.is_none_or(|v| values.iter().all(|x| x != v)),
                Test::Greater(than) => number().is_some_and(|n| n > *than),
                Test::Less(than) => number().is_some_and(|n| n < *than),
            }
        })
    }
}

/// Signs, longest first.
const SIGNS: &[&str] = &["==", "!=", "=", "!", "(", ")", ",", "<", ">"];

fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    'next: while let Some(first) = rest.chars().next() {
        if first.is_ascii_whitespace() {
            rest = rest.trim_ascii_start();
            continue;
        }
        for sign in SIGNS {
            if let Some(after) = rest.strip_prefix(sign) {
                tokens.push((*sign).to_owned());
                rest = after;
                continue 'next;
            }
        }
        let ends = |c: char| c.is_ascii_whitespace() || "=!(),<>".contains(c);
        let end = rest.find(ends).unwrap_or(rest.len());
        let (word, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        tokens.push(word.to_owned());
        rest = after;
    }
    tokens
}

enum Error {
    /// Printed as it is.
    Bare(String),
    /// Printed as an unreadable requirement.
    Requirement(String),
}

struct Parser {
    tokens: Vec<String>,
    next: usize,
}

impl Parser {
    fn peek(&self) -> &str {
        self.tokens.get(self.next).map_or("", String::as_str)
    }

    fn take(&mut self) -> String {
        let token = self.peek().to_owned();
        self.next += 1;
        token
    }

    fn at_end(&self) -> bool {
        self.next >= self.tokens.len()
    }

    fn selector(&mut self) -> Result<Vec<Requirement>, Error> {
        let mut requirements = Vec::new();
        if self.at_end() {
            return Ok(requirements);
        }
        loop {
            match self.peek() {
                "!" => requirements.push(self.requirement()?),
                word if is_word(word) => requirements.push(self.requirement()?),
                found => {
                    return Err(Error::Bare(format!(
                        "found '{found}', expected: !, identifier, or 'end of string'"
                    )));
                }
            }
            if self.at_end() {
                return Ok(requirements);
            }
            let found = self.take();
            if found != "," {
                return Err(Error::Bare(format!(
                    "found '{found}', expected: ',' or 'end of string'"
                )));
            }
            let after = self.peek();
            if after != "!" && !is_word(after) {
                return Err(Error::Bare(format!(
                    "found '{after}', expected: identifier after ','"
                )));
            }
        }
    }

    fn requirement(&mut self) -> Result<Requirement, Error> {
        let negated = self.peek() == "!";
        if negated {
            self.take();
        }
        let key = self.take();
        if !is_word(&key) {
            return Err(Error::Requirement(format!(
                "found '{key}', expected: identifier"
            )));
        }
        if let Some(error) = crate::embedded::registry::qualified(&key).first() {
            return Err(Error::Requirement(format!(
                "<nil>: Invalid value: {key:?}: {error}"
            )));
        }
        if negated {
            return Ok(Requirement {
                key,
                test: Test::Missing,
            });
        }
        if self.at_end() || self.peek() == "," {
            return Ok(Requirement {
                key,
                test: Test::Exists,
            });
        }
        let operator = self.take();
        let test = match operator.as_str() {
            "=" | "==" => Test::In(vec![self.exact(&key)?]),
            "!=" => Test::NotIn(vec![self.exact(&key)?]),
            "in" => Test::In(self.values(&key)?),
            "notin" => Test::NotIn(self.values(&key)?),
            "gt" | ">" => Test::Greater(self.number()?),
            "lt" | "<" => Test::Less(self.number()?),
            other => {
                return Err(Error::Requirement(format!(
                    "found '{other}', expected: in, notin, =, ==, !=, gt, lt"
                )));
            }
        };
        Ok(Requirement { key, test })
    }

    /// A value that may be left out: then it is empty.
    fn exact(&mut self, key: &str) -> Result<String, Error> {
        if self.at_end() || self.peek() == "," {
            return Ok(String::new());
        }
        let value = self.take();
        if !is_word(&value) {
            return Err(Error::Requirement(format!(
                "found '{value}', expected: identifier"
            )));
        }
        checked(key, 0, value)
    }

    fn number(&mut self) -> Result<i64, Error> {
        let value = self.take();
        value.parse().map_err(|_| {
            Error::Requirement(format!("values[0]: Invalid value: {value:?}: for 'Gt', 'Lt' operators, the value must be an integer"))
        })
    }

    fn values(&mut self, key: &str) -> Result<Vec<String>, Error> {
        let found = self.take();
        if found != "(" {
            return Err(Error::Requirement(format!("found '{found}' expected: '('")));
        }
        let mut values = BTreeSet::new();
        match self.peek() {
            ")" => {
                self.take();
            }
            word if word == "," || is_word(word) => {
                self.identifiers(&mut values)?;
                self.take();
            }
            found => {
                return Err(Error::Requirement(format!(
                    "found '{found}', expected: ',', ')' or identifier"
                )));
            }
        }
        values
            .into_iter()
            .enumerate()
            .map(|(index, value)| checked(key, index, value))
            .collect()
    }
}

impl Parser {
    /// The words of a list up to its closing bracket; two commas side by side are an empty word.
    fn identifiers(&mut self, values: &mut BTreeSet<String>) -> Result<(), Error> {
        loop {
            let token = self.take();
            if is_word(&token) {
                values.insert(token);
                match self.peek() {
                    "," => continue,
                    ")" => return Ok(()),
                    found => {
                        return Err(Error::Requirement(format!(
                            "found '{found}', expected: ',' or ')'"
                        )));
                    }
                }
            }
            if token != "," {
                return Err(Error::Requirement(format!(
                    "found '{token}', expected: ',', or identifier"
                )));
            }
            if values.is_empty() {
                values.insert(String::new());
            }
            match self.peek() {
                ")" => {
                    values.insert(String::new());
                    return Ok(());
                }
                "," => {
                    self.take();
                    values.insert(String::new());
                }
                _ => {}
            }
        }
    }
}

fn checked(key: &str, index: usize, value: String) -> Result<String, Error> {
    match crate::embedded::registry::label_value(&value).first() {
        Some(error) => Err(Error::Requirement(format!(
            "values[{index}][{key}]: Invalid value: {value:?}: {error}"
        ))),
        None => Ok(value),
    }
}

fn is_word(token: &str) -> bool {
    !token.is_empty() && !SIGNS.contains(&token)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn matches(selector: &str, labels: serde_json::Value) -> bool {
        let value = json!({"metadata": {"name": "x", "labels": labels}});
        Labels::parse(selector)
            .unwrap()
            .matches(&Object::new(&value, 1, &[]))
    }

    #[test]
    fn every_operator() {
        let labels = json!({"a": "1", "b": "x", "e": ""});
        for yes in [
            "",
            "a",
            "!c",
            "a=1",
            "a==1,b=x",
            "a!=2",
            "c!=2",
            "a in (0,1)",
            "c notin (x)",
            "a>0",
            "a<2",
            "e=",
            "e in (,y)",
            "a gt 0",
            " a = 1 , b ",
        ] {
            assert!(matches(yes, labels.clone()), "{yes}");
        }
        for no in [
            "c",
            "!a",
            "a=2",
            "a!=1",
            "a in (2)",
            "a in ()",
            "b notin (x)",
            "a>1",
            "b>0",
        ] {
            assert!(!matches(no, labels.clone()), "{no}");
        }
    }

    #[test]
    fn the_messages_of_the_api() {
        for (selector, message) in [
            (
                "n in 0",
                "unable to parse requirement: found '0' expected: '('",
            ),
            (
                "n in (0",
                "unable to parse requirement: found '', expected: ',' or ')'",
            ),
            ("n=a=b", "found '=', expected: ',' or 'end of string'"),
            (
                "=a",
                "found '=', expected: !, identifier, or 'end of string'",
            ),
            (
                "a b",
                "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
            ),
            (
                "!",
                "unable to parse requirement: found '', expected: identifier",
            ),
            ("a,", "found '', expected: identifier after ','"),
            (
                "n>x",
                "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
            ),
        ] {
            assert_eq!(Labels::parse(selector).unwrap_err(), message, "{selector}");
        }
        let long = "v".repeat(64);
        let message = Labels::parse(&format!("n={long}")).unwrap_err();
        assert!(
            message.ends_with("must be no more than 63 bytes"),
            "{message}"
        );
        let message = Labels::parse("-bad=1").unwrap_err();
        assert!(
            message.starts_with(
                "unable to parse requirement: <nil>: Invalid value: \"-bad\": name part must"
            ),
            "{message}"
        );
    }
}
