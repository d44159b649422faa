//! Rehearsal: the whole program (hub, controller, simulated members) in virtual time, from a file.
//!
//! It runs production code only; what it adds is reading the file, the steps, and the journal. The
//! same file and seed print the same bytes every time: one thread, tokio's clock paused, uids from
//! the seed.

mod file;
mod play;
mod print;
mod words;

use futures::future::BoxFuture;

use crate::clock::Clock;
use crate::journal::offset;

/// How the outcome is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// The journal for people.
    #[default]
    Text,
    /// The journal, one JSON object a line.
    Jsonl,
    /// Every object at the end.
    Yaml,
}

/// What to rehearse and what to print.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Overrides the file's seed.
    pub seed: Option<u64>,
    /// What is printed.
    pub format: Format,
    /// Offset at which the objects are printed instead of at the end, `2h`, `21d`.
    pub at: Option<String>,
}

/// What a rehearsal prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The text, in the format asked for.
    pub text: String,
}

/// The file cannot be rehearsed (exit status 2).
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("{0}")]
pub struct Error(pub String);

/// A command line that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Machine code, for example `InvalidOperation`.
    pub code: String,
    /// One sentence.
    pub message: String,
}

/// Runs a line of our own command line (`run start weekly`); the command line implements it.
pub trait LineRunner: Send {
    /// Runs `words` against the hub behind `client`.
    fn run<'a>(
        &'a mut self,
        words: &'a [String],
        client: &'a kube::Client,
        clock: &'a Clock,
    ) -> BoxFuture<'a, Result<(), Refused>>;
}

/// Rehearses `file`; `lines` runs its `do:` steps. It takes a thread of its own, so it may be
/// called from anywhere.
pub fn run(file: &str, options: &Options, lines: &mut dyn LineRunner) -> Result<Output, Error> {
    let script = file::read(file, options.seed)?;
    let until = match &options.at {
        None => None,
        Some(text) => Some(offset::read(text).ok_or_else(|| {
            Error(format!(
                "--at: {text:?} is not an offset: write for example 90s, 2h30m or 21d"
            ))
        })?),
    };
    let journal = std::thread::scope(|scope| {
        let played = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_time()
                .start_paused(true)
                .build()
                .map_err(|e| Error(format!("cannot start the rehearsal: {e}")))?;
            runtime.block_on(play::play(&script, until, lines))
        });
        played
            .join()
            .unwrap_or_else(|_| Err(Error("the rehearsal broke off".to_owned())))
    })?;
    let text = match (options.format, until) {
        (Format::Yaml, _) | (_, Some(_)) => print::objects(&journal.objects)?,
        (Format::Text, None) => print::text(&journal.entries),
        (Format::Jsonl, None) => print::jsonl(&journal.entries)?,
    };
    Ok(Output { text })
}
