//! The stages file of the Azure CLI, imported as it is, and a fleet of 20 members made for it:
//! driven to the end by keyboard alone.
//!
//! As published the file tolerates no failure in `group1`, and its selectors leave `group2` empty.
//! So a failure halts the run, and the operator skips the member and resumes; with a tolerance of
//! one in `group1` the same failure is tolerated.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::terminal::{PROGRAM, Terminal};

const STAGES: &str = include_str!("../cli/stages.json");

/// A hub that drives, an hour a second, with the strategy and the fleet on it.
struct Hub {
    folder: tempfile::TempDir,
    process: Child,
}

impl Hub {
    fn start(stages: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let process = Command::new(PROGRAM)
            .args(["hub", "--speed", "3600", "--data-dir"])
            .arg(folder.path().join("data"))
            .arg("--kubeconfig")
            .arg(folder.path().join("kubeconfig"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let hub = Self { folder, process };
        let begun = Instant::now();
        while !Path::new(&hub.kubeconfig()).exists() {
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "the hub does not start"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        std::fs::write(hub.folder.path().join("stages.json"), stages).unwrap();
        std::fs::write(hub.folder.path().join("fleet.yaml"), fleet()).unwrap();
        hub.run(&[
            "strategy",
            "import",
            &hub.file("stages.json"),
            "--name",
            "rings",
        ]);
        hub.run(&["apply", "-f", &hub.file("fleet.yaml")]);
        hub
    }

    fn file(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn kubeconfig(&self) -> String {
        self.file("kubeconfig")
    }

    /// Runs the command line on this hub.
    fn run(&self, words: &[&str]) -> String {
        let output = Command::new(PROGRAM)
            .args(["--kubeconfig", &self.kubeconfig()])
            .args(words)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{words:?}: {text}{errors}");
        text
    }

    fn status(&self, run: &str) -> serde_json::Value {
        let text = self.run(&["get", "UpdateRun", run, "-o", "json"]);
        serde_json::from_str::<serde_json::Value>(&text).unwrap()["status"].clone()
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// 20 members of `team=fleet`; the fifth fails once.
fn fleet() -> String {
    let member = |n: usize| {
        let minutes = 8 + n % 5;
        let outcome = if n == 5 {
            ", outcome: FailFirst, failures: 1"
        } else {
            ""
        };
        format!(
            "---\napiVersion: fleetdeck.io/v1alpha1\nkind: FleetMember\n\
             metadata: {{name: member-{n:02}, labels: {{team: fleet}}}}\n\
             spec: {{region: westeurope, provider: {{simulated: {{kubernetesVersion: 1.33.4, \
             upgradeDuration: {minutes}m{outcome}}}}}}}\n"
        )
    };
    (1..=20).map(member).collect()
}

/// The console on the hub, at the runs.
fn console(hub: &Hub) -> Terminal {
    let terminal = Terminal::start(
        PROGRAM,
        &["--kubeconfig", &hub.kubeconfig(), "--driver", "off"],
    );
    terminal.wait("No update runs");
    terminal
}

/// Types when the screen has come to rest, as a person would.
fn press(terminal: &mut Terminal, keys: &str) {
    terminal.quiet(Duration::from_millis(120));
    terminal.keys(keys);
}

/// Answers the dialog that is open, once keys typed ahead are no longer dropped.
fn confirm(terminal: &mut Terminal, title: &str, keys: &str) {
    terminal.wait(title);
    std::thread::sleep(Duration::from_millis(300));
    terminal.keys(keys);
    terminal.until("an end of the dialog", |screen| !screen.contains(title));
}

/// Makes a run of `rings` with the form, looks at its plan, and starts it.
fn make_and_start(terminal: &mut Terminal, plan: &str) {
    press(terminal, "+");
    terminal.wait("New run");
    press(terminal, "\t\t1.34.1\t\tweekly\t");
    terminal.wait("weekly");
    press(terminal, "\r");
    terminal.wait("20 members");
    terminal.wait(plan);
    press(terminal, "R");
    confirm(terminal, "Make run weekly and start it?", "y");
    press(terminal, "1");
    terminal.wait("weekly");
}

/// Approves the gate that waits, by key, in the view of gates.
fn approve(terminal: &mut Terminal, gate: &str) {
    press(terminal, "2");
    terminal.until(&format!("gate \"{gate}\" ready"), |screen| {
        screen
            .lines()
            .any(|l| l.contains("ready") && l.contains(&cut(gate)) && !l.contains("not"))
    });
    press(terminal, "gg");
    press(terminal, "A");
    // What it starts is read from the hub before it can be confirmed.
    terminal.wait("Starts  ");
    confirm(terminal, &format!("Approve gate \"{gate}\"?"), "y");
    press(terminal, "1");
}

/// What is left of a gate's name in a column.
fn cut(gate: &str) -> String {
    gate.chars().take(5).collect()
}

#[test]
fn the_stages_of_the_azure_cli_run_to_the_end_by_keyboard() {
    let hub = Hub::start(STAGES);
    let mut terminal = console(&hub);
    make_and_start(&mut terminal, "has no members");
    terminal.wait("gate before stage1");
    approve(&mut terminal, "stage before gate");
    terminal.wait("gate before stage1/group1");
    approve(&mut terminal, "group before gate");

    // The fifth member fails, and group1 tolerates none: the run halts and says why.
    terminal.wait("✗ Failed");
    press(&mut terminal, "\r");
    terminal.wait("1 failed in group group1 of stage stage1, which allows 0");
    // From problem to problem: the stage, the group, and the member that made them one.
    let row = |screen: &str| {
        screen
            .lines()
            .find(|l| l.starts_with('▌'))
            .map(str::to_owned)
    };
    for _ in 0..4 {
        let before = row(&terminal.text());
        if before.as_ref().is_some_and(|row| row.contains("member-05")) {
            break;
        }
        press(&mut terminal, "!");
        terminal.until("another row selected", |screen| row(screen) != before);
    }
    press(&mut terminal, "S");
    confirm(&mut terminal, "Skip member member-05?", "y");
    terminal.until("the member skipped", |screen| {
        screen
            .lines()
            .any(|l| l.contains("member-05") && l.contains("Skipped"))
    });
    press(&mut terminal, "R");
    confirm(&mut terminal, "Resume weekly?", "\t\r");
    approve(&mut terminal, "group after gate");
    approve(&mut terminal, "stage after gate");
    terminal.wait("✓ Completed");

    let status = hub.status("weekly");
    assert_eq!(status["state"], "Completed", "{status:#}");
    assert_eq!(status["counts"]["completed"], 19);
    assert_eq!(status["counts"]["skipped"], 1);
    assert_eq!(status["failureCount"], 0);
    assert_eq!(status["stages"][0]["afterStageWait"]["state"], "Completed");
    every_gate_was_passed(&status);
}

#[test]
fn a_tolerated_failure_does_not_stop_it() {
    let hub = Hub::start(&STAGES.replace(
        "\"maxAllowedFailures\": \"0\"",
        "\"maxAllowedFailures\": \"1\"",
    ));
    let mut terminal = console(&hub);
    make_and_start(&mut terminal, "has no members");
    terminal.wait("gate before stage1");
    approve(&mut terminal, "stage before gate");
    terminal.wait("gate before stage1/group1");
    approve(&mut terminal, "group before gate");
    approve(&mut terminal, "group after gate");
    approve(&mut terminal, "stage after gate");
    terminal.wait("✓! Completed");

    let status = hub.status("weekly");
    assert_eq!(status["state"], "Completed", "{status:#}");
    assert_eq!(status["counts"]["completed"], 19);
    assert_eq!(status["failureCount"], 1);
    assert_eq!(status["stages"][0]["afterStageWait"]["state"], "Completed");
    every_gate_was_passed(&status);
}

fn every_gate_was_passed(status: &serde_json::Value) {
    let stage = &status["stages"][0];
    let group = &stage["groups"][0];
    for list in [stage, group] {
        for place in ["beforeGates", "afterGates"] {
            assert_eq!(
                list[place][0]["state"], "Completed",
                "{place} of {}",
                list["name"]
            );
        }
    }
}
