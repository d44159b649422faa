//! What happens when a defect makes the program panic while the screen is ours.
//!
//! On the screen's own thread the terminal is given back before anything is said. On another one
//! the screen is told, and leaves by itself. Either way a report file tells what is known.

use std::backtrace::Backtrace;
use std::io::Write;
use std::panic::PanicHookInfo;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use super::screen::give_back;
use crate::clock::Clock;

/// Panics of other threads, as the screen hears of them.
#[derive(Clone, Default)]
pub struct Crash {
    happened: Arc<Notify>,
    report: Arc<Mutex<Option<String>>>,
}

impl Crash {
    /// Waits for one; returns what to say of it.
    pub async fn happened(&self) -> String {
        loop {
            self.happened.notified().await;
            let report = self
                .report
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take();
            if let Some(report) = report {
                return report;
            }
        }
    }

    fn tell(&self, text: String) {
        *self.report.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
        self.happened.notify_one();
    }
}

/// From now on panics write a report into `folder`; those of the calling thread give the terminal
/// back, those of others are told to the returned [`Crash`].
pub fn watch_for_panics(folder: Option<PathBuf>) -> Crash {
    let crash = Crash::default();
    let told = crash.clone();
    let screen = std::thread::current().id();
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() != screen {
            told.tell(report(info, folder.as_deref()));
            return;
        }
        if give_back() {
            let text = report(info, folder.as_deref());
            let _ = writeln!(std::io::stderr(), "{text}");
        } else {
            before(info);
        }
    }));
    crash
}

/// Writes the report; returns what to say.
fn report(info: &PanicHookInfo<'_>, folder: Option<&Path>) -> String {
    let said = info.payload_as_str().unwrap_or("no message");
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    let thread = std::thread::current()
        .name()
        .unwrap_or("unnamed")
        .to_owned();
    let body = format!(
        "fleetdeck {}\nsystem: {} {}\nthread: {thread}\nplace: {place}\nmessage: {said}\n\n{}\n",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS,
        std::env::consts::ARCH,
        Backtrace::force_capture(),
    );
    let first = format!("fleetdeck has stopped because of a defect: {said} ({place}).");
    let folder = folder.map_or_else(std::env::temp_dir, Path::to_path_buf);
    let now = Clock::system().now().as_second();
    let path = folder.join(format!("report-{now}-{}.txt", std::process::id()));
    let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, body));
    match written {
        Ok(()) => format!(
            "{first}\nA report is in {}. It names no hub and no object beyond the message above.",
            path.display()
        ),
        Err(error) => format!(
            "{first}\nNo report could be written to {}: {error}",
            path.display()
        ),
    }
}
