//! Exit codes: documented, stable, the same for every command.

use std::process::ExitCode;

use crate::api::{State, UpdateRun};

/// How the program ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done; of a run: completed, and none failed.
    #[default]
    Done = 0,
    /// Refused by a rule, or any other error.
    Other = 1,
    /// Wrong use of the command line, or a file that cannot be read.
    Usage = 2,
    /// The run completed, with failures inside its limits.
    CompletedWithFailures = 3,
    /// The run failed: more members failed than a limit allows.
    Failed = 4,
    /// The run was stopped by a person.
    Stopped = 5,
    /// The run waits at a gate.
    AtGate = 6,
    /// The time given with `--timeout` is over.
    TimeOver = 7,
    /// The hub denies it to this user, or this session is read-only.
    Denied = 8,
    /// The hub was not reached.
    NotReached = 9,
}

/// Of help texts and the man page.
pub const TABLE: &str = "\
Exit codes:
  0  done; of a run: completed, none failed
  1  refused by a rule, or another error
  2  wrong use, or a file that cannot be read
  3  the run completed, with failures inside its limits
  4  the run failed: over a limit
  5  the run was stopped by a person
  6  the run waits at a gate
  7  the time of --timeout is over
  8  denied by the hub, or by --read-only
  9  the hub was not reached";

impl Exit {
    /// How a run that has ended, or stands after a stop, is told; `None` while it goes on.
    pub fn of_run(run: &UpdateRun) -> Option<Exit> {
        let status = run.status.as_ref()?;
        match status.state {
            State::Completed if status.failure_count > 0 => Some(Exit::CompletedWithFailures),
            State::Completed | State::Skipped => Some(Exit::Done),
            State::Failed => Some(Exit::Failed),
            State::Stopped => Some(Exit::Stopped),
            State::NotStarted | State::Pending | State::Running | State::Stopping => None,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}
