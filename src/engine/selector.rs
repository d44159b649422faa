//! Label selectors: the text form of Kubernetes, without `>` and `<` (update-runs §5.3).

use std::collections::{BTreeMap, BTreeSet};

/// Longest selector text.
pub const MAX_LENGTH: usize = 512;

/// A parsed selector: every requirement must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector(Vec<Requirement>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    In(BTreeSet<String>),
    NotIn(BTreeSet<String>),
    Exists,
    Absent,
}

impl Selector {
    /// Reads a selector; the error says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Err("it is blank, which would select the whole fleet".into());
        }
        if text.chars().count() > MAX_LENGTH {
            return Err(format!("it is longer than {MAX_LENGTH} characters"));
        }
        let mut tokens: Tokens = tokens(text)?.into_iter().peekable();
        let mut requirements = vec![requirement(&mut tokens)?];
        loop {
            match tokens.next() {
                None => return Ok(Self(requirements)),
                Some(Token::Comma) => requirements.push(requirement(&mut tokens)?),
                Some(other) => return Err(format!("{other} stands where a comma was expected")),
            }
        }
    }

    /// Whether labels match. `!=` and `notin` also match where the key is absent.
    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.0.iter().all(|requirement| {
            let value = labels.get(&requirement.key);
            match &requirement.test {
                Test::In(values) => value.is_some_and(|value| values.contains(value)),
                Test::NotIn(values) => value.is_none_or(|value| !values.contains(value)),
                Test::Exists => value.is_some(),
                Test::Absent => value.is_none(),
            }
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Equals,
    NotEquals,
    Not,
    Open,
    Close,
    Comma,
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = match self {
            Token::Word(word) => word,
            Token::Equals => "=",
            Token::NotEquals => "!=",
            Token::Not => "!",
            Token::Open => "(",
            Token::Close => ")",
            Token::Comma => ",",
        };
        write!(f, "\"{text}\"")
    }
}

type Tokens = std::iter::Peekable<std::vec::IntoIter<Token>>;

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut found = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let token = match c {
            ' ' | '\t' | '\r' | '\n' => continue,
            '(' => Token::Open,
            ')' => Token::Close,
            ',' => Token::Comma,
            '=' => {
                chars.next_if_eq(&'=');
                Token::Equals
            }
            '!' if chars.next_if_eq(&'=').is_some() => Token::NotEquals,
            '!' => Token::Not,
            '<' | '>' => return Err(format!("\"{c}\" is not supported")),
            first => {
                let mut word = String::from(first);
                while let Some(next) = chars.next_if(|c| !" \t\r\n(),=!<>".contains(*c)) {
                    word.push(next);
                }
                Token::Word(word)
            }
        };
        found.push(token);
    }
    Ok(found)
}

fn requirement(tokens: &mut Tokens) -> Result<Requirement, String> {
    if tokens.next_if_eq(&Token::Not).is_some() {
        let key = key(tokens)?;
        return Ok(Requirement {
            key,
            test: Test::Absent,
        });
    }
    let key = key(tokens)?;
    let test = match tokens.peek() {
        None | Some(Token::Comma) => Test::Exists,
        Some(Token::Equals) => {
            tokens.next();
            Test::In(BTreeSet::from([single_value(tokens)?]))
        }
        Some(Token::NotEquals) => {
            tokens.next();
            Test::NotIn(BTreeSet::from([single_value(tokens)?]))
        }
        Some(Token::Word(word)) if word == "in" => {
            tokens.next();
            Test::In(values(tokens)?)
        }
        Some(Token::Word(word)) if word == "notin" => {
            tokens.next();
            Test::NotIn(values(tokens)?)
        }
        Some(other) => return Err(format!("{other} is no operator")),
    };
    Ok(Requirement { key, test })
}

fn key(tokens: &mut Tokens) -> Result<String, String> {
    match tokens.next() {
        Some(Token::Word(word)) if is_key(&word) => Ok(word),
        Some(Token::Word(word)) => Err(format!("\"{word}\" is no label key")),
        Some(other) => Err(format!("{other} stands where a label key was expected")),
        None => Err("it ends where a label key was expected".into()),
    }
}

// `k=` asks for the empty value.
fn single_value(tokens: &mut Tokens) -> Result<String, String> {
    match tokens.peek() {
        None | Some(Token::Comma) => Ok(String::new()),
        Some(Token::Word(_)) => value(tokens),
        Some(other) => Err(format!("{other} stands where a value was expected")),
    }
}

fn value(tokens: &mut Tokens) -> Result<String, String> {
    match tokens.next() {
        Some(Token::Word(word)) if is_value(&word) => Ok(word),
        Some(Token::Word(word)) => Err(format!("\"{word}\" is no label value")),
        _ => Err("a value is missing".into()),
    }
}

fn values(tokens: &mut Tokens) -> Result<BTreeSet<String>, String> {
    if tokens.next_if_eq(&Token::Open).is_none() {
        return Err("a list of values in parentheses is missing".into());
    }
    if tokens.next_if_eq(&Token::Close).is_some() {
        return Err("a list of values is empty".into());
    }
    let mut found = BTreeSet::new();
    loop {
        let word = match tokens.peek() {
            Some(Token::Word(_)) => value(tokens)?,
            _ => String::new(),
        };
        found.insert(word);
        match tokens.next() {
            Some(Token::Comma) => {}
            Some(Token::Close) => return Ok(found),
            Some(other) => return Err(format!("{other} stands in a list of values")),
            None => return Err("a parenthesis is not closed".into()),
        }
    }
}

/// Whether a text is a label key: an optional DNS prefix and `/`, then a name.
pub fn is_key(text: &str) -> bool {
    match text.split_once('/') {
        Some((prefix, name)) => is_dns(prefix) && is_name(name),
        None => is_name(text),
    }
}

/// Whether a text is a label value: empty, or a name.
pub fn is_value(text: &str) -> bool {
    text.is_empty() || is_name(text)
}

fn is_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    let ends = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
    bytes.len() <= 63
        && ends(bytes.first())
        && ends(bytes.last())
        && bytes
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(b))
}

fn is_dns(text: &str) -> bool {
    text.len() <= 253
        && text.split('.').all(|part| {
            is_name(part)
                && part
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(text: &str) -> BTreeMap<String, String> {
        text.split(',')
            .filter_map(|pair| pair.split_once('='))
            .map(|(k, v)| (k.to_owned(), v.to_owned()))
            .collect()
    }

    #[test]
    fn operators() {
        let web = labels("env=prod,tier=web,note=");
        for (selector, yes) in [
            ("env=prod", true),
            ("env==prod", true),
            ("env = dev", false),
            ("env!=prod", false),
            ("env!=dev", true),
            ("nope!=x", true),
            ("env in (prod,dev)", true),
            ("env in ( dev )", false),
            ("env notin (dev, test)", true),
            ("env notin (prod)", false),
            ("nope notin (a)", true),
            ("tier", true),
            ("nope", false),
            ("!nope", true),
            ("! tier", false),
            ("env=prod,tier=web", true),
            ("env=prod, tier=db", false),
            ("note=", true),
            ("note in (,x)", true),
            ("env=", false),
            ("fleet.azure.com/location!=x", true),
        ] {
            assert_eq!(
                Selector::parse(selector).unwrap().matches(&web),
                yes,
                "{selector}"
            );
        }
    }

    #[test]
    fn refused() {
        let long = format!("k in ({})", "a".repeat(600));
        for text in [
            "",
            "  ",
            "\t",
            "k>1",
            "k < 2",
            "k=v,",
            ",k",
            "k=v w",
            "k in",
            "k in ()",
            "k in (a",
            "k in a",
            "=v",
            "!",
            "!k=v",
            "k=(a)",
            "-k=v",
            "k=-v",
            "a/b/c=v",
            "k!",
            "k=v,,x",
            "k ö",
            "Prefix.X/k",
            &long,
        ] {
            assert!(Selector::parse(text).is_err(), "{text}");
        }
        let longest = format!("k={}", "a".repeat(MAX_LENGTH));
        assert!(Selector::parse(&longest).unwrap_err().contains("longer"));
    }
}
