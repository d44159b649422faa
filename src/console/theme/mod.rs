//! How things look: roles, not colours, and glyph sets.
//!
//! Views name a [`Role`] and take its style from the [`Theme`]; they take every sign from
//! [`Glyphs`]. Neither knows which colours or signs are in use. Themes are TOML files in `themes/`.

mod contrast;
mod depth;
mod detect;
mod glyphs;
mod load;
mod roles;

pub use contrast::ratio;
pub use depth::Depth;
pub use detect::{Looks, Surroundings, looks};
pub use glyphs::{GlyphSet, Glyphs};
pub use load::{Fault, NAMES, load, shipped};
pub use roles::Role;

use std::collections::BTreeMap;

use ratatui::style::{Color, Modifier, Style};

use crate::api::State;

/// The styles of all roles.
#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    name: String,
    styles: BTreeMap<Role, Style>,
    environments: BTreeMap<String, String>,
}

impl Theme {
    /// Style of a role. Text roles leave the background as it is, so that they can stand on a
    /// selected row; [`Role::Bg`] has the background and the colour of plain text.
    pub fn style(&self, role: Role) -> Style {
        self.styles.get(&role).copied().unwrap_or_default()
    }

    /// Style of a state's glyph and word.
    pub fn state(&self, state: State) -> Style {
        self.style(Role::of(state))
    }

    /// Name of the theme, as it is chosen by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Environment (`prod`, `test`, `lab`) that the theme file gives to a hub.
    pub fn environment(&self, hub: &str) -> Option<&str> {
        self.environments.get(hub).map(String::as_str)
    }

    /// The theme without any colour; bold, underline and reverse only.
    pub fn mono() -> Self {
        shipped("mono").unwrap_or_else(Self::plain)
    }

    /// Every colour replaced by the nearest one that the terminal has.
    pub fn at(mut self, depth: Depth) -> Self {
        for style in self.styles.values_mut() {
            style.fg = style.fg.map(|c| depth.nearest(c));
            style.bg = style.bg.map(|c| depth.nearest(c));
        }
        self
    }

    fn plain() -> Self {
        let mut styles = BTreeMap::new();
        styles.insert(Role::Select, Style::new().add_modifier(Modifier::REVERSED));
        Self {
            name: "plain".to_owned(),
            styles,
            environments: BTreeMap::new(),
        }
    }

    /// Whether any role has a colour.
    pub fn has_colour(&self) -> bool {
        let coloured = |c: Option<Color>| c.is_some_and(|c| c != Color::Reset);
        self.styles
            .values()
            .any(|s| coloured(s.fg) || coloured(s.bg))
    }
}

impl Default for Theme {
    fn default() -> Self {
        shipped("dark").unwrap_or_else(Self::plain)
    }
}
