//! What a person feels: the real program in a pseudo-terminal, at 200x60, on a hub with 10,000
//! members in one run. Prints one line a figure, with its goal, and fails where one is missed by more
//! than noise.
//!
//! `cargo bench --bench terminal` (or with `-- --members 1000`); the hub is the embedded one,
//! served by another process over TLS, or the one of `--kubeconfig FILE`.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod fleet;
#[path = "../support/goals.rs"]
mod goals;
mod screen;

use std::time::{Duration, Instant};

use goals::Goals;
use screen::Screen;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Starts of which the median is taken.
const STARTS: usize = 9;
/// What only the tree of a run has on its screen.
const TREE: &str = "STAGE / GROUP / MEMBER";
/// How long an idle console is looked at.
const IDLE: Duration = Duration::from_secs(60);

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let value = |flag: &str| {
        arguments
            .iter()
            .position(|a| a == flag)
            .and_then(|i| arguments.get(i + 1))
            .cloned()
    };
    let members: usize = value("--members").map_or(Ok(10_000), |v| v.parse())?;
    let hub = fleet::Hub::with_members(members, value("--kubeconfig"))?;
    let mut goals = Goals::default();

    let mut firsts = Vec::new();
    for _ in 0..STARTS {
        let start = Instant::now();
        let screen = Screen::start(&hub.kubeconfig, 200, 60)?;
        let first = screen.wait_bytes(Duration::from_secs(20))?;
        firsts.push(ms(first.duration_since(start)));
        screen.quit();
    }
    goals.median("first byte", &mut firsts, "ms", Some(15.0));

    let start = Instant::now();
    let mut screen = Screen::start(&hub.kubeconfig, 200, 60)?;
    let runs = screen.wait(Duration::from_secs(60), |s| s.contains(fleet::RUN))?;
    // All members in one tree: opened and unfolded by a person who types as fast as they see.
    let opened = Instant::now();
    screen.send(b"\r")?;
    let tree = screen.wait(Duration::from_secs(30), |s| s.contains(TREE))?;
    // Members that nothing happened to are one row at first; it is the last one,
    // and Enter shows them and goes to the first.
    screen.send(b"zR")?;
    screen.wait(Duration::from_secs(60), |s| {
        s.lines()
            .any(|line| line.trim_start().starts_with("+ ") && line.contains(" members"))
    })?;
    screen.send(b"G\r")?;
    let rows = screen.wait(Duration::from_secs(60), |s| {
        s.lines()
            .filter(|line| line.contains(fleet::MEMBER))
            .count()
            > 10
    })?;
    let since = |at: Instant| ms(at.duration_since(start));
    goals.one("runs on screen", since(runs), "ms", None);
    goals.one(
        "run tree opened",
        ms(tree.duration_since(opened)),
        "ms",
        None,
    );
    goals.one("data on screen", since(rows), "ms", Some(900.0));

    screen.settle(Duration::from_millis(700));
    let mut samples = Vec::new();
    for i in 0..300 {
        let key: &[u8] = if i % 100 < 50 { b"j" } else { b"k" };
        samples.extend(screen.key_to_paint(key, Duration::from_millis(500)).map(ms));
        std::thread::sleep(Duration::from_millis(20));
    }
    goals.median("key to paint", &mut samples, "ms", Some(2.0));
    goals.p99("key to paint", &mut samples, "ms", Some(5.0));

    let wanted = fleet::member(members - 1);
    screen.send(b"/")?;
    screen.settle(Duration::from_millis(200));
    let (last, rest) = wanted.as_bytes().split_last().ok_or("no name")?;
    screen.send(rest)?;
    screen.settle(Duration::from_millis(300));
    let typed = Instant::now();
    screen.send(&[*last])?;
    let filtered = screen.wait(Duration::from_secs(5), |s| {
        {
            // Its name stands in the detail as well; no other one stands anywhere.
            let mut named = s.lines().filter(|l| l.contains(fleet::MEMBER));
            s.contains(&wanted) && named.all(|l| l.contains(&wanted))
        }
    })?;
    let took = ms(filtered.duration_since(typed));
    goals.one("filter to one row", took, "ms", Some(20.0));
    screen.send(b"\x1b")?;
    screen.settle(Duration::from_secs(2));

    let process = screen.process()?;
    goals.one("memory", process.resident_mb()?, "MB", Some(100.0));
    let (before, bytes, began) = (process.used()?, screen.bytes(), Instant::now());
    std::thread::sleep(IDLE);
    let after = process.used()?;
    let seconds = began.elapsed().as_secs_f64();
    let cpu = 100.0 * (after.cpu_seconds - before.cpu_seconds) / seconds;
    let a_minute = |count: u64| 60.0 * count as f64 / seconds;
    goals.one("idle cpu", cpu, "%", Some(0.2));
    goals.one("idle bytes", (screen.bytes() - bytes) as f64, "", Some(0.0));
    let (own, network) = (after.screen - before.screen, after.network - before.network);
    goals.one("idle wake-ups, screen", a_minute(own), "/min", Some(2.0));
    // Bookmarks, and the lease that whoever drives renews every five seconds.
    goals.one("idle wake-ups, network", a_minute(network), "/min", None);
    screen.quit();
    goals.end()
}

fn ms(took: Duration) -> f64 {
    took.as_secs_f64() * 1000.0
}
