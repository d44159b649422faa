//! `delete`: the run and its gates go; upgrades in flight go on untracked.

use kube::api::{DeleteParams, Preconditions, PropagationPolicy};
use kube::{Api, Client, ResourceExt};

use super::{Error, Expect, Object, fresh};
use crate::api::UpdateRun;
use crate::engine::operation::{self, Verb};

/// Deletes the run and returns it as it was.
pub async fn delete(client: &Client, name: &str, expect: &Expect) -> Result<UpdateRun, Error> {
    let what = Object::run(name);
    let run = fresh::run(client, name, expect).await?;
    operation::allowed(&run, Verb::Delete).map_err(|r| Error::refused(what.clone(), r))?;
    let params = DeleteParams {
        preconditions: Some(Preconditions {
            uid: run.uid(),
            resource_version: None,
        }),
        propagation_policy: Some(PropagationPolicy::Background),
        ..DeleteParams::default()
    };
    let api: Api<UpdateRun> = Api::all(client.clone());
    match api.delete(name, &params).await {
        Ok(_) => Ok(run),
        Err(error) => Err(match Error::from_kube(error, what.clone()) {
            // The only precondition is the uid.
            Error::Contended(_) => Error::Replaced(what),
            other => other,
        }),
    }
}
