//! The feed against a hub: in the process, over TLS, and one that goes away.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::{Api, Client};
use serde_json::json;
use tokio::sync::{mpsc, oneshot};

use super::*;
use crate::api::Outcome;
use crate::api::{FleetMemberSpec, MemberUpdateSpec, Provider, Simulated, labels};
use crate::console::effect::{ObjectRef, Write, WriteRequest};
use crate::console::msg::{Answer, Change, Link, RefusedClass};
use crate::embedded::{Hub, Options, StoreKind};

async fn hub() -> Hub {
    hub_in(StoreKind::Memory).await
}

async fn hub_in(store: StoreKind) -> Hub {
    Hub::open(Options {
        store,
        clock: Clock::system(),
        seed: None,
    })
    .await
    .unwrap()
}

fn member(name: &str) -> FleetMember {
    let simulated = Simulated {
        kubernetes_version: "1.32.9".into(),
        outcome: Outcome::Succeed,
        ..Simulated::default()
    };
    FleetMember::new(
        name,
        FleetMemberSpec {
            provider: Provider {
                simulated: Some(simulated),
            },
            ..FleetMemberSpec::default()
        },
    )
}

async fn make(client: &Client, names: impl IntoIterator<Item = String>) {
    let api: Api<FleetMember> = Api::all(client.clone());
    for name in names {
        api.create(&PostParams::default(), &member(&name))
            .await
            .unwrap();
    }
}

fn start(client: Client, read_only: bool) -> (Feed, mpsc::Receiver<Msg>) {
    let (opened, origin) = oneshot::channel();
    let access = Access {
        client,
        name: "test".into(),
        user: "ana".into(),
    };
    opened.send(Ok(access)).unwrap();
    let (sender, receiver) = mpsc::channel(QUEUE);
    let source = Source {
        origin: Origin::Opening(origin),
        clock: Clock::system(),
        read_only,
    };
    (Feed::start(source, sender), receiver)
}

/// The next message for which `pick` has something.
async fn next<T>(messages: &mut mpsc::Receiver<Msg>, pick: impl Fn(&Msg) -> Option<T>) -> T {
    let found = async {
        loop {
            let message = messages.recv().await.expect("the feed goes on");
            if let Some(found) = pick(&message) {
                return found;
            }
        }
    };
    let limit = Duration::from_secs(30);
    tokio::time::timeout(limit, found)
        .await
        .expect("the message comes")
}

/// Names of members until their list is complete.
async fn members(messages: &mut mpsc::Receiver<Msg>) -> Vec<String> {
    let mut names = Vec::new();
    loop {
        let Some(Msg::Hub(batch)) = messages.recv().await else {
            continue;
        };
        for change in batch.changes {
            match change {
                Change::Relist(Kind::Member) => names.clear(),
                Change::Member(member) => names.push(member.metadata.name.clone().unwrap()),
                Change::Synced(Kind::Member) => return names,
                _ => {}
            }
        }
    }
}

#[tokio::test]
async fn rows_arrive_then_changes_then_deletions() {
    let hub = hub().await;
    make(&hub.client(), (0..300).map(|n| format!("m{n:03}"))).await;
    let (_feed, mut messages) = start(hub.client(), false);
    let names = members(&mut messages).await;
    assert_eq!(names.len(), 300);

    let api: Api<FleetMember> = Api::all(hub.client());
    let patch = json!({"spec": {"region": "westeurope"}});
    api.patch("m001", &PatchParams::default(), &Patch::Merge(patch))
        .await
        .unwrap();
    let region = next(&mut messages, |m| match m {
        Msg::Hub(batch) => batch.changes.iter().find_map(|c| match c {
            Change::Member(m) => Some(m.spec.region.clone()),
            _ => None,
        }),
        _ => None,
    });
    assert_eq!(region.await.as_deref(), Some("westeurope"));

    let uid = api.get("m002").await.unwrap().metadata.uid;
    api.delete("m002", &DeleteParams::default()).await.unwrap();
    let gone = next(&mut messages, |m| match m {
        Msg::Hub(batch) => batch.changes.iter().find_map(|c| match c {
            Change::Gone { uid, .. } => Some(uid.clone()),
            _ => None,
        }),
        _ => None,
    });
    assert_eq!(Some(gone.await), uid);
}

#[tokio::test]
async fn a_hub_that_streams_no_lists_is_read_in_pages() {
    let hub = hub().await;
    make(&hub.client(), (0..1_100).map(|n| format!("m{n:04}"))).await;
    let (sender, mut messages) = mpsc::channel(QUEUE);
    let link = Arc::new(LinkState::new(Clock::system(), None, sender.clone()));
    let watching = watch::Watching {
        client: hub.client(),
        sender,
        link,
        streaming: Arc::new(AtomicBool::new(false)),
        scope: None,
    };
    let task = tokio::spawn(watch::follow::<FleetMember>(watching, None));
    assert_eq!(members(&mut messages).await.len(), 1_100);
    make(&hub.client(), ["later".to_owned()]).await;
    let name = next(&mut messages, |m| match m {
        Msg::Hub(batch) => batch.changes.iter().find_map(|c| match c {
            Change::Member(m) => m.metadata.name.clone(),
            _ => None,
        }),
        _ => None,
    });
    assert_eq!(name.await, "later");
    task.abort();
}

#[tokio::test]
async fn a_hub_that_goes_away_is_lost_and_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    // On disk it keeps its certificate.
    let hub = hub_in(StoreKind::Dir(folder.path().to_path_buf())).await;
    let serving = hub.serve("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let (addr, kubeconfig) = (serving.addr, serving.kubeconfig.clone());
    let options = kube::config::KubeConfigOptions::default();
    let config = kube::Config::from_custom_kubeconfig(kubeconfig, &options);
    let client = Client::try_from(config.await.unwrap()).unwrap();
    let (feed, mut messages) = start(client, false);
    next(&mut messages, |m| {
        matches!(m, Msg::Link(Link::Live)).then_some(())
    })
    .await;
    members(&mut messages).await;

    serving.shutdown().await;
    let reason = next(&mut messages, |m| match m {
        Msg::Link(Link::Lost {
            reason, next_try, ..
        }) => {
            assert!(next_try.is_some());
            Some(reason.clone())
        }
        _ => None,
    });
    let reason = reason.await;
    assert!(reason.to_lowercase().contains("refused"), "{reason}");

    make(&hub.client(), ["meanwhile".to_owned()]).await;
    let serving = hub.serve(addr).await.unwrap();
    feed.retry();
    let mut names = Vec::new();
    while !names.contains(&"meanwhile".to_owned()) {
        let more = next(&mut messages, |m| match m {
            Msg::Hub(batch) => Some(batch.changes.iter().filter_map(name_of).collect::<Vec<_>>()),
            _ => None,
        });
        names.extend(more.await);
    }
    drop(feed);
    serving.shutdown().await;
}

fn name_of(change: &Change) -> Option<String> {
    match change {
        Change::Member(member) => member.metadata.name.clone(),
        _ => None,
    }
}

/// A hub that answers every list as empty, and this about gates.
fn answers_about_gates(code: u16, body: &'static str) -> Client {
    let service = tower::service_fn(
        move |request: http::Request<kube::client::Body>| async move {
            let end = r#"{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"1",
            "annotations":{"k8s.io/initial-events-end":"true"}}}}"#;
            let (code, body) = match request.uri().path().ends_with("/gates") {
                true => (code, body.to_owned()),
                false => (200, format!("{}\n", end.replace('\n', ""))),
            };
            let answer = http::Response::builder().status(code);
            answer.body(kube::client::Body::from(body.into_bytes()))
        },
    );
    Client::new(service, "default")
}

#[tokio::test]
async fn kinds_that_the_hub_does_not_know_are_named() {
    let client = answers_about_gates(404, "404 page not found\n");
    let (_feed, mut messages) = start(client, false);
    let missing = next(&mut messages, |m| match m {
        Msg::Link(Link::KindsMissing { missing }) => Some(missing.clone()),
        _ => None,
    });
    assert_eq!(missing.await, ["gates"]);
}

#[tokio::test]
async fn a_refused_kind_closes_its_own_pane_and_no_other() {
    let forbidden = r#"{"kind":"Status","status":"Failure","reason":"Forbidden","code":403,
        "message":"gates is forbidden: User ana cannot list","details":{"kind":"gates"}}"#;
    let client = answers_about_gates(403, forbidden);
    let (_feed, mut messages) = start(client, false);
    let (mut denied, mut synced) = (false, false);
    while !(denied && synced) {
        let more = next(&mut messages, |m| match m {
            Msg::Hub(batch) => Some(batch.changes.clone()),
            Msg::Link(link) => {
                assert_eq!(*link, Link::Live);
                None
            }
            _ => None,
        });
        for change in more.await {
            denied |= matches!(change, Change::Denied(Kind::Gate));
            synced |= matches!(change, Change::Synced(Kind::Run));
        }
    }
}

async fn answer(read_only: bool) -> Result<Answer, crate::console::msg::Refused> {
    let hub = hub().await;
    let (feed, mut messages) = start(hub.client(), read_only);
    next(&mut messages, |m| {
        matches!(m, Msg::Link(Link::Live)).then_some(())
    })
    .await;
    feed.ask(Effect::Write(WriteRequest {
        ticket: 7,
        object: ObjectRef {
            kind: Kind::Run,
            name: "nobody".into(),
            uid: String::new(),
            generation: 0,
            resource_version: String::new(),
        },
        write: Write::Stop,
    }));
    next(&mut messages, |m| match m {
        Msg::Answer { ticket: 7, result } => Some(result.clone()),
        _ => None,
    })
    .await
}

#[tokio::test]
async fn a_write_is_answered_with_its_ticket() {
    let refused = answer(false).await.unwrap_err();
    assert_eq!(
        (refused.class, refused.code.as_str()),
        (RefusedClass::Gone, "NotFound")
    );
}

#[tokio::test]
async fn a_read_only_session_writes_nothing() {
    let refused = answer(true).await.unwrap_err();
    assert_eq!(
        (refused.class, refused.code.as_str()),
        (RefusedClass::Denied, "ReadOnly")
    );
}

/// A member's part in a run, as the controller makes it.
fn update_of(run: &str, member: &str) -> MemberUpdate {
    let spec = MemberUpdateSpec {
        run: run.into(),
        stage: "s".into(),
        group: "g".into(),
        member: member.into(),
        ..MemberUpdateSpec::default()
    };
    let mut update = MemberUpdate::new(&format!("{run}.{member}"), spec);
    update.metadata.labels = Some([(labels::RUN.to_owned(), run.to_owned())].into());
    update
}

/// Names of member updates until their list is complete, for the watch with this ticket.
async fn updates(messages: &mut mpsc::Receiver<Msg>, ticket: Ticket) -> Vec<String> {
    let mut names = Vec::new();
    loop {
        let batch = next(messages, |m| match m {
            Msg::Hub(batch) if batch.follow == Some(ticket) => Some(batch.clone()),
            _ => None,
        });
        for change in batch.await.changes {
            match change {
                Change::Update(update) => {
                    names.push(update.metadata.name.clone().unwrap());
                }
                Change::Synced(Kind::Update) => return names,
                _ => {}
            }
        }
    }
}

#[tokio::test]
async fn only_the_members_of_the_followed_run_are_asked_for() {
    for streaming in [true, false] {
        let hub = hub().await;
        let api: Api<MemberUpdate> = Api::all(hub.client());
        for (run, member) in [("a", "m1"), ("a", "m2"), ("b", "m1")] {
            let update = update_of(run, member);
            api.create(&PostParams::default(), &update).await.unwrap();
        }
        let client = match streaming {
            true => hub.client(),
            false => without_streams(hub.client()),
        };
        let (feed, mut messages) = start(client, false);
        let follow = |ticket, run: Option<&str>| {
            let run = run.map(str::to_owned);
            feed.ask(Effect::Follow { ticket, run });
        };
        follow(1, Some("a"));
        assert_eq!(updates(&mut messages, 1).await, ["a.m1", "a.m2"]);
        follow(2, Some("b"));
        assert_eq!(updates(&mut messages, 2).await, ["b.m1"]);
        // What changes goes on to come, of this run alone.
        for (run, member) in [("a", "m3"), ("b", "m3")] {
            let update = update_of(run, member);
            api.create(&PostParams::default(), &update).await.unwrap();
        }
        let name = next(&mut messages, |m| match m {
            Msg::Hub(batch) => batch.changes.iter().find_map(|c| match c {
                Change::Update(u) => u.metadata.name.clone(),
                _ => None,
            }),
            _ => None,
        });
        assert_eq!(name.await, "b.m3");
    }
}

/// The same hub, but one that refuses to stream lists.
fn without_streams(client: Client) -> Client {
    let service = tower::service_fn(move |request: http::Request<kube::client::Body>| {
        let client = client.clone();
        async move {
            let query = request.uri().query().unwrap_or_default();
            if query.contains("sendInitialEvents") {
                let body = r#"{"kind":"Status","status":"Failure","reason":"Invalid","code":422}"#;
                let answer = http::Response::builder().status(422);
                return Ok(answer.body(kube::client::Body::from(body.as_bytes().to_vec()))?);
            }
            client.send(request).await.map_err(tower::BoxError::from)
        }
    });
    Client::new(service, "default")
}
