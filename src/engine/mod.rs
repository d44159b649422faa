//! Pure decisions about update runs: every rule lives here, and nothing here reads a clock, does
//! I/O, or keeps state.
//!
//! [`decide`](decide::decide) takes a [`World`](world::World) and an instant and answers what to
//! write and which upgrades to begin. It may be asked again at any time: on a world that holds what
//! it answered before, it answers that nothing is to be done.
//!
//! Which file has which rule: membership in [`membership`], limits in [`limits`] and [`tolerance`],
//! the order of work in `schedule`, what happens at a member's turn in [`turn`], a halt in `halt`,
//! gates in [`gate`] and `gates`, waits in `wait`, states in `states`, requests in `requests`,
//! `resume` and [`skip`], who may do what when in [`operation`].

pub mod catalog;
pub mod decide;
pub mod fact;
pub mod gate;
pub mod image;
pub mod labels;
pub mod limits;
pub mod operation;
pub mod plan;
pub mod refusal;
pub mod scheduled_start;
pub mod selector;
pub mod skip;
pub mod tolerance;
pub mod validate;
pub mod version;
pub mod world;

pub use decide::{Begin, Decision, GateChange, decide};
pub use fact::{Fact, Subject};
pub use refusal::Refusal;
pub use world::{Fleet, World};
