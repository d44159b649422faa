//! The demo: a gate approved by keys, no key lost in a storm, and nothing done while nothing happens.

use std::time::Duration;

use super::terminal::{PROGRAM, Terminal};

#[test]
fn a_gate_of_the_demo_is_approved_by_keys_and_the_run_goes_on() {
    let mut terminal = Terminal::start(PROGRAM, &["demo"]);
    terminal.wait("eu-1.33.4");
    terminal.wait("◆ gates 1");
    terminal.keys("2");
    terminal.wait("[2 Gates");
    // The gate that waits is the first row.
    terminal.keys("gg");
    terminal.until("the gate selected", |screen| {
        let marked = screen.lines().find(|line| line.starts_with('▌'));
        marked.is_some_and(|line| line.contains("Canary looks good"))
    });
    terminal.keys("A");
    terminal.wait("Approve gate \"Canary looks good\"?");
    // What it starts is read from the hub before it can be confirmed.
    terminal.wait("Starts   now");
    // Keys typed before anybody can have read the question are dropped.
    std::thread::sleep(Duration::from_millis(400));
    terminal.keys("y");
    terminal.wait("◆ gates 0");
    terminal.keys("1");
    terminal.until("the next stage in flight", |screen| {
        screen.contains("pilot-")
    });
    terminal.keys("\u{3}\u{3}");
    let status = terminal.end();
    assert_eq!(status.exit_code(), 0);
    terminal.assert_given_back();
}

#[test]
fn a_storm_of_resizes_loses_no_key() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().display().to_string();
    let mut terminal = Terminal::start(PROGRAM, &["--data-dir", &folder, "--driver", "off"]);
    terminal.wait("No update runs");
    terminal.keys("/");
    let text = "abcdefghijklmnopqrstuvwxyz0123456789";
    for (n, key) in (0..).zip(text.chars()) {
        terminal.keys(&key.to_string());
        terminal.resize(100 + n, 30 + n % 7);
    }
    terminal.resize(120, 40);
    terminal.wait(text);
}

#[test]
fn a_console_where_nothing_happens_does_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().display().to_string();
    let mut terminal = Terminal::start(PROGRAM, &["--data-dir", &folder, "--driver", "off"]);
    terminal.wait("No update runs");
    terminal.keys("j");
    // What comes after the first lists (rights, the driver) has come by then.
    terminal.quiet(Duration::from_secs(3));
    let (bytes, turns) = (terminal.bytes(), turns(terminal.pid()));
    std::thread::sleep(Duration::from_secs(8));
    assert_eq!(terminal.bytes(), bytes, "{}", terminal.text());
    let turns = turns_since(turns, terminal.pid());
    // The hub of this process has its own bookmarks to send; a tick would be many more.
    assert!(turns < 40, "woken {turns} times in 8 s");
}

/// How often the threads of a process have gone to sleep so far; 0 where the system does not tell.
fn turns(pid: u32) -> u64 {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task"));
    let of = |task: std::fs::DirEntry| {
        let status = std::fs::read_to_string(task.path().join("status")).ok()?;
        let line = status
            .lines()
            .find(|l| l.starts_with("voluntary_ctxt_switches"))?;
        line.split_whitespace().last()?.parse::<u64>().ok()
    };
    tasks.into_iter().flatten().flatten().filter_map(of).sum()
}

fn turns_since(before: u64, pid: u32) -> u64 {
    turns(pid).saturating_sub(before)
}
