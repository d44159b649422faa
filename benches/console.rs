//! What the console costs with ten thousand members in one run: a frame, a key, a filter, a batch,
//! and the memory of the model. Frames are timed one by one for their p50 and p99.
#![allow(
    missing_docs,
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::print_stderr
)]

#[path = "support/goals.rs"]
mod goals;

use std::sync::Arc;
use std::time::{Duration, Instant};

use divan::{Bencher, black_box};
use fleetdeck::api::{
    Counts, FleetMember, FleetMemberSpec, FleetMemberStatus, GroupStatus, MemberUpdate,
    MemberUpdateSpec, MemberUpdateStatus, RunIntent, StageStatus, State, UpdateRun, UpdateRunSpec,
    UpdateRunStatus, WaitingFor,
};
use fleetdeck::console::model::{Look, Mode, Model, Session};
use fleetdeck::console::msg::{Change, HubBatch, Key, Kind, Link, Msg};
use fleetdeck::console::{update, view};
use goals::Goals;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

const MEMBERS: usize = 10_000;
const GROUPS: usize = 20;
const COLUMNS: u16 = 200;
const ROWS: u16 = 60;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut goals = Goals::default();
    frames("run tree", &mut tree(), &mut goals);
    let mut list = filled();
    frames("list of runs", &mut list, &mut goals);
    filter_to_one_row(&mut goals);
    memory();
    divan::main();
    goals.end()
}

/// Prints the distribution of single frames, each after a movement.
fn frames(what: &str, model: &mut Model, goals: &mut Goals) {
    let area = Rect::new(0, 0, COLUMNS, ROWS);
    let mut times = Vec::new();
    let mut rows = 0;
    for i in 0..2_000 {
        press(model, if i % 400 < 200 { "ctrl-d" } else { "ctrl-u" });
        let begun = Instant::now();
        let mut buffer = Buffer::empty(area);
        rows = view::paint(model, &mut buffer).rows;
        black_box(&buffer);
        times.push(ms(begun.elapsed()));
    }
    goals.p99(&format!("frame of the {what}"), &mut times, "ms", Some(4.0));
    goals.one(
        "rows built of it",
        rows as f64,
        "",
        Some(f64::from(ROWS) + 2.0),
    );
}

fn filter_to_one_row(goals: &mut Goals) {
    let mut times = Vec::new();
    for _ in 0..50 {
        let mut model = tree();
        press(&mut model, "/");
        let mut worst = Duration::ZERO;
        for c in "member-07777".chars() {
            let at = model.pressed + 1_000;
            let begun = Instant::now();
            let _ = update(
                &mut model,
                Msg::Key {
                    key: Key::char(c),
                    at,
                },
            );
            let mut buffer = Buffer::empty(Rect::new(0, 0, COLUMNS, ROWS));
            view::paint(&model, &mut buffer);
            worst = worst.max(begun.elapsed());
        }
        times.push(ms(worst));
    }
    goals.median(
        "slowest key of a filter, with its frame",
        &mut times,
        "ms",
        Some(16.0),
    );
}

fn ms(took: Duration) -> f64 {
    took.as_secs_f64() * 1000.0
}

/// Resident memory that the model of ten thousand members adds.
fn memory() {
    let before = resident();
    let model = tree();
    let after = resident();
    if let (Some(before), Some(after)) = (before, after) {
        let added = after.saturating_sub(before) / 1024;
        eprintln!(
            "model of {MEMBERS} members and their updates: about {added} MiB, {after} KiB resident in all"
        );
    }
    black_box(&model);
}

fn resident() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[divan::bench]
fn frame_of_the_run_tree(bencher: Bencher<'_, '_>) {
    let model = tree();
    let mut buffer = Buffer::empty(Rect::new(0, 0, COLUMNS, ROWS));
    bencher.bench_local(|| view::paint(&model, &mut buffer));
}

#[divan::bench]
fn key_to_model(bencher: Bencher<'_, '_>) {
    let mut model = tree();
    let mut down = true;
    bencher.bench_local(|| {
        down = !down;
        press(&mut model, if down { "j" } else { "k" });
    });
}

#[divan::bench]
fn batch_of_fifty_changes(bencher: Bencher<'_, '_>) {
    let mut model = tree();
    let mut i = 0;
    bencher.bench_local(|| {
        let changes = (0..50)
            .map(|_| {
                i = (i + 7) % MEMBERS;
                Change::Update(Arc::new(member_update(i, State::Completed)))
            })
            .collect();
        tell(
            &mut model,
            Msg::Hub(HubBatch {
                changes,
                ..HubBatch::default()
            }),
        );
    });
}

#[divan::bench]
fn open_and_close_a_group(bencher: Bencher<'_, '_>) {
    let mut model = tree();
    press(&mut model, "j");
    bencher.bench_local(|| {
        press(&mut model, "h");
        press(&mut model, "l");
    });
}

fn tell(model: &mut Model, msg: Msg) {
    let _ = update(model, msg);
}

fn press(model: &mut Model, key: &str) {
    let at = model.pressed + 1_000;
    let key = key.parse().expect("a key");
    tell(model, Msg::Key { key, at });
}

/// The tree of the run, every member shown.
fn tree() -> Model {
    let mut model = filled();
    press(&mut model, "Enter");
    press(&mut model, "z");
    press(&mut model, "R");
    for more in 0..GROUPS {
        let page = model.tree().expect("a tree");
        let is_more = |r: &fleetdeck::console::model::tree::Row| {
            matches!(r, fleetdeck::console::model::tree::Row::More(..))
        };
        let Some(at) = page.tree.rows.iter().position(is_more) else {
            break;
        };
        let _ = more;
        for page in model.trees.values_mut() {
            let key = fleetdeck::console::model::tree::Tree::key(&model.store, page.tree.rows[at]);
            page.tree.cursor.select(at, key);
        }
        press(&mut model, "Enter");
    }
    press(&mut model, "Home");
    assert!(model.tree().expect("a tree").tree.rows.len() > MEMBERS);
    model
}

fn filled() -> Model {
    let session = Session {
        hub: "bench".to_owned(),
        environment: "lab".to_owned(),
        user: "ana".to_owned(),
        mode: Mode::ReadWrite,
        speed: 1.0,
        words: String::new(),
        zone: TimeZone::UTC,
    };
    let mut model = Model::new(session, Look::default(), moment(), COLUMNS, ROWS);
    tell(&mut model, Msg::Link(Link::Live));
    let kinds = || Kind::ALL.into_iter().filter(|k| *k != Kind::Update);
    let mut changes: Vec<Change> = kinds().map(Change::Relist).collect();
    let mut members = vec![Change::Relist(Kind::Update)];
    changes.push(Change::Run(Arc::new(run())));
    for i in 0..MEMBERS {
        changes.push(Change::Member(Arc::new(member(i))));
        let state = match i % 25 {
            0..10 => State::Completed,
            10 => State::Failed,
            11 => State::Running,
            12 => State::Pending,
            _ => State::NotStarted,
        };
        members.push(Change::Update(Arc::new(member_update(i, state))));
    }
    changes.extend(kinds().map(Change::Synced));
    members.push(Change::Synced(Kind::Update));
    tell(
        &mut model,
        Msg::Hub(HubBatch {
            changes,
            ..HubBatch::default()
        }),
    );
    // Only now is the run known, and with it whose members are asked for.
    tell(
        &mut model,
        Msg::Hub(HubBatch {
            changes: members,
            ..HubBatch::default()
        }),
    );
    model
}

fn moment() -> Timestamp {
    Timestamp::from_second(1_786_624_800).expect("an instant")
}

fn uid(name: &str) -> Option<String> {
    Some(uuid::Uuid::new_v5(&uuid::Uuid::NAMESPACE_OID, name.as_bytes()).to_string())
}

fn run() -> UpdateRun {
    let mut run = UpdateRun::new(
        "big",
        UpdateRunSpec {
            state: RunIntent::Run,
            attempt: 1,
            ..UpdateRunSpec::default()
        },
    );
    run.metadata.uid = uid("big");
    run.metadata.creation_timestamp = Some(Time(moment()));
    let counts = |n: usize| Counts {
        total: n as i32,
        completed: n as i32 / 3,
        failed: n as i32 / 25,
        running: n as i32 / 25,
        not_started: n as i32 / 2,
        ..Counts::default()
    };
    let groups: Vec<GroupStatus> = (0..GROUPS)
        .map(|g| GroupStatus {
            name: format!("group-{g:02}"),
            state: State::Running,
            max_concurrency: 5,
            max_allowed_failures: 100,
            start_time: Some(Time(moment())),
            counts: counts(MEMBERS / GROUPS),
            ..GroupStatus::default()
        })
        .collect();
    run.status = Some(UpdateRunStatus {
        state: State::Running,
        start_time: Some(Time(moment())),
        counts: counts(MEMBERS),
        stages: vec![StageStatus {
            name: "all".to_owned(),
            state: State::Running,
            max_concurrency: 50,
            max_allowed_failures: 1_000,
            start_time: Some(Time(moment())),
            counts: counts(MEMBERS),
            groups,
            ..StageStatus::default()
        }],
        ..UpdateRunStatus::default()
    });
    run
}

fn member(i: usize) -> FleetMember {
    let name = format!("member-{i:05}");
    let mut member = FleetMember::new(
        &name,
        FleetMemberSpec {
            region: Some(format!("region-{}", i % 12)),
            ..FleetMemberSpec::default()
        },
    );
    member.metadata.uid = uid(&name);
    member.status = Some(FleetMemberStatus {
        state: "Ready".to_owned(),
        kubernetes_version: format!("1.3{}.{}", i % 4, i % 9),
        pool_summary: format!("np1 {} nodes", i % 7 + 1),
        ..FleetMemberStatus::default()
    });
    member
}

fn member_update(i: usize, state: State) -> MemberUpdate {
    let member = format!("member-{i:05}");
    let group = format!("group-{:02}", i % GROUPS);
    let name = format!("big.{member}");
    let mut update = MemberUpdate::new(
        &name,
        MemberUpdateSpec {
            run: "big".to_owned(),
            stage: "all".to_owned(),
            group: group.clone(),
            member: member.clone(),
            position: (i / GROUPS) as i32,
            ..MemberUpdateSpec::default()
        },
    );
    update.metadata.uid = uid(&name);
    let mut status = MemberUpdateStatus {
        state,
        ..MemberUpdateStatus::default()
    };
    if state != State::NotStarted {
        status.start_time = Some(Time(moment()));
        status.from_version = Some("1.32.9".to_owned());
    }
    if state == State::Pending {
        status.waiting_for = vec![WaitingFor {
            code: "NodeImageVersionNotAvailable".to_owned(),
            object: format!("FleetMember/{member}"),
            stage: Some("all".to_owned()),
            group: Some(group),
            since: Some(Time(moment())),
            until: None,
            who: "anyone who may start, stop and skip runs: skip the member".to_owned(),
            next: "its turn comes again when the cause has ended".to_owned(),
            message: "The node image is not there yet".to_owned(),
        }];
    }
    update.status = Some(status);
    update
}
