//! `fleetdeck rehearse`: a file in, the journal out.

use serde_json::Value;

use super::args::{RehearseArgs, RehearseFormat};
use super::documents;
use super::error::{Error, Fault};
use super::execute::Lines;
use super::exit::Exit;
use super::output::Out;
use crate::rehearse::{self, Format, Options};

impl From<RehearseFormat> for Format {
    fn from(format: RehearseFormat) -> Self {
        match format {
            RehearseFormat::Text => Format::Text,
            RehearseFormat::Jsonl => Format::Jsonl,
            RehearseFormat::Yaml => Format::Yaml,
        }
    }
}

/// Refuses fields that no kind has, in the objects and in those that the steps apply: the hub would
/// drop them, and something else would be rehearsed than was meant.
fn unknown_fields(path: &str, text: &str) -> Result<(), Error> {
    let mut faults = Vec::new();
    let mut check = |object: &Value, place: &str| {
        // Of which kinds a file may be is the rehearsal's own to say.
        let Ok(kind) = documents::kind_of(object) else {
            return;
        };
        let found = documents::schema_faults(kind, object);
        let unknown = found.into_iter().filter(|f| f.code == "UnknownField");
        faults.extend(unknown.map(|fault| Fault {
            message: format!("{place}{}: {}", fault.field, fault.message),
            field: String::new(),
            ..fault
        }));
    };
    // That it is no YAML is the rehearsal's own to say, too.
    let documents = documents::values(path, text).unwrap_or_default();
    for (index, document) in documents.iter().enumerate() {
        let place = documents::place(index + 1, document);
        check(document, &format!("{place}: "));
        let steps = document.pointer("/spec/steps").and_then(Value::as_array);
        for (number, step) in steps.into_iter().flatten().enumerate() {
            if let Some(object) = step.get("apply") {
                check(object, &format!("{place}: spec.steps[{number}].apply."));
            }
        }
    }
    if faults.is_empty() {
        return Ok(());
    }
    Err(Error::faults(Exit::Usage, faults))
}

/// Rehearses the file. Steps that are refused are part of the journal, and no failure.
pub fn run(args: &RehearseArgs, out: &mut Out) -> Result<Exit, Error> {
    let tried = format!("rehearse {}", args.file);
    let text = documents::read_file(&args.file).map_err(|e| e.tried(tried.as_str()))?;
    unknown_fields(&args.file, &text).map_err(|e| e.tried(tried.as_str()))?;
    let options = Options {
        seed: args.seed,
        format: args.output.into(),
        at: args.at.clone(),
    };
    let output = rehearse::run(&text, &options, &mut Lines)
        .map_err(|e| Error::new(Exit::Usage, "InvalidFile", e.to_string()).tried(tried))?;
    out.raw(&output.text)?;
    out.flush()?;
    Ok(Exit::Done)
}
