//! `keys`: the keys of the console as they are in force, the user's own key files included.

use super::args::KeysArgs;
use super::error::Error;
use super::output::{Out, Table};
use crate::console::files;
use crate::console::input::{self, Keymap};

/// Prints the table, then what is wrong with the user's files.
pub fn print(args: &KeysArgs, out: &mut Out) -> Result<(), Error> {
    let folder = files::config_dir().map(|dir| dir.join("keymaps"));
    let name = args.keymap.as_deref().unwrap_or("vim");
    let (keymap, faults) = input::load(name, folder.as_deref(), &|_| true);
    out.table(&table(&keymap))?;
    for fault in faults {
        out.line(&format!("Warning: {fault}"))?;
    }
    Ok(())
}

/// One row a key: where it holds, the key or chord, the action.
pub fn table(keymap: &Keymap) -> Table {
    let mut table = Table::new(&["PLACE", "KEYS", "ACTION"]);
    for binding in keymap.bindings() {
        let keys: Vec<String> = binding.keys.iter().map(ToString::to_string).collect();
        let mut action = binding.action.clone();
        if !binding.argument.is_empty() {
            action.push_str(&format!(" {}", binding.argument));
        }
        table.row([
            binding.place.name().into(),
            keys.join(" ").into(),
            action.into(),
        ]);
    }
    table
}
