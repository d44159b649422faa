//! How the connection is, for all watches together: one state on screen, one time for the next try.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;

use crate::clock::Clock;
use crate::console::msg::{Kind, Link, Msg};
use crate::hub::{Class, Error};

/// Wait before the first try; it doubles up to [`LONGEST`].
const FIRST: Duration = Duration::from_millis(800);
const LONGEST: Duration = Duration::from_secs(30);

/// Shared by all watches of one feed.
pub(super) struct LinkState {
    clock: Clock,
    helper: Option<String>,
    sender: mpsc::Sender<Msg>,
    now: Notify,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// Kinds whose last request did not get through, and why.
    down: BTreeMap<Kind, Error>,
    missing: BTreeSet<Kind>,
    answered: bool,
    tries: u32,
    next: Option<(Instant, Timestamp)>,
    since: Option<Timestamp>,
    shown: Link,
}

impl LinkState {
    pub fn new(clock: Clock, helper: Option<String>, sender: mpsc::Sender<Msg>) -> Self {
        Self {
            clock,
            helper,
            sender,
            now: Notify::new(),
            inner: Mutex::default(),
        }
    }

    /// The hub answered a request about this kind.
    pub async fn answered(&self, kind: Kind) {
        {
            let mut inner = self.lock();
            inner.answered = true;
            inner.down.remove(&kind);
            inner.missing.remove(&kind);
            inner.settle();
        }
        self.show().await;
    }

    /// Nothing is asked about this kind any more.
    pub async fn forget(&self, kind: Kind) {
        {
            let mut inner = self.lock();
            inner.down.remove(&kind);
            inner.missing.remove(&kind);
            inner.settle();
        }
        self.show().await;
    }

    /// The hub does not serve this kind; returns when it is time to ask again.
    pub async fn missing(&self, kind: Kind) {
        {
            let mut inner = self.lock();
            inner.answered = true;
            inner.down.remove(&kind);
            inner.missing.insert(kind);
        }
        self.show().await;
        self.pause(LONGEST).await;
    }

    /// A request about this kind did not get through; returns when it is time to try again.
    pub async fn failed(&self, kind: Kind, error: Error) {
        let until = {
            let mut inner = self.lock();
            let now = self.clock.now();
            inner.since.get_or_insert(now);
            inner.down.insert(kind, error);
            inner.schedule(&self.clock)
        };
        self.show().await;
        tokio::select! {
            () = tokio::time::sleep_until(until) => {}
            () = self.now.notified() => {}
        }
    }

    /// Waits, or until somebody wants everything tried at once.
    pub async fn pause(&self, length: Duration) {
        tokio::select! {
            () = tokio::time::sleep(length) => {}
            () = self.now.notified() => {}
        }
    }

    /// Tries everything now.
    pub fn retry(&self) {
        self.lock().next = None;
        self.now.notify_waiters();
    }

    async fn show(&self) {
        let changed = {
            let mut inner = self.lock();
            let link = inner.link(self.helper.as_deref());
            let changed = link != inner.shown;
            inner.shown = link.clone();
            changed.then_some(link)
        };
        if let Some(link) = changed {
            let _ = self.sender.send(Msg::Link(link)).await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn settle(&mut self) {
        if self.down.is_empty() {
            (self.tries, self.next, self.since) = (0, None, None);
        }
    }

    /// When the next try is: the one that stands, or a new one later than the last.
    fn schedule(&mut self, clock: &Clock) -> Instant {
        if let Some((next, _)) = self.next.filter(|(next, _)| *next > Instant::now()) {
            return next;
        }
        let wait = wait(self.tries, fastrand::f64());
        self.tries += 1;
        let next = Instant::now() + wait;
        let shown = wait.mul_f64(clock.speed().unwrap_or(1.0));
        let shown = SignedDuration::try_from(shown).unwrap_or_default();
        let at = clock.now().checked_add(shown).unwrap_or(Timestamp::MAX);
        self.next = Some((next, at));
        next
    }

    fn link(&self, helper: Option<&str>) -> Link {
        let Some(since) = self.since.filter(|_| !self.down.is_empty()) else {
            if !self.missing.is_empty() {
                let missing = self.missing.iter().map(|k| k.plural().to_owned());
                return Link::KindsMissing {
                    missing: missing.collect(),
                };
            }
            return if self.answered {
                Link::Live
            } else {
                Link::Connecting
            };
        };
        let sign_in = self
            .down
            .values()
            .find(|e| e.class == Class::Unauthenticated);
        if let Some(error) = sign_in {
            return Link::SignIn {
                since,
                reason: error.reason.clone(),
                command: helper.map(str::to_owned),
            };
        }
        let reason = self.down.values().next().map(|e| e.reason.clone());
        Link::Lost {
            since,
            reason: reason.unwrap_or_default(),
            next_try: self.next.map(|(_, at)| at),
        }
    }
}

/// Wait before try number `tries`, with a fifth more or less of it at random (0 to 1).
fn wait(tries: u32, random: f64) -> Duration {
    let doubled = FIRST.saturating_mul(1u32.checked_shl(tries.min(16)).unwrap_or(u32::MAX));
    doubled
        .min(LONGEST)
        .mul_f64(0.8 + 0.4 * random)
        .min(LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> (LinkState, mpsc::Receiver<Msg>) {
        let (sender, receiver) = mpsc::channel(16);
        (LinkState::new(Clock::manual_now(), None, sender), receiver)
    }

    fn refused() -> Error {
        Error::new(
            Class::Unreachable,
            "Listing gates",
            "connection refused",
            "",
        )
    }

    #[test]
    fn waits_double_up_to_half_a_minute() {
        let waits: Vec<_> = (0..8).map(|n| wait(n, 0.5).as_millis()).collect();
        assert_eq!(waits, [800, 1600, 3200, 6400, 12800, 25600, 30000, 30000]);
        assert!(wait(0, 0.0) >= Duration::from_millis(640));
        assert!(wait(200, 1.0) <= LONGEST);
    }

    #[tokio::test(start_paused = true)]
    async fn several_watches_share_one_next_try_and_one_state() {
        let (link, mut shown) = state();
        let begin = Instant::now();
        tokio::join!(
            link.failed(Kind::Run, refused()),
            link.failed(Kind::Gate, refused())
        );
        assert!(begin.elapsed() < Duration::from_secs(1));
        let Some(Msg::Link(Link::Lost {
            reason, next_try, ..
        })) = shown.recv().await
        else {
            panic!("not lost");
        };
        assert_eq!(reason, "connection refused");
        assert!(next_try.is_some());
        assert!(shown.try_recv().is_err(), "one state is shown once");
        link.answered(Kind::Run).await;
        assert!(shown.try_recv().is_err(), "half a link is no link");
        link.answered(Kind::Gate).await;
        assert!(matches!(shown.recv().await, Some(Msg::Link(Link::Live))));
    }

    #[tokio::test(start_paused = true)]
    async fn ctrl_r_ends_the_wait() {
        let (link, _shown) = state();
        for _ in 0..8 {
            link.failed(Kind::Run, refused()).await;
        }
        let begin = Instant::now();
        tokio::join!(link.failed(Kind::Run, refused()), async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            link.retry();
        });
        assert!(begin.elapsed() < Duration::from_secs(2));
    }

    #[tokio::test(start_paused = true)]
    async fn missing_kinds_are_named_until_they_are_served() {
        let (link, mut shown) = state();
        link.missing(Kind::Gate).await;
        let Some(Msg::Link(Link::KindsMissing { missing })) = shown.recv().await else {
            panic!("nothing is missing");
        };
        assert_eq!(missing, ["gates"]);
        link.answered(Kind::Gate).await;
        assert!(matches!(shown.recv().await, Some(Msg::Link(Link::Live))));
    }
}
