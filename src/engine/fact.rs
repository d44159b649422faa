//! Facts: what a decision did, in the words of events.

/// Something that happened, for an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What it happened to.
    pub subject: Subject,
    /// Whether somebody should look at it.
    pub warning: bool,
    /// Machine word, CamelCase, for example `FleetGateCreated`.
    pub reason: String,
    /// One sentence.
    pub note: String,
}

/// What a fact is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The run, or a stage, group or wait of it.
    Run,
    /// The member update of the member of that name.
    Member(String),
    /// The gate of that name.
    Gate(String),
}

impl Fact {
    /// Something that goes as it should.
    pub fn normal(subject: Subject, reason: impl Into<String>, note: impl Into<String>) -> Self {
        Self {
            subject,
            warning: false,
            reason: reason.into(),
            note: note.into(),
        }
    }

    /// Something that somebody should look at.
    pub fn warning(subject: Subject, reason: impl Into<String>, note: impl Into<String>) -> Self {
        Self {
            warning: true,
            ..Self::normal(subject, reason, note)
        }
    }
}
