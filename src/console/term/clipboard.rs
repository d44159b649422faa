//! The clipboard, through the terminal: OSC 52, also from inside tmux and screen.

use base64::Engine;

/// What most terminals take at most in one go.
const LARGEST: usize = 74_994;

/// Which way a text went, or why it did not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Copied {
    /// The bytes to write to the terminal.
    Osc52(String),
    /// Longer than terminals take.
    TooLong,
}

/// Makes the sequence that puts a text on the clipboard.
pub fn copy(text: &str, inside_tmux: bool) -> Copied {
    let packed = base64::engine::general_purpose::STANDARD.encode(text);
    if packed.len() > LARGEST {
        return Copied::TooLong;
    }
    let sequence = format!("\x1b]52;c;{packed}\x07");
    Copied::Osc52(if inside_tmux {
        // tmux passes on what is wrapped, with every escape doubled.
        format!("\x1bPtmux;{}\x1b\\", sequence.replace('\x1b', "\x1b\x1b"))
    } else {
        sequence
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_packed_and_wrapped() {
        assert_eq!(
            copy("ab", false),
            Copied::Osc52("\x1b]52;c;YWI=\x07".into())
        );
        let wrapped = "\x1bPtmux;\x1b\x1b]52;c;YWI=\x07\x1b\\";
        assert_eq!(copy("ab", true), Copied::Osc52(wrapped.into()));
        assert_eq!(copy(&"x".repeat(80_000), false), Copied::TooLong);
    }
}
