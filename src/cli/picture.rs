//! A picture of the console for the README: the demo's fleet, driven for a while in virtual time by
//! the program's own parts, drawn by the console's own view.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use kube::api::ListParams;
use kube::{Api, Client};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde::de::DeserializeOwned;
use std::sync::Arc;

use super::context::Context;
use super::documents;
use super::error::Error;
use super::exit::Exit;
use super::output::Out;
use super::{apply, execute};
use crate::api::{FleetMember, Gate, MemberUpdate, UpdateRun, UpdateStrategy};
use crate::clock::Clock;
use crate::console::demo::FLEET;
use crate::console::model::{Look, Mode, Model, Session};
use crate::console::msg::{Change, Driver, HubBatch, Key, KeyCode, Kind, Link, Msg, Rights};
use crate::console::{update, view};
use crate::controller::{self, lead};
use crate::embedded::{self, Hub, StoreKind};
use crate::hub::verbs::{Error as HubError, Object};

/// Cells of the picture.
const SIZE: (u16, u16) = (110, 34);
/// When the demo of the picture begins.
const BEGIN: &str = "2026-03-02T08:00:00Z";
/// How long it has gone on, in minutes.
const MINUTES: i64 = 87;
/// What a person did meanwhile.
const DONE: [(i64, &str); 2] = [
    (45, "gate approve --run eu-1.33.4 --stage pilot"),
    (80, "gate approve --run eu-1.33.4 --stage prod"),
];

/// The frame as text.
pub fn picture() -> Result<String, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .map_err(|e| failed(&e.to_string()))?;
    runtime.block_on(frame())
}

fn failed(why: &str) -> Error {
    Error::new(Exit::Other, "NoPicture", why).tried("draw the console")
}

async fn frame() -> Result<String, Error> {
    let begin: Timestamp = BEGIN.parse().map_err(|_| failed("no such instant"))?;
    let clock = Clock::manual(begin);
    let hub = Hub::open(embedded::Options {
        store: StoreKind::Memory,
        clock: clock.clone(),
        seed: Some(1),
    })
    .await?;
    let mut ctx = Context {
        client: hub.client(),
        clock: clock.clone(),
        out: Out::to(std::io::sink()),
        user: Some("ana".to_owned()),
        read_only: false,
        words: super::args::Words::default(),
        undriven: None,
    };
    for document in documents::parse("the demo's fleet", FLEET)? {
        apply::write(&mut ctx, &document).await?;
    }
    let driver = controller::start(controller::Options {
        client: hub.client(),
        clock: clock.clone(),
        identity: "demo".to_owned(),
        lease: lead::Settings::patient(),
    });
    for (minutes, line) in DONE {
        go(&clock, begin + SignedDuration::from_mins(minutes)).await;
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        execute(&words, &mut ctx).await?;
    }
    go(&clock, begin + SignedDuration::from_mins(MINUTES)).await;
    let model = model(&hub.client(), clock.now()).await?;
    driver.stop().await;
    Ok(text(&model))
}

async fn go(clock: &Clock, until: Timestamp) {
    clock.settle().await;
    while let Some(next) = clock.next_timer().filter(|next| *next <= until) {
        clock.advance(next);
        clock.settle().await;
    }
    clock.advance(until);
    clock.settle().await;
}

async fn model(client: &Client, now: Timestamp) -> Result<Model, Error> {
    let session = Session {
        hub: "demo".to_owned(),
        environment: "demo".to_owned(),
        user: "ana".to_owned(),
        mode: Mode::ReadWrite,
        speed: 60.0,
        words: String::new(),
        zone: TimeZone::UTC,
    };
    let mut model = Model::new(session, Look::default(), now, SIZE.0, SIZE.1);
    let kinds = || Kind::ALL.into_iter().filter(|k| *k != Kind::Update);
    let mut changes: Vec<Change> = kinds().map(Change::Relist).collect();
    changes.extend(all::<UpdateStrategy>(client).await?.map(Change::Strategy));
    changes.extend(all::<FleetMember>(client).await?.map(Change::Member));
    changes.extend(all::<UpdateRun>(client).await?.map(Change::Run));
    changes.extend(all::<Gate>(client).await?.map(Change::Gate));
    changes.extend(kinds().map(Change::Synced));
    // The console asks for the members of the run that it selects, once it knows the run.
    let mut members = vec![Change::Relist(Kind::Update)];
    members.extend(all::<MemberUpdate>(client).await?.map(Change::Update));
    members.push(Change::Synced(Kind::Update));
    let open = Key::plain(KeyCode::Enter);
    for msg in [
        Msg::Time(now),
        Msg::Link(Link::Live),
        Msg::Driver(Driver::Here {
            since: now - SignedDuration::from_mins(MINUTES),
        }),
        Msg::Rights(Rights {
            user: "ana".to_owned(),
            ..Rights::default()
        }),
        Msg::Hub(HubBatch {
            changes,
            ..HubBatch::default()
        }),
        Msg::Hub(HubBatch {
            changes: members,
            ..HubBatch::default()
        }),
        Msg::Key {
            key: open,
            at: 1000,
        },
    ] {
        update(&mut model, msg);
    }
    Ok(model)
}

async fn all<K>(client: &Client) -> Result<impl Iterator<Item = Arc<K>> + use<K>, Error>
where
    K: kube::Resource<Scope = kube::core::ClusterResourceScope>
        + Clone
        + DeserializeOwned
        + std::fmt::Debug,
    K::DynamicType: Default,
{
    let api: Api<K> = Api::all(client.clone());
    let listed = api.list(&ListParams::default()).await;
    let listed = listed.map_err(|e| HubError::from_kube(e, Object::new("object", "")))?;
    Ok(listed.items.into_iter().map(Arc::new))
}

fn text(model: &Model) -> String {
    let area = Rect::new(0, 0, SIZE.0, SIZE.1);
    let mut buffer = Buffer::empty(area);
    view::paint(model, &mut buffer);
    let mut text = String::new();
    for y in 0..area.height {
        let line: String = (0..area.width)
            .filter_map(|x| buffer.cell((x, y)).map(|cell| cell.symbol()))
            .collect();
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
