//! The hub of a command: that of a kubeconfig, one that a folder's process serves, or one opened
//! here because no process has the folder.

use std::path::Path;
use std::time::Duration;

use jiff::SignedDuration;
use kube::Client;

use crate::cli::args::Global;
use crate::cli::connect;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::cli::time;
use crate::clock::Clock;
use crate::embedded::{self, Hub, Options, StoreKind};
use crate::hub::{self, Access, kubeconfig};

/// What opening a hub takes; a hub that is less ahead than this is not called ahead.
const LAG: SignedDuration = SignedDuration::from_secs(30);

/// Looks at a folder that another process has: a command has it for a moment only.
const TRIES: usize = 20;
const AGAIN: Duration = Duration::from_millis(100);

/// A hub that was reached.
pub struct Reached {
    /// Speaks with it.
    pub client: Client,
    /// Name of the hub, for people.
    pub name: String,
    /// Who we are, as far as the kubeconfig says.
    pub user: String,
    /// Set when the hub was opened in this process, with its time.
    pub hub: Option<(Hub, Clock)>,
}

impl Reached {
    /// Leaves the hub; one that was opened here is closed cleanly.
    pub async fn leave(self) {
        drop(self.client);
        if let Some((hub, _)) = self.hub {
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
    let served = Global {
        kubeconfig: Some(kubeconfig::of_folder(folder)),
        data_dir: None,
        ..global.clone()
    };
    for _ in 0..TRIES {
        let clock = Clock::system();
        match open(Some(folder), clock.clone(), None).await {
            Ok(hub) => {
                if let Some(text) = ahead(&clock) {
                    output::note(&text);
                }
                return Ok(Reached {
                    client: hub.client(),
                    name: "embedded".to_owned(),
                    user: String::new(),
                    hub: Some((hub, clock)),
                });
            }
            Err(embedded::Error::InUse { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        // A kubeconfig may be left of a hub that is gone.
        if let Ok(access) = connect::remote(&served).await
            && hub::time::told(&access.client).await.is_some()
        {
            return Ok(access.into());
        }
        tokio::time::sleep(AGAIN).await;
    }
    let message = format!("another process has {shown} open, and serves no hub there");
    Err(Error::new(Exit::NotReached, "DataDirInUse", message)
        .hint("it is a command at work, or a hub about to serve: try again when it is done"))
}

/// What is said of a hub that just went on from a later instant than the machine's.
pub fn ahead(clock: &Clock) -> Option<String> {
    let ahead = clock.ahead();
    (ahead > LAG).then(|| {
        format!(
            "This hub's time is {}, {} ahead of the machine's: it ran faster before, and time does not go back.",
            time::instant(clock.now()),
            time::length(ahead.as_secs()),
        )
    })
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
