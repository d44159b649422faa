//! What time it is on a hub: the instants of its objects are meant by its clock, not by ours.

use std::time::Duration;

use http::header::DATE;
use jiff::{SignedDuration, Timestamp};
use kube::Client;
use kube::client::Body;

use crate::clock::Clock;
use crate::clock::reading::{self, Reading};

/// Less than this is the rounding of the answer and its way here, and no difference.
const SAME: SignedDuration = SignedDuration::from_secs(3);
/// How often a hub with a time of its own is asked again.
const AGAIN: Duration = Duration::from_secs(20);
/// The same where time jumps, and where the last question was not answered.
const SOON: Duration = Duration::from_secs(1);

/// What a hub says about its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Told {
    /// An embedded hub: its instant and speed.
    Own(Reading),
    /// Any API server: the date of its answer, to the second.
    Date(Timestamp),
    /// It answers, and says nothing.
    Nothing,
}

/// What the hub says; `None` while it does not answer.
pub async fn told(client: &Client) -> Option<Told> {
    let request = http::Request::get("/version").body(Body::empty()).ok()?;
    let response = client.send(request).await.ok()?;
    let text = |name: &str| response.headers().get(name)?.to_str().ok();
    if let Some(reading) = text(reading::HEADER).and_then(|t| t.parse().ok()) {
        return Some(Told::Own(reading));
    }
    let date = text(DATE.as_str()).and_then(|t| jiff::fmt::rfc2822::parse(t).ok());
    Some(date.map_or(Told::Nothing, |date| Told::Date(date.timestamp())))
}

/// The hub's clock as it is now: ours, unless the hub's is another one.
pub async fn clock(client: &Client) -> Clock {
    let clock = Clock::system();
    if let Some(told) = told(client).await {
        take(&clock, told);
    }
    clock
}

/// Makes `clock` the hub's, once the hub answers, and returns whether it has to be kept so.
pub async fn find(client: &Client, clock: &Clock) -> bool {
    loop {
        match told(client).await {
            Some(told) => {
                take(clock, told);
                return matches!(told, Told::Own(_));
            }
            None => tokio::time::sleep(SOON).await,
        }
    }
}

/// Keeps `clock` that of an embedded hub, for ever: it may be opened again at another speed.
pub async fn keep(client: &Client, clock: &Clock) {
    let mut pause = SOON;
    loop {
        tokio::time::sleep(pause).await;
        pause = match told(client).await {
            Some(told @ Told::Own(reading)) => {
                take(clock, told);
                reading.speed.map_or(SOON, |_| AGAIN)
            }
            _ => SOON,
        };
    }
}

/// Sets `clock` if it is another one than the hub's.
fn take(clock: &Clock, told: Told) {
    let (now, speed) = match told {
        Told::Own(reading) => (reading.now, reading.speed.unwrap_or(1.0)),
        Told::Date(now) => (now, 1.0),
        Told::Nothing => return,
    };
    let off = now.duration_since(clock.now()).as_secs_f64().abs();
    if off > SAME.as_secs_f64() * speed.max(1.0) || clock.speed() != Some(speed) {
        clock.follow(now, speed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedded::{Hub, Options, StoreKind};

    #[tokio::test]
    async fn a_hub_tells_its_speed_and_instant() {
        let clock = Clock::scaled(3600.0);
        clock.not_before(clock.now() + SignedDuration::from_hours(30));
        let hub = Hub::open(Options {
            store: StoreKind::Memory,
            clock: clock.clone(),
            seed: Some(1),
        });
        let hub = hub.await.unwrap();
        let ours = super::clock(&hub.client()).await;
        assert_eq!(ours.speed(), Some(3600.0));
        assert!(ours.ahead() > SignedDuration::from_hours(29), "{ours:?}");
        let driver = Clock::system();
        assert!(find(&hub.client(), &driver).await);
        assert_eq!(driver.speed(), Some(3600.0));
    }

    #[test]
    fn an_api_server_whose_time_is_ours_changes_nothing() {
        let clock = Clock::system();
        let ahead = clock.ahead();
        take(
            &clock,
            Told::Date(clock.now() - SignedDuration::from_secs(1)),
        );
        take(&clock, Told::Nothing);
        assert!((clock.ahead() - ahead).abs() < SignedDuration::from_millis(900));
        take(
            &clock,
            Told::Date(clock.now() - SignedDuration::from_hours(1)),
        );
        assert!(clock.ahead() < SignedDuration::from_mins(-50));
    }
}
