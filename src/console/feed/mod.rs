//! What the console hears from a hub, and what it asks of it; the only part of it that knows kube.
//!
//! Watches become [`Msg::Hub`] batches, trimmed while they are decoded: nothing is kept here but
//! the version to go on from. A hub that is away is a state with a reason, never an end.

mod batch;
mod decode;
mod desk;
mod lines;
mod link;
mod paged;
mod rights;
#[cfg(test)]
mod tests;
mod watch;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tokio::sync::{mpsc, watch as signal};
use tokio::task::JoinSet;

use crate::api::{FleetMember, Gate, MemberUpdate, UpdateRun, UpdateStrategy};
use crate::clock::Clock;
use crate::console::effect::Effect;
use crate::console::msg::{Kind, Msg, Ticket};
use crate::hub::{Access, Error, Found, Prompt, time};

use desk::Desk;
use link::LinkState;

/// Messages that may wait for the console; beyond it the watches wait, so memory stays bounded.
pub const QUEUE: usize = 8;

/// How the hub is reached.
pub enum Origin {
    /// A context of a kubeconfig; connecting may take time and fail.
    Found(Box<Found>),
    /// A client that is, or soon will be, there already: the embedded hub.
    Opening(tokio::sync::oneshot::Receiver<Result<Access, Error>>),
}

/// Where the feed speaks with and for whom.
pub struct Source {
    /// The hub.
    pub origin: Origin,
    /// The hub's time.
    pub clock: Clock,
    /// No write methods, and no question what we may write.
    pub read_only: bool,
}

/// Running watches and a desk for questions; they end when it is dropped.
pub struct Feed {
    asks: mpsc::UnboundedSender<Effect>,
    link: Arc<LinkState>,
    access: signal::Receiver<Option<Access>>,
    _task: JoinSet<()>,
}

impl Feed {
    /// Connects and starts everything on the current runtime.
    pub fn start(source: Source, sender: mpsc::Sender<Msg>) -> Self {
        let helper = match &source.origin {
            Origin::Found(found) => found.helper.clone(),
            Origin::Opening(_) => None,
        };
        let link = Arc::new(LinkState::new(source.clock.clone(), helper, sender.clone()));
        let (asks, asked) = mpsc::unbounded_channel();
        let (connected, access) = signal::channel(None);
        let mut task = JoinSet::new();
        task.spawn(serve(source, sender, link.clone(), asked, connected));
        Self {
            asks,
            link,
            access,
            _task: task,
        }
    }

    /// Asks something of the hub; the answer is a message.
    pub fn ask(&self, effect: Effect) {
        // Without a task that serves there is no screen either.
        let _ = self.asks.send(effect);
    }

    /// Tries the link now instead of when its time comes.
    pub fn retry(&self) {
        self.link.retry();
    }

    /// The client, once there is one.
    pub fn access(&self) -> signal::Receiver<Option<Access>> {
        self.access.clone()
    }
}

async fn serve(
    source: Source,
    sender: mpsc::Sender<Msg>,
    link: Arc<LinkState>,
    mut asked: mpsc::UnboundedReceiver<Effect>,
    connected: signal::Sender<Option<Access>>,
) {
    let clock = source.clock.clone();
    let inside = matches!(source.origin, Origin::Opening(_));
    let mut followed = None;
    let access = {
        let connecting = connect(source.origin, &link);
        tokio::pin!(connecting);
        loop {
            tokio::select! {
                access = &mut connecting => break access,
                effect = asked.recv() => match effect {
                    None => return,
                    Some(Effect::Follow { ticket, run }) => followed = Some((ticket, run)),
                    Some(effect) => refuse(&effect, &sender).await,
                },
            }
        }
    };
    let Some(access) = access else {
        while let Some(effect) = asked.recv().await {
            refuse(&effect, &sender).await;
        }
        return;
    };
    let mut tasks = JoinSet::new();
    if inside {
        connected.send_replace(Some(access.clone()));
    } else {
        // Nobody drives by another time than the hub's, so who drives is told after it is known.
        let (access, clock) = (access.clone(), clock.clone());
        tasks.spawn(async move {
            let own = time::find(&access.client, &clock).await;
            connected.send_replace(Some(access.clone()));
            if own {
                time::keep(&access.client, &clock).await;
            }
        });
    }
    let watching = watch::Watching {
        client: access.client.clone(),
        sender: sender.clone(),
        link: link.clone(),
        streaming: Arc::new(AtomicBool::new(true)),
        scope: None,
    };
    let person = inside.then(|| access.user.clone());
    let asking = rights::ask(
        access.client.clone(),
        person,
        source.read_only,
        sender.clone(),
        link.clone(),
    );
    follow(&mut tasks, &watching, asking);
    let mut members = Members::new(watching);
    if let Some((ticket, run)) = followed {
        members.follow(ticket, run).await;
    }
    let desk = Desk::new(access.client, clock, &access.user, source.read_only);
    while let Some(effect) = asked.recv().await {
        if let Effect::Follow { ticket, run } = effect {
            members.follow(ticket, run).await;
            continue;
        }
        let (desk, sender) = (desk.clone(), sender.clone());
        tasks.spawn(async move {
            if let Some((ticket, result)) = desk.answer(effect).await {
                let _ = sender.send(Msg::Answer { ticket, result }).await;
            }
        });
        // Those that are done are let go.
        while tasks.try_join_next().is_some() {}
    }
}

/// Tries until it works; `None` when it never can.
async fn connect(origin: Origin, link: &LinkState) -> Option<Access> {
    match origin {
        Origin::Opening(opened) => match opened.await {
            Ok(Ok(access)) => Some(access),
            Ok(Err(error)) => {
                link.failed(Kind::Run, error).await;
                None
            }
            Err(_) => None,
        },
        Origin::Found(found) => loop {
            match found.connect(Prompt::Never).await {
                Ok(access) => return Some(access),
                Err(error) => link.failed(Kind::Run, error).await,
            }
        },
    }
}

/// Answers what cannot be done yet.
async fn refuse(effect: &Effect, sender: &mpsc::Sender<Msg>) {
    let ticket = match effect {
        Effect::Write(request) => request.ticket,
        Effect::CheckSkip { ticket, .. }
        | Effect::CheckApproval { ticket, .. }
        | Effect::Plan { ticket, .. }
        | Effect::LoadYaml { ticket, .. } => *ticket,
        _ => return,
    };
    let result = Err(desk::no_link());
    let _ = sender.send(Msg::Answer { ticket, result }).await;
}

fn follow(
    tasks: &mut JoinSet<()>,
    watching: &watch::Watching,
    asking: impl Future<Output = ()> + Send + 'static,
) {
    let (done, after_runs) = signal::channel(false);
    tasks.spawn(watch::follow::<UpdateRun>(watching.clone(), Some(done)));
    tasks.spawn(watch::follow::<Gate>(watching.clone(), None));
    tasks.spawn(watch::follow::<UpdateStrategy>(watching.clone(), None));
    // What is on screen first comes first: the fleet itself waits for the runs.
    let (watching, mut after) = (watching.clone(), after_runs.clone());
    tasks.spawn(async move {
        let _ = after.wait_for(|done| *done).await;
        watch::follow::<FleetMember>(watching, None).await;
    });
    let mut after = after_runs;
    tasks.spawn(async move {
        let _ = after.wait_for(|done| *done).await;
        asking.await;
    });
}

/// The watch on the members of the run in view; there is one, or none.
struct Members {
    watching: watch::Watching,
    task: JoinSet<()>,
}

impl Members {
    fn new(watching: watch::Watching) -> Self {
        let task = JoinSet::new();
        Self { watching, task }
    }

    /// Ends the watch that there is, and begins another one.
    async fn follow(&mut self, ticket: Ticket, run: Option<String>) {
        self.task.shutdown().await;
        self.watching.link.forget(Kind::Update).await;
        if let Some(run) = run {
            let mut watching = self.watching.clone();
            watching.scope = Some(watch::Scope { run, ticket });
            self.task
                .spawn(watch::follow::<MemberUpdate>(watching, None));
        }
    }
}
