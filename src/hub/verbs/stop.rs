//! `stop`: nothing more is scheduled; what is in flight finishes.

use kube::Client;

use super::{Error, Expect, fresh};
use crate::api::UpdateRun;
use crate::engine::operation::Verb;

/// Stops the run. Asking again while it is stopping is accepted and changes nothing.
pub async fn stop(client: &Client, name: &str, expect: &Expect) -> Result<UpdateRun, Error> {
    fresh::ask(client, name, Verb::Stop, expect).await
}
