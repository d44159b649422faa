//! One question on the normal screen, before it is taken over.

use std::io::{self, BufRead, IsTerminal, Write};

/// Whether somebody is there to answer.
pub fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Asks; Enter means yes.
pub fn ask(question: &str) -> io::Result<bool> {
    let mut out = io::stdout();
    write!(out, "{question} [Y/n] ")?;
    out.flush()?;
    let mut answer = String::new();
    let read = io::stdin().lock().read_line(&mut answer)?;
    Ok(read > 0 && matches!(answer.trim(), "" | "y" | "Y" | "yes"))
}
