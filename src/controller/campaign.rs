//! From standing by to leading and back: what the Lease says, this process does.

use std::time::Duration;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::driver::Driver;
use super::lead::{Elector, Standing};
use super::{DriverState, Options};

/// A hub that has not answered for this long is asked again.
const PATIENCE: Duration = Duration::from_secs(10);

/// Stands by, leads, and stands by again, until `stop`.
pub async fn run(options: Options, status: watch::Sender<DriverState>, stop: CancellationToken) {
    let mut elector = Elector::new(
        options.client.clone(),
        options.clock.clone(),
        options.identity.clone(),
        options.lease,
    );
    while !stop.is_cancelled() {
        if elected(&mut elector, &status, &stop).await {
            lead(&options, &mut elector, &status, &stop).await;
        }
        tokio::select! {
            biased;
            () = stop.cancelled() => {}
            () = tokio::time::sleep(options.lease.retry) => {}
        }
    }
    set(
        &status,
        DriverState::Stopped {
            reason: "This process was asked to stop driving.".to_owned(),
        },
    );
}

/// One attempt to lead.
async fn elected(
    elector: &mut Elector,
    status: &watch::Sender<DriverState>,
    stop: &CancellationToken,
) -> bool {
    let attempt = tokio::select! {
        biased;
        () = stop.cancelled() => return false,
        attempt = tokio::time::timeout(PATIENCE, elector.attempt()) => attempt,
    };
    match attempt {
        Ok(Ok(Standing::Ours)) => true,
        Ok(Ok(Standing::Theirs(holder))) => {
            set(status, DriverState::Standby { holder });
            false
        }
        Ok(Err(error)) => {
            let reason = format!(
                "Cannot take the lease that says who drives: {}",
                brief(&error)
            );
            set(status, DriverState::Stopped { reason });
            false
        }
        Err(_) => {
            let reason =
                "Cannot take the lease that says who drives: the hub does not answer.".to_owned();
            set(status, DriverState::Stopped { reason });
            false
        }
    }
}

/// Leads until the lease is lost or `stop`.
async fn lead(
    options: &Options,
    elector: &mut Elector,
    status: &watch::Sender<DriverState>,
    stop: &CancellationToken,
) {
    let since = options.clock.now();
    set(status, DriverState::Leading { since });
    let mut driver = Driver::start(options);
    tokio::select! {
        biased;
        () = stop.cancelled() => {
            driver.stop().await;
            let released = tokio::time::timeout(PATIENCE, elector.release()).await;
            if !matches!(released, Ok(Ok(()))) {
                tracing::warn!("the lease could not be handed over; it runs out by itself");
            }
        }
        holder = elector.hold() => {
            drop(driver);
            set(status, DriverState::Standby { holder });
        }
        () = driver.ended() => {
            drop(driver);
            tracing::error!("a part of the controller ended; starting it anew");
            set(status, DriverState::Standby { holder: String::new() });
        }
    }
}

fn set(status: &watch::Sender<DriverState>, state: DriverState) {
    status.send_if_modified(|now| {
        let changed = *now != state;
        *now = state;
        changed
    });
}

fn brief(error: &kube::Error) -> String {
    match error {
        kube::Error::Api(status) => status.message.clone(),
        other => other.to_string(),
    }
}
