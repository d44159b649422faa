//! `approve`: passes a gate, also a scheduled one before its time.

use std::sync::Arc;

use kube::{Api, Client, ResourceExt};
use serde_json::json;

use super::{Error, Expect, Object, fresh, read};
use crate::api::{Gate, GateIntent, Timing, labels};
use crate::engine::gate;

/// Which gate is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// By its name, a GUID.
    Name(String),
    /// By its place in a run.
    Place {
        /// Name of the run.
        run: String,
        /// Name of the stage.
        stage: String,
        /// Name of the group, for a group's gate.
        group: Option<String>,
        /// Before or after.
        timing: Timing,
        /// Display name, where several gates stand at one place.
        display: Option<String>,
    },
}

/// Writes `Completed` on the gate, with who did it and why.
pub async fn approve(
    client: &Client,
    which: &Which,
    by: Option<&str>,
    comment: Option<&str>,
    expect: &Expect,
) -> Result<Gate, Error> {
    let api: Api<Gate> = Api::all(client.clone());
    let mut tries = fresh::Tries::default();
    loop {
        let found = find(client, &api, which).await?;
        let what = Object::gate(&found.name_any());
        expect.check(found.as_ref(), &what)?;
        gate::can_approve(&found).map_err(|r| Error::refused(what.clone(), r))?;
        let mut spec = json!({"state": GateIntent::Completed});
        if let (Some(fields), Some(by)) = (spec.as_object_mut(), by) {
            fields.insert("completedBy".to_owned(), by.into());
        }
        if let (Some(fields), Some(comment)) = (spec.as_object_mut(), comment) {
            fields.insert("comment".to_owned(), comment.into());
        }
        if let Some(written) = tries.patch(&api, &found, &what, spec).await? {
            return Ok(written);
        }
    }
}

async fn find(client: &Client, api: &Api<Gate>, which: &Which) -> Result<Arc<Gate>, Error> {
    match which {
        Which::Name(name) => {
            let what = Object::gate(name);
            let found = api.get(name).await;
            found
                .map(Arc::new)
                .map_err(|e| match Error::from_kube(e, what) {
                    Error::NotFound(what) => Error::refused(what, no_such(name)),
                    other => other,
                })
        }
        Which::Place {
            run,
            stage,
            group,
            timing,
            display,
        } => {
            let of_run = format!("{}={run}", labels::RUN);
            let gates = read::list::<Gate>(client, "Gate", Some(&of_run)).await?;
            let found = gate::find(
                &gates,
                run,
                stage,
                group.as_deref(),
                *timing,
                display.as_deref(),
            );
            match found {
                Ok(gate) => Ok(gate),
                Err(refusal) => {
                    // A run that does not exist is the better answer.
                    fresh::run(client, run, &Expect::default()).await?;
                    Err(Error::refused(Object::run(run), refusal))
                }
            }
        }
    }
}

fn no_such(name: &str) -> super::Refused {
    super::Refused {
        code: "GateNotFound".to_owned(),
        field: String::new(),
        message: format!("there is no gate {name}"),
        hint: "list the gates with `fleetdeck gate list`, or name the place with --run and --stage"
            .to_owned(),
    }
}
