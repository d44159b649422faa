//! Keys and what they are bound to.
//!
//! A [`Keymap`] says which action a key or chord stands for in a [`Place`]; what an action does is
//! not known here. Keymaps are TOML files in `keymaps/`, which a user's file may change.

mod convert;
mod key;
mod keymap;
mod load;
mod place;

pub use key::{Key, KeyCode, ParseKeyError};
pub use keymap::{Binding, Keymap, Lookup};
pub use load::{PRESETS, load, preset};
pub use place::Place;
