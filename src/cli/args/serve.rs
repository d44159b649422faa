//! Commands that stay: console, `demo`, `hub`, `controller`; and `rehearse`, `keys`.

use std::net::SocketAddr;

use clap::{Args, ValueEnum};

/// Options of the console.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Console")]
pub struct ConsoleArgs {
    /// Whether this console drives the runs: only if nobody else does (auto), always take part (on), never (off)
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub driver: DriverWord,
    /// Keymap: vim, arrows, emacs, or one of your own
    #[arg(long, value_name = "NAME")]
    pub keymap: Option<String>,
    /// Theme: dark, light, high-contrast, mono, or one of your own
    #[arg(long, value_name = "NAME")]
    pub theme: Option<String>,
    /// Leave the terminal's title alone
    #[arg(long)]
    pub no_title: bool,
    /// Plain ASCII instead of box-drawing and symbols
    #[arg(long)]
    pub ascii: bool,
}

/// Whether a console drives the runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DriverWord {
    /// Drive when this user may and nobody else does
    #[default]
    Auto,
    /// Drive, or stand by until the one who does is gone
    On,
    /// Never drive
    Off,
}

/// `demo`.
#[derive(Args, Clone, Debug, Default)]
pub struct DemoArgs {
    /// How many times as fast as real time things go
    #[arg(long, value_name = "N|max", default_value = "60")]
    pub speed: Speed,
    /// Without the screen: run and print the journal
    #[arg(long)]
    pub headless: bool,
    /// Seed of all that is random
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Where kubectl and other consoles reach the demo
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    pub listen: Option<SocketAddr>,
    /// Options of the console.
    #[command(flatten)]
    pub console: ConsoleArgs,
}

/// `hub`.
#[derive(Args, Clone, Debug)]
pub struct HubArgs {
    /// Address to serve on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    pub listen: SocketAddr,
    /// How many times as fast as real time runs go; max jumps from one event to the next
    #[arg(long, value_name = "N|max", default_value = "1")]
    pub speed: Speed,
    /// Seed of all that is random
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Serve only: drive no runs
    #[arg(long)]
    pub no_controller: bool,
}

/// `controller`.
#[derive(Args, Clone, Debug)]
pub struct ControllerArgs {
    /// Name of this process in the lease; unique among those that may drive
    #[arg(long, value_name = "NAME")]
    pub identity: Option<String>,
}

/// `rehearse`.
#[derive(Args, Clone, Debug)]
pub struct RehearseArgs {
    /// Objects, then one document of kind Rehearsal; - reads standard input
    pub file: String,
    /// Seed of all that is random, instead of the file's
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Form of the output
    #[arg(short, long, value_enum, default_value_t, value_name = "FORM")]
    pub output: RehearseFormat,
    /// Print all objects as they stood at this offset, for example 2h or 21d
    #[arg(long, value_name = "OFFSET")]
    pub at: Option<String>,
}

/// Forms of output of `rehearse`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum RehearseFormat {
    /// The journal for people
    #[default]
    Text,
    /// The journal, one JSON object a line
    Jsonl,
    /// Every object at the end
    Yaml,
}

/// `keys`.
#[derive(Args, Clone, Debug)]
pub struct KeysArgs {
    /// Keymap: vim, arrows, emacs, or one of your own
    #[arg(long, value_name = "NAME")]
    pub keymap: Option<String>,
}

/// How fast time goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Speed {
    /// So many times as fast as real time.
    Times(f64),
    /// From one event straight to the next.
    Max,
}

impl Default for Speed {
    fn default() -> Self {
        Speed::Times(1.0)
    }
}

impl std::str::FromStr for Speed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "max" {
            return Ok(Speed::Max);
        }
        match text.parse::<f64>() {
            Ok(times) if times.is_finite() && (0.001..=1e6).contains(&times) => {
                Ok(Speed::Times(times))
            }
            _ => Err("a number from 0.001 to 1000000, or max".to_owned()),
        }
    }
}
