//! `resume`: going on after a run was stopped or failed.

use kube::Client;

use super::{Error, Expect, fresh};
use crate::api::UpdateRun;
use crate::engine::operation::Verb;

/// Goes on with a stopped or failed run: failed members of stopped groups are tried again.
pub async fn resume(client: &Client, name: &str, expect: &Expect) -> Result<UpdateRun, Error> {
    fresh::ask(client, name, Verb::Resume, expect).await
}
