//! `fleetdeck rehearse`: a file in, the journal out.

use super::args::{RehearseArgs, RehearseFormat};
use super::documents;
use super::error::Error;
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

/// Rehearses the file. Steps that are refused are part of the journal, and no failure.
pub fn run(args: &RehearseArgs, out: &mut Out) -> Result<Exit, Error> {
    let tried = format!("rehearse {}", args.file);
    let text = documents::read_file(&args.file).map_err(|e| e.tried(tried.as_str()))?;
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
