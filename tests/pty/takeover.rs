//! Two consoles on one hub: the second stands by, and goes on when the first is killed.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::terminal::{PROGRAM, Terminal};

/// Lease duration of the product, and what a start takes on a busy machine.
const LEASE: Duration = Duration::from_secs(15 + 15);

struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn command(kubeconfig: &str, words: &[&str]) -> serde_json::Value {
    let output = Command::new(PROGRAM)
        .args(["--kubeconfig", kubeconfig])
        .args(words)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {errors}");
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

/// Ten members one by one, three seconds each: the run outlives the first console.
fn manifests() -> String {
    let member = |n: usize| {
        format!(
            "---\napiVersion: fleetdeck.io/v1alpha1\nkind: FleetMember\nmetadata: {{name: m{n}}}\n\
             spec: {{provider: {{simulated: {{kubernetesVersion: 1.33.4, upgradeDuration: 3s}}}}}}\n"
        )
    };
    let members: String = (0..10).map(member).collect();
    format!(
        "{members}---\napiVersion: fleetdeck.io/v1alpha1\nkind: UpdateRun\nmetadata: {{name: \
         weekly}}\nspec: {{state: Run, upgrade: {{type: Full, kubernetesVersion: 1.34.1}}}}\n"
    )
}

#[test]
fn the_second_console_takes_over_when_the_first_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (kubeconfig, file) = (path("kubeconfig"), path("run.yaml"));
    let hub = Command::new(PROGRAM)
        .args(["hub", "--no-controller", "--data-dir", &path("data")])
        .args(["--kubeconfig", &kubeconfig])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let _hub = Process(hub.unwrap());
    let begun = Instant::now();
    while !Path::new(&kubeconfig).exists() {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "the hub does not start"
        );
        std::thread::sleep(Duration::from_millis(20));
    }

    let first = Terminal::start(PROGRAM, &["--kubeconfig", &kubeconfig, "--driver", "on"]);
    first.wait("driver: here");
    let second = Terminal::start(PROGRAM, &["--kubeconfig", &kubeconfig, "--driver", "on"]);
    second.until("word that it stands by", |screen| {
        screen.contains("driver: elsewhere") || screen.contains("driver: standby")
    });

    std::fs::write(&file, manifests()).unwrap();
    command(&kubeconfig, &["apply", "-f", &file]);
    first.wait("weekly");
    second.until("two members done", |screen| screen.contains("2/10"));
    first.signal("KILL");
    let killed = Instant::now();
    second.wait("driver: here");
    assert!(killed.elapsed() < LEASE, "it took {:?}", killed.elapsed());
    second.wait("✓ Completed");

    let run = command(&kubeconfig, &["get", "UpdateRun", "weekly", "-o", "json"]);
    assert_eq!(run["status"]["counts"]["completed"], 10, "{run:#}");
    let members = command(&kubeconfig, &["get", "FleetMember", "-o", "json"]);
    let members = members["items"].as_array().unwrap();
    assert_eq!(members.len(), 10);
    for member in members {
        assert_eq!(
            member["status"]["operationCount"], 1,
            "upgraded twice: {member:#}"
        );
        assert_eq!(member["status"]["kubernetesVersion"], "1.34.1");
    }
}
