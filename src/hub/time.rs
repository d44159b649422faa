//! What time it is on a hub: the instants of its objects are meant by its clock, not by ours.

use http::header::DATE;
use jiff::{SignedDuration, Timestamp};
use kube::Client;
use kube::client::Body;

use crate::clock::Clock;

/// Less than this is the rounding of the answer and its way here, and no difference.
const SAME: SignedDuration = SignedDuration::from_secs(3);

/// The hub's instant, to the second; `None` where it does not tell.
pub async fn now(client: &Client) -> Option<Timestamp> {
    let request = http::Request::get("/version").body(Body::empty()).ok()?;
    let response = client.send(request).await.ok()?;
    let date = response.headers().get(DATE)?.to_str().ok()?;
    let date = jiff::fmt::rfc2822::parse(date).ok()?;
    Some(date.timestamp())
}

/// The hub's clock as it is now: ours, unless the hub's is another one.
pub async fn clock(client: &Client) -> Clock {
    let ours = Clock::system();
    match now(client).await {
        Some(there) if there.duration_since(ours.now()).abs() > SAME => Clock::beginning(there),
        _ => ours,
    }
}
