//! The terminal dashboard: model, update, view; and the shell that feeds them.
//!
//! [`update`] takes a [`msg::Msg`], changes the [`model::Model`] and returns [`effect::Effect`]s;
//! [`view::draw`] reads the model and fills a frame. Nothing in these does I/O, reads a clock or
//! waits; the shell beside them does all of that.

pub mod actions;
pub mod demo;
pub mod effect;
pub mod feed;
pub mod files;
#[cfg(test)]
pub(crate) mod fixture;
pub mod input;
pub mod model;
pub mod msg;
pub mod pilot;
pub mod run;
pub mod start;
pub mod term;
pub mod theme;
pub mod update;
pub mod view;

pub use update::update;

#[cfg(test)]
pub(crate) mod tests;
