//! `run wait`: until the run is in one of the states; the exit code says which.

use std::pin::pin;

use futures::StreamExt;
use kube::{Api, Client};

use super::follow::{self, Heard};
use crate::api::{Gate, GateEntry, GateIntent, StageStatus, State, UpdateRun};
use crate::cli::args::{Format, Until, WaitArgs};
use crate::cli::columns;
use crate::cli::context::Context;
use crate::cli::driven;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::kinds::Kind;
use crate::cli::objects;
use crate::cli::time;

/// `run wait NAME --until … --timeout D`
pub async fn wait(args: &WaitArgs, ctx: &mut Context) -> Result<Exit, Error> {
    let name = args.name.as_str();
    let tried = format!("wait for run {name}");
    let limit = match &args.timeout {
        Some(text) => {
            let length = time::parse_length(text).ok_or_else(|| {
                Error::usage(format!("--timeout {text}: is not a length of time"))
                    .hint("write 90s, 30m, 1h30m or 2d")
            })?;
            Some(std::time::Duration::try_from(length).unwrap_or_default())
        }
        None => None,
    };
    // The first word with the hub tells whether it is there at all; after that, it is waited for.
    let there = objects::read(ctx, Kind::Run, name).await;
    let there = there.map_err(|e| e.tried(tried.as_str()))?;
    let over = |text: &str| {
        Error::new(
            Exit::TimeOver,
            "TimeOver",
            format!("the time is over after {text}"),
        )
        .tried(tried.as_str())
        .hint(format!("see what it waits for: fleetdeck run show {name}"))
    };
    let there = there
        .try_parse::<UpdateRun>()
        .map_err(|e| Error::new(Exit::Other, "HubError", e.to_string()).tried(tried.as_str()))?;
    let found = match (ends(&there, &args.until, &ctx.client).await, limit) {
        (Some(exit), _) => Ok((there, exit)),
        // Looks, and does not wait.
        (None, Some(limit)) if limit.is_zero() => return Err(over("0s")),
        (None, limit) => {
            ctx.may_wait().map_err(|e| e.tried(tried.as_str()))?;
            driven::remark(ctx).await;
            let found = until(args, ctx.client.clone());
            match limit {
                None => found.await,
                Some(limit) => match tokio::time::timeout(limit, found).await {
                    Ok(found) => found,
                    Err(_) => return Err(over(args.timeout.as_deref().unwrap_or_default())),
                },
            }
        }
    };
    let (run, exit) = found.map_err(|e| e.tried(tried.as_str()))?;
    let value = columns::typed(Kind::Run, &run);
    if !ctx.out.objects(&[value], args.print.output, true)? {
        ctx.out
            .line(&format!("Run {name}: {}.", told(&run, exit)))?;
        if args.print.output == Format::Wide {
            let waits = run.status.as_ref().map_or("", |s| s.waits.as_str());
            ctx.out.line(waits)?;
        }
    }
    Ok(exit)
}

async fn until(args: &WaitArgs, client: Client) -> Result<(UpdateRun, Exit), Error> {
    let mut heard = pin!(follow::run(&client, &args.name));
    while let Some(heard) = heard.next().await {
        match heard? {
            Heard::Gone => return Err(follow::gone(&args.name)),
            Heard::Run(run) => {
                if let Some(exit) = ends(&run, &args.until, &client).await {
                    return Ok((*run, exit));
                }
            }
        }
    }
    Err(follow::gone(&args.name))
}

/// How the wait ends with the run as it is, and its gates as they are. The run's status is a moment
/// behind its gates: whoever asks right after an approval must not be told of the gate that they have
/// just passed.
async fn ends(run: &UpdateRun, until: &[Until], client: &Client) -> Option<Exit> {
    let found = reached(run, until)?;
    let passed = found == Exit::AtGate && !stands_at_gate(run, client).await;
    (!passed).then_some(found)
}

/// How the wait ends with the run as it is; `None` while it goes on.
fn reached(run: &UpdateRun, until: &[Until]) -> Option<Exit> {
    let exit = Exit::of_run(run);
    match exit {
        // Nothing can happen to it any more.
        Some(Exit::Done | Exit::CompletedWithFailures) => exit,
        // Asked to go on a moment ago; its state is still that of before.
        Some(Exit::Failed | Exit::Stopped) if !answered(run) => None,
        Some(Exit::Failed) if until.contains(&Until::Failed) => exit,
        Some(Exit::Stopped) if until.contains(&Until::Stopped) => exit,
        _ if until.contains(&Until::Gate) && open_gates(run).next().is_some() => Some(Exit::AtGate),
        _ => None,
    }
}

/// Whether the status speaks of the run's spec as it is now.
fn answered(run: &UpdateRun) -> bool {
    let observed = run.status.as_ref().and_then(|s| s.observed_generation);
    observed >= run.metadata.generation
}

/// The gates that the run has reached and that its status does not tell as passed.
fn open_gates(run: &UpdateRun) -> impl Iterator<Item = &GateEntry> {
    let stages = run.status.iter().flat_map(|s| &s.stages);
    stages
        .flat_map(StageStatus::gates)
        .filter(|gate| gate.state == State::Pending)
}

/// Whether one of the open gates is still to be passed, by the gates themselves. One that cannot be
/// read counts as open, as the run says.
async fn stands_at_gate(run: &UpdateRun, client: &Client) -> bool {
    let api = Api::<Gate>::all(client.clone());
    for name in open_gates(run).filter_map(|gate| gate.gate_name.as_deref()) {
        match api.get_opt(name).await {
            Ok(Some(gate)) if gate.spec.state == GateIntent::Completed => {}
            Ok(None) => {}
            Ok(Some(_)) | Err(_) => return true,
        }
    }
    false
}

fn told(run: &UpdateRun, exit: Exit) -> String {
    let status = run.status.clone().unwrap_or_default();
    match exit {
        Exit::AtGate => format!("waits at a {}", status.waits),
        Exit::CompletedWithFailures => {
            format!("completed, {} members failed", status.failure_count)
        }
        Exit::Failed => {
            let error = status.error.unwrap_or_default();
            format!("failed: {}", error.message)
        }
        _ => status.state.to_string().to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{UpdateRunSpec, UpdateRunStatus};

    fn run(state: State, failures: i32, gate: Option<State>) -> UpdateRun {
        let mut run = UpdateRun::new("w", UpdateRunSpec::default());
        let stage = StageStatus {
            before_gates: gate
                .map(|state| GateEntry {
                    state,
                    ..GateEntry::default()
                })
                .into_iter()
                .collect(),
            ..StageStatus::default()
        };
        run.status = Some(UpdateRunStatus {
            state,
            failure_count: failures,
            stages: vec![stage],
            ..UpdateRunStatus::default()
        });
        run
    }

    #[test]
    fn each_end_has_its_code() {
        use Until as U;
        let usual = [U::Completed, U::Failed, U::Stopped];
        let pending = Some(State::Pending);
        for (run, until, exit) in [
            (run(State::Completed, 0, None), &usual[..], Some(Exit::Done)),
            (run(State::Skipped, 0, None), &usual[..], Some(Exit::Done)),
            (
                run(State::Completed, 2, None),
                &usual[..],
                Some(Exit::CompletedWithFailures),
            ),
            (run(State::Failed, 1, None), &usual[..], Some(Exit::Failed)),
            (
                run(State::Stopped, 0, None),
                &usual[..],
                Some(Exit::Stopped),
            ),
            (run(State::Stopped, 0, None), &[U::Gate][..], None),
            (run(State::Pending, 0, pending), &usual[..], None),
            (
                run(State::Pending, 0, pending),
                &[U::Gate][..],
                Some(Exit::AtGate),
            ),
            (
                run(State::Completed, 0, None),
                &[U::Gate][..],
                Some(Exit::Done),
            ),
            (run(State::NotStarted, 0, None), &usual[..], None),
        ] {
            assert_eq!(reached(&run, until), exit, "{:?}", run.status);
        }
    }

    #[test]
    fn a_request_that_is_not_answered_yet_is_waited_for() {
        let until = [Until::Failed, Until::Stopped];
        for state in [State::Failed, State::Stopped] {
            let mut asked = run(state, 1, None);
            asked.metadata.generation = Some(4);
            asked.status.as_mut().unwrap().observed_generation = Some(3);
            assert_eq!(reached(&asked, &until), None);
            asked.status.as_mut().unwrap().observed_generation = Some(4);
            assert!(reached(&asked, &until).is_some());
        }
    }
}
