//! The real kubectl on the hub's TLS listener.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use fleetdeck::embedded::{Hub, Serving};

use crate::harness::hub;

struct Kubectl {
    program: PathBuf,
    dir: tempfile::TempDir,
    _hub: (Hub, Serving),
}

impl Kubectl {
    /// None, with a line that says so, where there is no kubectl.
    async fn new() -> Option<Self> {
        let assets = std::env::var_os("KUBEBUILDER_ASSETS").map(PathBuf::from);
        let Some(program) = assets.map(|dir| dir.join("kubectl")).filter(|p| p.exists()) else {
            eprintln!("skipped with kubectl: KUBEBUILDER_ASSETS is not set");
            return None;
        };
        let hub = hub().await;
        let serving = hub.serve("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let dir = tempfile::tempdir().unwrap();
        let text = serde_json::to_string(&serving.kubeconfig).unwrap();
        std::fs::write(dir.path().join("kubeconfig"), text).unwrap();
        Some(Self {
            program,
            dir,
            _hub: (hub, serving),
        })
    }

    fn command(&self, line: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .arg("--kubeconfig")
            .arg(self.dir.path().join("kubeconfig"))
            .arg("--cache-dir")
            .arg(self.dir.path().join("cache"))
            .args(line)
            .stdin(Stdio::null());
        command
    }

    async fn output(&self, line: &[&str], env: &[(&str, &str)]) -> Output {
        let mut command = self.command(line);
        command.envs(env.iter().copied());
        tokio::task::spawn_blocking(move || command.output().unwrap())
            .await
            .unwrap()
    }

    #[track_caller]
    fn text(line: &[&str], output: Output) -> String {
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "kubectl {line:?}: {error}");
        String::from_utf8(output.stdout).unwrap()
    }

    async fn run(&self, line: &[&str]) -> String {
        Self::text(line, self.output(line, &[]).await)
    }

    /// What it says when it fails.
    async fn fails(&self, line: &[&str]) -> String {
        let output = self.output(line, &[]).await;
        assert!(!output.status.success(), "kubectl {line:?} works");
        String::from_utf8(output.stderr).unwrap()
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }
}

const MEMBER: &str = "apiVersion: fleetdeck.io/v1alpha1
kind: FleetMember
metadata: {name: m1, labels: {env: prod}}
spec:
  group: g1
  provider: {simulated: {kubernetesVersion: 1.33.4}}
";

#[tokio::test(flavor = "multi_thread")]
async fn applies_gets_describes_patches_edits_and_deletes_our_kinds() {
    let Some(k) = Kubectl::new().await else {
        return;
    };
    let file = k.file("m.yaml", MEMBER);
    assert_eq!(
        k.run(&["apply", "-f", &file]).await,
        "fleetmember.fleetdeck.io/m1 created\n"
    );
    assert_eq!(
        k.run(&["apply", "-f", &file]).await,
        "fleetmember.fleetdeck.io/m1 unchanged\n"
    );
    let changed = k.file("m.yaml", &MEMBER.replace("g1", "g2"));
    assert_eq!(
        k.run(&["apply", "-f", &changed]).await,
        "fleetmember.fleetdeck.io/m1 configured\n"
    );
    let table = k.run(&["get", "fm"]).await;
    let mut lines = table.lines();
    let head: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
    assert_eq!(head, ["NAME", "GROUP", "VERSION", "STATE", "AGE"]);
    assert!(lines.next().unwrap().starts_with("m1     g2"), "{table}");
    assert_eq!(
        k.run(&["get", "fleetdeck", "-o", "name"]).await,
        "fleetmember.fleetdeck.io/m1\n"
    );
    let described = k.run(&["describe", "fm", "m1"]).await;
    assert!(
        described.contains("Kubernetes Version:  1.33.4"),
        "{described}"
    );
    k.run(&[
        "patch",
        "fm",
        "m1",
        "--type",
        "merge",
        "-p",
        r#"{"spec":{"group":"g3"}}"#,
    ])
    .await;
    k.run(&[
        "patch",
        "fm",
        "m1",
        "--type",
        "json",
        "-p",
        r#"[{"op":"add","path":"/metadata/labels/a","value":"b"}]"#,
    ])
    .await;
    let status = r#"{"status":{"state":"Idle"}}"#;
    k.run(&[
        "patch",
        "fm",
        "m1",
        "--subresource",
        "status",
        "--type",
        "merge",
        "-p",
        status,
    ])
    .await;
    k.run(&["label", "fm", "m1", "x=y"]).await;
    k.run(&["annotate", "fm", "m1", "note=hello"]).await;
    let read = k
        .run(&[
            "get",
            "fm",
            "m1",
            "-o",
            "jsonpath={.spec.group} {.status.state} {.metadata.labels}",
        ])
        .await;
    assert_eq!(read, r#"g3 Idle {"a":"b","env":"prod","x":"y"}"#);
    let editor = k.file(
        "editor.sh",
        "#!/bin/sh\nsed -i 's/group: g3/group: g4/' \"$1\"\n",
    );
    let line = ["edit", "fm", "m1"];
    let edited = k
        .output(&line, &[("KUBE_EDITOR", &format!("sh {editor}"))])
        .await;
    assert_eq!(
        Kubectl::text(&line, edited),
        "fleetmember.fleetdeck.io/m1 edited\n"
    );
    k.run(&[
        "wait",
        "fm/m1",
        "--for=jsonpath={.spec.group}=g4",
        "--timeout=5s",
    ])
    .await;
    assert_eq!(
        k.run(&["get", "fm", "-l", "env in (prod),x", "-o", "name"])
            .await,
        "fleetmember.fleetdeck.io/m1\n"
    );
    k.run(&["delete", "fm", "m1"]).await;
    assert_eq!(k.run(&["get", "fm", "-o", "name"]).await, "");
    let missing = k.fails(&["get", "fm", "m1"]).await;
    assert!(
        missing.contains("fleetmembers.fleetdeck.io \"m1\" not found"),
        "{missing}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_are_told_in_full() {
    let Some(k) = Kubectl::new().await else {
        return;
    };
    let file = k.file("bad.yaml", &MEMBER.replace("1.33.4", "one"));
    let said = k.fails(&["apply", "-f", &file]).await;
    assert!(
        said.contains("spec.provider.simulated.kubernetesVersion: Invalid value: \"one\""),
        "{said}"
    );
    let file = k.file("unknown.yaml", &MEMBER.replace("group: g1", "grupp: g1"));
    let said = k.fails(&["apply", "-f", &file]).await;
    assert!(said.contains("unknown field \"spec.grupp\""), "{said}");
    let said = k.fails(&["create", "configmap", "x"]).await;
    assert!(said.contains("kubectl create -f"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn built_in_kinds_and_explain() {
    let Some(k) = Kubectl::new().await else {
        return;
    };
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {a: b}\n";
    let file = k.file("map.yaml", map);
    assert_eq!(
        k.run(&["apply", "-f", &file]).await,
        "configmap/m created\n"
    );
    let file = k.file("map.yaml", &map.replace("a: b", "c: d"));
    assert_eq!(
        k.run(&["apply", "-f", &file]).await,
        "configmap/m configured\n"
    );
    assert_eq!(
        k.run(&["get", "cm", "m", "-o", "jsonpath={.data}"]).await,
        r#"{"c":"d"}"#
    );
    k.run(&["label", "cm", "m", "x=y"]).await;
    k.run(&["label", "cm", "m", "x-"]).await;
    let editor = k.file("editor.sh", "#!/bin/sh\nsed -i 's/c: d/c: e/' \"$1\"\n");
    let line = ["edit", "cm", "m"];
    let edited = k
        .output(&line, &[("KUBE_EDITOR", &format!("sh {editor}"))])
        .await;
    assert_eq!(Kubectl::text(&line, edited), "configmap/m edited\n");
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {k: v}\n";
    let file = k.file("secret.yaml", secret);
    k.run(&["create", "-f", &file]).await;
    let space = "apiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n";
    let file = k.file("space.yaml", space);
    k.run(&["apply", "-f", &file]).await;
    let spaces = k.run(&["get", "ns"]).await;
    assert!(
        spaces.contains("team") && spaces.contains("Active"),
        "{spaces}"
    );
    k.run(&["delete", "ns", "team"]).await;
    k.run(&[
        "wait",
        "crd/updateruns.fleetdeck.io",
        "--for=condition=Established",
        "--timeout=5s",
    ])
    .await;
    let explained = k.run(&["explain", "updaterun.spec.upgrade"]).await;
    assert!(explained.contains("kubernetesVersion"), "{explained}");
    let explained = k.run(&["explain", "configmap"]).await;
    assert!(explained.contains("binaryData"), "{explained}");
    assert!(k.run(&["api-resources"]).await.contains("updatestrategies"));
    assert_eq!(
        k.run(&["auth", "can-i", "patch", "gates.fleetdeck.io"])
            .await,
        "yes\n"
    );
    assert!(k.run(&["auth", "whoami"]).await.contains("fleetdeck-admin"));
    assert!(k.run(&["version"]).await.contains("v1.36.0+fleetdeck"));
    assert_eq!(k.run(&["get", "events"]).await, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn get_watches() {
    use std::io::BufRead;
    let Some(k) = Kubectl::new().await else {
        return;
    };
    let file = k.file("m.yaml", MEMBER);
    k.run(&["apply", "-f", &file]).await;
    let mut child = k
        .command(&["get", "fm", "-w"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let out = child.stdout.take().unwrap();
    let lines = tokio::task::spawn_blocking(move || {
        std::io::BufReader::new(out)
            .lines()
            .take(3)
            .map(Result::unwrap)
            .collect::<Vec<String>>()
    });
    // The watch may begin before or after this change; either way the change is the last line.
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    let patch = r#"{"spec":{"group":"g9"}}"#;
    k.run(&["patch", "fm", "m1", "--type", "merge", "-p", patch])
        .await;
    let lines = tokio::time::timeout(std::time::Duration::from_secs(20), lines)
        .await
        .unwrap()
        .unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(lines[0].starts_with("NAME"), "{lines:?}");
    assert!(lines[2].contains("g9"), "{lines:?}");
}
