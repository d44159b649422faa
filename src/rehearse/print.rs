//! What a rehearsal prints.

use std::fmt::Write;

use serde_json::Value;

use super::Error;
use crate::journal::{self, Entry};

/// The journal for people.
pub fn text(entries: &[Entry]) -> String {
    entries.iter().fold(String::new(), |mut text, entry| {
        let _ = writeln!(text, "{}", journal::line(entry));
        text
    })
}

/// The journal, one JSON object a line.
pub fn jsonl(entries: &[Entry]) -> Result<String, Error> {
    let mut text = String::new();
    for entry in entries {
        let line = serde_json::to_string(entry).map_err(|e| Error(e.to_string()))?;
        let _ = writeln!(text, "{line}");
    }
    Ok(text)
}

/// Objects as YAML documents.
pub fn objects(objects: &[Value]) -> Result<String, Error> {
    let mut text = String::new();
    for object in objects {
        let options = serde_saphyr::ser_options! { prefer_block_scalars: false };
        let yaml = serde_saphyr::to_string_with_options(object, options)
            .map_err(|e| Error(e.to_string()))?;
        let _ = write!(text, "---\n{yaml}");
        if !yaml.ends_with('\n') {
            text.push('\n');
        }
    }
    Ok(text)
}
