//! What a command works with: a hub, the time, somewhere to print to, a person.

use std::path::PathBuf;

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
    /// Folder of a hub that this command itself has opened: nobody drives its runs meanwhile.
    pub undriven: Option<PathBuf>,
}

impl Context {
    /// Refuses in a read-only session; every command that writes calls it first.
    pub fn may_write(&self) -> Result<(), Error> {
        may_write(self.read_only)
    }

    /// Refuses to wait for what nobody will do.
    pub fn may_wait(&self) -> Result<(), Error> {
        let Some(folder) = &self.undriven else {
            return Ok(());
        };
        let folder = folder.display();
        let message = format!("nobody drives the runs of {folder}: no hub serves it");
        Err(
            Error::new(Exit::Other, "NobodyDrives", message).hint(format!(
                "in another terminal: fleetdeck hub --data-dir {folder}"
            )),
        )
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
