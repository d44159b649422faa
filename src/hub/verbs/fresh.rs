//! Reading an object to decide on, and writing the decision only if the object is still that one.

use kube::api::{Patch, PatchParams};
use kube::{Api, Client, Resource, ResourceExt};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Error, Object};
use crate::api::UpdateRun;
use crate::engine::operation::{self, Verb};

/// How often a decision is taken anew after a conflict before we give up.
const ATTEMPTS: u32 = 8;

/// Field manager of what users write.
pub(super) const MANAGER: &str = "fleetdeck";

/// What the user looked at when deciding; `default()` takes the object as it is now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expect {
    /// Identity: an object made anew under the same name is another one.
    pub uid: Option<String>,
    /// Generation of the spec: another one means that somebody changed it meanwhile.
    pub generation: Option<i64>,
    /// The exact version: another one means that anything changed, progress included.
    pub resource_version: Option<String>,
}

impl Expect {
    /// Whether `object` is still what the user looked at.
    pub(super) fn check<K: Resource>(&self, object: &K, what: &Object) -> Result<(), Error> {
        let meta = object.meta();
        if self.uid.is_some() && self.uid != meta.uid {
            return Err(Error::Replaced(what.clone()));
        }
        let edited = self.generation.is_some() && self.generation != meta.generation;
        let moved =
            self.resource_version.is_some() && self.resource_version != meta.resource_version;
        if edited || moved {
            return Err(Error::Changed(what.clone()));
        }
        Ok(())
    }
}

/// The run as it is now, if it is still the expected one.
pub(super) async fn run(client: &Client, name: &str, expect: &Expect) -> Result<UpdateRun, Error> {
    let what = Object::run(name);
    let api: Api<UpdateRun> = Api::all(client.clone());
    let run = api
        .get(name)
        .await
        .map_err(|e| Error::from_kube(e, what.clone()))?;
    expect.check(&run, &what)?;
    Ok(run)
}

/// Writes what the engine says that `verb` is written as, if the verb is legal now.
pub(super) async fn ask(
    client: &Client,
    name: &str,
    verb: Verb,
    expect: &Expect,
) -> Result<UpdateRun, Error> {
    let what = Object::run(name);
    let api: Api<UpdateRun> = Api::all(client.clone());
    let mut tries = Tries::default();
    loop {
        let run = run(client, name, expect).await?;
        let intent = operation::intent(&run, verb).map_err(|r| Error::refused(what.clone(), r))?;
        let spec = json!({"state": intent.state, "attempt": intent.attempt});
        if let Some(written) = tries.patch(&api, &run, &what, spec).await? {
            return Ok(written);
        }
    }
}

/// Counts the conflicts of one request.
#[derive(Debug, Default)]
pub(super) struct Tries(u32);

impl Tries {
    /// Merges `spec` into the object if it is still as it was read. `None`: it is not, decide anew.
    pub(super) async fn patch<K>(
        &mut self,
        api: &Api<K>,
        read: &K,
        what: &Object,
        spec: Value,
    ) -> Result<Option<K>, Error>
    where
        K: Resource + Clone + DeserializeOwned + std::fmt::Debug,
    {
        let body = json!({
            "metadata": {"uid": read.uid(), "resourceVersion": read.resource_version()},
            "spec": spec,
        });
        let params = PatchParams {
            field_manager: Some(MANAGER.to_owned()),
            ..PatchParams::default()
        };
        let answer = api
            .patch(&read.name_any(), &params, &Patch::Merge(&body))
            .await;
        match answer {
            Ok(written) => Ok(Some(written)),
            Err(error) => match Error::from_kube(error, what.clone()) {
                Error::Contended(_) if self.0 < ATTEMPTS => {
                    self.0 += 1;
                    Ok(None)
                }
                other => Err(other),
            },
        }
    }
}
