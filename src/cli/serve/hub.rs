//! `fleetdeck hub`: serves the embedded hub alone, and drives its runs unless told not to.

use std::path::PathBuf;

use super::{listen, local, signal};
use crate::cli::args::{Global, HubArgs, Speed};
use crate::cli::context::may_write;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::{Out, log};
use crate::clock::Clock;
use crate::controller::{self, Controller, lead};
use crate::hub::kubeconfig;

/// The clock for a speed.
pub fn clock(speed: Speed) -> Clock {
    match speed {
        Speed::Times(times) => Clock::scaled(times),
        Speed::Max => Clock::manual_now(),
    }
}

/// A runtime for a speed. Jumping from event to event needs one thread whose timers are jumped
/// over, too.
pub fn runtime(speed: Speed) -> std::io::Result<tokio::runtime::Runtime> {
    match speed {
        Speed::Times(_) => tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build(),
        Speed::Max => tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build(),
    }
}

/// Starts the controller of a hub that this process serves; simulated members are its part.
pub fn drive(client: kube::Client, clock: &Clock, name: &str) -> Controller {
    controller::start(controller::Options {
        client,
        clock: clock.clone(),
        identity: format!("{name}-{}", std::process::id()),
        lease: if clock.is_manual() {
            lead::Settings::patient()
        } else {
            lead::Settings::default()
        },
    })
}

/// `fleetdeck hub`
pub async fn serve(args: &HubArgs, global: &Global, out: &mut Out) -> Result<Exit, Error> {
    // Whoever it serves writes to it, and so does its controller.
    may_write(global.read_only).map_err(|e| e.tried("serve a hub"))?;
    log::start();
    let folder = global.data_dir.as_deref();
    let file = match (&global.kubeconfig, folder) {
        (Some(file), _) => file.clone(),
        (None, Some(folder)) => kubeconfig::of_folder(folder),
        (None, None) => {
            return Err(Error::usage(
                "hub: give --data-dir, or --kubeconfig to keep all in memory",
            )
            .hint("for example: fleetdeck hub --data-dir ./hub"));
        }
    };
    let clock = clock(args.speed);
    let hub = local::open(folder, clock.clone(), args.seed)
        .await
        .map_err(|e| Error::from(e).tried("open the hub"))?;
    let serving = if clock.is_manual() {
        listen::apart(&hub, args.listen).await
    } else {
        listen::here(&hub, args.listen).await
    };
    let serving = serving.map_err(|e| e.tried("serve the hub"))?;
    kubeconfig::leave(&file, &serving.kubeconfig)
        .map_err(|e| Error::file(&shown(&file), format!("cannot be written: {e}")))?;
    let driver = (!args.no_controller).then(|| drive(hub.client(), &clock, "hub"));
    let jumping = clock.is_manual().then(|| {
        tokio::spawn({
            let clock = clock.clone();
            async move { clock.free_run().await }
        })
    });

    out.line(&format!("Serving on https://{}", serving.addr))?;
    out.line(&format!("Kubeconfig {}", shown(&file)))?;
    if let Some(text) = local::ahead(&clock) {
        out.line(&text)?;
    }
    out.flush()?;
    signal::asked_to_end().await;

    if let Some(jumping) = jumping {
        jumping.abort();
    }
    if let Some(driver) = driver {
        driver.stop().await;
    }
    serving.shutdown().await;
    hub.close().await;
    out.line("Stopped; everything is stored.")?;
    Ok(Exit::Done)
}

fn shown(file: &PathBuf) -> String {
    let absolute = std::path::absolute(file);
    absolute
        .unwrap_or_else(|_| file.clone())
        .display()
        .to_string()
}
