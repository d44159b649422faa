//! Takes the terminal over and gives it back, once, whoever asks first.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use ratatui::crossterm::terminal::{disable_raw_mode, enable_raw_mode};

/// Whether the terminal is ours now. One process has one terminal, and a panic can come from
/// anywhere, so this is the one thing that is global.
static OURS: AtomicBool = AtomicBool::new(false);
/// Whether the title has to be given back too.
static TITLED: AtomicBool = AtomicBool::new(false);

/// Alternate screen, bracketed paste, no cursor.
const ENTER: &str = "\x1b[?1049h\x1b[?2004h\x1b[?25l\x1b[2J";
/// The opposite, in the opposite order; first the end of a frame that was cut short.
const LEAVE: &str = "\x1b[?2026l\x1b[0m\x1b[?2004l\x1b[?1049l\x1b[?25h";
/// Keeps and gives back the title (terminals that cannot do it ignore this).
const KEEP_TITLE: &str = "\x1b[22;0t";
const GIVE_TITLE: &str = "\x1b[23;0t";

/// What to take over beyond the screen.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Title of the terminal; `None` leaves it alone.
    pub title: Option<String>,
}

/// The terminal, ours; given back when this is dropped.
pub struct Screen {
    options: Options,
    out: File,
}

impl Screen {
    /// Takes the terminal over.
    pub fn enter(options: Options) -> io::Result<Self> {
        let stdout = io::stdout();
        if !stdout.is_terminal() {
            return Err(io::Error::other("standard output is no terminal"));
        }
        let mut screen = Self {
            options,
            out: raw(&stdout)?,
        };
        screen.take()?;
        Ok(screen)
    }

    /// Takes it over again after [`Screen::leave`].
    pub fn take(&mut self) -> io::Result<()> {
        enable_raw_mode()?;
        OURS.store(true, Ordering::SeqCst);
        let mut text = String::new();
        if let Some(title) = &self.options.title {
            TITLED.store(true, Ordering::SeqCst);
            text.push_str(KEEP_TITLE);
            text.push_str(&title_code(title));
        }
        text.push_str(ENTER);
        self.out.write_all(text.as_bytes())
    }

    /// Gives the terminal back for a while.
    pub fn leave(&mut self) {
        give_back();
    }

    /// Changes the title, where it is ours.
    pub fn title(&mut self, title: &str) -> io::Result<()> {
        if self.options.title.as_deref().is_none_or(|now| now == title) {
            return Ok(());
        }
        self.options.title = Some(title.to_owned());
        self.out.write_all(title_code(title).as_bytes())
    }

    /// A second handle that writes to the terminal, unbuffered.
    pub fn output(&self) -> io::Result<File> {
        self.out.try_clone()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

/// Gives the terminal back if it is ours; true if it was.
pub(super) fn give_back() -> bool {
    if !OURS.swap(false, Ordering::SeqCst) {
        return false;
    }
    let mut stdout = io::stdout();
    let mut text = String::from(LEAVE);
    if TITLED.swap(false, Ordering::SeqCst) {
        text.push_str(GIVE_TITLE);
    }
    // The terminal may be gone (a hang-up): then there is nobody to tell.
    let _ = stdout.write_all(text.as_bytes());
    let _ = stdout.flush();
    let _ = disable_raw_mode();
    true
}

fn title_code(title: &str) -> String {
    let clean = crate::text::clean(title);
    format!("\x1b]2;{}\x07", crate::text::take(&clean.text, 80))
}

/// Columns and lines; what terminals are by default where it is not told.
pub fn size() -> (u16, u16) {
    match ratatui::crossterm::terminal::size() {
        Ok((columns, rows)) if columns > 0 && rows > 0 => (columns, rows),
        _ => (80, 24),
    }
}

#[cfg(unix)]
fn raw(stdout: &io::Stdout) -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(File::from(stdout.as_fd().try_clone_to_owned()?))
}

#[cfg(windows)]
fn raw(stdout: &io::Stdout) -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(File::from(stdout.as_handle().try_clone_to_owned()?))
}
