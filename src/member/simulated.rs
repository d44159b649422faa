//! Simulated members: their upgrade lives in `FleetMember.status.operation`, on the hub alone.

use kube::Client;

use crate::clock::Clock;

/// A running simulator; it ends when this is dropped.
#[derive(Debug)]
pub struct Simulator(tokio::task::JoinHandle<()>);

/// Starts the simulator on the current runtime. The leading controller starts its own.
pub fn start(client: Client, clock: Clock) -> Simulator {
    Simulator(tokio::spawn(async move {
        let _ = (client, clock);
    }))
}

impl Drop for Simulator {
    fn drop(&mut self) {
        self.0.abort();
    }
}
