//! The one module that reads the time.
//!
//! Everything about runs (waits, gates, simulated upgrades, ages) asks a [`Clock`]. It can be the
//! system's, a scaled one, or a manual one that moves only when nothing else is going on, so that
//! the whole program goes through three weeks in seconds. What belongs to the machinery (leases,
//! watch time-outs, debouncing) stays on tokio's own time.
//!
//! A manual clock expects tokio's clock to be paused: then a short tokio sleep ends exactly when
//! every task is idle, which is how [`Clock::settle`] knows that an instant is over.

pub mod reading;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

/// Longest single sleep on the system's clock, so that an instant is met within this time after
/// a suspended laptop wakes up.
const RECHECK: Duration = Duration::from_secs(60);

/// Reads and waits for instants; cheap to clone.
#[derive(Clone)]
pub struct Clock(Arc<Inner>);

struct Inner {
    mode: Mode,
    activity: AtomicU64,
    busy: AtomicUsize,
    moved: Notify,
}

enum Mode {
    Running(Mutex<Pace>),
    Manual(Mutex<Manual>),
}

/// What time a running clock shows.
#[derive(Clone, Copy)]
enum Pace {
    /// The system's, and so much more.
    System { ahead: SignedDuration },
    /// Its own, since `started`.
    Scaled {
        origin: Timestamp,
        started: Instant,
        speed: f64,
    },
}

impl Pace {
    fn at(now: Timestamp, speed: f64) -> Self {
        if speed == 1.0 {
            let ahead = now.duration_since(system_now());
            return Self::System { ahead };
        }
        Self::Scaled {
            origin: now,
            started: Instant::now(),
            speed,
        }
    }

    fn now(self) -> Timestamp {
        match self {
            Self::System { ahead } => add(system_now(), ahead),
            Self::Scaled {
                origin,
                started,
                speed,
            } => {
                let seconds = started.elapsed().as_secs_f64() * speed;
                let passed = SignedDuration::try_from_secs_f64(seconds);
                add(origin, passed.unwrap_or(SignedDuration::MAX))
            }
        }
    }

    fn speed(self) -> f64 {
        match self {
            Self::System { .. } => 1.0,
            Self::Scaled { speed, .. } => speed,
        }
    }
}

struct Manual {
    now: Timestamp,
    sequence: u64,
    timers: BTreeMap<(Timestamp, u64), oneshot::Sender<()>>,
}

impl Clock {
    /// The system's clock.
    pub fn system() -> Self {
        let ahead = SignedDuration::ZERO;
        Self::with(Mode::Running(Mutex::new(Pace::System { ahead })))
    }

    /// Begins at the system's instant and runs `speed` times as fast (more than 0).
    pub fn scaled(speed: f64) -> Self {
        if speed == 1.0 {
            return Self::system();
        }
        Self::with(Mode::Running(Mutex::new(Pace::at(system_now(), speed))))
    }

    /// Begins at `start` and moves only through [`Clock::advance`].
    pub fn manual(start: Timestamp) -> Self {
        Self::with(Mode::Manual(Mutex::new(Manual {
            now: start,
            sequence: 0,
            timers: BTreeMap::new(),
        })))
    }

    /// A manual clock that begins at the system's instant.
    pub fn manual_now() -> Self {
        Self::manual(system_now())
    }

    fn with(mode: Mode) -> Self {
        Self(Arc::new(Inner {
            mode,
            activity: AtomicU64::new(0),
            busy: AtomicUsize::new(0),
            moved: Notify::new(),
        }))
    }

    /// The instant it is.
    pub fn now(&self) -> Timestamp {
        match &self.0.mode {
            Mode::Running(pace) => lock(pace).now(),
            Mode::Manual(manual) => lock(manual).now,
        }
    }

    /// How many seconds pass here in one second of the machine; `None` for a manual clock.
    pub fn speed(&self) -> Option<f64> {
        match &self.0.mode {
            Mode::Running(pace) => Some(lock(pace).speed()),
            Mode::Manual(_) => None,
        }
    }

    /// How far this clock is ahead of the system's.
    pub fn ahead(&self) -> SignedDuration {
        self.now().duration_since(system_now())
    }

    /// Makes it `instant` at least, and goes on from there at the same speed: time that was shown
    /// once does not come back.
    pub fn not_before(&self, instant: Timestamp) {
        match &self.0.mode {
            Mode::Manual(_) => self.advance(instant),
            Mode::Running(pace) => {
                let mut pace = lock(pace);
                if pace.now() < instant {
                    *pace = Pace::at(instant, pace.speed());
                }
            }
        }
    }

    /// From now on shows the time of somebody else, whose instant is `now` and who goes `speed`
    /// times as fast as the machine. A manual clock goes its own way.
    pub fn follow(&self, now: Timestamp, speed: f64) {
        if let Mode::Running(pace) = &self.0.mode {
            *lock(pace) = Pace::at(now, speed);
        }
    }

    /// Whether this clock moves only by [`Clock::advance`].
    pub fn is_manual(&self) -> bool {
        matches!(self.0.mode, Mode::Manual(_))
    }

    /// Waits until `instant`; returns at once if it has passed.
    pub async fn sleep_until(&self, instant: Timestamp) {
        if let Mode::Manual(manual) = &self.0.mode {
            let fired = {
                let mut manual = lock(manual);
                if instant <= manual.now {
                    return;
                }
                let (sender, receiver) = oneshot::channel();
                manual.sequence += 1;
                let key = (instant, manual.sequence);
                manual.timers.insert(key, sender);
                receiver
            };
            self.touch();
            let _ = fired.await;
            return;
        }
        loop {
            let left = instant.duration_since(self.now());
            if left <= SignedDuration::ZERO {
                return;
            }
            let left = Duration::try_from(left).unwrap_or(RECHECK);
            let speed = self.speed().unwrap_or(1.0);
            // One millisecond more than needed beats waking a hair too early and sleeping again.
            let real = left.div_f64(speed).saturating_add(Duration::from_millis(1));
            tokio::time::sleep(real.min(RECHECK)).await;
        }
    }

    /// Notes that something happened (a write, a new timer); [`Clock::settle`] then waits on.
    pub fn touch(&self) {
        self.0.activity.fetch_add(1, Ordering::SeqCst);
        self.0.moved.notify_one();
    }

    /// While the guard lives the instant is not over, even if every task is idle.
    pub fn busy(&self) -> BusyGuard {
        self.0.busy.fetch_add(1, Ordering::SeqCst);
        BusyGuard(self.clone())
    }

    /// Manual: the earliest instant that somebody waits for.
    pub fn next_timer(&self) -> Option<Timestamp> {
        let Mode::Manual(manual) = &self.0.mode else {
            return None;
        };
        let mut manual = lock(manual);
        manual.timers.retain(|_, sender| !sender.is_closed());
        manual.timers.keys().next().map(|(instant, _)| *instant)
    }

    /// Manual, under tokio's paused clock: returns when nothing goes on at this instant any more.
    pub async fn settle(&self) {
        loop {
            let before = self.0.activity.load(Ordering::SeqCst);
            // Longer than every debounce of the program, so all of them have fired by then.
            tokio::time::sleep(Duration::from_millis(20)).await;
            let quiet = self.0.activity.load(Ordering::SeqCst) == before;
            if quiet && self.0.busy.load(Ordering::SeqCst) == 0 {
                return;
            }
        }
    }

    /// Manual: moves to `instant` (never back) and wakes everybody who waited for it.
    pub fn advance(&self, instant: Timestamp) {
        let Mode::Manual(manual) = &self.0.mode else {
            return;
        };
        let due = {
            let mut manual = lock(manual);
            let now = manual.now.max(instant);
            manual.now = now;
            let later = manual.timers.split_off(&(now, u64::MAX));
            std::mem::replace(&mut manual.timers, later)
        };
        self.0.activity.fetch_add(1, Ordering::SeqCst);
        for sender in due.into_values() {
            let _ = sender.send(());
        }
    }

    /// Manual, under tokio's paused clock: settles and jumps from one instant to the next for ever
    /// (`--speed max`). While nobody waits for an instant, tokio's clock runs on, so that what
    /// belongs to the machinery keeps its real pace and an idle program is idle.
    pub async fn free_run(&self) {
        loop {
            self.settle().await;
            match self.next_timer() {
                Some(instant) => self.advance(instant),
                None => {
                    tokio::time::resume();
                    self.0.moved.notified().await;
                    tokio::time::pause();
                }
            }
        }
    }
}

impl std::fmt::Debug for Clock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Clock")
            .field("speed", &self.speed())
            .finish_non_exhaustive()
    }
}

/// See [`Clock::busy`].
#[derive(Debug)]
pub struct BusyGuard(Clock);

impl Drop for BusyGuard {
    fn drop(&mut self) {
        self.0.touch();
        self.0.0.busy.fetch_sub(1, Ordering::SeqCst);
    }
}

#[allow(clippy::disallowed_methods)]
fn system_now() -> Timestamp {
    Timestamp::now()
}

fn add(origin: Timestamp, length: SignedDuration) -> Timestamp {
    origin.checked_add(length).unwrap_or(Timestamp::MAX)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn three_weeks_pass_at_once_and_in_order() {
        let start: Timestamp = "2026-03-02T09:00:00Z".parse().unwrap();
        let clock = Clock::manual(start);
        let order = Arc::new(Mutex::new(Vec::new()));
        for hours in [504, 1, 24] {
            let (clock, order) = (clock.clone(), order.clone());
            tokio::spawn(async move {
                clock
                    .sleep_until(start + SignedDuration::from_hours(hours))
                    .await;
                order.lock().unwrap().push((hours, clock.now()));
            });
        }
        clock.settle().await;
        while let Some(next) = clock.next_timer() {
            clock.advance(next);
            clock.settle().await;
        }
        let order = order.lock().unwrap().clone();
        assert_eq!(order.iter().map(|o| o.0).collect::<Vec<_>>(), [1, 24, 504]);
        assert_eq!(clock.now(), start + SignedDuration::from_hours(504));
    }

    #[tokio::test(start_paused = true)]
    async fn an_instant_is_not_over_while_somebody_is_busy() {
        let clock = Clock::manual("2026-03-02T09:00:00Z".parse().unwrap());
        let guard = clock.busy();
        let settled = tokio::time::timeout(Duration::from_secs(1), clock.settle()).await;
        assert!(settled.is_err());
        drop(guard);
        clock.settle().await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_scaled_clock_runs_faster() {
        let clock = Clock::scaled(600.0);
        let start = clock.now();
        clock
            .sleep_until(start + SignedDuration::from_mins(10))
            .await;
        let passed = clock.now().duration_since(start);
        assert!(passed >= SignedDuration::from_mins(10) && passed < SignedDuration::from_mins(11));
    }

    #[tokio::test(start_paused = true)]
    async fn no_clock_goes_back_behind_what_it_was_told() {
        let clocks = [Clock::system(), Clock::scaled(60.0), Clock::manual_now()];
        for clock in clocks {
            let later = clock.now() + SignedDuration::from_hours(5);
            let speed = clock.speed();
            clock.not_before(later);
            assert!(clock.now() >= later);
            assert!(clock.ahead() > SignedDuration::from_hours(4));
            clock.not_before(later - SignedDuration::from_hours(1));
            assert!(clock.now() >= later, "an earlier instant moves nothing");
            assert_eq!(clock.speed(), speed);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_clock_that_follows_another_one_has_its_instant_and_speed() {
        let clock = Clock::system();
        let there = clock.now() + SignedDuration::from_hours(5);
        clock.follow(there, 3600.0);
        tokio::time::sleep(Duration::from_secs(2)).await;
        let passed = clock.now().duration_since(there);
        assert!(passed >= SignedDuration::from_hours(2), "{passed:#}");
        assert_eq!(clock.speed(), Some(3600.0));
    }
}
