//! Following a run: its own changes as a stream, for `wait` and `watch`.

use futures::{Stream, StreamExt};
use kube::Client;
use kube::runtime::{WatchStreamExt, watcher};

use crate::api::UpdateRun;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::hub::verbs::{Error as HubError, Object};

/// What is heard of the run.
#[derive(Debug)]
pub enum Heard {
    /// It is like this now.
    Run(Box<UpdateRun>),
    /// It does not exist (any more).
    Gone,
}

/// The run as it is, then every change of it. A hub that is out of reach is waited for; one that
/// refuses us ends the stream.
pub fn run(client: &Client, name: &str) -> impl Stream<Item = Result<Heard, Error>> + Send + use<> {
    let api = kube::Api::<UpdateRun>::all(client.clone());
    let config = watcher::Config::default().fields(&format!("metadata.name={name}"));
    let name = name.to_owned();
    let mut seen = false;
    watcher(api, config)
        .default_backoff()
        .filter_map(move |event| {
            let what = Object::run(&name);
            let heard = match event {
                Ok(watcher::Event::Init) => {
                    seen = false;
                    None
                }
                Ok(watcher::Event::InitApply(run) | watcher::Event::Apply(run)) => {
                    seen = true;
                    Some(Ok(Heard::Run(Box::new(run))))
                }
                Ok(watcher::Event::InitDone) if !seen => Some(Ok(Heard::Gone)),
                Ok(watcher::Event::InitDone) => None,
                Ok(watcher::Event::Delete(_)) => Some(Ok(Heard::Gone)),
                Err(error) => refused(error, what).map(Err),
            };
            async move { heard }
        })
}

/// An error that trying again does not help; `None` for all others.
pub fn refused(error: watcher::Error, what: Object) -> Option<Error> {
    let error = match error {
        watcher::Error::InitialListFailed(e)
        | watcher::Error::WatchStartFailed(e)
        | watcher::Error::WatchFailed(e) => HubError::from_kube(e, what),
        watcher::Error::WatchError(status) => HubError::from_kube(kube::Error::Api(status), what),
        watcher::Error::NoResourceVersion => return None,
    };
    match error {
        HubError::Denied(..) | HubError::Unauthorized(_) | HubError::NoKinds => Some(error.into()),
        _ => None,
    }
}

/// That the run is gone, as an error.
pub fn gone(name: &str) -> Error {
    Error::new(
        Exit::Other,
        "NotFound",
        format!("UpdateRun {name} does not exist"),
    )
    .hint("list runs with `fleetdeck run list`")
}
