//! Which runs must decide, handed to kube's `Controller` one trigger a run.
//!
//! A run that is marked already is not triggered again: a steady stream of events must not push
//! the debounce ahead of itself for ever.

use std::collections::BTreeSet;

use futures::Stream;
use kube::runtime::reflector::ObjectRef;
use tokio::sync::mpsc;

use super::queue::Queue;
use crate::api::UpdateRun;

/// Marks runs; cheap to clone.
#[derive(Clone, Debug)]
pub struct Triggers {
    marked: Queue,
    sender: mpsc::UnboundedSender<ObjectRef<UpdateRun>>,
}

impl Triggers {
    /// The marks, and the stream for `Controller::reconcile_on`.
    pub fn new() -> (
        Self,
        impl Stream<Item = ObjectRef<UpdateRun>> + Send + 'static,
    ) {
        let (sender, receiver) = mpsc::unbounded_channel();
        let marked = Queue::default();
        let stream = tokio_stream::wrappers::UnboundedReceiverStream::new(receiver);
        (Self { marked, sender }, stream)
    }

    /// `run` must decide.
    pub fn mark(&self, run: &str) {
        if self.marked.add(run) {
            let _ = self.sender.send(ObjectRef::new(run));
        }
    }

    /// `run` is gone.
    pub fn forget(&self, run: &str) {
        self.marked.forget(run);
    }

    /// Triggers every marked run once more: kube's `Controller` drops the trigger of a run that its
    /// own store does not show yet, which while it lists anew is every new one.
    pub fn repeat(&self) {
        for run in self.marked.names() {
            let _ = self.sender.send(ObjectRef::new(&run));
        }
    }

    /// Takes the mark of one run; whether there was one.
    pub fn take_one(&self, run: &str) -> bool {
        self.marked.take_one(run)
    }

    /// All runs marked until now, in order: one instant's events are decided in one go, in an
    /// order that does not hang on hashes.
    pub fn take(&self) -> BTreeSet<String> {
        self.marked.take()
    }
}
