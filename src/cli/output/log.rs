//! Diagnostics of commands that stay, on standard error: warnings, or what `RUST_LOG` asks for.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

/// From now on diagnostics are written. The console never calls it: its screen is not to be
/// written over.
pub fn start() {
    let filter = EnvFilter::builder()
        .with_default_directive(LevelFilter::WARN.into())
        .from_env_lossy();
    // A second call, as in tests, leaves the first in force.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(true)
        .try_init();
}
