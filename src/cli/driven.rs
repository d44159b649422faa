//! Says so when nobody drives the runs: what was asked for stands on the hub, and nothing happens.

use super::context::Context;
use super::output;
use crate::clock::Clock;
use crate::controller::driven;

/// A remark on standard error when it is known that nobody drives.
pub async fn remark(ctx: &mut Context) {
    // A rehearsal drives by itself, on a time of its own.
    if ctx.clock.is_manual() || !driven::by_nobody(&ctx.client, Clock::system().now()).await {
        return;
    }
    // A folder that no process serves is driven by whoever serves it.
    let command = match &ctx.undriven {
        Some(folder) => format!("fleetdeck hub --data-dir {}", folder.display()),
        None => ctx.words.name("fleetdeck controller"),
    };
    output::note(&format!(
        "note: nobody drives the runs of this hub, so nothing moves until somebody does: {command}"
    ));
}
