//! The words of the command line: what can be typed, nothing of what it does.
//!
//! Help texts, completions and the man page are all made from these types.

mod gate;
mod global;
mod objects;
mod run;
mod serve;
mod strategy;

pub use gate::*;
pub use global::*;
pub use objects::*;
pub use run::*;
pub use serve::*;
pub use strategy::*;

use clap::{Parser, Subcommand};

/// Upgrade a fleet of Kubernetes clusters safely, from a terminal.
///
/// Without a command it opens the console on the current kubeconfig context.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "fleetdeck",
    version,
    after_help = super::exit::TABLE,
    max_term_width = 100,
    infer_subcommands = false,
    args_conflicts_with_subcommands = false
)]
pub struct Cli {
    /// Options of every command.
    #[command(flatten)]
    pub global: Global,
    /// Options of the console.
    #[command(flatten)]
    pub console: ConsoleArgs,
    /// What to do; the console where it is absent.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What to do.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Open the console on an embedded hub with a fleet to try things on
    Demo(DemoArgs),
    /// Serve the embedded hub, with simulated members and the controller loop
    Hub(HubArgs),
    /// Drive the runs of a hub without a screen
    Controller(ControllerArgs),
    /// Run a fleet, a run and its steps in virtual time, from a file
    Rehearse(RehearseArgs),
    /// Create or update objects from a file
    Apply(ApplyArgs),
    /// Print objects of one kind
    Get(GetArgs),
    /// Delete an object
    Delete(DeleteArgs),
    /// Update runs
    #[command(subcommand)]
    Run(RunCommand),
    /// Gates: approvals and scheduled starts
    #[command(subcommand)]
    Gate(GateCommand),
    /// Update strategies
    #[command(subcommand)]
    Strategy(StrategyCommand),
    /// Members of the fleet
    #[command(subcommand)]
    Member(MemberCommand),
    /// Print fleetdeck's CustomResourceDefinitions, or install them
    Crds(CrdsArgs),
    /// Print the completion script of a shell
    Completion {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print the man page
    Man,
    /// Print the keys of the console as they are now, own key files included
    Keys(KeysArgs),
    /// For who works on fleetdeck itself
    #[command(subcommand, hide = true)]
    Dev(DevCommand),
}

/// For who works on fleetdeck itself.
#[derive(Clone, Debug, Subcommand)]
pub enum DevCommand {
    /// Open a screen and let a defect happen, to see that the terminal is given back
    Panic {
        /// On another thread than the screen's
        #[arg(long)]
        elsewhere: bool,
    },
    /// Write all generated files, or say which are not fresh
    Generate {
        /// Write nothing; fail if a file is not as it would be written
        #[arg(long)]
        check: bool,
        /// Folder of the checkout
        #[arg(long, default_value = ".")]
        root: std::path::PathBuf,
    },
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_words_are_consistent() {
        super::Cli::command().debug_assert();
    }
}
