//! The demo: a console on an embedded hub of its own, with a fleet that is worth looking at.
//!
//! The first frame is drawn before the hub is open. Nothing here approves or starts anything.

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;

use futures::StreamExt;
use kube::api::{DynamicObject, ListParams, PostParams};
use kube::discovery::ApiResource;
use kube::{Api, Client};
use serde_json::Value;
use tokio::sync::oneshot;

use super::feed::Origin;
use super::model::Mode;
use super::msg::Kind;
use super::pilot::Drive;
use super::run::Exit;
use super::start::{self, Error, Opening, Style};
use super::term::{Signal, Signals};
use crate::api::{self, FleetMember};
use crate::clock::Clock;
use crate::controller::{self, lead};
use crate::embedded::{self, Hub, Serving, StoreKind};
use crate::hub::{self, Access, Class, kubeconfig};
use crate::journal;

/// The made-up fleet.
pub const FLEET: &str = include_str!("../../assets/demo/fleet.yaml");

/// What `fleetdeck demo` is asked for.
#[derive(Clone, Debug)]
pub struct Options {
    /// Keeps the hub here; in memory otherwise.
    pub data_dir: Option<PathBuf>,
    /// Where the kubeconfig is left, if not in `data_dir`.
    pub kubeconfig: Option<PathBuf>,
    /// Where others reach the hub, if a kubeconfig is left.
    pub listen: Option<SocketAddr>,
    /// How many seconds pass there in one of ours.
    pub speed: f64,
    /// Makes identities repeatable.
    pub seed: Option<u64>,
    /// Puts the made-up fleet on a hub without members.
    pub fleet: bool,
    /// Options that name it in a command, with a blank before each.
    pub words: String,
    /// What the hub is called on screen.
    pub name: String,
    /// Nothing can be written from the screen.
    pub read_only: bool,
    /// Whether this console drives the runs.
    pub driver: Drive,
    /// How it looks.
    pub style: Style,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            data_dir: None,
            kubeconfig: None,
            listen: None,
            speed: 60.0,
            seed: None,
            fleet: true,
            words: String::new(),
            name: "demo".to_owned(),
            read_only: false,
            driver: Drive::On,
            style: Style::default(),
        }
    }
}

/// Opens the console on the embedded hub, and returns when it is left.
pub fn open(options: Options) -> Result<Exit, Error> {
    let user = person();
    let mode = if options.read_only {
        Mode::ReadOnly
    } else {
        Mode::ReadWrite
    };
    let mut session = start::session(&options.name, &user, mode, options.speed);
    session.environment = "demo".to_owned();
    session.words.clone_from(&options.words);
    let opening = Opening {
        session,
        style: options.style.clone(),
        clock: Clock::scaled(options.speed),
        driver: options.driver,
    };
    let clock = opening.clock.clone();
    let runtime = start::runtime()?;
    let console = opening.screen(&runtime)?;
    let exit = runtime.block_on(async {
        let (opened, opening_hub) = oneshot::channel();
        let (name, keep) = (options.name.clone(), tokio::sync::Notify::new());
        let hub = async {
            let result = prepare(&options, &clock).await;
            let (hub, access) = match result {
                Ok((hub, served)) => (Some((hub.clone(), served)), Ok(hub)),
                Err(reason) => (None, Err(reason)),
            };
            let access = access.map(|hub| Access {
                client: hub.client(),
                name,
                user: user.clone(),
            });
            let _ = opened.send(access.map_err(|reason| {
                let tried = "Opening the embedded hub";
                hub::Error::new(Class::Config, tried, reason, "")
            }));
            keep.notified().await;
            hub
        };
        let screen = async {
            let exit = console.serve(Origin::Opening(opening_hub)).await;
            keep.notify_one();
            exit
        };
        let (hub, exit) = tokio::join!(hub, screen);
        if let Some((hub, served)) = hub {
            end(hub, served).await;
        }
        exit
    })?;
    runtime.shutdown_background();
    Ok(exit)
}

/// Runs the demo without a screen: prints the journal until a signal ends it.
pub fn headless(options: &Options, out: &mut (dyn Write + Send)) -> Result<Exit, Error> {
    let clock = Clock::scaled(options.speed);
    let runtime = start::runtime()?;
    let exit = runtime.block_on(async {
        let mut signals = Signals::start()?;
        let hub = open_hub(options, &clock).await.map_err(Error::Demo)?;
        let mut changes = std::pin::pin!(hub.changes_of(journal::RESOURCES));
        let begin = clock.now();
        let driver = controller::start(controller::Options {
            client: hub.client(),
            clock: clock.clone(),
            identity: format!("demo-{}", std::process::id()),
            lease: lead::Settings::default(),
        });
        fill(&hub.client(), options.fleet).await.map_err(Error::Demo)?;
        let served = serve(&hub, options).await.map_err(Error::Demo)?;
        let exit = loop {
            tokio::select! {
                signal = signals.next() => if let Signal::Leave(number) = signal {
                    break Exit::Signal(number);
                },
                change = changes.next() => {
                    let Some(change) = change else { break Exit::Quit };
                    let entries = journal::diff(change.old.as_deref(), change.new.as_deref(), clock.now());
                    for mut entry in entries {
                        entry.offset = journal::offset::write(entry.instant.duration_since(begin));
                        if writeln!(out, "{}", journal::line(&entry)).and_then(|()| out.flush()).is_err() {
                            return Ok(Exit::Gone);
                        }
                    }
                }
            }
        };
        driver.stop().await;
        end(hub, served).await;
        Ok::<_, Error>(exit)
    })?;
    runtime.shutdown_background();
    Ok(exit)
}

async fn prepare(options: &Options, clock: &Clock) -> Result<(Hub, Option<Serving>), String> {
    let hub = open_hub(options, clock).await?;
    fill(&hub.client(), options.fleet).await?;
    let served = serve(&hub, options).await?;
    Ok((hub, served))
}

/// Serves the hub for kubectl and the command line, where there is a place for its kubeconfig.
async fn serve(hub: &Hub, options: &Options) -> Result<Option<Serving>, String> {
    let of_folder = || options.data_dir.as_deref().map(kubeconfig::of_folder);
    let Some(file) = options.kubeconfig.clone().or_else(of_folder) else {
        return Ok(None);
    };
    let listen = options.listen.unwrap_or(([127, 0, 0, 1], 0).into());
    let serving = hub.serve(listen).await.map_err(|e| e.to_string())?;
    kubeconfig::leave(&file, &serving.kubeconfig)
        .map_err(|e| format!("{} cannot be written: {e}", file.display()))?;
    Ok(Some(serving))
}

async fn end(hub: Hub, served: Option<Serving>) {
    if let Some(served) = served {
        served.shutdown().await;
    }
    hub.close().await;
}

async fn open_hub(options: &Options, clock: &Clock) -> Result<Hub, String> {
    let store = match &options.data_dir {
        Some(dir) => StoreKind::Dir(dir.clone()),
        None => StoreKind::Memory,
    };
    let opened = Hub::open(embedded::Options {
        store,
        clock: clock.clone(),
        seed: options.seed,
    });
    opened.await.map_err(|e| e.to_string())
}

/// Puts the fleet on a hub that has no members yet.
async fn fill(client: &Client, wanted: bool) -> Result<(), String> {
    if !wanted {
        return Ok(());
    }
    let members: Api<FleetMember> = Api::all(client.clone());
    let some = members.list_metadata(&ListParams::default().limit(1)).await;
    if !some.map_err(|e| e.to_string())?.items.is_empty() {
        return Ok(());
    }
    let documents: Vec<Value> = serde_saphyr::from_multiple(FLEET).map_err(|e| e.to_string())?;
    for document in documents {
        create(client, document).await?;
    }
    Ok(())
}

async fn create(client: &Client, document: Value) -> Result<(), String> {
    let object: DynamicObject = serde_json::from_value(document).map_err(|e| e.to_string())?;
    let kind = object
        .types
        .as_ref()
        .map(|t| t.kind.clone())
        .unwrap_or_default();
    let known = Kind::ALL.into_iter().find(|k| k.as_str() == kind);
    let known = known.ok_or_else(|| format!("the demo has an object of the kind \"{kind}\""))?;
    let resource = ApiResource {
        group: api::GROUP.to_owned(),
        version: api::VERSION.to_owned(),
        api_version: api::API_VERSION.to_owned(),
        kind,
        plural: known.plural().to_owned(),
    };
    let api: Api<DynamicObject> = Api::all_with(client.clone(), &resource);
    match api.create(&PostParams::default(), &object).await {
        Ok(_) => Ok(()),
        Err(kube::Error::Api(status)) if status.is_already_exists() => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

/// Who sits at this machine.
fn person() -> String {
    let names = ["USER", "LOGNAME", "USERNAME"];
    let name = names.into_iter().find_map(|v| std::env::var(v).ok());
    name.filter(|n| !n.is_empty())
        .unwrap_or_else(|| "you".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{UpdateRun, UpdateStrategy};
    use crate::engine::validate;

    #[tokio::test]
    async fn the_fleet_is_accepted_by_a_hub_and_obeys_the_rules() {
        let options = Options::default();
        let (hub, _) = prepare(&options, &Clock::manual_now()).await.unwrap();
        let members: Api<FleetMember> = Api::all(hub.client());
        assert!(
            members
                .list(&ListParams::default())
                .await
                .unwrap()
                .items
                .len()
                >= 20
        );
        let strategies: Api<UpdateStrategy> = Api::all(hub.client());
        for strategy in strategies.list(&ListParams::default()).await.unwrap() {
            let wrong = validate::stages(&strategy.spec.stages);
            assert!(wrong.is_empty(), "{wrong:?}");
        }
        let runs: Api<UpdateRun> = Api::all(hub.client());
        assert_eq!(
            runs.list(&ListParams::default()).await.unwrap().items.len(),
            2
        );
        // A hub that was filled is left alone.
        runs.delete("lab-images", &Default::default())
            .await
            .unwrap();
        fill(&hub.client(), true).await.unwrap();
        assert_eq!(
            runs.list(&ListParams::default()).await.unwrap().items.len(),
            1
        );
    }
}
