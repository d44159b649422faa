//! The `fleetdeck` program: parse, dispatch, exit code.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {}
