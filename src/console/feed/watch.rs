//! Follows one kind: the list as a stream, then its changes, for as long as the console is open.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kube::Client;
use kube::client::Body;
use tokio::sync::{mpsc, watch as signal};
use tokio::time::Instant;

use super::batch::{Batch, Closed};
use super::decode::{self, Line, Watched};
use super::lines::Lines;
use super::link::LinkState;
use super::paged::{self, escape};
use crate::api::{self, labels};
use crate::console::msg::{Change, Msg, Ticket};
use crate::hub::{Class, Error};

/// A watch that says nothing for this long is dead: a living one brings a bookmark every minute.
const SILENCE: Duration = Duration::from_secs(90);
/// How long the hub may take to begin an answer.
const ANSWER: Duration = Duration::from_secs(15);
/// How long we ask a watch to last; long, because each renewal wakes both sides.
const LENGTH: u64 = 1_700;
/// A watch that ends sooner than this is not renewed at once.
const SHORT: Duration = Duration::from_secs(2);
/// Pause after an answer that only this kind gets.
const PAUSE: Duration = Duration::from_secs(5);
/// Pause before a refused kind is asked for again.
const DENIED: Duration = Duration::from_secs(600);

/// What all watches share.
#[derive(Clone)]
pub(super) struct Watching {
    pub client: Client,
    pub sender: mpsc::Sender<Msg>,
    pub link: Arc<LinkState>,
    /// Whether the hub streams lists, as far as we know.
    pub streaming: Arc<AtomicBool>,
    /// Only a part of the kind, if not all of it.
    pub scope: Option<Scope>,
}

/// The members of one run.
#[derive(Clone)]
pub(super) struct Scope {
    /// Name of the run.
    pub run: String,
    /// Of the watch.
    pub ticket: Ticket,
}

/// Why a watch ended.
#[derive(Debug)]
pub(super) enum End {
    /// The console is gone.
    Closed,
    /// The hub closed it, or it fell silent: go on where it was.
    Over,
    /// The version is too old: list anew.
    Expired,
    /// The hub refused.
    Refused(Error),
    /// The answer cannot be read.
    Broken(String),
}

impl From<Closed> for End {
    fn from(_: Closed) -> Self {
        End::Closed
    }
}

/// Follows a kind until the console is gone. `synced` is told once something is known of it.
pub(super) async fn follow<K: Watched>(watching: Watching, synced: Option<signal::Sender<bool>>) {
    let mut batch = watching.batch();
    let mut version: Option<String> = None;
    loop {
        let begun = Instant::now();
        let streamed = version.is_none() && watching.streaming.load(Ordering::Relaxed);
        let end = once::<K>(&watching, &mut batch, &mut version, synced.as_ref()).await;
        let flushed = batch.flush().await.is_err();
        let Err(end) = end else { continue };
        if flushed {
            return;
        }
        match end {
            End::Closed => return,
            End::Over if begun.elapsed() < SHORT => {
                watching.link.pause(Duration::from_secs(1)).await
            }
            End::Over => {}
            End::Expired => version = None,
            End::Broken(reason) => {
                tracing::warn!(kind = K::KIND.plural(), reason, "an answer cannot be read");
                version = None;
                watching.link.pause(PAUSE).await;
            }
            // Another kind may have found out at the same time.
            End::Refused(error) if streamed && error.class == Class::Invalid => {
                watching.streaming.store(false, Ordering::Relaxed);
            }
            End::Refused(error) => {
                if refused::<K>(&watching, error, &mut version, synced.as_ref())
                    .await
                    .is_err()
                {
                    return;
                }
            }
        }
    }
}

/// Waits as the refusal asks for.
async fn refused<K: Watched>(
    watching: &Watching,
    error: Error,
    version: &mut Option<String>,
    synced: Option<&signal::Sender<bool>>,
) -> Result<(), Closed> {
    match error.class {
        Class::Unreachable | Class::Unauthenticated => watching.link.failed(K::KIND, error).await,
        Class::Denied => {
            *version = None;
            watching.link.answered(K::KIND).await;
            let mut batch = watching.batch();
            batch.push(Change::Denied(K::KIND)).await?;
            batch.flush().await?;
            tell(synced);
            watching.link.pause(DENIED).await;
        }
        Class::KindsMissing | Class::NotFound => {
            *version = None;
            tell(synced);
            watching.link.missing(K::KIND).await;
        }
        _ => watching.link.pause(PAUSE).await,
    }
    Ok(())
}

fn tell(synced: Option<&signal::Sender<bool>>) {
    if let Some(synced) = synced {
        synced.send_replace(true);
    }
}

/// Lists if nothing is known yet, and follows the changes until the hub ends it.
async fn once<K: Watched>(
    watching: &Watching,
    batch: &mut Batch,
    version: &mut Option<String>,
    synced: Option<&signal::Sender<bool>>,
) -> Result<(), End> {
    let common = format!("watch=1&allowWatchBookmarks=true&timeoutSeconds={LENGTH}");
    let query = match version {
        Some(version) => format!("{common}&resourceVersion={version}"),
        None if watching.streaming.load(Ordering::Relaxed) => {
            format!("{common}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan")
        }
        None => {
            batch.begin_list();
            *version = paged::list::<K>(watching, batch).await?;
            tell(synced);
            return Ok(());
        }
    };
    let mut lines = Lines::new(watching.get::<K>(&query, false).await?);
    let mut listing = version.is_none();
    if listing {
        batch.begin_list();
        batch.push(Change::Relist(K::KIND)).await?;
    }
    loop {
        while let Some(line) = lines.ready() {
            match decode::line::<K>(&line) {
                Line::Change(change, at) => {
                    batch.push(change).await?;
                    if !listing && at.is_some() {
                        *version = at;
                    }
                }
                Line::Bookmark(at, end) => {
                    if listing && end {
                        listing = false;
                        batch.push(Change::Synced(K::KIND)).await?;
                        batch.flush().await?;
                        tell(synced);
                    }
                    if !listing && at.is_some() {
                        *version = at;
                    }
                }
                Line::Error(410, _) => return Err(End::Expired),
                Line::Error(_, reason) => return Err(End::Broken(reason)),
                Line::Odd => tracing::warn!(
                    kind = K::KIND.plural(),
                    "an object is not as its schema says"
                ),
            }
        }
        let more = match batch.due() {
            None => tokio::time::timeout(SILENCE, lines.more()).await,
            Some(due) => match tokio::time::timeout_at(due, lines.more()).await {
                Ok(more) => Ok(more),
                Err(_) => {
                    batch.flush().await?;
                    continue;
                }
            },
        };
        match more {
            Ok(Ok(true)) => {}
            Ok(Ok(false) | Err(_)) | Err(_) => return Err(End::Over),
        }
    }
}

impl Watching {
    fn batch(&self) -> Batch {
        let follow = self.scope.as_ref().map(|s| s.ticket);
        Batch::new(self.sender.clone(), follow)
    }

    /// What selects the members of one run: the label that the controller gives each of them.
    fn selector(&self) -> String {
        let of = |s: &Scope| {
            format!(
                "&labelSelector={}%3D{}",
                escape(labels::RUN),
                escape(&s.run)
            )
        };
        self.scope.as_ref().map(of).unwrap_or_default()
    }

    /// Sends one request about a kind; the body of a good answer.
    pub async fn get<K: Watched>(&self, query: &str, packed: bool) -> Result<Body, End> {
        let plural = K::KIND.plural();
        let tried = || format!("Listing {plural}");
        let only = self.selector();
        let path = format!("/apis/{}/{plural}?{query}{only}", api::API_VERSION);
        let mut request = http::Request::get(path);
        if !packed {
            // A packed watch would be held back until enough has gathered.
            request = request.header(http::header::ACCEPT_ENCODING, "identity");
        }
        let request = request
            .header(http::header::ACCEPT, "application/json")
            .body(Body::empty())
            .map_err(|e| End::Broken(e.to_string()))?;
        let answer = tokio::time::timeout(ANSWER, self.client.send(request)).await;
        let answer = match answer {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => return Err(End::Refused(Error::of(&error, tried()))),
            Err(_) => {
                let reason = format!("no answer in {} s", ANSWER.as_secs());
                let error = Error::new(Class::Unreachable, tried(), reason, "");
                return Err(End::Refused(error));
            }
        };
        if answer.status().is_success() {
            self.link.answered(K::KIND).await;
            return Ok(answer.into_body());
        }
        let error = refusal(answer, tried()).await;
        // The hub is younger than what we know: it was made anew, or restored.
        if error.reason.contains("Too large resource version") {
            return Err(End::Expired);
        }
        Err(End::Refused(error))
    }
}

/// Reads the Status of a refusal.
async fn refusal(answer: http::Response<Body>, tried: String) -> Error {
    use http_body_util::BodyExt;
    let code = answer.status();
    let text = match answer.into_body().collect().await {
        Ok(body) => String::from_utf8_lossy(&body.to_bytes()).into_owned(),
        Err(error) => error.to_string(),
    };
    let status = serde_json::from_str::<kube::core::Status>(&text).ok();
    let status = status.filter(|s| s.code != 0).unwrap_or_else(|| {
        let reason = code.canonical_reason().unwrap_or_default();
        let text = if text.trim().is_empty() {
            reason
        } else {
            text.trim()
        };
        kube::core::Status::failure(text, reason).with_code(code.as_u16())
    });
    Error::of(&kube::Error::Api(Box::new(status)), tried)
}
