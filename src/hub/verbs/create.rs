//! `create`: a new run, checked against the whole rule book before it is made.

use kube::api::PostParams;
use kube::{Api, Client};

use super::fresh::MANAGER;
use super::{Error, Object, Refused, findings, read};
use crate::api::{UpdateRun, UpdateRunSpec};
use crate::engine::plan::{self, Plan};
use crate::engine::validate;

/// A run that was made.
#[derive(Debug)]
pub struct Created {
    /// As the hub has it.
    pub run: UpdateRun,
    /// The tree that the controller will make of it, as the fleet is now.
    pub plan: Plan,
}

/// Makes the run. It does not start by itself unless its `state` says so.
pub async fn create(client: &Client, name: &str, spec: &UpdateRunSpec) -> Result<Created, Error> {
    let plan = plan(client, name, spec).await?;
    let api: Api<UpdateRun> = Api::all(client.clone());
    let params = PostParams {
        field_manager: Some(MANAGER.to_owned()),
        ..PostParams::default()
    };
    let run = api
        .create(&params, &UpdateRun::new(name, spec.clone()))
        .await
        .map_err(|e| Error::from_kube(e, Object::run(name)))?;
    Ok(Created { run, plan })
}

/// What [`create`] would make, or all reasons why it cannot.
pub async fn plan(client: &Client, name: &str, spec: &UpdateRunSpec) -> Result<Plan, Error> {
    let what = Object::run(name);
    let violations = validate::run_spec(name, spec);
    if !violations.is_empty() {
        let all = violations.into_iter().map(Refused::from).collect();
        return Err(Error::Refused(what, all));
    }
    let fleet = read::fleet(client).await?;
    let mut plan = plan::plan(spec, &fleet).map_err(|refusals| {
        let all = refusals.into_iter().map(Refused::from).collect();
        Error::Refused(what, all)
    })?;
    match findings::others(client, name).await {
        Ok(others) => plan = plan.beside(name, &others),
        Err(error) => plan.warnings.push(findings::not_looked_at(&error)),
    }
    Ok(plan)
}
