//! A hub with many members and one run over all of them.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use fleetdeck::api::{FleetMember, MemberUpdate, UpdateRun};
use futures::{StreamExt, TryStreamExt, stream};
use kube::api::{ListParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config};
use serde_json::json;

use super::Result;
use super::screen::Process;

/// Name of the run.
pub const RUN: &str = "bench-1.34.1";
/// What every member's name begins with.
pub const MEMBER: &str = "member-";

/// Name of the n-th member.
pub fn member(n: usize) -> String {
    format!("{MEMBER}{n:05}")
}

/// A hub that is ready to be looked at.
pub struct Hub {
    /// Where the console finds it.
    pub kubeconfig: String,
    child: Option<Child>,
    _dir: tempfile::TempDir,
}

impl Hub {
    /// Serves an embedded hub unless a kubeconfig is given, and fills it.
    pub fn with_members(members: usize, kubeconfig: Option<String>) -> Result<Self> {
        let dir = tempfile::tempdir()?;
        let own = dir.path().join("kubeconfig");
        let (kubeconfig, child) = match kubeconfig {
            Some(file) => {
                let mut controller = Command::new(env!("CARGO_BIN_EXE_fleetdeck"));
                controller.args(["--kubeconfig", &file, "controller"]);
                (
                    file,
                    controller
                        .stdout(Stdio::null())
                        .stderr(Stdio::null())
                        .spawn()?,
                )
            }
            None => {
                let mut hub = Command::new(env!("CARGO_BIN_EXE_fleetdeck"));
                hub.arg("hub")
                    .arg("--data-dir")
                    .arg(dir.path().join("data"));
                hub.arg("--kubeconfig").arg(&own);
                let child = hub.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
                for _ in 0..200 {
                    if own.exists() {
                        break;
                    }
                    std::thread::sleep(Duration::from_millis(50));
                }
                (own.to_string_lossy().into_owned(), child)
            }
        };
        let hub = Self {
            kubeconfig,
            child: Some(child),
            _dir: dir,
        };
        let runtime = tokio::runtime::Runtime::new()?;
        runtime.block_on(fill(&hub.kubeconfig, members))?;
        hub.settle()?;
        Ok(hub)
    }

    /// Waits until what drives the run has nothing to do any more: it would take the processor from
    /// the console that is measured.
    fn settle(&self) -> Result<()> {
        let pid = self.child.as_ref().map_or(0, Child::id);
        let spent = || Ok::<f64, Box<dyn std::error::Error>>(Process { pid }.used()?.cpu_seconds);
        for _ in 0..120 {
            let before = spent()?;
            std::thread::sleep(Duration::from_secs(1));
            if spent()? - before < 0.02 {
                return Ok(());
            }
        }
        Err("the hub does not come to rest".into())
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

async fn fill(kubeconfig: &str, members: usize) -> Result<()> {
    let kubeconfig = Kubeconfig::read_from(kubeconfig)?;
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    let client = Client::try_from(config)?;
    let fleet: Api<FleetMember> = Api::all(client.clone());
    stream::iter(0..members)
        .map(|n| {
            let fleet = fleet.clone();
            async move {
                let object = json!({
                    "apiVersion": "fleetdeck.io/v1alpha1", "kind": "FleetMember",
                    "metadata": {"name": member(n), "labels": {"env": "prod", "tier": "web"}},
                    "spec": {"region": "westeurope", "provider": {"simulated": {
                        "kubernetesVersion": "1.33.4", "nodePools": [{"name": "np1", "count": 3,
                        "kubernetesVersion": "1.33.4"}]}}},
                });
                match fleet
                    .create(&PostParams::default(), &serde_json::from_value(object)?)
                    .await
                {
                    Err(e) if !e.to_string().contains("already exists") => Err(e.into()),
                    _ => Ok::<(), Box<dyn std::error::Error>>(()),
                }
            }
        })
        .buffer_unordered(32)
        .try_collect::<Vec<()>>()
        .await?;
    let run = json!({
        "apiVersion": "fleetdeck.io/v1alpha1", "kind": "UpdateRun", "metadata": {"name": RUN},
        "spec": {"upgrade": {"type": "Full", "kubernetesVersion": "1.34.1"}},
    });
    let runs: Api<UpdateRun> = Api::all(client.clone());
    let _ = runs
        .create(&PostParams::default(), &serde_json::from_value(run)?)
        .await;
    let updates: Api<MemberUpdate> = Api::all(client);
    for _ in 0..600 {
        let page = updates.list(&ListParams::default().limit(1)).await?;
        let left = page.metadata.remaining_item_count.unwrap_or(0) as usize;
        if page.items.len() + left >= members {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    Err("the run's tree was not made in time".into())
}
