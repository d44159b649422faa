//! What somebody should know of a run before it is started.

use std::sync::Arc;

use kube::{Client, ResourceExt};

use super::{Error, Expect, read};
use crate::api::{UpdateRun, labels};
use crate::engine::findings::{self, Finding, Other};

/// The findings about the run of this name. A hub that does not tell all of it is a finding too:
/// whether the run may start does not hang on it.
pub async fn findings(client: &Client, name: &str) -> Vec<Finding> {
    let found = async {
        let scene = read::scene(client, name, &Expect::default()).await?;
        let others = others(client, name).await?;
        Ok::<_, Error>(findings::of_run(&scene.world(), &others))
    };
    match found.await {
        Ok(found) => found,
        Err(error) => vec![not_looked_at(&error)],
    }
}

/// The other runs that are at work, with their members.
pub(super) async fn others(client: &Client, name: &str) -> Result<Vec<Other>, Error> {
    let mut others = Vec::new();
    for run in read::list::<UpdateRun>(client, "UpdateRun", None).await? {
        if run.name_any() == name || !findings::at_work(&run) {
            continue;
        }
        let of_run = format!("{}={}", labels::RUN, run.name_any());
        let updates = read::list(client, "MemberUpdate", Some(&of_run)).await?;
        others.push(Other {
            run: Arc::clone(&run),
            updates,
        });
    }
    Ok(others)
}

pub(super) fn not_looked_at(error: &Error) -> Finding {
    Finding::plan(format!(
        "It is not known whether runs at work have the same members: {error}"
    ))
}
