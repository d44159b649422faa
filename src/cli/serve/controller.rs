//! `fleetdeck controller`: drives the runs of a hub without a screen.

use super::signal;
use crate::cli::args::ControllerArgs;
use crate::cli::context::Context;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::log;
use crate::cli::time::instant;
use crate::clock::reading::Reading;
use crate::controller::{self, DriverState, lead};
use crate::hub::kinds;
use crate::hub::time::{self, Told};

/// Drives until somebody wants us to end, or the loop ends by itself.
pub async fn drive(args: &ControllerArgs, ctx: &mut Context) -> Result<Exit, Error> {
    log::start();
    ctx.may_write().map_err(|e| e.tried("drive runs"))?;
    let missing = kinds::missing(&ctx.client).await?;
    if !missing.is_empty() {
        let message = format!("the hub does not serve {}", missing.join(", "));
        return Err(Error::new(Exit::Other, "KindsMissing", message)
            .tried("drive runs")
            .hint("install them with `fleetdeck crds install`"));
    }
    let own = match time::told(&ctx.client).await {
        Some(Told::Own(Reading { speed: None, .. })) => {
            let message =
                "this hub jumps from event to event, and waits for its own controller alone";
            return Err(Error::new(Exit::Other, "HubJumps", message)
                .tried("drive runs")
                .hint("start it without --no-controller, or with --speed and a number"));
        }
        told => matches!(told, Some(Told::Own(_))),
    };
    let (client, clock) = (ctx.client.clone(), ctx.clock.clone());
    let keeping = tokio::spawn(async move {
        if own {
            time::keep(&client, &clock).await;
        }
    });
    let driver = controller::start(controller::Options {
        client: ctx.client.clone(),
        clock: ctx.clock.clone(),
        identity: args.identity.clone().unwrap_or_else(identity),
        lease: lead::Settings::default(),
    });
    let mut status = driver.status.clone();
    let mut end = std::pin::pin!(signal::asked_to_end());
    loop {
        let now = status.borrow_and_update().clone();
        ctx.out.line(&told(&now))?;
        ctx.out.flush()?;
        if let DriverState::Stopped { reason } = now {
            return Err(Error::new(Exit::Other, "DriverStopped", reason).tried("drive runs"));
        }
        tokio::select! {
            () = &mut end => break,
            changed = status.changed() => if changed.is_err() { break },
        }
    }
    keeping.abort();
    driver.stop().await;
    ctx.out.line("Stopped; the lease is handed over.")?;
    Ok(Exit::Done)
}

/// A name that no other process has: machine and process.
pub fn identity() -> String {
    let machine = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let machine = Some(machine.trim().to_owned())
        .filter(|m| !m.is_empty())
        .or_else(|| std::env::var("HOSTNAME").ok())
        .unwrap_or_else(|| "fleetdeck".to_owned());
    format!("{machine}-{}", std::process::id())
}

fn told(state: &DriverState) -> String {
    match state {
        DriverState::Standby { holder } if holder.is_empty() => {
            "Standing by: nobody is known to drive yet.".to_owned()
        }
        DriverState::Standby { holder } => format!("Standing by: {holder} drives."),
        DriverState::Leading { since } => format!("Driving since {}.", instant(*since)),
        DriverState::Stopped { reason } => format!("Not driving: {reason}."),
    }
}
