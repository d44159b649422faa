//! Reads theme files: `inherits`, `[palette]`, `[roles]`, `[hubs."NAME"]`.
//!
//! A user's file of the same name as a shipped theme changes it; another name makes a new theme.

use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;

use ratatui::style::{Color, Modifier, Style};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Role, Theme};
use crate::console::files::{self, Document};

pub use crate::console::files::Fault;

/// Names of the shipped themes.
pub const NAMES: &[&str] = &["dark", "light", "high-contrast", "mono"];

/// Longest chain of `inherits`.
const DEPTH: usize = 8;

fn text_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "dark" => include_str!("../../../themes/dark.toml"),
        "light" => include_str!("../../../themes/light.toml"),
        "high-contrast" => include_str!("../../../themes/high-contrast.toml"),
        "mono" => include_str!("../../../themes/mono.toml"),
        _ => return None,
    })
}

/// A shipped theme.
pub fn shipped(name: &str) -> Option<Theme> {
    let text = text_of(name)?;
    let mut sheet = Sheet::default();
    sheet.read(
        &format!("themes/{name}.toml"),
        text,
        &mut |parent, sheet| {
            match text_of(parent) {
                Some(text) => sheet.read(parent, text, &mut |_, _| false),
                None => return false,
            };
            true
        },
    );
    Some(sheet.into_theme(name))
}

/// The theme of this name, with the user's changes from `dir/NAME.toml`, and what is wrong in
/// the user's files. An unknown name gives `dark` and a fault.
pub fn load(name: &str, dir: Option<&Path>) -> (Theme, Vec<Fault>) {
    let mut sheet = Sheet::default();
    let found = layer(name, dir, &mut sheet, 0);
    if found {
        let faults = std::mem::take(&mut sheet.faults);
        return (sheet.into_theme(name), faults);
    }
    let mut faults = sheet.faults;
    faults.push(Fault {
        file: format!("theme \"{name}\""),
        line: 0,
        message: format!(
            "There is no theme of this name. Shipped: {}",
            NAMES.join(", ")
        ),
    });
    (Theme::default(), faults)
}

/// Puts the theme `name` under what `sheet` gets later. A user's file lies over the shipped one.
fn layer(name: &str, dir: Option<&Path>, sheet: &mut Sheet, depth: usize) -> bool {
    let shipped = text_of(name);
    if let Some(text) = shipped {
        sheet.read(name, text, &mut |parent, sheet| {
            depth < DEPTH && layer(parent, None, sheet, depth + 1)
        });
    }
    let Some(path) = dir.map(|d| d.join(format!("{name}.toml"))) else {
        return shipped.is_some();
    };
    match files::read(&path) {
        Ok(Some(text)) => {
            let file = path.display().to_string();
            sheet.read(&file, &text, &mut |parent, sheet| {
                // A file that changes the shipped theme of its own name has it below already.
                (parent == name && shipped.is_some())
                    || (depth < DEPTH && parent != name && layer(parent, dir, sheet, depth + 1))
            });
            true
        }
        Ok(None) => shipped.is_some(),
        Err(fault) => {
            sheet.faults.push(fault);
            shipped.is_some()
        }
    }
}

/// What has been read so far.
#[derive(Default)]
struct Sheet {
    palette: BTreeMap<String, Color>,
    roles: BTreeMap<Role, Style>,
    environments: BTreeMap<String, String>,
    faults: Vec<Fault>,
}

impl Sheet {
    /// Reads one file; `parent` is called with what it inherits, before anything else of it holds.
    fn read(&mut self, file: &str, text: &str, parent: &mut dyn FnMut(&str, &mut Sheet) -> bool) {
        let mut document = Document::parse(file, text);
        let table = std::mem::take(&mut document.table);
        if let Some(value) = table.get("inherits") {
            let at = value.span().start;
            match value.get_ref().as_str() {
                Some(name) if parent(name, self) => {}
                Some(name) => {
                    document.fault(at, format!("There is no theme \"{name}\" to inherit"))
                }
                None => document.fault(at, "inherits takes the name of a theme in quotes"),
            }
        }
        for (key, value) in &table {
            let at = key.span().start;
            let entries = value.get_ref().as_table();
            match (key.get_ref().as_ref(), entries) {
                ("inherits", _) => {}
                ("palette", Some(entries)) => self.palette(entries, &mut document),
                ("roles", Some(entries)) => self.roles(entries, &mut document),
                ("hubs", Some(entries)) => self.hubs(entries, &mut document),
                ("palette" | "roles" | "hubs", None) => {
                    document.fault(at, format!("{} is a table: [{0}]", key.get_ref()));
                }
                (other, _) => document.fault(
                    at,
                    format!("\"{other}\" is not known here. Known: inherits, palette, roles, hubs"),
                ),
            }
        }
        self.faults.append(&mut document.faults);
    }

    fn palette(&mut self, entries: &DeTable<'_>, document: &mut Document<'_>) {
        for (name, value) in entries {
            match value.get_ref().as_str().map(Color::from_str) {
                Some(Ok(color)) => {
                    self.palette.insert(name.get_ref().to_string(), color);
                }
                _ => document.fault(
                    value.span().start,
                    format!(
                        "{}: a colour is \"#RRGGBB\" or a name such as \"red\"",
                        name.get_ref()
                    ),
                ),
            }
        }
    }

    fn roles(&mut self, entries: &DeTable<'_>, document: &mut Document<'_>) {
        for (name, value) in entries {
            let Some(role) = Role::named(name.get_ref()) else {
                let near = nearest(name.get_ref());
                document.fault(
                    name.span().start,
                    format!("There is no role \"{}\". Nearest: {near}", name.get_ref()),
                );
                continue;
            };
            match self.style(value) {
                Ok(style) => {
                    self.roles.insert(role, style);
                }
                Err(message) => {
                    document.fault(value.span().start, format!("{}: {message}", role.name()));
                }
            }
        }
    }

    fn style(&self, value: &Spanned<DeValue<'_>>) -> Result<Style, String> {
        if let Some(color) = value.get_ref().as_str() {
            return Ok(Style::new().fg(self.color(color)?));
        }
        let Some(table) = value.get_ref().as_table() else {
            return Err(
                "a role is a colour, or { fg, bg, bold, underline, reverse, italic }".into(),
            );
        };
        let mut style = Style::new();
        for (key, value) in table {
            let (color, flag) = (value.get_ref().as_str(), value.get_ref().as_bool());
            style = match (key.get_ref().as_ref(), color, flag) {
                ("fg", Some(c), _) => style.fg(self.color(c)?),
                ("bg", Some(c), _) => style.bg(self.color(c)?),
                ("bold", _, Some(on)) => with(style, Modifier::BOLD, on),
                ("underline", _, Some(on)) => with(style, Modifier::UNDERLINED, on),
                ("reverse", _, Some(on)) => with(style, Modifier::REVERSED, on),
                ("italic", _, Some(on)) => with(style, Modifier::ITALIC, on),
                ("fg" | "bg", ..) => return Err(format!("{} takes a colour", key.get_ref())),
                ("bold" | "underline" | "reverse" | "italic", ..) => {
                    return Err(format!("{} takes true or false", key.get_ref()));
                }
                (other, ..) => return Err(format!("\"{other}\" is not known in a role")),
            };
        }
        Ok(style)
    }

    fn color(&self, text: &str) -> Result<Color, String> {
        if let Some(color) = self.palette.get(text) {
            return Ok(*color);
        }
        if text == "default" {
            return Ok(Color::Reset);
        }
        Color::from_str(text).map_err(|_| {
            format!("\"{text}\" is no colour: use \"#RRGGBB\", a name of [palette], or a name such as \"red\"")
        })
    }

    fn hubs(&mut self, entries: &DeTable<'_>, document: &mut Document<'_>) {
        for (name, value) in entries {
            let env = value.get_ref().as_table().and_then(|t| t.get("env"));
            match env.and_then(|v| v.get_ref().as_str()) {
                Some(env) => {
                    self.environments
                        .insert(name.get_ref().to_string(), env.to_owned());
                }
                None => document.fault(
                    name.span().start,
                    format!(
                        "hubs.\"{}\" needs env = \"prod\", \"test\" or \"lab\"",
                        name.get_ref()
                    ),
                ),
            }
        }
    }

    fn into_theme(self, name: &str) -> Theme {
        let mut styles = BTreeMap::new();
        for role in Role::ALL {
            let mut at = Some(*role);
            while let Some(r) = at {
                if let Some(style) = self.roles.get(&r) {
                    styles.insert(*role, *style);
                    break;
                }
                at = r.parent();
            }
        }
        let text = styles.get(&Role::Text).copied().unwrap_or_default();
        let bg = styles.entry(Role::Bg).or_default();
        bg.fg = bg.fg.or(text.fg);
        Theme {
            name: name.to_owned(),
            styles,
            environments: self.environments,
        }
    }
}

fn with(style: Style, modifier: Modifier, on: bool) -> Style {
    if on {
        style.add_modifier(modifier)
    } else {
        style
    }
}

/// The role whose name shares the longest beginning, else the first.
fn nearest(name: &str) -> &'static str {
    let shared = |r: &&Role| {
        r.name()
            .bytes()
            .zip(name.bytes())
            .take_while(|(a, b)| a == b)
            .count()
    };
    Role::ALL
        .iter()
        .rev()
        .max_by_key(shared)
        .map_or("text", |r| r.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_themes_have_no_fault_and_every_role() {
        for name in NAMES {
            let (theme, faults) = load(name, None);
            assert_eq!(faults, [], "{name}");
            assert_eq!(Some(&theme), shipped(name).as_ref());
            for role in Role::ALL {
                assert!(
                    theme.styles.contains_key(role),
                    "{name} lacks {}",
                    role.name()
                );
            }
        }
    }

    #[test]
    fn a_users_file_changes_a_shipped_theme_and_keeps_what_is_right() {
        let dir = tempfile::tempdir().unwrap();
        let text = "inherits = \"dark\"\n[palette]\nsea = \"#3FB8AF\"\nbad = 3\n[roles]\n\
                    \"state.done\" = { fg = \"sea\", bold = true }\n\"state.dome\" = \"red\"\n\
                    warn = { fg = \"nocolour\" }\n[hubs.\"fleet-eu\"]\nenv = \"prod\"\n";
        std::fs::write(dir.path().join("dark.toml"), text).unwrap();
        let (theme, faults) = load("dark", Some(dir.path()));
        let done = theme.style(Role::Done);
        assert_eq!(done.fg, Some(Color::Rgb(0x3f, 0xb8, 0xaf)));
        assert!(done.add_modifier.contains(Modifier::BOLD));
        assert_eq!(theme.environment("fleet-eu"), Some("prod"));
        assert_eq!(theme.style(Role::Warn), Theme::default().style(Role::Warn));
        let mut lines: Vec<_> = faults.iter().map(|f| f.line).collect();
        lines.sort_unstable();
        assert_eq!(lines, [4, 7, 8], "{faults:?}");
        assert!(
            faults
                .iter()
                .any(|f| f.to_string().contains("Nearest: state.done"))
        );
    }

    #[test]
    fn a_new_theme_inherits_and_an_unknown_one_falls_back() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("mine.toml"), "inherits = \"light\"\n").unwrap();
        let (theme, faults) = load("mine", Some(dir.path()));
        assert_eq!(faults, []);
        assert_eq!(
            theme.style(Role::Done),
            shipped("light").unwrap().style(Role::Done)
        );
        let (theme, faults) = load("nothing", Some(dir.path()));
        assert_eq!(theme.name(), "dark");
        assert_eq!(faults.len(), 1);
    }

    #[test]
    fn themes_that_inherit_each_other_end() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.toml"), "inherits = \"b\"\n").unwrap();
        std::fs::write(dir.path().join("b.toml"), "inherits = \"a\"\n").unwrap();
        let (_, faults) = load("a", Some(dir.path()));
        assert!(!faults.is_empty());
    }

    #[test]
    fn what_is_no_toml_is_named_with_its_line() {
        let dir = tempfile::tempdir().unwrap();
        let text = "inherits = \"dark\"\n[roles]\n\"warn\" = = 3\n\"error\" = \"#FF0000\"\n";
        std::fs::write(dir.path().join("dark.toml"), text).unwrap();
        let (theme, faults) = load("dark", Some(dir.path()));
        assert!(faults.iter().any(|f| f.line == 3), "{faults:?}");
        assert_eq!(theme.style(Role::Error).fg, Some(Color::Rgb(255, 0, 0)));
    }
}
