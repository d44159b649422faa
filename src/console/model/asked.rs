//! Writes that are under way: asked by the person, not yet taken by the controller.

use jiff::Timestamp;

use crate::console::msg::Ticket;

use super::layers::Dialog;
use super::names::Uid;

/// A write that is under way.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Of the effect.
    pub ticket: Ticket,
    /// The object that was written.
    pub uid: Uid,
    /// When.
    pub at: Timestamp,
    /// In words: `stop eu-1.33.4`.
    pub what: String,
    /// The dialog, to come back with everything typed if it is refused.
    pub dialog: Box<Dialog>,
    /// Generation of the object after the write; `None` until the hub answers.
    pub generation: Option<i64>,
    /// Name of the request in the run's status, where it has one.
    pub request: String,
    /// Whether it was told that nobody takes it.
    pub warned: bool,
}
