//! `rehearse` as a script calls it: what is refused before anything is played, and every form.

use super::program;

const FILE: &str = "\
apiVersion: fleetdeck.io/v1alpha1
kind: FleetMember
metadata: {name: m1}
spec: {group: g, provider: {simulated: {kubernetesVersion: 1.32.9, upgradeDuration: 10m}}}
---
apiVersion: fleetdeck.io/v1alpha1
kind: UpdateRun
metadata: {name: r}
spec: {upgrade: {type: ControlPlaneOnly, kubernetesVersion: 1.33.4}}
---
apiVersion: fleetdeck.io/v1alpha1
kind: Rehearsal
metadata: {name: one}
spec:
  start: \"2026-03-02T09:00:00Z\"
  end: 1h
  steps:
  - {at: 1m, do: run start r}
  - {at: 1m, do: run start r}
  - {at: 2m, do: --context eu run stop r}
  - {at: 2m, do: --read-only run stop r}
  - at: 3m
    apply: {apiVersion: fleetdeck.io/v1alpha1, kind: FleetMember, metadata: {name: m2},
            spec: {group: h, provider: {simulated: {kubernetesVersion: 1.32.9}}}}
";

fn rehearse(text: &str, words: &[&str]) -> program::Done {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.yaml");
    std::fs::write(&path, text).unwrap();
    let path = path.display().to_string();
    let mut done = program::run(&[&["rehearse", &path], words].concat());
    done.err = done.err.replace(&path, "f.yaml");
    done
}

#[test]
fn every_form_of_a_rehearsal() {
    let mut text = String::new();
    for words in [&[][..], &["-o", "jsonl"]] {
        let out = rehearse(FILE, words).expect(0);
        text.push_str(&format!(
            "$ fleetdeck rehearse f.yaml {}\n{out}\n",
            words.join(" ")
        ));
    }
    // Objects are told by their names: what stands in them is another test's.
    for words in [&["-o", "yaml"][..], &["--at", "2m"]] {
        let out = rehearse(FILE, words).expect(0);
        let named = |l: &&str| {
            ["kind: ", "  name: ", "  state: "]
                .iter()
                .any(|w| l.starts_with(w))
        };
        let lines: Vec<&str> = out.lines().filter(named).collect();
        text.push_str(&format!(
            "$ fleetdeck rehearse f.yaml {}\n{}\n\n",
            words.join(" "),
            lines.join("\n")
        ));
    }
    insta::assert_snapshot!("rehearsal", text);
}

#[test]
fn a_file_that_means_something_else_than_it_says_is_not_rehearsed() {
    let typo = |text: &str| text.replacen("upgradeDuration", "upgradeDuratoin", 1);
    let mut text = String::new();
    for (what, file) in [
        ("a field that no kind has", typo(FILE)),
        (
            "the same in a step",
            FILE.replace(
                "{name: m2},\n            spec: {group: h",
                "{name: m2},\n            spec: {grup: h",
            ),
        ),
        (
            "a step that is never done",
            FILE.replace("at: 3m", "at: 3h"),
        ),
        ("no YAML", "a: [".to_owned()),
        (
            "no Rehearsal",
            FILE.split("kind: Rehearsal")
                .next()
                .unwrap()
                .rsplit_once("---")
                .unwrap()
                .0
                .to_owned(),
        ),
    ] {
        let done = rehearse(&file, &[]);
        assert_eq!(done.code, 2, "{what}: {done:#?}");
        assert!(done.out.is_empty(), "{what}: {done:#?}");
        text.push_str(&format!("# {what}\n{}\n", done.err));
    }
    let done = rehearse(FILE, &["--at", "soon"]);
    text.push_str(&format!("# --at soon\n{}= {}\n", done.err, done.code));
    insta::assert_snapshot!("rehearsal_refused", text);
}
