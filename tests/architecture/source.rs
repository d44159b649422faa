//! Reads Rust source just well enough to say which paths it mentions.

use std::collections::BTreeMap;

/// A path mentioned in a file and the line of its first mention.
pub type Mentions = BTreeMap<Vec<String>, usize>;

/// Paths that `text`, the file of module `module` (`["engine", "plan"]`), mentions outside its
/// unit tests. `use` trees are unfolded; `crate`, `self` and `super` become absolute.
pub fn mentions(text: &str, module: &[String]) -> Mentions {
    let tokens = tokens(&without_tests(&blank(text)));
    let mut found = Mentions::new();
    let mut at = 0;
    while let Some((token, line)) = tokens.get(at) {
        if token == "use" {
            at = tree(&tokens, at + 1, &[], module, &mut found);
        } else if is_ident(token) {
            let mut path = vec![token.clone()];
            at += 1;
            while tokens.get(at).is_some_and(|t| t.0 == "::")
                && tokens.get(at + 1).is_some_and(|t| is_ident(&t.0))
            {
                path.push(tokens[at + 1].0.clone());
                at += 2;
            }
            if tokens.get(at).is_some_and(|t| t.0 == "!") {
                path.push("!".into());
            }
            found.entry(absolute(path, module)).or_insert(*line);
        } else {
            at += 1;
        }
    }
    found
}

/// One `use` tree from token `at`; returns the token after it.
fn tree(
    tokens: &[(String, usize)],
    mut at: usize,
    before: &[String],
    module: &[String],
    found: &mut Mentions,
) -> usize {
    let mut path = before.to_vec();
    while let Some((token, line)) = tokens.get(at) {
        match token.as_str() {
            "{" => {
                at += 1;
                while tokens.get(at).is_some_and(|t| t.0 != "}") {
                    at = tree(tokens, at, &path, module, found);
                    if tokens.get(at).is_some_and(|t| t.0 == ",") {
                        at += 1;
                    }
                }
                return at + 1;
            }
            "as" => at += 2,
            "::" => at += 1,
            name if is_ident(name) || name == "*" => {
                path.push(name.to_owned());
                at += 1;
                if tokens.get(at).is_none_or(|t| t.0 != "::") {
                    found.entry(absolute(path.clone(), module)).or_insert(*line);
                }
            }
            _ => return at,
        }
    }
    at
}

fn absolute(path: Vec<String>, module: &[String]) -> Vec<String> {
    let mut base: Vec<String> = vec!["crate".into()];
    let mut rest = path.as_slice();
    match rest.first().map(String::as_str) {
        Some("self") => {
            base.extend_from_slice(module);
            rest = &rest[1..];
        }
        Some("super") => {
            let mut up = module;
            while rest.first().is_some_and(|s| s == "super") {
                up = up.split_last().map_or(&[], |(_, head)| head);
                rest = &rest[1..];
            }
            base.extend_from_slice(up);
        }
        Some("fleetdeck") => rest = &rest[1..],
        _ => return path,
    }
    base.extend_from_slice(rest);
    base
}

fn is_ident(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

fn tokens(text: &str) -> Vec<(String, usize)> {
    let mut all = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            let length = if first.is_alphanumeric() || first == '_' {
                rest.find(|c: char| !c.is_alphanumeric() && c != '_')
                    .unwrap_or(rest.len())
            } else if rest.starts_with("::") {
                2
            } else {
                first.len_utf8()
            };
            let (token, tail) = rest.split_at(length);
            if !first.is_whitespace() {
                all.push((token.to_owned(), index + 1));
            }
            rest = tail;
        }
    }
    all
}

/// Comments and the inside of literals become blanks; line numbers stay.
pub fn blank(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let next = chars.get(at + 1).copied();
        let end = match (chars[at], next) {
            ('/', Some('/')) => line_end(&chars, at),
            ('/', Some('*')) => find(&chars, at + 2, "*/"),
            ('r', Some('"' | '#')) if !follows_ident(&chars, at) => raw_end(&chars, at),
            ('"', _) => quoted_end(&chars, at, '"'),
            // A char literal, not a lifetime.
            ('\'', Some('\\')) => quoted_end(&chars, at, '\''),
            ('\'', Some(_)) if chars.get(at + 2) == Some(&'\'') => at + 3,
            _ => at,
        };
        if end == at {
            out.push(chars[at]);
            at += 1;
        } else {
            out.extend(
                chars[at..end]
                    .iter()
                    .map(|c| if *c == '\n' { '\n' } else { ' ' }),
            );
            at = end;
        }
    }
    out
}

fn follows_ident(chars: &[char], at: usize) -> bool {
    at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_')
}

fn line_end(chars: &[char], at: usize) -> usize {
    let rest = chars[at..].iter().position(|c| *c == '\n');
    rest.map_or(chars.len(), |n| at + n)
}

fn find(chars: &[char], at: usize, needle: &str) -> usize {
    let needle: Vec<char> = needle.chars().collect();
    (at..chars.len())
        .find(|i| chars[*i..].starts_with(&needle))
        .map_or(chars.len(), |i| i + needle.len())
}

fn raw_end(chars: &[char], at: usize) -> usize {
    let hashes = chars[at + 1..].iter().take_while(|c| **c == '#').count();
    if chars.get(at + 1 + hashes) != Some(&'"') {
        return at;
    }
    find(chars, at + 2 + hashes, &format!("\"{}", "#".repeat(hashes)))
}

fn quoted_end(chars: &[char], at: usize, quote: char) -> usize {
    let mut i = at + 1;
    while i < chars.len() && chars[i] != quote {
        i += if chars[i] == '\\' { 2 } else { 1 };
    }
    (i + 1).min(chars.len())
}

/// Cuts off `#[cfg(test)] mod …`, which by custom stands at the end of a file.
fn without_tests(text: &str) -> String {
    let mut kept = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let module_follows = lines
            .peek()
            .is_some_and(|l| l.trim_start().starts_with("mod "));
        if line.trim() == "#[cfg(test)]" && module_follows {
            break;
        }
        kept.push_str(line);
        kept.push('\n');
    }
    kept
}

/// Modules in files of their own that are compiled for tests alone, as paths below `src/`.
pub fn test_modules(text: &str, module: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = text.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        if line != "#[cfg(test)]" {
            continue;
        }
        let Some(next) = lines.peek() else { continue };
        let name = next
            .strip_suffix(';')
            .and_then(|l| l.rsplit_once("mod "))
            .map(|(_, name)| name);
        if let Some(name) = name {
            let path = [module, &[name.to_owned()]].concat();
            found.push(path.join("/"));
        }
    }
    found
}
