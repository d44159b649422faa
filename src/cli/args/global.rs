//! Options that every command takes, and the forms of output.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

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
    pub hub: Option<String>,
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
