//! Bodies of watches: one JSON object a line, bookmarks now and then.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures::stream;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::accept::Form;
use super::answer;
use crate::clock::Clock;
use crate::embedded::catalog::{Builtin, Resource};
use crate::embedded::refusal::Refusal;
use crate::embedded::registry::{Seen, Watching, whole};
use crate::embedded::render::{self, Include};
use crate::embedded::store::Object;

/// Silence after which a bookmark is sent.
const BOOKMARK_EVERY: Duration = Duration::from_secs(60);

struct Stream {
    watching: Watching,
    resource: Arc<Resource>,
    form: Form,
    include: Include,
    clock: Clock,
    /// Column definitions are sent once.
    columns_sent: bool,
    deadline: Option<Instant>,
    /// The last line has been sent.
    over: bool,
}

/// The answer to a watch. On a manual clock `timeout` does not end it.
pub(super) fn response(
    watching: Watching,
    resource: Arc<Resource>,
    form: Form,
    include: Include,
    timeout: u64,
    clock: Clock,
) -> Response {
    let deadline =
        (timeout > 0 && !clock.is_manual()).then(|| Instant::now() + Duration::from_secs(timeout));
    let stream = Stream {
        watching,
        resource,
        form,
        include,
        clock,
        columns_sent: false,
        deadline,
        over: false,
    };
    let lines = stream::unfold(stream, |mut stream| async move {
        let line = stream.next().await?;
        Some((Ok::<_, std::convert::Infallible>(line), stream))
    });
    answer::with_type(200, answer::JSON, Body::from_stream(lines))
}

impl Stream {
    async fn next(&mut self) -> Option<Bytes> {
        if self.over {
            return None;
        }
        let silence = self
            .watching
            .wants_bookmarks()
            .then(|| Instant::now() + BOOKMARK_EVERY);
        let until = [self.deadline, silence].into_iter().flatten().min();
        let next = match until {
            Some(until) => tokio::time::timeout_at(until, self.watching.next()).await,
            None => Ok(self.watching.next().await),
        };
        match next {
            Ok(Ok(seen)) => Some(self.lines(seen)),
            Ok(Err(_)) => {
                self.over = true;
                Some(too_old(self.watching.bookmark()))
            }
            Err(_) => {
                self.over = self
                    .deadline
                    .is_some_and(|deadline| Instant::now() >= deadline);
                // Who wants no bookmarks has waited for the end.
                silence.map(|_| self.bookmark(self.watching.bookmark(), false))
            }
        }
    }

    fn lines(&mut self, seen: Vec<Seen>) -> Bytes {
        // One plain change is the usual case, and every watcher shares its bytes.
        if let (
            [
                Seen::Added(_, Some(event))
                | Seen::Modified(_, Some(event))
                | Seen::Deleted(_, _, Some(event)),
            ],
            true,
        ) = (seen.as_slice(), self.is_plain())
        {
            let kind = match seen.first() {
                Some(Seen::Added(..)) => "ADDED",
                Some(Seen::Modified(..)) => "MODIFIED",
                _ => "DELETED",
            };
            let frame = event.frame.get_or_init(|| {
                let mut line = Vec::new();
                self.plain(&mut line, kind, &event.new);
                line.into()
            });
            return frame.clone();
        }
        let mut lines = Vec::new();
        for seen in seen {
            match seen {
                Seen::Added(object, _) => self.object(&mut lines, "ADDED", &object, None),
                Seen::Modified(object, _) => self.object(&mut lines, "MODIFIED", &object, None),
                Seen::Deleted(object, revision, _) => {
                    self.object(&mut lines, "DELETED", &object, Some(revision));
                }
                Seen::InitialEnd(revision) => {
                    lines.extend_from_slice(&self.bookmark(revision, true));
                }
            }
        }
        lines.into()
    }

    /// Whether an object is shown as its stored bytes behind the table's own prefix.
    fn is_plain(&self) -> bool {
        let stored = match self.resource.builtin() {
            Some(builtin) => builtin != Builtin::NewEvent,
            None => self
                .resource
                .custom()
                .is_some_and(|version| version.storage),
        };
        self.form == Form::Json && stored
    }

    fn plain(&self, line: &mut Vec<u8>, kind: &str, object: &Object) {
        line.extend_from_slice(b"{\"type\":\"");
        line.extend_from_slice(kind.as_bytes());
        line.extend_from_slice(b"\",\"object\":");
        crate::embedded::store::join_into(line, &self.resource.prefix, &object.body);
        line.extend_from_slice(b"}\n");
    }

    fn object(&mut self, line: &mut Vec<u8>, kind: &str, object: &Object, revision: Option<u64>) {
        let plain = self.form == Form::Json && !self.resource.is(Builtin::NewEvent);
        if plain && revision.is_none_or(|revision| revision == object.revision) {
            return self.plain(line, kind, object);
        }
        let mut value: Value =
            serde_json::from_slice(&whole(&self.resource, object)).unwrap_or_default();
        if let Some(revision) = revision {
            let path = ["metadata", "resourceVersion"];
            crate::embedded::fields::set(&mut value, &path, revision.to_string().into());
        }
        let shown = self.shown(value);
        line.extend_from_slice(
            json!({"type": kind, "object": shown})
                .to_string()
                .as_bytes(),
        );
        line.push(b'\n');
    }

    /// The object in the form asked for.
    fn shown(&mut self, value: Value) -> Value {
        match self.form {
            Form::Table(version) => {
                let now = self.clock.now();
                let mut table = render::Table::new(&self.resource, version, self.include, now);
                table.add(&value);
                let revision =
                    crate::embedded::fields::text(&value, &["metadata", "resourceVersion"]);
                let mut table = table.value(revision, None, None);
                if self.columns_sent {
                    crate::embedded::fields::set(&mut table, &["columnDefinitions"], Value::Null);
                }
                self.columns_sent = true;
                table
            }
            Form::Metadata | Form::MetadataList => render::metadata_of(&value),
            _ => value,
        }
    }

    fn bookmark(&self, revision: u64, initial_end: bool) -> Bytes {
        let mut metadata = json!({"resourceVersion": revision.to_string()});
        if initial_end {
            let annotation = json!({"k8s.io/initial-events-end": "true"});
            crate::embedded::fields::set(&mut metadata, &["annotations"], annotation);
        }
        let object = match self.form {
            Form::Table(version) => json!({
                "kind": "Table",
                "apiVersion": format!("meta.k8s.io/{version}"),
                "metadata": metadata,
                "columnDefinitions": null,
                "rows": [],
            }),
            Form::Metadata | Form::MetadataList => json!({
                "kind": "PartialObjectMetadata",
                "apiVersion": "meta.k8s.io/v1",
                "metadata": metadata,
            }),
            _ => json!({
                "kind": &*self.resource.kind,
                "apiVersion": self.resource.api_version(),
                "metadata": metadata,
            }),
        };
        let mut line = json!({"type": "BOOKMARK", "object": object}).to_string();
        line.push('\n');
        line.into()
    }
}

/// The last line of a watch whose revision is no longer kept.
fn too_old(current: u64) -> Bytes {
    let refusal = Refusal::expired(format!("too old resource version: {current}"));
    let mut line = json!({"type": "ERROR", "object": refusal.status()}).to_string();
    line.push('\n');
    line.into()
}
