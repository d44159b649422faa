//! Commands on objects of any kind: `apply`, `get`, `delete`, `crds`.

use clap::{Args, Subcommand};

use super::Print;

/// `apply`.
#[derive(Args, Clone, Debug)]
pub struct ApplyArgs {
    /// YAML or JSON, one document or more; - reads standard input
    #[arg(short, long, required = true, value_name = "FILE")]
    pub file: Vec<String>,
    /// Form of the output.
    #[command(flatten)]
    pub print: Print,
}

/// `get`.
#[derive(Args, Clone, Debug)]
pub struct GetArgs {
    /// FleetMember, UpdateStrategy, UpdateRun, MemberUpdate or Gate, in any case, also plural or short
    pub kind: String,
    /// Name of one object; all where it is absent
    pub name: Option<String>,
    /// Only those with these labels, for example fleetdeck.io/run=weekly
    #[arg(short = 'l', long, value_name = "LABELS", conflicts_with = "name")]
    pub selector: Option<String>,
    /// Form of the output.
    #[command(flatten)]
    pub print: Print,
}

/// `delete`.
#[derive(Args, Clone, Debug)]
pub struct DeleteArgs {
    /// Kind of the object, as in `get`
    pub kind: String,
    /// Name of the object
    pub name: String,
    /// Form of the output.
    #[command(flatten)]
    pub print: Print,
}

/// `crds`.
#[derive(Args, Clone, Debug)]
pub struct CrdsArgs {
    /// What to do with them; printed where it is absent.
    #[command(subcommand)]
    pub command: Option<CrdsCommand>,
}

/// What to do with the definitions.
#[derive(Clone, Debug, Subcommand)]
pub enum CrdsCommand {
    /// Install them on the hub, or bring those there up to date, and wait until they are served
    Install,
}
