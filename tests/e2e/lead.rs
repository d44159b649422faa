//! Who drives: never two at once, and never nobody for long.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fleetdeck::clock::Clock;
use fleetdeck::controller::{self, Controller, DriverState, lead};
use fleetdeck::embedded::{Hub, Options, StoreKind};
use http::Request;
use kube::Client;
use kube::client::Body;
use tokio::time::Instant;

use crate::stage::paused;

const STEP: Duration = Duration::from_millis(20);

async fn hub() -> (Client, Clock) {
    let clock = Clock::manual("2026-03-02T09:00:00Z".parse().unwrap());
    let hub = Hub::open(Options {
        store: StoreKind::Memory,
        clock: clock.clone(),
        seed: Some(1),
    })
    .await
    .unwrap();
    (hub.client(), clock)
}

fn candidate(client: &Client, clock: &Clock, number: usize) -> Controller {
    controller::start(controller::Options {
        client: client.clone(),
        clock: clock.clone(),
        identity: format!("candidate-{number}"),
        lease: lead::Settings::fast(),
    })
}

fn leads(candidate: &Controller) -> bool {
    matches!(*candidate.status.borrow(), DriverState::Leading { .. })
}

/// Waits for one of `candidates` to lead, while never two do.
async fn leader(candidates: &[Controller]) -> usize {
    let begun = Instant::now();
    let settings = lead::Settings::fast();
    let longest = settings.lease_duration + settings.retry * 3;
    loop {
        let leaders: Vec<_> = (0..candidates.len())
            .filter(|i| leads(&candidates[*i]))
            .collect();
        assert!(leaders.len() <= 1, "{leaders:?} lead at once");
        if let Some(leader) = leaders.first() {
            return *leader;
        }
        assert!(begun.elapsed() < longest, "nobody leads after {longest:?}");
        tokio::time::sleep(STEP).await;
    }
}

#[test]
fn of_many_candidates_one_leads_whoever_dies_or_leaves() {
    paused(async {
        let (client, clock) = hub().await;
        let mut dice = fastrand::Rng::with_seed(5);
        let mut candidates: Vec<_> = (0..5).map(|n| candidate(&client, &clock, n)).collect();
        for number in 5..45 {
            let leader = leader(&candidates).await;
            // Some time passes, in which nothing may change.
            for _ in 0..dice.usize(0..200) {
                tokio::time::sleep(STEP).await;
                let leaders: Vec<_> = (0..5).filter(|i| leads(&candidates[*i])).collect();
                assert_eq!(leaders, [leader]);
            }
            let next = candidate(&client, &clock, number);
            let gone = std::mem::replace(&mut candidates[leader], next);
            if dice.bool() {
                gone.abort();
            } else {
                gone.stop().await;
            }
        }
    });
}

#[test]
fn a_leader_that_reaches_the_hub_no_more_steps_down_before_its_lease_ends() {
    paused(async {
        let (client, clock) = hub().await;
        let cut = Arc::new(AtomicBool::new(false));
        let first = candidate(&severed(&client, cut.clone()), &clock, 1);
        let candidates = [first];
        leader(&candidates).await;
        let [first] = candidates;
        let second = candidate(&client, &clock, 2);
        tokio::time::sleep(Duration::from_secs(10)).await;
        assert!(leads(&first) && !leads(&second));
        cut.store(true, Ordering::SeqCst);
        let (begun, mut stepped_down) = (Instant::now(), None);
        while !leads(&second) {
            assert!(
                begun.elapsed() < Duration::from_secs(10),
                "nobody took over"
            );
            if !leads(&first) {
                stepped_down.get_or_insert_with(Instant::now);
            }
            tokio::time::sleep(STEP).await;
        }
        let stepped_down = stepped_down.expect("the first led until the second did");
        assert!(stepped_down.elapsed() >= STEP);
        assert!(!leads(&first));
    });
}

/// `hub` until `cut`, then no answer to anything.
fn severed(hub: &Client, cut: Arc<AtomicBool>) -> Client {
    let hub = hub.clone();
    let service = tower::service_fn(move |request: Request<Body>| {
        let (hub, cut) = (hub.clone(), cut.clone());
        async move {
            if cut.load(Ordering::SeqCst) {
                std::future::pending::<()>().await;
            }
            hub.send(request).await
        }
    });
    Client::new(service, "default")
}
