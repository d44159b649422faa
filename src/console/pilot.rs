//! Whether this console drives the runs, and who does if it does not.

use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::coordination::v1::Lease;
use kube::{Api, Client};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;

use super::msg::{Driver, Msg};
use crate::api;
use crate::clock::Clock;
use crate::controller::{self, Controller, DriverState, lead};
use crate::hub::{Access, kinds, rights};

/// Whether this console drives the runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Drive {
    /// If it may write what a driver writes.
    #[default]
    Auto,
    /// Yes.
    On,
    /// No.
    Off,
}

impl std::str::FromStr for Drive {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "on" => Ok(Self::On),
            "off" => Ok(Self::Off),
            other => Err(format!("\"{other}\" is neither on, off nor auto")),
        }
    }
}

/// How long a hand-over may take when the console is left.
const HAND_OVER: Duration = Duration::from_secs(3);
/// Pause before a hub without our kinds is looked at again.
const NO_KINDS: Duration = Duration::from_secs(30);

/// The driver of this console, or the watch on who drives elsewhere.
pub(super) struct Pilot {
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

/// Starts once there is a client.
pub(super) fn start(
    drive: Drive,
    access: watch::Receiver<Option<Access>>,
    clock: Clock,
    sender: mpsc::Sender<Msg>,
) -> Pilot {
    let (stop, stopped) = oneshot::channel();
    let task = tokio::spawn(async move {
        let mut stopped = stopped;
        tokio::select! {
            biased;
            _ = &mut stopped => {}
            driver = prepare(drive, access, clock, &sender) => match driver {
                Some(driver) => steer(driver, stopped, sender).await,
                None => { let _ = stopped.await; }
            },
        }
    });
    Pilot {
        stop: Some(stop),
        task,
    }
}

impl Pilot {
    /// Hands the lease over if it is ours.
    pub async fn stop(mut self) {
        drop(self.stop.take());
        if tokio::time::timeout(HAND_OVER, &mut self.task)
            .await
            .is_err()
        {
            self.task.abort();
        }
    }
}

/// Waits for the client and for our kinds; `None` when it never drives here.
async fn prepare(
    drive: Drive,
    mut access: watch::Receiver<Option<Access>>,
    clock: Clock,
    sender: &mpsc::Sender<Msg>,
) -> Option<Controller> {
    let client = {
        let found = access.wait_for(Option::is_some).await.ok()?;
        found.as_ref()?.client.clone()
    };
    while !kinds::missing(&client).await.is_ok_and(|m| m.is_empty()) {
        tokio::time::sleep(NO_KINDS).await;
    }
    let drives = match drive {
        Drive::On => true,
        Drive::Off => false,
        Drive::Auto => may_drive(&client).await,
    };
    if !drives {
        elsewhere(client, sender).await;
        return None;
    }
    Some(controller::start(controller::Options {
        client,
        clock,
        identity: identity(),
        lease: lead::Settings::default(),
    }))
}

/// Tells the screen how the driver is, until it is to stop.
async fn steer(driver: Controller, mut stopped: oneshot::Receiver<()>, sender: mpsc::Sender<Msg>) {
    let mut status = driver.status.clone();
    loop {
        let state = match status.borrow_and_update().clone() {
            DriverState::Standby { holder } => Driver::StandingBy { holder },
            DriverState::Leading { since } => Driver::Here { since },
            DriverState::Stopped { reason } => Driver::Stopped { reason },
        };
        tokio::select! {
            biased;
            _ = &mut stopped => break,
            _ = sender.send(Msg::Driver(state)) => {}
        }
        tokio::select! {
            biased;
            _ = &mut stopped => break,
            changed = status.changed() => if changed.is_err() {
                let _ = (&mut stopped).await;
                break;
            },
        }
    }
    driver.stop().await;
}

/// Whether we may write what a driver writes.
async fn may_drive(client: &Client) -> bool {
    let lease = Some(lead::NAMESPACE);
    let asked = [
        ("update", api::GROUP, "updateruns/status", None),
        ("create", api::GROUP, "memberupdates", None),
        ("create", api::GROUP, "gates", None),
        ("update", "coordination.k8s.io", "leases", lease),
    ];
    for (verb, group, resource, namespace) in asked {
        match rights::may(client, verb, group, resource, namespace).await {
            Ok(true) => {}
            Ok(false) | Err(_) => return false,
        }
    }
    true
}

/// Follows the lease: who drives. A lease that is not renewed in its time is nobody's.
async fn elsewhere(client: Client, sender: &mpsc::Sender<Msg>) {
    let api: Api<Lease> = Api::namespaced(client, lead::NAMESPACE);
    let mut leases = std::pin::pin!(kube::runtime::watcher::watch_object(api, lead::LEASE));
    let mut shown: Option<Option<String>> = None;
    let mut length = None;
    loop {
        let next = async {
            match length {
                None => leases.next().await.map(Some),
                Some(length) => match tokio::time::timeout(length, leases.next()).await {
                    Ok(lease) => lease.map(Some),
                    Err(_) => Some(None),
                },
            }
        };
        let holder = match next.await {
            None => return,
            Some(None) => {
                length = None;
                None
            }
            Some(Some(Err(_))) => {
                // The watch goes on by itself; it must not spin while the hub is away.
                tokio::time::sleep(NO_KINDS).await;
                continue;
            }
            Some(Some(Ok(lease))) => {
                let spec = lease.and_then(|l| l.spec).unwrap_or_default();
                let seconds = spec
                    .lease_duration_seconds
                    .unwrap_or(15)
                    .max(1)
                    .unsigned_abs();
                length = Some(Duration::from_secs(u64::from(seconds)));
                spec.holder_identity.filter(|h| !h.is_empty())
            }
        };
        if shown.as_ref() != Some(&holder) {
            shown = Some(holder.clone());
            if sender
                .send(Msg::Driver(Driver::Elsewhere { holder }))
                .await
                .is_err()
            {
                return;
            }
        }
    }
}

/// Names this process among those that may drive.
fn identity() -> String {
    let host = std::env::var("HOSTNAME").ok().filter(|h| !h.is_empty());
    let host = host.or_else(|| std::fs::read_to_string("/etc/hostname").ok());
    let host = host.unwrap_or_else(|| "console".to_owned());
    let random = fastrand::u32(..);
    format!("{}-{}-{random:08x}", host.trim(), std::process::id())
}
