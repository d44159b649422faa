//! `run watch`: every change of a run and its members, one line each, until it ends.

use std::collections::BTreeMap;
use std::pin::pin;

use futures::{Stream, StreamExt, stream};
use jiff::{SignedDuration, Timestamp};
use kube::api::{DynamicObject, ListParams};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Client, ResourceExt};
use serde_json::Value;

use super::follow;
use crate::api::{UpdateRun, labels};
use crate::cli::args::WatchArgs;
use crate::cli::columns;
use crate::cli::context::Context;
use crate::cli::driven;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::kinds::Kind;
use crate::cli::objects;
use crate::hub;
use crate::hub::verbs::{Error as HubError, Object};
use crate::journal::{self, Entry};

/// Kinds whose changes are told.
const KINDS: [Kind; 2] = [Kind::Run, Kind::Update];

/// `run watch NAME`
pub async fn watch(args: &WatchArgs, ctx: &mut Context) -> Result<Exit, Error> {
    let name = args.name.as_str();
    let tried = format!("watch run {name}");
    let mut seen = Seen::default();
    // What there is now is where the changes begin, so it is told once, in its state.
    for kind in KINDS {
        for object in now(ctx, kind, name)
            .await
            .map_err(|e| e.tried(tried.as_str()))?
        {
            seen.keep(kind, &object);
        }
    }
    let started = seen.run(name).ok_or_else(|| follow::gone(name))?;
    let state = started.status.as_ref().map(|s| s.state).unwrap_or_default();
    if !args.print.output.is_json() {
        ctx.out.line(&format!("Run {name} is {state}."))?;
        ctx.out.flush()?;
    }
    if let Some(exit) = Exit::of_run(&started) {
        return Ok(exit);
    }
    ctx.may_wait().map_err(|e| e.tried(tried.as_str()))?;
    driven::remark(ctx).await;
    let all = KINDS.map(|kind| changes(&ctx.client, kind, name).boxed());
    let mut all = pin!(stream::select_all(all));
    while let Some(change) = all.next().await {
        let (kind, event) = change.map_err(|e| e.tried(tried.as_str()))?;
        let gone = matches!(event, Change::Gone(_));
        // The hub's time may run faster than ours.
        let at = hub::time::clock(&ctx.client).await.now();
        let at = Timestamp::from_second(at.as_second()).unwrap_or(at);
        print(args, seen.take(kind, event, name, at), ctx)?;
        if kind != Kind::Run {
            continue;
        }
        if gone {
            return Err(follow::gone(name).tried(tried));
        }
        let ended = seen.run(name).and_then(|run| Exit::of_run(&run));
        if let Some(exit) = ended {
            // Two watches: what the other one has still to tell belongs to the run, too.
            for object in now(ctx, Kind::Update, name).await? {
                let change = Change::Is(Box::new(object));
                let entries = seen.take(Kind::Update, change, name, at);
                print(args, entries, ctx)?;
            }
            return Ok(exit);
        }
    }
    Err(follow::gone(name).tried(tried))
}

async fn now(ctx: &mut Context, kind: Kind, name: &str) -> Result<Vec<DynamicObject>, Error> {
    if kind == Kind::Run {
        return Ok(vec![objects::read(ctx, kind, name).await?]);
    }
    let params = ListParams::default().labels(&format!("{}={name}", labels::RUN));
    let listed = kind.api(&ctx.client).list(&params).await;
    let listed = listed.map_err(|e| HubError::from_kube(e, Object::new(kind.name(), "")))?;
    Ok(listed.items)
}

enum Change {
    Is(Box<DynamicObject>),
    Gone(String),
}

fn changes(
    client: &Client,
    kind: Kind,
    name: &str,
) -> impl Stream<Item = Result<(Kind, Change), Error>> + Send + use<> {
    let config = match kind {
        Kind::Run => watcher::Config::default().fields(&format!("metadata.name={name}")),
        _ => watcher::Config::default().labels(&format!("{}={name}", labels::RUN)),
    };
    watcher(kind.api(client), config)
        .default_backoff()
        .filter_map(move |event| {
            let change = match event {
                Ok(watcher::Event::InitApply(object) | watcher::Event::Apply(object)) => {
                    Some(Ok((kind, Change::Is(Box::new(object)))))
                }
                Ok(watcher::Event::Delete(object)) => {
                    Some(Ok((kind, Change::Gone(object.uid().unwrap_or_default()))))
                }
                Ok(watcher::Event::Init | watcher::Event::InitDone) => None,
                Err(error) => follow::refused(error, Object::new(kind.name(), "")).map(Err),
            };
            async move { change }
        })
}

/// Objects as they were told last, by uid.
#[derive(Default)]
struct Seen(BTreeMap<String, Value>);

impl Seen {
    fn keep(&mut self, kind: Kind, object: &DynamicObject) -> Option<Value> {
        let uid = object.uid().unwrap_or_default();
        self.0.insert(uid, columns::value(kind, object))
    }

    /// What a change says; offsets count from the start of the run.
    fn take(&mut self, kind: Kind, change: Change, name: &str, at: Timestamp) -> Vec<Entry> {
        let mut entries = match change {
            Change::Gone(uid) => {
                let old = self.0.remove(&uid);
                journal::diff(old.as_ref(), None, at)
            }
            Change::Is(object) => {
                let old = self.keep(kind, &object);
                let new = columns::value(kind, &object);
                journal::diff(old.as_ref(), Some(&new), at)
            }
        };
        let status = self.run(name).and_then(|run| run.status);
        let start = status.and_then(|s| s.start_time).map_or(at, |t| t.0);
        for entry in &mut entries {
            entry.offset =
                journal::offset::write(at.duration_since(start).max(SignedDuration::ZERO));
        }
        entries
    }

    fn run(&self, name: &str) -> Option<UpdateRun> {
        let is_run = |v: &&Value| {
            v.get("kind") == Some(&Value::from(Kind::Run.name()))
                && v.pointer("/metadata/name") == Some(&Value::from(name))
        };
        let value = self.0.values().find(is_run)?;
        serde_json::from_value(value.clone()).ok()
    }
}

fn print(args: &WatchArgs, entries: Vec<Entry>, ctx: &mut Context) -> Result<(), Error> {
    for entry in entries {
        if args.print.output.is_json() {
            let value = serde_json::to_value(&entry).unwrap_or_default();
            ctx.out.jsonl(&value)?;
        } else {
            ctx.out.line(&journal::line(&entry))?;
        }
    }
    // Somebody reads along.
    ctx.out.flush()
}
