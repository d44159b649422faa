//! Pure decisions about update runs: every rule lives here, and nothing here reads a clock, does
//! I/O, or keeps state.
//!
//! [`decide`](decide::decide) takes a [`World`](world::World) and an instant and answers what to
//! write and which upgrades to begin. It may be asked again at any time: on a world that holds what
//! it answered before, it answers that nothing is to be done.
//!
//! Which file has which rule: membership in [`membership`], limits in [`limits`] and [`tolerance`],
//! the order of work in `schedule`, what happens at a member's turn in [`turn`], a halt in `halt`,
//! gates in [`gate`] and `gates`, what passing one does in [`approval`], waits in `wait`, states in `states`, requests in `requests`,
//! `resume` and [`skip`], why a turn has not come in [`queue`], who may do what when in [`operation`].

mod aim;
pub mod approval;
mod blueprint;
pub mod catalog;
pub mod conditions;
pub mod counts;
pub mod decide;
pub mod estimate;
pub mod explain;
pub mod fact;
pub mod findings;
pub mod gate;
pub mod gates;
pub mod halt;
pub mod identity;
pub mod image;
mod initialize;
mod instants;
pub mod labels;
pub mod limits;
pub mod membership;
pub mod operation;
mod order;
mod outcome;
mod pass;
pub mod plan;
pub mod queue;
pub mod refusal;
mod requests;
mod restore;
mod resume;
mod schedule;
pub mod scheduled_start;
pub mod selector;
pub mod skip;
mod slow;
mod states;
mod story;
pub mod tolerance;
mod tree;
pub mod turn;
pub mod validate;
pub mod version;
pub mod wait;
mod waiting;
pub mod world;

#[cfg(test)]
pub(crate) mod testkit;
#[cfg(test)]
mod tests;

pub use decide::{Begin, Decision, GateChange, decide};
pub use fact::{Fact, Subject};
pub use refusal::Refusal;
pub use world::{Fleet, World};
