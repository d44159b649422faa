//! The `fleetdeck` program.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // A report for what should not happen; the console puts the terminal back before it is printed.
    let _ = color_eyre::install();
    fleetdeck::cli::main(std::env::args_os())
}
