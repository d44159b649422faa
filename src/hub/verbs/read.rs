//! What a verb reads before it judges: a run with all that belongs to it, and the fleet.

use std::collections::BTreeMap;
use std::sync::Arc;

use kube::api::ListParams;
use kube::{Api, Client, Resource, ResourceExt};
use serde::de::DeserializeOwned;

use super::{Error, Expect, Object, fresh};
use crate::api::{FleetMember, Gate, MemberUpdate, UpdateRun, UpdateStrategy, labels};
use crate::engine::world::{Fleet, World};

/// Members and strategies as listed at one time.
#[derive(Clone, Debug, Default)]
pub struct Listed {
    members: BTreeMap<String, Arc<FleetMember>>,
    strategies: BTreeMap<String, Arc<UpdateStrategy>>,
}

impl Listed {
    /// From objects that are already at hand.
    pub fn new(
        members: impl IntoIterator<Item = Arc<FleetMember>>,
        strategies: impl IntoIterator<Item = Arc<UpdateStrategy>>,
    ) -> Self {
        Self {
            members: members.into_iter().map(|m| (m.name_any(), m)).collect(),
            strategies: strategies.into_iter().map(|s| (s.name_any(), s)).collect(),
        }
    }
}

impl Fleet for Listed {
    fn member(&self, name: &str) -> Option<Arc<FleetMember>> {
        self.members.get(name).cloned()
    }

    fn members(&self) -> Vec<Arc<FleetMember>> {
        self.members.values().cloned().collect()
    }

    fn strategy(&self, name: &str) -> Option<Arc<UpdateStrategy>> {
        self.strategies.get(name).cloned()
    }
}

/// A run with its members, gates and the fleet around it.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The run.
    pub run: UpdateRun,
    /// Its members, in the order of the tree's lists.
    pub updates: Vec<Arc<MemberUpdate>>,
    /// The gates it has reached.
    pub gates: Vec<Arc<Gate>>,
    /// The fleet.
    pub fleet: Listed,
}

impl Scene {
    /// As the engine takes it.
    pub fn world(&self) -> World<'_> {
        World {
            run: &self.run,
            updates: &self.updates,
            gates: &self.gates,
            fleet: &self.fleet,
        }
    }
}

/// All members and strategies of the hub.
pub async fn fleet(client: &Client) -> Result<Listed, Error> {
    let members = list::<FleetMember>(client, "FleetMember", None).await?;
    let strategies = list::<UpdateStrategy>(client, "UpdateStrategy", None).await?;
    Ok(Listed::new(members, strategies))
}

/// The run of this name with all that belongs to it.
pub async fn scene(client: &Client, name: &str, expect: &Expect) -> Result<Scene, Error> {
    let run = fresh::run(client, name, expect).await?;
    let of_run = format!("{}={name}", labels::RUN);
    let mut updates = list::<MemberUpdate>(client, "MemberUpdate", Some(&of_run)).await?;
    updates.sort_by(|a, b| place(a).cmp(&place(b)));
    let gates = list::<Gate>(client, "Gate", Some(&of_run)).await?;
    let fleet = fleet(client).await?;
    Ok(Scene {
        run,
        updates,
        gates,
        fleet,
    })
}

fn place(update: &MemberUpdate) -> (&str, &str, i32, &str) {
    let spec = &update.spec;
    (&spec.stage, &spec.group, spec.position, &spec.member)
}

/// All objects of a kind, or those with the labels.
pub(super) async fn list<K>(
    client: &Client,
    kind: &str,
    selector: Option<&str>,
) -> Result<Vec<Arc<K>>, Error>
where
    K: Resource<Scope = kube::core::ClusterResourceScope>
        + Clone
        + DeserializeOwned
        + std::fmt::Debug,
    K::DynamicType: Default,
{
    let mut params = ListParams::default();
    if let Some(selector) = selector {
        params = params.labels(selector);
    }
    let api: Api<K> = Api::all(client.clone());
    let listed = api
        .list(&params)
        .await
        .map_err(|e| Error::from_kube(e, Object::new(kind, "")))?;
    Ok(listed.items.into_iter().map(Arc::new).collect())
}
