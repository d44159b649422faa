//! A command line in one text → its words, quoted as in a shell.

/// Splits `line`; `None` when a quote is not closed.
pub fn split(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (Some('"'), '\\') | (None, '\\') => {
                word.get_or_insert_default().push(characters.next()?);
            }
            (Some(_), _) => word.get_or_insert_default().push(character),
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, _) if character.is_whitespace() => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(character),
        }
    }
    if quote.is_some() {
        return None;
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn words_are_split_as_in_a_shell() {
        let cases: [(&str, &[&str]); 4] = [
            ("run  start weekly", &["run", "start", "weekly"]),
            (r#"--comment "it is ok""#, &["--comment", "it is ok"]),
            (r"a\ b 'c \d' ''", &["a b", r"c \d", ""]),
            ("", &[]),
        ];
        for (line, words) in cases {
            assert_eq!(split(line).unwrap(), words, "{line}");
        }
        assert_eq!(split("say 'hello"), None);
    }
}
