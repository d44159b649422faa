//! The one module that prints: tables, JSON, YAML, errors.
//!
//! Text from a cluster is cleaned here before it can reach a terminal, in every form but JSON and
//! YAML, whose own quoting does that. Nothing is ever cut: what is too wide for a terminal wraps.

pub mod log;
pub mod paint;
mod table;

use std::io::{self, IsTerminal, Write};

use serde_json::{Value, json};

use super::args::Format;
use super::error::Error;
pub use paint::Tint;
pub use table::{Cell, Table};

/// Where a command prints to.
pub struct Out {
    writer: Box<dyn Write + Send>,
    color: bool,
}

impl Out {
    /// Standard output; coloured on a terminal unless that is unwanted.
    pub fn stdout(no_color: bool) -> Self {
        let color = paint::wanted(no_color) && io::stdout().is_terminal();
        Self {
            writer: Box::new(io::BufWriter::new(io::stdout())),
            color,
        }
    }

    /// Anything else, without colours.
    pub fn to(writer: impl Write + Send + 'static) -> Self {
        Self {
            writer: Box::new(writer),
            color: false,
        }
    }

    /// One line of plain text; control codes are taken out.
    pub fn line(&mut self, text: &str) -> Result<(), Error> {
        self.tinted(text, Tint::Plain)
    }

    /// One line in a colour.
    pub fn tinted(&mut self, text: &str, tint: Tint) -> Result<(), Error> {
        let text = paint::paint(&crate::text::clean(text).text, tint, self.color);
        writeln!(self.writer, "{}", text.trim_end())?;
        Ok(())
    }

    /// Text of our own, as it is (help, scripts, generated files).
    pub fn raw(&mut self, text: &str) -> Result<(), Error> {
        self.writer.write_all(text.as_bytes())?;
        Ok(())
    }

    /// A table with its header line.
    pub fn table(&mut self, table: &Table) -> Result<(), Error> {
        let text = table.render(self.color);
        self.raw(&text)
    }

    /// One JSON document, indented.
    pub fn json(&mut self, value: &Value) -> Result<(), Error> {
        let text = serde_json::to_string_pretty(value).unwrap_or_default();
        self.raw(&text)?;
        self.raw("\n")
    }

    /// One JSON object on one line.
    pub fn jsonl(&mut self, value: &Value) -> Result<(), Error> {
        self.raw(&value.to_string())?;
        self.raw("\n")
    }

    /// One YAML document.
    pub fn yaml(&mut self, value: &Value) -> Result<(), Error> {
        let text = yaml(value)?;
        self.raw(&text)
    }

    /// Objects in a form for programs; `false` when the form is one for people.
    pub fn objects(
        &mut self,
        values: &[Value],
        format: Format,
        single: bool,
    ) -> Result<bool, Error> {
        match format {
            Format::Table | Format::Wide => return Ok(false),
            Format::Json => match values.first() {
                Some(value) if single => self.json(value)?,
                _ => self.json(&list(values))?,
            },
            Format::Jsonl => {
                for value in values {
                    self.jsonl(value)?;
                }
            }
            Format::Yaml => match values.first() {
                Some(value) if single => self.yaml(value)?,
                _ => self.yaml(&list(values))?,
            },
            Format::Name => {
                for value in values {
                    let name = value.pointer("/metadata/name").and_then(Value::as_str);
                    self.line(name.unwrap_or_default())?;
                }
            }
        }
        Ok(true)
    }

    /// For parts of the program that print lines of their own.
    pub fn writer(&mut self) -> &mut (dyn Write + Send) {
        &mut *self.writer
    }

    /// Everything printed so far is on its way.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.writer.flush()?;
        Ok(())
    }
}

fn list(values: &[Value]) -> Value {
    json!({"apiVersion": "v1", "kind": "List", "items": values})
}

/// YAML without folded lines, so that two versions can be compared line by line.
pub fn yaml(value: &Value) -> Result<String, Error> {
    let options = serde_saphyr::ser_options! { folded_wrap_chars: usize::MAX };
    let mut text = String::new();
    serde_saphyr::to_fmt_writer_with_options(&mut text, value, options).map_err(|e| {
        Error::new(
            super::exit::Exit::Other,
            "OutputFailed",
            format!("write YAML: {e}"),
        )
    })?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

/// Tells a failure on standard error, as JSON where a program reads the output.
pub fn failure(error: &Error, format: Format, no_color: bool) {
    let mut stderr = io::stderr().lock();
    if format.is_json() {
        let text = if format == Format::Json {
            serde_json::to_string_pretty(&error.to_json()).unwrap_or_default()
        } else {
            error.to_json().to_string()
        };
        // There is nobody left to tell when these streams are closed.
        let _ = writeln!(stderr, "{text}");
        return;
    }
    let color = paint::wanted(no_color) && io::stderr().is_terminal();
    for line in error_lines(error, color) {
        let _ = writeln!(stderr, "{line}");
    }
}

/// `error: …` and `hint: …` lines.
pub fn error_lines(error: &Error, color: bool) -> Vec<String> {
    let mut lines = Vec::new();
    for fault in &error.faults {
        let text = format!("{}{fault} [{}]", error.prefix(), fault.code);
        let word = paint::paint("error:", Tint::Bad, color);
        lines.push(format!("{word} {}", crate::text::clean(&text)));
        if !fault.hint.is_empty() {
            let word = paint::paint("hint:", Tint::Good, color);
            lines.push(format!("{word} {}", crate::text::clean(&fault.hint)));
        }
    }
    lines
}

/// A remark beside the output proper, on standard error.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", crate::text::clean(text));
}
