//! `fleetdeck gate …`

use clap::{Args, Subcommand, ValueEnum};

use super::Print;
use crate::api::Timing;

/// Gates: approvals and scheduled starts.
#[derive(Clone, Debug, Subcommand)]
pub enum GateCommand {
    /// List gates that wait, of one run or of all
    List {
        /// Of this run alone
        #[arg(long, value_name = "RUN")]
        run: Option<String>,
        /// Also those that are completed or skipped
        #[arg(long)]
        all: bool,
        /// Form of the output.
        #[command(flatten)]
        print: Print,
    },
    /// Approve a gate, or start a scheduled one now, by its name or by its place
    Approve(ApproveArgs),
}

/// `gate approve`.
#[derive(Args, Clone, Debug)]
#[command(group = clap::ArgGroup::new("which").required(true).args(["gate", "run"]))]
pub struct ApproveArgs {
    /// Name of the gate
    pub gate: Option<String>,
    /// Run of the gate
    #[arg(long, value_name = "RUN", requires = "stage")]
    pub run: Option<String>,
    /// Stage of the gate
    #[arg(long, value_name = "STAGE", requires = "run")]
    pub stage: Option<String>,
    /// Group of the gate, for a gate of a group
    #[arg(long, value_name = "GROUP", requires = "run")]
    pub group: Option<String>,
    /// Before or after the stage or group
    #[arg(
        long,
        value_enum,
        value_name = "TIMING",
        requires = "run",
        default_value = "before"
    )]
    pub timing: TimingWord,
    /// Display name of the gate, where several stand at one place
    #[arg(long, value_name = "DISPLAY", requires = "run")]
    pub name: Option<String>,
    /// Why
    #[arg(long, visible_alias = "reason", value_name = "TEXT")]
    pub comment: Option<String>,
    /// Form of the output.
    #[command(flatten)]
    pub print: Print,
}

/// Before or after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TimingWord {
    /// Before it begins
    Before,
    /// After its members are done
    After,
}

impl From<TimingWord> for Timing {
    fn from(word: TimingWord) -> Self {
        match word {
            TimingWord::Before => Timing::Before,
            TimingWord::After => Timing::After,
        }
    }
}
