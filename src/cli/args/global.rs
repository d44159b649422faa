//! Options that every command takes, and the forms of output.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::hub::Address;

/// Options of every command.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Which hub, and as whom")]
pub struct Global {
    /// Context of the kubeconfig, where not its current one
    #[arg(long, global = true, value_name = "NAME")]
    pub context: Option<String>,
    /// Kubeconfig file, where not $KUBECONFIG or ~/.kube/config
    #[arg(long, global = true, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// Address of the API server, where not that of the context
    #[arg(long, global = true, value_name = "URL")]
    pub hub: Option<Address>,
    /// Embedded hub in this folder: the one that serves it, else opened here
    #[arg(long, global = true, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Refuse everything that writes
    #[arg(long, global = true)]
    pub read_only: bool,
    /// Act as this user (impersonation, as in kubectl)
    #[arg(long = "as", global = true, value_name = "USER")]
    pub as_user: Option<String>,
    /// No colours
    #[arg(long, global = true)]
    pub no_color: bool,
}

/// The options that name the hub, as they must stand in a command for the same hub. A folder's hub
/// is named by the folder, whatever else was given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words(String);

impl Global {
    /// How another command names the same hub.
    pub fn words(&self) -> Words {
        let path = |p: &PathBuf| {
            let absolute = std::path::absolute(p);
            absolute.unwrap_or_else(|_| p.clone()).display().to_string()
        };
        let given = match &self.data_dir {
            Some(folder) => vec![("--data-dir", Some(path(folder)))],
            None => vec![
                ("--kubeconfig", self.kubeconfig.as_ref().map(path)),
                ("--context", self.context.clone()),
                ("--hub", self.hub.as_ref().map(ToString::to_string)),
            ],
        };
        let mut text = String::new();
        for (option, value) in given {
            if let Some(value) = value {
                text.push_str(&format!(" {option} {}", quoted(&value)));
            }
        }
        Words(text)
    }
}

impl Words {
    /// Commands on a hub.
    const ON_HUB: [&str; 9] = [
        "apply",
        "controller",
        "crds",
        "delete",
        "gate",
        "get",
        "member",
        "run",
        "strategy",
    ];

    /// The text with every command on a hub in it (`fleetdeck run …`) naming this hub.
    pub fn name(&self, text: &str) -> String {
        let mut parts = text.split("fleetdeck ");
        let mut named = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let word: String = part.chars().take_while(char::is_ascii_alphabetic).collect();
            let on_hub = Self::ON_HUB.contains(&word.as_str());
            named.push_str("fleetdeck");
            named.push_str(if on_hub { &self.0 } else { "" });
            named.push(' ');
            named.push_str(part);
        }
        named
    }
}

impl std::fmt::Display for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// As a shell reads it as one word.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:@%+=,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Form of the output.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct Print {
    /// Form of the output
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: Format,
}

/// Forms of output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Columns for people
    #[default]
    Table,
    /// More columns
    Wide,
    /// One JSON document
    Json,
    /// One JSON object a line
    Jsonl,
    /// YAML documents
    Yaml,
    /// Names alone
    Name,
}

impl Format {
    /// Whether programs read it.
    pub fn is_json(self) -> bool {
        matches!(self, Format::Json | Format::Jsonl)
    }

    /// Whether people read it: what is said besides the object may stand there too.
    pub fn is_for_people(self) -> bool {
        matches!(self, Format::Table | Format::Wide)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_name_the_hub_that_is_in_use() {
        let global = Global {
            kubeconfig: Some("/tmp/my hub".into()),
            context: Some("eu".to_owned()),
            ..Global::default()
        };
        let text = "install them with `fleetdeck crds install`, or try `fleetdeck demo`";
        assert_eq!(
            global.words().name(text),
            "install them with `fleetdeck --kubeconfig '/tmp/my hub' --context eu crds install`, or try `fleetdeck demo`"
        );
        assert_eq!(Words::default().name(text), text);
        let folder = Global {
            data_dir: Some("/d".into()),
            ..Global::default()
        };
        assert_eq!(folder.words().to_string(), " --data-dir /d");
    }
}
