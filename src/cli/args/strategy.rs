//! `fleetdeck strategy …` and `fleetdeck member …`

use clap::{Args, Subcommand};

use super::Print;

/// Update strategies.
#[derive(Clone, Debug, Subcommand)]
pub enum StrategyCommand {
    /// List strategies
    List {
        /// Form of the output.
        #[command(flatten)]
        print: Print,
    },
    /// Show a strategy: its stages, groups, gates and limits
    Show {
        /// Name of the strategy
        name: String,
        /// Form of the output.
        #[command(flatten)]
        print: Print,
    },
    /// Make a strategy from a stages file of the Azure CLI, as it is
    Import(ImportArgs),
}

/// `strategy import`.
#[derive(Args, Clone, Debug)]
pub struct ImportArgs {
    /// The stages file, JSON or YAML; - reads standard input
    pub file: String,
    /// Name of the strategy; one of this name gets these stages
    #[arg(long, value_name = "NAME")]
    pub name: String,
    /// Form of the output.
    #[command(flatten)]
    pub print: Print,
}

/// Members of the fleet.
#[derive(Clone, Debug, Subcommand)]
pub enum MemberCommand {
    /// List members
    List {
        /// Only those with these labels, for example env=prod
        #[arg(short = 'l', long, value_name = "LABELS")]
        selector: Option<String>,
        /// Form of the output.
        #[command(flatten)]
        print: Print,
    },
    /// Show a member: versions, node pools, what goes on, its part in runs
    Show {
        /// Name of the member
        name: String,
        /// Form of the output.
        #[command(flatten)]
        print: Print,
    },
}
