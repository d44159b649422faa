//! The hub of a command: that of a kubeconfig, one that a folder's process serves, or one opened
//! here because no process has the folder.

use std::path::Path;

use kube::Client;

use crate::cli::args::Global;
use crate::cli::connect;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::clock::Clock;
use crate::embedded::{self, Hub, Options, StoreKind};
use crate::hub::{Access, kubeconfig};

/// A hub that was reached.
pub struct Reached {
    /// Speaks with it.
    pub client: Client,
    /// Name of the hub, for people.
    pub name: String,
    /// Who we are, as far as the kubeconfig says.
    pub user: String,
    /// Set when the hub was opened in this process.
    pub hub: Option<Hub>,
}

impl Reached {
    /// Leaves the hub; one that was opened here is closed cleanly.
    pub async fn leave(self) {
        drop(self.client);
        if let Some(hub) = self.hub {
            hub.close().await;
        }
    }
}

impl From<Access> for Reached {
    fn from(access: Access) -> Self {
        Self {
            client: access.client,
            name: access.name,
            user: access.user,
            hub: None,
        }
    }
}

impl From<embedded::Error> for Error {
    fn from(error: embedded::Error) -> Self {
        let code = match &error {
            embedded::Error::InUse { .. } => "DataDirInUse",
            embedded::Error::NotLoopback(_) => "NotLoopback",
            _ => "HubFailed",
        };
        Error::new(Exit::Other, code, error.to_string())
    }
}

/// Reaches the hub that the global options name.
pub async fn reach(global: &Global) -> Result<Reached, Error> {
    let Some(folder) = &global.data_dir else {
        return Ok(connect::remote(global).await?.into());
    };
    for (name, given) in [
        ("--context", global.context.is_some()),
        ("--kubeconfig", global.kubeconfig.is_some()),
        ("--hub", global.hub.is_some()),
    ] {
        if given {
            return Err(Error::usage(format!("--data-dir and {name} name two hubs"))
                .hint("give one of them"));
        }
    }
    of_folder(folder, global).await
}

async fn of_folder(folder: &Path, global: &Global) -> Result<Reached, Error> {
    let shown = folder.display();
    if !folder.is_dir() {
        let message = format!("--data-dir {shown}: there is no such folder");
        return Err(
            Error::new(Exit::NotReached, "NoDataDir", message).hint(format!(
                "start a hub there: fleetdeck hub --data-dir {shown}"
            )),
        );
    }
    match open(Some(folder), Clock::system(), None).await {
        Ok(hub) => Ok(Reached {
            client: hub.client(),
            name: "embedded".to_owned(),
            user: String::new(),
            hub: Some(hub),
        }),
        Err(embedded::Error::InUse { .. }) => {
            let global = Global {
                kubeconfig: Some(kubeconfig::of_folder(folder)),
                data_dir: None,
                ..global.clone()
            };
            let access = connect::remote(&global).await;
            Ok(access
                .map_err(|e| {
                    e.hint(format!(
                        "another process has {shown}, but left no kubeconfig there"
                    ))
                })?
                .into())
        }
        Err(error) => Err(error.into()),
    }
}

/// Opens the hub of a folder, or one in memory.
pub async fn open(
    folder: Option<&Path>,
    clock: Clock,
    seed: Option<u64>,
) -> Result<Hub, embedded::Error> {
    let store = folder.map_or(StoreKind::Memory, |dir| StoreKind::Dir(dir.to_owned()));
    Hub::open(Options { store, clock, seed }).await
}
