//! Playing a script on a hub of its own: the production hub, controller and simulator, and a clock
//! that jumps from one instant at which something can happen to the next.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::StreamExt;
use jiff::{SignedDuration, Timestamp};
use kube::api::{ListParams, PostParams};
use kube::core::{ApiResource, DynamicObject, GroupVersionKind};
use kube::{Api, Client};
use serde_json::Value;

use super::file::{Act, Script, Step, name};
use super::{Error, LineRunner, Refused};
use crate::api::{API_VERSION, GROUP, VERSION};
use crate::clock::Clock;
use crate::controller::{self, Controller, lead};
use crate::embedded::{Hub, Options, StoreKind};
use crate::hub::verbs;
use crate::journal::{self, Entry, offset};
use crate::member::answer::Answer;

/// Kinds in the order in which the objects are printed.
const KINDS: [(&str, &str); 5] = [
    ("FleetMember", "fleetmembers"),
    ("UpdateStrategy", "updatestrategies"),
    ("UpdateRun", "updateruns"),
    ("MemberUpdate", "memberupdates"),
    ("Gate", "gates"),
];
/// Jumps within one and the same instant after which something must be wrong.
const STUCK: usize = 1000;

/// What came of it.
pub struct Played {
    /// What happened.
    pub entries: Vec<Entry>,
    /// Objects at the end.
    pub objects: Vec<Value>,
}

/// The journal, while it is being written by the task that follows the hub.
#[derive(Clone)]
struct Book {
    start: Timestamp,
    entries: Arc<Mutex<Vec<Entry>>>,
}

struct Stage<'a> {
    script: &'a Script,
    clock: Clock,
    client: Client,
    controller: Controller,
    book: Book,
    lines: &'a mut dyn LineRunner,
}

/// Plays `script` to its end, or to `until`.
pub async fn play(
    script: &Script,
    until: Option<SignedDuration>,
    lines: &mut dyn LineRunner,
) -> Result<Played, Error> {
    let clock = Clock::manual(script.start);
    let hub = Hub::open(Options {
        store: StoreKind::Memory,
        clock: clock.clone(),
        seed: Some(script.seed),
    })
    .await
    .map_err(|e| Error(format!("cannot open a hub for the rehearsal: {e}")))?;
    let book = Book {
        start: script.start,
        entries: Arc::default(),
    };
    let mut changes = Box::pin(hub.changes_of(journal::RESOURCES));
    let (pen, watch) = (book.clone(), clock.clone());
    let follower = tokio::spawn(async move {
        while let Some(change) = changes.next().await {
            pen.add(journal::diff(
                change.old.as_deref(),
                change.new.as_deref(),
                watch.now(),
            ));
        }
    });
    let client = hub.client();
    for (number, object) in &script.objects {
        put(&client, object).await.map_err(|refused| {
            Error(format!(
                "document {number}: refused: {}: {}",
                refused.code, refused.message
            ))
        })?;
    }
    let controller = start(&client, &clock);
    let mut stage = Stage {
        script,
        clock,
        client,
        controller,
        book,
        lines,
    };
    stage.run(until).await?;
    let objects = objects(&stage.client).await?;
    stage.controller.abort();
    follower.abort();
    let entries = std::mem::take(&mut *stage.book.lock());
    hub.close().await;
    Ok(Played { entries, objects })
}

impl Stage<'_> {
    async fn run(&mut self, until: Option<SignedDuration>) -> Result<(), Error> {
        let limit = match (self.script.end, until) {
            (Some(end), Some(until)) => Some(end.min(until)),
            (end, until) => end.or(until),
        };
        let limit = limit.and_then(|limit| self.script.start.checked_add(limit).ok());
        let mut steps = self.script.steps.iter().peekable();
        let mut still = 0_usize;
        self.clock.settle().await;
        loop {
            let step = steps.peek().map(|step| self.instant(step));
            let timer = self.clock.next_timer();
            let Some(next) = step.into_iter().chain(timer).min() else {
                break;
            };
            if limit.is_some_and(|limit| next > limit) {
                break;
            }
            still = if next > self.clock.now() {
                0
            } else {
                still.saturating_add(1)
            };
            if still > STUCK {
                return Err(Error(format!(
                    "the rehearsal does not get past {}: something waits for an instant that has passed",
                    self.clock.now()
                )));
            }
            // What is due by itself at an instant comes before what is done at it.
            self.clock.advance(next);
            self.clock.settle().await;
            while let Some(step) = steps.next_if(|step| self.instant(step) <= self.clock.now()) {
                still = 0;
                self.step(step).await;
                self.clock.settle().await;
            }
        }
        if let Some(limit) = limit {
            self.clock.advance(limit);
            self.clock.settle().await;
        }
        Ok(())
    }

    fn instant(&self, step: &Step) -> Timestamp {
        let start = self.script.start;
        start.checked_add(step.at).unwrap_or(Timestamp::MAX)
    }

    async fn step(&mut self, step: &Step) {
        let place = self.book.lock().len();
        let (what, outcome) = match &step.act {
            Act::Do(line, words) => {
                let done = self.lines.run(words, &self.client, &self.clock).await;
                (line.clone(), done)
            }
            Act::Apply(object) => (
                format!("apply {}", title(object)),
                put(&self.client, object).await,
            ),
            Act::Kill => {
                let again = start(&self.client, &self.clock);
                std::mem::replace(&mut self.controller, again).abort();
                ("kill controller".to_owned(), Ok(()))
            }
        };
        let (to, reason, message) = match outcome {
            Ok(()) => ("accepted", String::new(), what),
            Err(refused) => ("refused", refused.code, refused.message),
        };
        let now = self.clock.now();
        let entry = Entry {
            instant: now,
            offset: self.book.offset(now),
            object: format!("Rehearsal/{}", self.script.name),
            what: format!("step {}", step.number),
            to: to.to_owned(),
            reason,
            message,
            ..Entry::default()
        };
        // What is asked stands before what comes of it.
        self.book.lock().insert(place, entry);
    }
}

impl Book {
    fn add(&self, entries: Vec<Entry>) {
        let entries = entries.into_iter().map(|entry| Entry {
            offset: self.offset(entry.instant),
            ..entry
        });
        self.lock().extend(entries);
    }

    fn offset(&self, instant: Timestamp) -> String {
        offset::write(instant.duration_since(self.start))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn start(client: &Client, clock: &Clock) -> Controller {
    controller::start(controller::Options {
        client: client.clone(),
        clock: clock.clone(),
        identity: "rehearsal".to_owned(),
        lease: lead::Settings::patient(),
    })
}

/// Makes the object, or replaces the spec, labels and annotations of the one that is there.
async fn put(client: &Client, object: &Value) -> Result<(), Refused> {
    let broken = |message: String| Refused {
        code: "InvalidObject".to_owned(),
        message,
    };
    let kind = object.get("kind").and_then(Value::as_str).unwrap_or("");
    let api = api(client, kind);
    let what = verbs::Object::new(kind, name(object).unwrap_or_default());
    let refused = |error: kube::Error| {
        let error = verbs::Error::from_kube(error, what.clone());
        Refused {
            code: error.code().to_owned(),
            message: error.to_string(),
        }
    };
    let mut object: DynamicObject =
        serde_json::from_value(object.clone()).map_err(|e| broken(e.to_string()))?;
    // What a controller says is never given.
    if let Some(data) = object.data.as_object_mut() {
        data.remove("status");
    }
    let name = object.metadata.name.clone().unwrap_or_default();
    match api.create(&PostParams::default(), &object).await {
        Ok(_) => return Ok(()),
        Err(error) if error.is_already_exists() => {}
        Err(error) => return Err(refused(error)),
    }
    let there = api.get(&name).await.map_err(refused)?;
    let given = std::mem::replace(&mut object.metadata, there.metadata);
    object.metadata.labels = given.labels.or(object.metadata.labels);
    object.metadata.annotations = given.annotations.or(object.metadata.annotations);
    if let (Some(data), Some(status)) = (object.data.as_object_mut(), there.data.get("status")) {
        data.insert("status".to_owned(), status.clone());
    }
    let replaced = api.replace(&name, &PostParams::default(), &object).await;
    replaced.map(drop).map_err(refused)
}

async fn objects(client: &Client) -> Result<Vec<Value>, Error> {
    let mut all = Vec::new();
    for (kind, _) in KINDS {
        let list = api(client, kind).list(&ListParams::default()).await;
        let list = list.map_err(|e| Error(format!("cannot list {kind} objects: {e}")))?;
        for mut object in list.items {
            object.metadata.managed_fields = None;
            let value = serde_json::to_value(&object).map_err(|e| Error(e.to_string()))?;
            all.push(with_type(value, kind));
        }
    }
    Ok(all)
}

/// Items of a list carry no type of their own.
fn with_type(mut value: Value, kind: &str) -> Value {
    if let Some(fields) = value.as_object_mut() {
        fields.insert("apiVersion".to_owned(), API_VERSION.into());
        fields.insert("kind".to_owned(), kind.into());
    }
    value
}

fn api(client: &Client, kind: &str) -> Api<DynamicObject> {
    let plural = KINDS.iter().find(|(name, _)| *name == kind);
    let plural = plural.map_or("unknown", |(_, plural)| plural);
    let gvk = GroupVersionKind::gvk(GROUP, VERSION, kind);
    Api::all_with(
        client.clone(),
        &ApiResource::from_gvk_with_plural(&gvk, plural),
    )
}

fn title(object: &Value) -> String {
    let kind = object.get("kind").and_then(Value::as_str).unwrap_or("");
    format!("{kind}/{}", name(object).unwrap_or_default())
}
