//! `fleetdeck run …`

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::Print;
use crate::api::{NodeImageSelectionType, UpgradeType};

/// Update runs.
#[derive(Clone, Debug, Subcommand)]
pub enum RunCommand {
    /// List runs
    List {
        /// Form of the output.
        #[command(flatten)]
        print: Print,
    },
    /// Show a run: its tree, what it waits for, its limits and requests
    Show {
        /// Name of the run
        name: String,
        /// Form of the output.
        #[command(flatten)]
        print: Print,
    },
    /// Make a run; it must still be started, unless --start is given
    Create(CreateArgs),
    /// Start a run, or go on with a stopped or failed one
    Start(NamedRun),
    /// Stop a run: what is in flight finishes, nothing new begins
    Stop(NamedRun),
    /// Go on with a stopped or failed run; failed members of stopped groups are tried again
    Resume(NamedRun),
    /// Skip members, groups, stages or the wait after a stage
    Skip(SkipArgs),
    /// Delete a run and its gates; upgrades in flight go on untracked
    Delete(NamedRun),
    /// Print every change of a run, one line each, until it ends
    Watch(WatchArgs),
    /// Wait until a run is in one of the states; the exit code says which
    #[command(after_help = crate::cli::exit::TABLE)]
    Wait(WaitArgs),
}

/// A verb on one run.
#[derive(Args, Clone, Debug)]
pub struct NamedRun {
    /// Name of the run
    pub name: String,
    /// Form of the output.
    #[command(flatten)]
    pub print: Print,
}

/// `run create`.
#[derive(Args, Clone, Debug)]
pub struct CreateArgs {
    /// Name of the run
    pub name: String,
    /// Strategy to copy; without any, all members one by one
    #[arg(long, value_name = "NAME", conflicts_with = "strategy_file")]
    pub strategy: Option<String>,
    /// Stages file of this run alone
    #[arg(long, value_name = "FILE")]
    pub strategy_file: Option<PathBuf>,
    /// What to upgrade
    #[arg(long = "type", value_enum, default_value_t, value_name = "TYPE")]
    pub type_: TypeWord,
    /// Kubernetes version, X.Y.Z or X.Y; for full and control-plane
    #[arg(long, value_name = "VERSION")]
    pub kubernetes_version: Option<String>,
    /// How node images are chosen [default: latest]
    #[arg(long, value_enum, value_name = "WAY")]
    pub node_images: Option<ImagesWord>,
    /// A node image of --node-images custom; may be repeated
    #[arg(long = "node-image", value_name = "IMAGE")]
    pub node_image: Vec<String>,
    /// Start it at once
    #[arg(long)]
    pub start: bool,
    /// Print the plan and make nothing
    #[arg(long, conflicts_with = "start")]
    pub dry_run: bool,
    /// Form of the output.
    #[command(flatten)]
    pub print: Print,
}

/// What to upgrade.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TypeWord {
    /// Control plane, then nodes
    #[default]
    Full,
    /// Control plane alone
    ControlPlane,
    /// Node images alone
    NodeImage,
}

impl From<TypeWord> for UpgradeType {
    fn from(word: TypeWord) -> Self {
        match word {
            TypeWord::Full => UpgradeType::Full,
            TypeWord::ControlPlane => UpgradeType::ControlPlaneOnly,
            TypeWord::NodeImage => UpgradeType::NodeImageOnly,
        }
    }
}

/// How node images are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ImagesWord {
    /// The newest in each member's region when its turn comes
    Latest,
    /// One version a family for the whole run
    Consistent,
    /// The images given with --node-image
    Custom,
}

impl From<ImagesWord> for NodeImageSelectionType {
    fn from(word: ImagesWord) -> Self {
        match word {
            ImagesWord::Latest => NodeImageSelectionType::Latest,
            ImagesWord::Consistent => NodeImageSelectionType::Consistent,
            ImagesWord::Custom => NodeImageSelectionType::Custom,
        }
    }
}

/// `run skip`.
#[derive(Args, Clone, Debug)]
pub struct SkipArgs {
    /// Name of the run
    pub name: String,
    /// Member:NAME, Group:NAME, Stage:NAME or AfterStageWait:STAGE; all together or none
    #[arg(required = true, value_name = "TARGET")]
    pub targets: Vec<String>,
    /// Why
    #[arg(long, visible_alias = "reason", value_name = "TEXT")]
    pub comment: Option<String>,
    /// Form of the output.
    #[command(flatten)]
    pub print: Print,
}

/// `run watch`.
#[derive(Args, Clone, Debug)]
pub struct WatchArgs {
    /// Name of the run
    pub name: String,
    /// Form of the output: table prints lines, json and jsonl one object a line
    #[command(flatten)]
    pub print: Print,
}

/// `run wait`.
#[derive(Args, Clone, Debug)]
pub struct WaitArgs {
    /// Name of the run
    pub name: String,
    /// States to wait for; a run that has completed always ends the wait
    #[arg(long, value_enum, value_delimiter = ',', value_name = "STATE,…",
          default_values_t = [Until::Completed, Until::Failed, Until::Stopped])]
    pub until: Vec<Until>,
    /// How long at most, for example 90s, 30m, 1h30m; without it, for ever
    #[arg(long, value_name = "DURATION")]
    pub timeout: Option<String>,
    /// Form of the output.
    #[command(flatten)]
    pub print: Print,
}

/// What `run wait` waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Until {
    /// It completed, with or without failures, or everything was skipped
    Completed,
    /// It waits at a gate
    Gate,
    /// More members failed than a limit allows
    Failed,
    /// A person stopped it, and nothing is in flight any more
    Stopped,
}
