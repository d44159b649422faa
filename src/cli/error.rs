//! Why a command failed, as it is printed: what was tried, what is wrong, what to do.

use std::fmt;

use serde_json::{Value, json};

use super::args::Words;
use super::exit::Exit;
use crate::hub::verbs;

/// Code of the end of output that somebody else has closed.
pub const OUTPUT_CLOSED: &str = "OutputClosed";

/// One thing that is wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fault {
    /// Machine code, CamelCase, stable.
    pub code: String,
    /// Path of the field concerned; may be empty.
    pub field: String,
    /// One sentence.
    pub message: String,
    /// What to do; may be empty.
    pub hint: String,
}

/// A command that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What was tried, on what: `start run weekly`. May be empty.
    pub tried: String,
    /// All that is wrong; at least one.
    pub faults: Vec<Fault>,
    /// How the program ends.
    pub exit: Exit,
}

impl Error {
    /// One thing is wrong.
    pub fn new(exit: Exit, code: &str, message: impl Into<String>) -> Self {
        Self {
            tried: String::new(),
            faults: vec![Fault {
                code: code.to_owned(),
                message: message.into(),
                ..Fault::default()
            }],
            exit,
        }
    }

    /// The command line is wrong.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, "WrongUse", message)
    }

    /// A file cannot be read or written.
    pub fn file(path: &str, message: impl fmt::Display) -> Self {
        Self::new(Exit::Usage, "FileUnreadable", format!("{path}: {message}"))
    }

    /// Several things are wrong with what the user gave.
    pub fn faults(exit: Exit, faults: Vec<Fault>) -> Self {
        Self {
            tried: String::new(),
            faults,
            exit,
        }
    }

    /// Says what was tried.
    #[must_use]
    pub fn tried(mut self, tried: impl Into<String>) -> Self {
        if self.tried.is_empty() {
            self.tried = tried.into();
        }
        self
    }

    /// Says what to do, where nothing better is known.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        if let Some(fault) = self.faults.first_mut()
            && fault.hint.is_empty()
        {
            fault.hint = hint.into();
        }
        self
    }

    /// Lets commands in the hints name the hub in use.
    #[must_use]
    pub fn on(mut self, words: &Words) -> Self {
        for fault in &mut self.faults {
            fault.hint = words.name(&fault.hint);
        }
        self
    }

    /// Machine code of the first fault.
    pub fn code(&self) -> &str {
        self.faults.first().map_or("Other", |f| f.code.as_str())
    }

    /// One line of text, all faults in it.
    pub fn message(&self) -> String {
        let told: Vec<String> = self.faults.iter().map(ToString::to_string).collect();
        self.prefix() + &told.join("; ")
    }

    /// What was tried, where the first fault does not say it itself.
    pub(super) fn prefix(&self) -> String {
        let says_it = self
            .faults
            .first()
            .is_some_and(|f| f.field.is_empty() && f.message.starts_with("cannot "));
        if self.tried.is_empty() || says_it {
            return String::new();
        }
        format!("{}: ", self.tried)
    }

    /// For `-o json`.
    pub fn to_json(&self) -> Value {
        let faults: Vec<Value> = self
            .faults
            .iter()
            .map(
                |f| json!({"code": f.code, "field": f.field, "message": f.message, "hint": f.hint}),
            )
            .collect();
        json!({"error": {
            "code": self.code(),
            "tried": self.tried,
            "message": self.message(),
            "faults": faults,
            "exit": self.exit as u8,
        }})
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        f.write_str(&self.message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())
    }
}

impl std::error::Error for Error {}

impl From<verbs::Error> for Error {
    fn from(error: verbs::Error) -> Self {
        let exit = match &error {
            verbs::Error::Denied(..) | verbs::Error::Unauthorized(_) => Exit::Denied,
            verbs::Error::Unreachable(_) => Exit::NotReached,
            _ => Exit::Other,
        };
        let faults = match &error {
            verbs::Error::Refused(_, all) => all.iter().cloned().map(Fault::from).collect(),
            other => vec![Fault {
                code: other.code().to_owned(),
                field: String::new(),
                message: other.to_string(),
                hint: other.hint().to_owned(),
            }],
        };
        Self {
            tried: String::new(),
            faults,
            exit,
        }
    }
}

impl From<verbs::Refused> for Fault {
    fn from(refused: verbs::Refused) -> Self {
        Self {
            code: refused.code,
            field: refused.field,
            message: refused.message,
            hint: refused.hint,
        }
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        // Whoever read along has enough: no failure of ours.
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Self::new(Exit::Done, OUTPUT_CLOSED, "the output was closed");
        }
        let message = format!("write output: {error}");
        Self::new(Exit::Other, "OutputFailed", message)
    }
}
