//! The console in a pseudo-terminal, as a person has it: start, resize, leave in every way.
// Outside `#[test]` functions too, a test may end with a panic.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::print_stderr
)]
#![cfg(unix)]

#[path = "pty/azure.rs"]
mod azure;
#[path = "pty/demo.rs"]
mod demo;
#[path = "pty/takeover.rs"]
mod takeover;
#[path = "pty/terminal.rs"]
mod terminal;

use std::time::Duration;

use terminal::{PROGRAM, Terminal, kubeconfig_of_nobody};

/// A console whose hub does not answer: the screen alone.
fn alone() -> (Terminal, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let config = kubeconfig_of_nobody(folder.path());
    let terminal = Terminal::start(PROGRAM, &["--kubeconfig", &config]);
    terminal.taken();
    (terminal, folder)
}

#[test]
fn the_first_frame_comes_before_the_hub() {
    let (terminal, _folder) = alone();
    terminal.wait("nowhere");
}

#[test]
fn signals_end_it_and_the_terminal_is_given_back() {
    for (name, number) in [("TERM", 15), ("HUP", 1), ("INT", 2)] {
        let (mut terminal, _folder) = alone();
        terminal.wait("nowhere");
        terminal.signal(name);
        let status = terminal.end();
        assert_eq!(status.exit_code(), 128 + number, "{name}");
        terminal.assert_given_back();
    }
}

#[test]
fn a_defect_gives_the_terminal_back_before_it_speaks() {
    for words in [&["dev", "panic"][..], &["dev", "panic", "--elsewhere"]] {
        let mut terminal = Terminal::start(PROGRAM, words);
        terminal.taken();
        let status = terminal.end();
        assert!(!status.success());
        terminal.assert_given_back();
        let text = terminal.text().replace('\n', "");
        assert!(
            text.contains("because of a defect: this defect was asked for"),
            "{text}"
        );
        assert!(text.contains("report-"), "{text}");
    }
}

#[test]
fn a_resize_is_drawn_and_a_storm_of_them_ends_in_the_last_size() {
    let (terminal, _folder) = alone();
    terminal.wait("nowhere");
    for n in 0..60 {
        terminal.resize(60 + n, 20 + n / 4);
        std::thread::sleep(Duration::from_millis(3));
    }
    terminal.resize(38, 9);
    terminal.until("word about the size", |text| {
        text.contains("38") && text.contains('9')
    });
    terminal.resize(100, 30);
    terminal.wait("nowhere");
}

#[test]
fn ctrl_z_gives_the_terminal_to_the_shell_and_fg_takes_it_back() {
    let folder = tempfile::tempdir().unwrap();
    let config = kubeconfig_of_nobody(folder.path());
    let script = format!(
        "set -m; {PROGRAM} --kubeconfig {config}; echo stopped; read x; fg > /dev/null; echo ended $?"
    );
    let mut terminal = Terminal::start("sh", &["-c", &script]);
    terminal.taken();
    terminal.wait("nowhere");
    terminal.keys("\u{1a}");
    terminal.wait("stopped");
    terminal.keys("\r");
    terminal.taken();
    terminal.wait("nowhere");
    terminal.keys("\u{3}\u{3}");
    terminal.wait("ended 0");
    terminal.end();
    terminal.assert_given_back();
}

#[test]
fn without_a_cluster_the_demo_is_offered() {
    let mut terminal = Terminal::start(PROGRAM, &[]);
    terminal.wait("Open the demo");
    terminal.keys("n\n");
    let status = terminal.end();
    assert_eq!(status.exit_code(), 9);
    terminal.assert_given_back();

    let mut terminal = Terminal::start(PROGRAM, &[]);
    terminal.wait("Open the demo");
    terminal.keys("\n");
    terminal.taken();
    terminal.wait("demo");
    terminal.signal("TERM");
    terminal.end();
    terminal.assert_given_back();
}

#[test]
fn without_colour_no_colour_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let config = kubeconfig_of_nobody(folder.path());
    let env = [("NO_COLOR", "1")];
    let terminal = Terminal::with(PROGRAM, &["--kubeconfig", &config], &env);
    terminal.wait("nowhere");
    terminal.quiet(Duration::from_millis(100));
    assert!(!terminal.is_coloured());
}
