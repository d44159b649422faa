//! The simulator: ends the upgrades of simulated members when their time has come.
//!
//! It keeps no state that is not on the hub. All ends due at one instant are written before it
//! looks at anything else, so that whoever decides sees them together.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures::StreamExt;
use jiff::Timestamp;

use super::provider::Simulated;
use super::script;
use crate::clock::Clock;
use crate::member::Roster;
use crate::member::answer::Answer;

/// Writes on their way at once. Under a manual clock their order is part of the result.
const PARALLEL: usize = 16;
/// Wait after the hub could not be reached.
const RETRY: Duration = Duration::from_millis(500);

#[derive(Default)]
struct Schedule {
    due: BTreeSet<(Timestamp, String)>,
    of: BTreeMap<String, Timestamp>,
}

impl Schedule {
    fn set(&mut self, name: &str, end: Option<Timestamp>) {
        if let Some(before) = self.of.remove(name) {
            self.due.remove(&(before, name.to_owned()));
        }
        if let Some(end) = end {
            self.of.insert(name.to_owned(), end);
            self.due.insert((end, name.to_owned()));
        }
    }

    fn next(&self) -> Option<Timestamp> {
        self.due.first().map(|(end, _)| *end)
    }

    fn take_due(&mut self, now: Timestamp) -> Vec<String> {
        let mut names = Vec::new();
        while let Some((end, name)) = self.due.pop_first() {
            if end > now {
                self.due.insert((end, name));
                break;
            }
            self.of.remove(&name);
            names.push(name);
        }
        names
    }
}

/// Plays the members of `roster` for ever.
pub async fn play(provider: &Simulated, clock: &Clock, roster: &dyn Roster) {
    let mut schedule = Schedule::default();
    loop {
        let next = schedule.next();
        let due = async {
            match next {
                Some(instant) => clock.sleep_until(instant).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            names = roster.changed() => {
                for name in names {
                    let end = roster.member(&name).and_then(|m| script::ends_at(&m));
                    schedule.set(&name, end);
                }
            }
            () = due => {
                let now = clock.now();
                let again = end_all(provider, clock, roster, schedule.take_due(now), now).await;
                for name in again {
                    schedule.set(&name, Some(now));
                }
            }
        }
    }
}

/// Ends the upgrades of `names`; returns those for which the hub gave no answer.
async fn end_all(
    provider: &Simulated,
    clock: &Clock,
    roster: &dyn Roster,
    names: Vec<String>,
    now: Timestamp,
) -> Vec<String> {
    let _busy = clock.busy();
    let parallel = if clock.is_manual() { 1 } else { PARALLEL };
    let failed: Vec<String> = futures::stream::iter(names)
        .map(|name| async move {
            match end(provider, roster, &name, now).await {
                Ok(()) => None,
                Err(error) => {
                    tracing::warn!(member = %name, %error, "cannot end a simulated upgrade; trying again");
                    Some(name)
                }
            }
        })
        .buffered(parallel)
        .filter_map(std::future::ready)
        .collect()
        .await;
    if !failed.is_empty() {
        tokio::time::sleep(RETRY).await;
    }
    failed
}

async fn end(
    provider: &Simulated,
    roster: &dyn Roster,
    name: &str,
    now: Timestamp,
) -> Result<(), kube::Error> {
    let Some(member) = roster.member(name) else {
        return Ok(());
    };
    let mut member = (*member).clone();
    while script::ends_at(&member).is_some_and(|end| end <= now) {
        let Some(status) = script::ended(&member, now) else {
            break;
        };
        match provider.write(&member, status).await {
            Ok(written) => {
                roster.wrote(written);
                break;
            }
            Err(error) if error.is_conflict() || error.is_not_found() => {
                match provider.fresh(&member).await? {
                    Some(fresh) => member = fresh,
                    None => {
                        roster.gone(&member);
                        break;
                    }
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
