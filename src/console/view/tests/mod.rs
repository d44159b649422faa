//! Screens as text, for every page, size and state.

mod screens;
mod states;
