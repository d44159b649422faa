//! A hub in memory with its controller, under a paused clock, that a test moves by hand.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use fleetdeck::api::{FleetMember, MemberUpdate, UpdateRun};
use fleetdeck::clock::Clock;
use fleetdeck::controller::{self, Controller, lead};
use fleetdeck::embedded::{Hub, Options, StoreKind};
use http::{Method, Request};
use kube::api::{ListParams, PostParams};
use kube::client::Body;
use kube::{Api, Client, ResourceExt};

/// Everything in one thread and one virtual time.
pub struct Stage {
    pub hub: Hub,
    pub clock: Clock,
    pub client: Client,
    controller: Controller,
}

/// Where a controller is to die: at its write of that number, with the write done or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Death {
    pub write: u32,
    pub done: bool,
}

/// Runs `test` on a runtime of its own whose clock is paused.
pub fn paused<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap()
        .block_on(test)
}

impl Stage {
    pub async fn open() -> Self {
        let clock = Clock::manual("2026-03-02T09:00:00Z".parse().unwrap());
        let hub = Hub::open(Options {
            store: StoreKind::Memory,
            clock: clock.clone(),
            seed: Some(1),
        })
        .await
        .unwrap();
        let client = hub.client();
        let controller = start(client.clone(), &clock);
        Self {
            hub,
            clock,
            client,
            controller,
        }
    }

    /// Makes an object from YAML.
    pub async fn create<K>(&self, yaml: &str)
    where
        K: kube::Resource<DynamicType = (), Scope = kube::core::ClusterResourceScope>
            + Clone
            + std::fmt::Debug
            + serde::Serialize
            + serde::de::DeserializeOwned,
    {
        let object: K = serde_saphyr::from_str(yaml).unwrap();
        let api: Api<K> = Api::all(self.client.clone());
        api.create(&PostParams::default(), &object).await.unwrap();
    }

    /// Lets everything happen that can, killing the controller at each of `deaths` in turn and
    /// starting it again at once. Returns how many writes the last one made.
    pub async fn play(&mut self, deaths: &[Death]) -> u32 {
        let mut deaths = deaths.iter();
        let mut fault = Fault::new(deaths.next().copied());
        self.replace(&fault);
        loop {
            // A dead controller leaves its instant unsettled: whoever waits for an answer is busy.
            let struck = tokio::select! {
                biased;
                () = fault.blow.notified() => true,
                () = self.clock.settle() => false,
            };
            if struck {
                fault = Fault::new(deaths.next().copied());
                self.replace(&fault);
                continue;
            }
            match self.clock.next_timer() {
                Some(next) => self.clock.advance(next),
                None => return fault.writes(),
            }
        }
    }

    /// The same, with a hub that fails every `nth` write of the controller: by turns it was done
    /// and the answer is lost, and it was not.
    pub async fn play_on_a_flaky_hub(&mut self, nth: u32) -> u32 {
        let failed = Arc::new(AtomicU32::new(0));
        let next = start(flaky(&self.client, nth, failed.clone()), &self.clock);
        std::mem::replace(&mut self.controller, next).abort();
        loop {
            self.clock.settle().await;
            match self.clock.next_timer() {
                Some(next) => self.clock.advance(next),
                None => return failed.load(Ordering::SeqCst),
            }
        }
    }

    fn replace(&mut self, fault: &Arc<Fault>) {
        let next = start(fault.client(&self.client), &self.clock);
        std::mem::replace(&mut self.controller, next).abort();
    }

    pub async fn run(&self, name: &str) -> UpdateRun {
        let api: Api<UpdateRun> = Api::all(self.client.clone());
        api.get(name).await.unwrap()
    }

    pub async fn updates(&self) -> BTreeMap<String, MemberUpdate> {
        self.list().await
    }

    pub async fn members(&self) -> BTreeMap<String, FleetMember> {
        self.list().await
    }

    async fn list<K>(&self) -> BTreeMap<String, K>
    where
        K: kube::Resource<DynamicType = (), Scope = kube::core::ClusterResourceScope>
            + Clone
            + std::fmt::Debug
            + serde::de::DeserializeOwned,
    {
        let api: Api<K> = Api::all(self.client.clone());
        let list = api.list(&ListParams::default()).await.unwrap();
        list.into_iter().map(|k| (k.name_any(), k)).collect()
    }
}

fn start(client: Client, clock: &Clock) -> Controller {
    controller::start(controller::Options {
        client,
        clock: clock.clone(),
        identity: "e2e".to_owned(),
        lease: lead::Settings::patient(),
    })
}

/// Counts a controller's writes, and at one of them never answers again.
struct Fault {
    at: Option<Death>,
    writes: AtomicU32,
    struck: AtomicBool,
    blow: tokio::sync::Notify,
}

impl Fault {
    fn new(at: Option<Death>) -> Arc<Self> {
        Arc::new(Self {
            at,
            writes: AtomicU32::new(0),
            struck: AtomicBool::new(false),
            blow: tokio::sync::Notify::new(),
        })
    }

    fn struck(&self) -> bool {
        self.struck.load(Ordering::SeqCst)
    }

    fn writes(&self) -> u32 {
        self.writes.load(Ordering::SeqCst)
    }

    /// `hub` as the controller sees it.
    fn client(self: &Arc<Self>, hub: &Client) -> Client {
        let (fault, hub) = (self.clone(), hub.clone());
        let service = tower::service_fn(move |request: Request<Body>| {
            let (fault, hub) = (fault.clone(), hub.clone());
            async move {
                let write = request.method() != Method::GET;
                let number = if write {
                    fault.writes.fetch_add(1, Ordering::SeqCst) + 1
                } else {
                    0
                };
                let strikes = fault.at.filter(|at| write && number == at.write);
                // After the blow nothing of this controller gets through any more.
                let dead = write && fault.struck();
                if strikes.is_none() && !dead {
                    return hub.send(request).await;
                }
                fault.struck.store(true, Ordering::SeqCst);
                if strikes.is_some_and(|at| at.done) {
                    let _ = hub.send(request).await;
                }
                fault.blow.notify_one();
                std::future::pending().await
            }
        });
        Client::new(service, "default")
    }
}

/// `hub`, whose answer to every `nth` write is 503. Leases are spared: who leads is not at stake.
fn flaky(hub: &Client, nth: u32, failed: Arc<AtomicU32>) -> Client {
    let (hub, writes) = (hub.clone(), Arc::new(AtomicU32::new(0)));
    let service = tower::service_fn(move |request: Request<Body>| {
        let (hub, writes, failed) = (hub.clone(), writes.clone(), failed.clone());
        async move {
            let spared = request.method() == Method::GET || request.uri().path().contains("leases");
            let number = match spared {
                true => 1,
                false => writes.fetch_add(1, Ordering::SeqCst) + 1,
            };
            if number % nth != 0 {
                return hub.send(request).await;
            }
            if failed.fetch_add(1, Ordering::SeqCst) % 2 == 0 {
                let _ = hub.send(request).await;
            }
            let status = serde_json::json!({
                "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 503,
                "reason": "ServiceUnavailable", "message": "the hub has a bad day",
            });
            let answer = http::Response::builder().status(503);
            Ok(answer
                .body(Body::from(status.to_string().into_bytes()))
                .unwrap())
        }
    });
    Client::new(service, "default")
}
