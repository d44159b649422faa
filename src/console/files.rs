//! The user's own files: where they are, and what is wrong in them.
//!
//! A faulty entry never takes the rest of its file along: it becomes a [`Fault`] with its line.

use std::path::PathBuf;

use directories::ProjectDirs;
use toml::de::DeTable;

/// Something wrong in a file of the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file, as the user knows it.
    pub file: String,
    /// Line from 1; 0 when the whole file is meant.
    pub line: usize,
    /// What is wrong, and what to do.
    pub message: String,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.message),
            line => write!(f, "{} line {line}: {}", self.file, self.message),
        }
    }
}

/// Folder of the user's settings on this platform.
pub fn config_dir() -> Option<PathBuf> {
    Some(dirs()?.config_dir().to_path_buf())
}

/// Folder of what the program writes by itself: logs and reports.
pub fn state_dir() -> Option<PathBuf> {
    let dirs = dirs()?;
    let dir = dirs.state_dir().unwrap_or_else(|| dirs.data_local_dir());
    Some(dir.to_path_buf())
}

fn dirs() -> Option<ProjectDirs> {
    ProjectDirs::from("io", "", "fleetdeck")
}

/// Text of a file; `Ok(None)` when there is none.
pub(crate) fn read(path: &std::path::Path) -> Result<Option<String>, Fault> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(Fault {
            file: path.display().to_string(),
            line: 0,
            message: format!("The file cannot be read: {e}"),
        }),
    }
}

/// A TOML text that is read entry by entry.
pub(crate) struct Document<'a> {
    file: &'a str,
    text: &'a str,
    /// What could be understood.
    pub table: DeTable<'a>,
    /// What could not.
    pub faults: Vec<Fault>,
}

impl<'a> Document<'a> {
    /// Takes what it can; what is no TOML is a fault.
    pub fn parse(file: &'a str, text: &'a str) -> Self {
        let (table, errors) = DeTable::parse_recoverable(text);
        let mut document = Self {
            file,
            text,
            table: table.into_inner(),
            faults: Vec::new(),
        };
        for error in errors {
            let at = error.span().map_or(0, |s| s.start);
            document.fault(at, format!("This is no TOML: {}", error.message()));
        }
        document
    }

    /// Notes a fault at a byte of the text.
    pub fn fault(&mut self, at: usize, message: impl Into<String>) {
        let before = self.text.as_bytes().get(..at).unwrap_or_default();
        self.faults.push(Fault {
            file: self.file.to_owned(),
            line: 1 + before.iter().filter(|b| **b == b'\n').count(),
            message: message.into(),
        });
    }
}
