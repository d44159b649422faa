//! What a person feels: the real program in a pseudo-terminal, at 200x60, on a hub with 10,000
//! members in one run. Prints one line a figure, with its goal.
//!
//! `cargo bench --bench terminal` (or with `-- --members 1000`); the hub is the embedded one,
//! served by another process over TLS, or the one of `--kubeconfig FILE`.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod fleet;
mod screen;

use std::time::{Duration, Instant};

use screen::Screen;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

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

    let start = Instant::now();
    let mut screen = Screen::start(&hub.kubeconfig, 200, 60)?;
    let first_byte = screen
        .wait_bytes(Duration::from_secs(20))?
        .duration_since(start);
    let shown = screen.wait(Duration::from_secs(60), |s| s.contains(fleet::RUN))?;
    report("first byte", first_byte, Some(15.0));
    report("runs on screen", shown.duration_since(start), Some(900.0));

    // All members in one tree: opened, unfolded, every member listed.
    screen.settle(Duration::from_millis(700));
    let opened = Instant::now();
    screen.send(b"\r")?;
    let tree = screen.wait(Duration::from_secs(30), |s| s.contains("STAGE"))?;
    report("run tree opened", tree.duration_since(opened), None);
    screen.settle(Duration::from_millis(500));
    screen.send(b"zR")?;
    screen.settle(Duration::from_millis(700));
    if let Some(keys) = more_keys(&screen.text()) {
        screen.send(keys)?;
        screen.settle(Duration::from_millis(700));
    }

    let mut samples = Vec::new();
    for i in 0..300 {
        let key: &[u8] = if i % 100 < 50 { b"j" } else { b"k" };
        samples.push(screen.key_to_paint(key, Duration::from_millis(500)));
        std::thread::sleep(Duration::from_millis(20));
    }
    samples.retain(Option::is_some);
    let mut samples: Vec<Duration> = samples.into_iter().flatten().collect();
    samples.sort();
    if let (Some(median), Some(p99)) = (
        samples.get(samples.len() / 2),
        samples.get(samples.len() * 99 / 100),
    ) {
        report("key to paint, median", *median, Some(2.0));
        report("key to paint, p99", *p99, Some(5.0));
    }

    let wanted = fleet::member(members - 1);
    screen.send(b"/")?;
    screen.settle(Duration::from_millis(200));
    let (last, rest) = wanted.as_bytes().split_last().ok_or("no name")?;
    screen.send(rest)?;
    screen.settle(Duration::from_millis(300));
    let typed = Instant::now();
    screen.send(&[*last])?;
    let filtered = screen.wait(Duration::from_secs(5), |s| {
        s.lines().filter(|l| l.contains(fleet::MEMBER)).count() <= 3 && s.contains(&wanted)
    })?;
    report(
        "filter to one row",
        filtered.duration_since(typed),
        Some(20.0),
    );
    screen.send(b"\x1b")?;
    screen.settle(Duration::from_secs(2));

    let process = screen.process()?;
    println!(
        "memory                     {:>9.1} MB   goal <= 100",
        process.resident_mb()?
    );
    let (before, bytes, began) = (process.used()?, screen.bytes(), Instant::now());
    std::thread::sleep(Duration::from_secs(30));
    let after = process.used()?;
    let seconds = began.elapsed().as_secs_f64();
    println!(
        "idle cpu                   {:>9.2} %    goal <= 0.2",
        100.0 * (after.cpu_seconds - before.cpu_seconds) / seconds
    );
    println!(
        "idle bytes written         {:>9}      goal 0",
        screen.bytes() - bytes
    );
    println!(
        "idle wake-ups              {:>9.1} /min, of all threads, network included",
        60.0 * (after.switches - before.switches) as f64 / seconds
    );
    screen.quit();
    Ok(())
}

/// Keys that show every row when the tree still says `+ n more`.
fn more_keys(text: &str) -> Option<&'static [u8]> {
    text.contains(" more").then_some(b"G\r".as_slice())
}

fn report(what: &str, took: Duration, goal: Option<f64>) {
    let ms = took.as_secs_f64() * 1000.0;
    match goal {
        Some(goal) => println!("{what:<26} {ms:>9.2} ms   goal <= {goal}"),
        None => println!("{what:<26} {ms:>9.2} ms"),
    }
}
