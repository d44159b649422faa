//! `start`: the first start of a run, or going on after it was stopped or failed.

use kube::Client;

use super::{Error, Expect, fresh};
use crate::api::UpdateRun;
use crate::engine::operation::Verb;

/// Starts the run; on a stopped or failed one it does what [`super::resume`] does.
pub async fn start(client: &Client, name: &str, expect: &Expect) -> Result<UpdateRun, Error> {
    fresh::ask(client, name, Verb::Start, expect).await
}
