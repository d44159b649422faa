//! One key with its modifiers, and how it is written.

use std::str::FromStr;

pub use crate::console::msg::{Key, KeyCode};

impl Key {
    /// A character with control.
    pub const fn ctrl(c: char) -> Self {
        Self {
            ctrl: true,
            ..Self::char(c)
        }
    }

    /// As written in hints: like the key file's form, with arrows for the arrow keys.
    pub fn label(self, ascii: bool) -> String {
        let arrow = match self.code {
            _ if ascii => None,
            KeyCode::Up => Some("↑"),
            KeyCode::Down => Some("↓"),
            KeyCode::Left => Some("←"),
            KeyCode::Right => Some("→"),
            _ => None,
        };
        match arrow {
            Some(arrow) => format!("{}{arrow}", self.modifiers()),
            None => self.to_string(),
        }
    }

    fn modifiers(self) -> String {
        let mut text = String::new();
        let shift = self.shift || self.code == KeyCode::BackTab;
        for (on, word) in [(self.ctrl, "ctrl-"), (self.alt, "alt-"), (shift, "S-")] {
            if on {
                text.push_str(word);
            }
        }
        text
    }
}

const NAMES: &[(&str, KeyCode)] = &[
    ("Space", KeyCode::Char(' ')),
    ("Enter", KeyCode::Enter),
    ("Esc", KeyCode::Esc),
    ("Tab", KeyCode::Tab),
    ("Tab", KeyCode::BackTab),
    ("Backspace", KeyCode::Backspace),
    ("Insert", KeyCode::Insert),
    ("Delete", KeyCode::Delete),
    ("Home", KeyCode::Home),
    ("End", KeyCode::End),
    ("PgUp", KeyCode::PageUp),
    ("PgDn", KeyCode::PageDown),
    ("Up", KeyCode::Up),
    ("Down", KeyCode::Down),
    ("Left", KeyCode::Left),
    ("Right", KeyCode::Right),
    ("Menu", KeyCode::Menu),
    ("Pause", KeyCode::Pause),
];

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = NAMES.iter().find(|(_, code)| *code == self.code);
        let code = match (name, self.code) {
            (Some((name, _)), _) => (*name).to_owned(),
            (None, KeyCode::Char(c)) => c.to_string(),
            (None, KeyCode::F(n)) => format!("F{n}"),
            (None, _) => String::new(),
        };
        f.pad(&format!("{}{code}", self.modifiers()))
    }
}

/// A text that names no key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is no key. Write one as x, ctrl-x, alt-x, S-Tab, F2, Space, Enter, PgDn or Down")]
pub struct ParseKeyError(String);

impl FromStr for Key {
    type Err = ParseKeyError;

    fn from_str(text: &str) -> Result<Self, ParseKeyError> {
        let error = || ParseKeyError(text.to_owned());
        let (mut ctrl, mut alt, mut shift) = (false, false, false);
        let mut rest = text;
        // A lone "-" is a key, so a prefix only counts when something follows it.
        while let Some((prefix, after)) = rest.split_once('-').filter(|(_, a)| !a.is_empty()) {
            let flag = match prefix {
                "ctrl" | "C" => &mut ctrl,
                "alt" | "meta" | "M" => &mut alt,
                "shift" | "S" => &mut shift,
                _ => return Err(error()),
            };
            *flag = true;
            rest = after;
        }
        let mut code = code_named(rest).ok_or_else(error)?;
        if let KeyCode::Char(c) = code
            && (shift || ctrl)
        {
            // Terminals send ctrl with the lower-case letter, and shift in the character itself.
            let changed = if ctrl {
                c.to_ascii_lowercase()
            } else {
                c.to_ascii_uppercase()
            };
            code = KeyCode::Char(changed);
            shift = false;
        }
        if code == KeyCode::Tab && shift {
            (code, shift) = (KeyCode::BackTab, false);
        }
        Ok(Self {
            code,
            ctrl,
            alt,
            shift,
        })
    }
}

fn code_named(text: &str) -> Option<KeyCode> {
    let mut chars = text.chars();
    if let (Some(c), None) = (chars.next(), chars.next()) {
        return (!c.is_control()).then_some(KeyCode::Char(c));
    }
    if let Some(number) = text.strip_prefix(['F', 'f']).and_then(|n| n.parse().ok()) {
        return (1..=24).contains(&number).then_some(KeyCode::F(number));
    }
    let other = match text.to_ascii_lowercase().as_str() {
        "pageup" => Some(KeyCode::PageUp),
        "pagedown" => Some(KeyCode::PageDown),
        "return" | "ret" => Some(KeyCode::Enter),
        "escape" => Some(KeyCode::Esc),
        "del" => Some(KeyCode::Delete),
        "ins" => Some(KeyCode::Insert),
        _ => None,
    };
    let named = |n: &&(&str, KeyCode)| n.0.eq_ignore_ascii_case(text);
    other.or_else(|| NAMES.iter().find(named).map(|(_, code)| *code))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keys_are_read_in_every_common_spelling() {
        let key = |t: &str| t.parse::<Key>().unwrap();
        assert_eq!(key("ctrl-x"), Key::ctrl('x'));
        assert_eq!(key("C-X"), Key::ctrl('x'));
        assert_eq!(key("-"), Key::char('-'));
        assert_eq!(key("ctrl--"), Key::ctrl('-'));
        assert_eq!(key("ctrl-\\"), Key::ctrl('\\'));
        assert_eq!(key("Space"), Key::char(' '));
        assert_eq!(key("shift-a"), Key::char('A'));
        assert_eq!(
            key("M-<"),
            Key {
                alt: true,
                ..Key::char('<')
            }
        );
        assert_eq!(key("f12").code, KeyCode::F(12));
        assert_eq!(key("S-Tab"), Key::plain(KeyCode::BackTab));
        assert_eq!(key("S-Tab").to_string(), "S-Tab");
        for wrong in ["", "ctrl-", "hyper-x", "F99", "Entr", "xy"] {
            assert!(wrong.parse::<Key>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn hints_show_arrows() {
        let key: Key = "alt-down".parse().unwrap();
        assert_eq!(key.label(false), "alt-↓");
        assert_eq!(key.label(true), "alt-Down");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(c in any::<char>(), ctrl: bool, alt: bool) {
            prop_assume!(!c.is_control() && (!ctrl || !c.is_ascii_uppercase()));
            let key = Key { ctrl, alt, ..Key::char(c) };
            prop_assert_eq!(key.to_string().parse::<Key>(), Ok(key));
        }

        #[test]
        fn no_text_makes_the_parser_fall(text in ".*") {
            let _ = text.parse::<Key>();
        }
    }
}
