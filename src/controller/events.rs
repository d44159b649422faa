//! Kubernetes events for what happens to runs, members and gates.
//!
//! Off the critical path: a decision only queues them, and a full queue loses the newest. Their
//! names and times come from what happened and the clock of runs, so that one that is written
//! twice is one event, and a rehearsal is the same every time.

use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::api::events::v1::Event;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube::api::{ObjectMeta, PostParams};
use kube::{Api, Client, Resource, ResourceExt};
use tokio::sync::mpsc;
use uuid::Uuid;

use crate::api::Gate;
use crate::clock::Clock;
use crate::engine::Fact;
use crate::member::answer::Answer;

/// Events waiting to be written at most.
const QUEUE: usize = 4096;
/// Events of objects that belong to no namespace live here.
const NAMESPACE: &str = "default";
const CONTROLLER: &str = "fleetdeck.io/controller";
/// What an API server takes.
const LONGEST_NOTE: usize = 1000;

/// Where events are queued.
#[derive(Clone)]
pub struct Events {
    queue: mpsc::Sender<Event>,
    clock: Clock,
    identity: String,
}

/// Events on their way out.
pub struct Writer {
    queue: mpsc::Receiver<Event>,
    api: Api<Event>,
}

impl Events {
    /// A queue, and what writes it to the hub behind `client`.
    pub fn new(client: Client, clock: Clock, identity: &str) -> (Self, Writer) {
        let (sender, queue) = mpsc::channel(QUEUE);
        let api = Api::namespaced(client, NAMESPACE);
        let events = Self {
            queue: sender,
            clock,
            identity: head(identity, 120),
        };
        (events, Writer { queue, api })
    }

    /// Tells a fact about `subject`; `related` is the run where the subject is a part of it.
    pub fn tell(&self, subject: ObjectReference, related: Option<ObjectReference>, fact: &Fact) {
        self.queue(subject, related, fact.warning, &fact.reason, &fact.note);
    }

    /// Tells that `gate` was deleted with its run.
    pub fn gate_deleted(&self, gate: &Gate) {
        let spec = &gate.spec;
        let place = match &spec.group {
            Some(group) => format!("group {group} of stage {}", spec.stage),
            None => format!("stage {}", spec.stage),
        };
        let note = format!(
            "Gate {} ({}, {} {place} of run {}) was deleted.",
            spec.display_name.as_deref().unwrap_or(&gate.name_any()),
            spec.type_,
            spec.timing.to_string().to_lowercase(),
            spec.run,
        );
        self.queue(gate.object_ref(&()), None, false, "FleetGateDeleted", &note);
    }

    fn queue(
        &self,
        subject: ObjectReference,
        related: Option<ObjectReference>,
        warning: bool,
        reason: &str,
        note: &str,
    ) {
        let now = self.clock.now();
        let name = subject.name.clone().unwrap_or_default();
        let what = format!("{:?} {name} {reason} {note} {now}", subject.uid);
        let id = Uuid::new_v5(&Uuid::NAMESPACE_OID, what.as_bytes())
            .simple()
            .to_string();
        let event = Event {
            metadata: ObjectMeta {
                name: Some(format!("{name}.{}", head(&id, 16))),
                namespace: Some(NAMESPACE.to_owned()),
                ..ObjectMeta::default()
            },
            event_time: Some(MicroTime(now)),
            reporting_controller: Some(CONTROLLER.to_owned()),
            reporting_instance: Some(self.identity.clone()),
            action: Some(reason.to_owned()),
            reason: Some(reason.to_owned()),
            note: Some(head(note, LONGEST_NOTE)),
            type_: Some(if warning { "Warning" } else { "Normal" }.to_owned()),
            regarding: Some(subject),
            related,
            ..Event::default()
        };
        if self.queue.try_send(event).is_err() {
            tracing::warn!(object = %name, reason, "too many events at once; this one is lost");
        }
    }
}

impl Writer {
    /// Writes what is queued until nobody can queue any more.
    pub async fn write(mut self) {
        while let Some(event) = self.queue.recv().await {
            match self.api.create(&PostParams::default(), &event).await {
                Ok(_) => {}
                Err(error) if error.is_already_exists() => {}
                Err(error) => {
                    tracing::warn!(event = %event.name_any(), %error, "cannot write an event");
                }
            }
        }
    }
}

/// At most `longest` bytes of `text`, whole characters.
fn head(text: &str, longest: usize) -> String {
    let mut head = String::new();
    for character in text.chars() {
        if head.len() + character.len_utf8() > longest {
            break;
        }
        head.push(character);
    }
    head
}
