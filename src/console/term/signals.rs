//! Signals as messages: leave, or come back after a stop.

use std::io;

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Leave: number of the signal.
    Leave(i32),
    /// We were stopped and go on.
    Continue,
}

/// The signals that concern a screen.
#[cfg(unix)]
pub struct Signals {
    term: tokio::signal::unix::Signal,
    hup: tokio::signal::unix::Signal,
    int: tokio::signal::unix::Signal,
    cont: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// Takes the signals over. Needs a runtime.
    pub fn start() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            term: signal(SignalKind::terminate())?,
            hup: signal(SignalKind::hangup())?,
            int: signal(SignalKind::interrupt())?,
            cont: signal(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw()))?,
        })
    }

    /// The next one.
    pub async fn next(&mut self) -> Signal {
        use tokio::signal::unix::SignalKind;
        tokio::select! {
            _ = self.term.recv() => Signal::Leave(SignalKind::terminate().as_raw_value()),
            _ = self.hup.recv() => Signal::Leave(SignalKind::hangup().as_raw_value()),
            _ = self.int.recv() => Signal::Leave(SignalKind::interrupt().as_raw_value()),
            _ = self.cont.recv() => Signal::Continue,
        }
    }

    /// Stops this process and its group, as ctrl-z does in a program that leaves keys alone.
    /// Returns when it goes on; at once where nobody could continue us.
    pub async fn stop(&mut self) -> io::Result<()> {
        use rustix::process::{Signal, kill_current_process_group};
        kill_current_process_group(Signal::TSTP)?;
        // A stop takes effect a moment later than the call, and a group without a shell behind it
        // is not stopped at all: then nobody continues us.
        let moment = std::time::Duration::from_millis(200);
        let _ = tokio::time::timeout(moment, self.cont.recv()).await;
        Ok(())
    }
}

/// The signals that concern a screen.
#[cfg(windows)]
pub struct Signals {
    ctrl_c: tokio::signal::windows::CtrlC,
    close: tokio::signal::windows::CtrlClose,
}

#[cfg(windows)]
impl Signals {
    /// Takes the signals over. Needs a runtime.
    pub fn start() -> io::Result<Self> {
        Ok(Self {
            ctrl_c: tokio::signal::windows::ctrl_c()?,
            close: tokio::signal::windows::ctrl_close()?,
        })
    }

    /// The next one.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.ctrl_c.recv() => Signal::Leave(2),
            _ = self.close.recv() => Signal::Leave(1),
        }
    }

    /// There is no such thing here.
    pub async fn stop(&mut self) -> io::Result<()> {
        Ok(())
    }
}
