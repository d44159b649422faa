//! Reads key files: a preset, then the user's changes, line by line.

use std::path::Path;

use toml::Spanned;
use toml::de::DeValue;

use super::{Binding, Key, Keymap, Place};
use crate::console::files::{self, Document, Fault};

/// Names of the shipped keymaps; the first is the default.
pub const PRESETS: &[&str] = &["vim", "arrows", "emacs"];

fn text_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "vim" => include_str!("../../../keymaps/vim.toml"),
        "arrows" => include_str!("../../../keymaps/arrows.toml"),
        "emacs" => include_str!("../../../keymaps/emacs.toml"),
        _ => return None,
    })
}

/// A shipped keymap.
pub fn preset(name: &str) -> Option<Keymap> {
    let mut keymap = Keymap::new(name);
    read(&mut keymap, name, text_of(name)?, &|_| true);
    Some(keymap)
}

/// The keymap of this name: the shipped one with the user's changes from `dir/NAME.toml`, or a
/// user's own file that names a preset. `known` says whether an action of that id exists.
pub fn load(name: &str, dir: Option<&Path>, known: &dyn Fn(&str) -> bool) -> (Keymap, Vec<Fault>) {
    let mut faults = Vec::new();
    let path = dir.map(|d| d.join(format!("{name}.toml")));
    let text = match path.as_deref().map(files::read) {
        Some(Ok(text)) => text,
        Some(Err(fault)) => {
            faults.push(fault);
            None
        }
        None => None,
    };
    if text.is_none() && text_of(name).is_none() {
        faults.push(Fault {
            file: format!("keymap \"{name}\""),
            line: 0,
            message: format!(
                "There is no keymap of this name. Shipped: {}",
                PRESETS.join(", ")
            ),
        });
    }
    let file = path.map(|p| p.display().to_string()).unwrap_or_default();
    let base = text
        .as_deref()
        .and_then(|t| named_preset(&file, t, &mut faults));
    let base = base.unwrap_or_else(|| name.to_owned());
    let mut keymap = preset(&base)
        .or_else(|| preset("vim"))
        .unwrap_or_else(|| Keymap::new("none"));
    if let Some(text) = text {
        faults.append(&mut read(&mut keymap, &file, &text, known));
    }
    (keymap, faults)
}

fn named_preset(file: &str, text: &str, faults: &mut Vec<Fault>) -> Option<String> {
    let mut document = Document::parse(file, text);
    document.faults.clear();
    let value = document.table.get("preset")?.clone();
    let name = value.get_ref().as_str().unwrap_or_default().to_owned();
    if PRESETS.contains(&name.as_str()) {
        return Some(name);
    }
    let message = format!("preset is one of {}. Taken: vim", PRESETS.join(", "));
    document.fault(value.span().start, message);
    faults.append(&mut document.faults);
    Some("vim".to_owned())
}

/// Puts the lines of one file over `keymap`; a faulty line is left out.
fn read(keymap: &mut Keymap, file: &str, text: &str, known: &dyn Fn(&str) -> bool) -> Vec<Fault> {
    let mut document = Document::parse(file, text);
    let table = std::mem::take(&mut document.table);
    let mut own = Keymap::new(file);
    for (key, value) in &table {
        match (key.get_ref().as_ref(), value.get_ref().as_array()) {
            ("preset", _) => {}
            ("bind", Some(lines)) => {
                for line in lines.iter() {
                    match binding(line, known).and_then(|b| accept(&own, b)) {
                        Ok(binding) => {
                            own.put(binding.clone());
                            keymap.put(binding);
                        }
                        Err(message) => document.fault(start(line), message),
                    }
                }
            }
            ("bind", None) => {
                document.fault(
                    key.span().start,
                    "bind is a list: write [[bind]] before each line",
                );
            }
            (other, _) => document.fault(
                key.span().start,
                format!("\"{other}\" is not known here. Known: preset, bind"),
            ),
        }
    }
    document.faults
}

/// Where a line begins: a `[[bind]]` table's own span is its header.
fn start(line: &Spanned<DeValue<'_>>) -> usize {
    let header = line.span().start;
    let first = line.get_ref().as_table().into_iter().flatten();
    first.map(|(k, _)| k.span().start).min().unwrap_or(header)
}

fn binding(line: &Spanned<DeValue<'_>>, known: &dyn Fn(&str) -> bool) -> Result<Binding, String> {
    let Some(table) = line.get_ref().as_table() else {
        return Err("a binding is a table with in, on and do".to_owned());
    };
    let text = |name: &str| table.get(name).and_then(|v| v.get_ref().as_str());
    let what = text("do").ok_or("a binding needs do = \"ACTION\"")?;
    let (action, argument) = what.split_once(' ').unwrap_or((what, ""));
    if action != "none" && !known(action) {
        return Err(format!("There is no action \"{action}\""));
    }
    let meant = |message: String| format!("{message} (action {action})");
    if let Some(odd) = table
        .keys()
        .find(|k| !matches!(k.get_ref().as_ref(), "in" | "on" | "do"))
    {
        let odd = format!(
            "\"{}\" is not known in a binding: in, on and do are",
            odd.get_ref()
        );
        return Err(meant(odd));
    }
    let place = text("in").unwrap_or("all");
    let place = Place::named(place).ok_or_else(|| {
        let all: Vec<_> = Place::ALL.iter().map(|p| p.name()).collect();
        meant(format!(
            "\"{place}\" is no place. Places: {}",
            all.join(", ")
        ))
    })?;
    let keys = keys(table.get("on")).map_err(meant)?;
    if place == Place::Text && keys.iter().any(|k| k.text().is_some()) {
        return Err(meant(
            "a key that types a character cannot be bound in text".to_owned(),
        ));
    }
    Ok(Binding {
        place,
        keys,
        action: action.to_owned(),
        argument: argument.trim().to_owned(),
    })
}

fn keys(value: Option<&Spanned<DeValue<'_>>>) -> Result<Vec<Key>, String> {
    let value = value.ok_or("a binding needs on = [\"KEY\"]")?.get_ref();
    let names: Vec<Option<&str>> = match (value.as_str(), value.as_array()) {
        (Some(one), _) => vec![Some(one)],
        (None, Some(many)) => many.iter().map(|v| v.get_ref().as_str()).collect(),
        (None, None) => vec![None],
    };
    if names.is_empty() {
        return Err("on is empty: name a key".to_owned());
    }
    let parse = |name: Option<&str>| match name {
        Some(name) => name.parse::<Key>().map_err(|e| e.to_string()),
        None => Err("on takes keys in quotes".to_owned()),
    };
    names.into_iter().map(parse).collect()
}

/// Two actions on one key in one place of the same file cannot both be meant.
fn accept(own: &Keymap, binding: Binding) -> Result<Binding, String> {
    let rivals = own.rivals(&binding);
    let other = rivals.iter().find_map(|keys| own.get(binding.place, keys));
    match other {
        Some(other) if other.keys != binding.keys || other.action != binding.action => {
            let written = |keys: &[Key]| {
                let keys: Vec<_> = keys.iter().map(Key::to_string).collect();
                keys.join(" ")
            };
            Err(format!(
                "{} in {} is bound to {} and to {} ({}): only the first holds",
                written(&binding.keys),
                binding.place.name(),
                other.action,
                binding.action,
                written(&other.keys),
            ))
        }
        _ => Ok(binding),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Lookup;
    use super::*;

    const HERE: [Place; 3] = [Place::RunTree, Place::List, Place::All];

    fn user(text: &str) -> (Keymap, Vec<Fault>) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("vim.toml"), text).unwrap();
        load("vim", Some(dir.path()), &|action| action != "gate.aprove")
    }

    fn press<'a>(keymap: &'a Keymap, keys: &str) -> Option<&'a str> {
        let keys: Vec<Key> = keys.split(' ').map(|k| k.parse().unwrap()).collect();
        match keymap.lookup(&HERE, &keys) {
            Lookup::Action(binding) => Some(&binding.action),
            Lookup::Prefix(_) => Some("…"),
            Lookup::None => None,
        }
    }

    #[test]
    fn shipped_keymaps_have_no_fault() {
        for name in PRESETS {
            let text = text_of(name).unwrap();
            let faults = read(&mut Keymap::new(name), name, text, &|_| true);
            assert_eq!(faults, [], "{name}");
        }
    }

    #[test]
    fn every_shipped_binding_names_an_action_there_is() {
        for name in PRESETS {
            let keymap = preset(name).unwrap();
            let unknown = keymap.bindings().map(|b| b.action.as_str());
            let unknown: Vec<_> = unknown
                .filter(|a| crate::console::actions::find(a).is_none())
                .collect();
            assert_eq!(unknown, [""; 0], "{name}");
        }
    }

    #[test]
    fn no_key_that_is_typed_by_accident_writes() {
        use crate::console::actions::{Section, find};
        use crate::console::msg::KeyCode;
        for name in PRESETS {
            for binding in preset(name).unwrap().bindings() {
                let [key] = binding.keys.as_slice() else {
                    continue;
                };
                let writes = find(&binding.action).is_some_and(|a| a.section == Section::Write);
                let shown = match key.code {
                    KeyCode::Char(c) => !c.is_lowercase() && !key.ctrl && !key.alt,
                    KeyCode::Insert => true,
                    _ => false,
                };
                assert!(!writes || shown, "{name}: {key} does {}", binding.action);
            }
        }
    }

    #[test]
    fn a_user_changes_lines_of_a_preset() {
        let (keymap, faults) = user(
            "preset = \"vim\"\n[[bind]]\nin = \"run-tree\"\non = [\"ctrl-x\", \"a\"]\n\
             do = \"gate.approve\"\n[[bind]]\non = [\"F12\"]\ndo = \"screen.save format=ansi\"\n\
             [[bind]]\nin = \"list\"\non = [\"j\"]\ndo = \"none\"\n",
        );
        assert_eq!(faults, []);
        assert_eq!(press(&keymap, "ctrl-x"), Some("…"));
        assert_eq!(press(&keymap, "ctrl-x a"), Some("gate.approve"));
        assert_eq!(press(&keymap, "j"), None);
        assert_eq!(press(&keymap, "k"), Some("move.up"));
        let Lookup::Action(save) = keymap.lookup(&HERE, &["F12".parse().unwrap()]) else {
            panic!("F12 is not bound");
        };
        assert_eq!(save.argument, "format=ansi");
    }

    #[test]
    fn a_faulty_line_is_named_and_left_out() {
        let (keymap, faults) = user(
            "[[bind]]\non = [\"x\"]\ndo = \"gate.aprove\"\n\
             [[bind]]\nin = \"nowhere\"\non = [\"x\"]\ndo = \"run.stop\"\n\
             [[bind]]\non = [\"hyper-x\"]\ndo = \"run.stop\"\n\
             [[bind]]\nin = \"text\"\non = [\"x\"]\ndo = \"run.stop\"\n\
             [[bind]]\non = [\"F11\"]\ndo = \"run.stop\"\n",
        );
        let lines: Vec<_> = faults.iter().map(|f| f.line).collect();
        assert_eq!(lines, [2, 5, 9, 12]);
        assert!(faults[0].message.contains("gate.aprove"));
        assert!(faults[1].message.contains("action run.stop"));
        assert!(faults[0].file.ends_with("vim.toml"));
        assert_eq!(press(&keymap, "F11"), Some("run.stop"));
    }

    #[test]
    fn two_actions_on_one_key_in_one_place_are_an_error() {
        let (keymap, faults) = user(
            "[[bind]]\nin = \"list\"\non = [\"F5\"]\ndo = \"a.b\"\n\
             [[bind]]\nin = \"list\"\non = [\"F5\"]\ndo = \"c.d\"\n\
             [[bind]]\nin = \"list\"\non = [\"F5\", \"x\"]\ndo = \"e.f\"\n\
             [[bind]]\nin = \"all\"\non = [\"F5\"]\ndo = \"g.h\"\n",
        );
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(faults[0].message.contains("a.b") && faults[0].message.contains("c.d"));
        assert_eq!(press(&keymap, "F5"), Some("a.b"));
    }

    #[test]
    fn an_unknown_preset_falls_back_to_vim() {
        let (keymap, faults) = user("preset = \"nano\"\n");
        assert_eq!(faults.len(), 1);
        assert_eq!(press(&keymap, "j"), Some("move.down"));
    }
}
