//! `skip`: members, groups, stages or the wait after a stage are left out.

use std::collections::BTreeSet;

use kube::{Api, Client};
use serde_json::json;

use super::{Error, Expect, Object, fresh, scene};
use crate::api::{SkipRequest, UpdateRun};
use crate::engine::operation::{self, Verb};
use crate::engine::skip::{self, SkipEffect, Target};

/// A request to skip that was written.
#[derive(Debug)]
pub struct Asked {
    /// The run with the request in it.
    pub run: UpdateRun,
    /// Id under which the run's `status.requests` will say what became of it.
    pub id: String,
    /// What it does, as judged on the state it was written for.
    pub effect: SkipEffect,
}

/// Skips the targets (`Type:name`) together, or none of them.
pub async fn skip(
    client: &Client,
    name: &str,
    targets: &[Target],
    by: Option<&str>,
    comment: Option<&str>,
    expect: &Expect,
) -> Result<Asked, Error> {
    let what = Object::run(name);
    let api: Api<UpdateRun> = Api::all(client.clone());
    let mut tries = fresh::Tries::default();
    loop {
        let scene = scene(client, name, expect).await?;
        let refuse = |r| Error::refused(what.clone(), r);
        operation::allowed(&scene.run, Verb::Skip).map_err(refuse)?;
        let effect = skip::check(&scene.world(), targets).map_err(refuse)?;
        let id = free_id(&scene.run);
        let mut skips = scene.run.spec.skips.clone();
        skips.push(SkipRequest {
            id: id.clone(),
            targets: targets.iter().map(ToString::to_string).collect(),
            by: by.map(str::to_owned),
            comment: comment.map(str::to_owned),
        });
        let spec = json!({"skips": skips});
        if let Some(run) = tries.patch(&api, &scene.run, &what, spec).await? {
            return Ok(Asked { run, id, effect });
        }
    }
}

/// `s1`, `s2`, …: the first that no request of the run has.
fn free_id(run: &UpdateRun) -> String {
    let taken: BTreeSet<&str> = run.spec.skips.iter().map(|s| s.id.as_str()).collect();
    (1..=taken.len() + 1)
        .map(|n| format!("s{n}"))
        .find(|id| !taken.contains(id.as_str()))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::UpdateRunSpec;

    #[test]
    fn ids_that_others_chose_are_left_alone() {
        let mut run = UpdateRun::new("weekly", UpdateRunSpec::default());
        assert_eq!(free_id(&run), "s1");
        for id in ["s2", "mine", "s1"] {
            run.spec.skips.push(SkipRequest {
                id: id.into(),
                ..SkipRequest::default()
            });
        }
        assert_eq!(free_id(&run), "s3");
    }
}
