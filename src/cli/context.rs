//! What a command works with: a hub, the time, somewhere to print to, a person.

use kube::Client;

use super::args::Words;
use super::error::Error;
use super::exit::Exit;
use super::output::Out;
use crate::clock::Clock;

/// What a command works with.
pub struct Context {
    /// The hub.
    pub client: Client,
    /// For ages.
    pub clock: Clock,
    /// Where it prints to.
    pub out: Out,
    /// Who asks, for what is written down about an approval or a skip.
    pub user: Option<String>,
    /// Whether everything that writes is refused.
    pub read_only: bool,
    /// Options that name the hub, for commands in what is printed.
    pub words: Words,
}

impl Context {
    /// Refuses in a read-only session; every command that writes calls it first.
    pub fn may_write(&self) -> Result<(), Error> {
        may_write(self.read_only)
    }
}

/// Refuses where `--read-only` was given.
pub fn may_write(read_only: bool) -> Result<(), Error> {
    if read_only {
        return Err(
            Error::new(Exit::Denied, "ReadOnly", "this session is read-only")
                .hint("leave out --read-only to write"),
        );
    }
    Ok(())
}
