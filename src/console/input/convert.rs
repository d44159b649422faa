//! Keys as the terminal library reports them, made into ours.

use ratatui::crossterm::event::{KeyCode as Code, KeyEvent, KeyEventKind, KeyModifiers};

use super::{Key, KeyCode};

impl Key {
    /// `None` for releases and for keys that we do not know.
    pub fn from_event(event: KeyEvent) -> Option<Key> {
        if event.kind == KeyEventKind::Release {
            return None;
        }
        let mut shift = event.modifiers.contains(KeyModifiers::SHIFT);
        let ctrl = event.modifiers.contains(KeyModifiers::CONTROL);
        let code = match event.code {
            Code::Char(c) => {
                // With the extended keyboard protocol shift is reported beside the plain letter.
                let c = if shift && !ctrl {
                    c.to_ascii_uppercase()
                } else {
                    c
                };
                shift = false;
                KeyCode::Char(if ctrl { c.to_ascii_lowercase() } else { c })
            }
            Code::F(n) => KeyCode::F(n),
            Code::Enter => KeyCode::Enter,
            Code::Esc => KeyCode::Esc,
            Code::Tab if shift => {
                shift = false;
                KeyCode::BackTab
            }
            Code::Tab => KeyCode::Tab,
            Code::BackTab => {
                shift = false;
                KeyCode::BackTab
            }
            Code::Backspace => KeyCode::Backspace,
            Code::Insert => KeyCode::Insert,
            Code::Delete => KeyCode::Delete,
            Code::Home => KeyCode::Home,
            Code::End => KeyCode::End,
            Code::PageUp => KeyCode::PageUp,
            Code::PageDown => KeyCode::PageDown,
            Code::Up => KeyCode::Up,
            Code::Down => KeyCode::Down,
            Code::Left => KeyCode::Left,
            Code::Right => KeyCode::Right,
            Code::Menu => KeyCode::Menu,
            Code::Pause => KeyCode::Pause,
            _ => return None,
        };
        Some(Key {
            code,
            ctrl,
            alt: event.modifiers.contains(KeyModifiers::ALT),
            shift,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shift_ends_up_in_one_place() {
        let key = |code, modifiers| Key::from_event(KeyEvent::new(code, modifiers)).unwrap();
        assert_eq!(key(Code::Char('A'), KeyModifiers::SHIFT), Key::char('A'));
        assert_eq!(key(Code::Char('A'), KeyModifiers::NONE), Key::char('A'));
        assert_eq!(key(Code::Char('X'), KeyModifiers::CONTROL), Key::ctrl('x'));
        assert_eq!(
            key(Code::BackTab, KeyModifiers::NONE),
            "S-Tab".parse().unwrap()
        );
        assert_eq!(
            key(Code::BackTab, KeyModifiers::SHIFT),
            "S-Tab".parse().unwrap()
        );
        let mut released = KeyEvent::new(Code::Enter, KeyModifiers::NONE);
        released.kind = KeyEventKind::Release;
        assert_eq!(Key::from_event(released), None);
    }
}
