//! What the console asks of the shell: writes, reads on demand, the terminal.
//!
//! Each effect with a ticket is answered by exactly one [`super::msg::Msg::Answer`].

use jiff::Timestamp;

use crate::api::UpdateRunSpec;

use super::msg::{Kind, Ticket};

/// One thing to be done outside.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Write to the hub.
    Write(WriteRequest),
    /// Work out what a skip would do (engine::skip::check on fresh objects); answers `Skip`.
    CheckSkip {
        /// For the answer.
        ticket: Ticket,
        /// Name of the run.
        run: String,
        /// `Member:NAME` and so on.
        targets: Vec<String>,
    },
    /// Work out what passing gates would do (engine::approval::check on fresh objects); answers
    /// `Approval`.
    CheckApproval {
        /// For the answer.
        ticket: Ticket,
        /// Names of run and gate.
        gates: Vec<(String, String)>,
    },
    /// Work out what a run would do (engine::plan::plan on fresh objects); answers `Plan`.
    Plan {
        /// For the answer.
        ticket: Ticket,
        /// Name of the run.
        name: String,
        /// What it asks for.
        spec: Box<UpdateRunSpec>,
    },
    /// Read an object as YAML; answers `Yaml`.
    LoadYaml {
        /// For the answer.
        ticket: Ticket,
        /// Of which kind.
        kind: Kind,
        /// Its name.
        name: String,
    },
    /// Watch the members of this run, and no others any more; the batches carry the ticket.
    Follow {
        /// Of the watch.
        ticket: Ticket,
        /// Name of the run; `None` for no run.
        run: Option<String>,
    },
    /// Put a text on the clipboard; the shell says by a notice which way it went.
    Copy(String),
    /// Try the link now.
    RetryLink,
    /// Wake the model at this instant, with [`super::msg::Msg::Time`]. Replaces an earlier wish.
    WakeAt(Timestamp),
    /// No instant is waited for any more.
    Sleep,
    /// Paint every cell again.
    Redraw,
    /// Step aside until the shell continues us.
    Suspend,
    /// Leave.
    Quit,
}

/// A write, tied to the object it was decided on.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteRequest {
    /// For the answer.
    pub ticket: Ticket,
    /// On what.
    pub object: ObjectRef,
    /// What.
    pub write: Write,
}

/// The object that a write was decided on; all but kind and name are empty for one to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectRef {
    /// Its kind.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// Its identity.
    pub uid: String,
    /// Its spec's generation when the person decided.
    pub generation: i64,
    /// Its state when the person decided.
    pub resource_version: String,
}

/// What to write.
#[derive(Clone, Debug, PartialEq)]
pub enum Write {
    /// Start or resume a run.
    Start,
    /// Stop a run.
    Stop,
    /// Ask to skip targets of a run.
    Skip {
        /// `Member:NAME` and so on.
        targets: Vec<String>,
        /// Why.
        comment: Option<String>,
    },
    /// Approve a gate, or start a scheduled one now.
    Approve {
        /// Why.
        comment: Option<String>,
    },
    /// Make a run, not started.
    CreateRun {
        /// What it asks for.
        spec: Box<UpdateRunSpec>,
    },
    /// Delete the object.
    Delete,
}
