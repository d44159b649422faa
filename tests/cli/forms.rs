//! Every verb in every form of output, whole: what scripts read must not change unseen.

use super::program::{Hub, members, plain};

const FORMS: [&str; 6] = ["table", "wide", "json", "jsonl", "yaml", "name"];

const STRATEGY: &str = r#"{"stages": [{"name": "s", "groups": [{"name": "g"}],
    "beforeGates": [{"displayName": "go"}], "afterStageWaitInSeconds": 60}]}"#;

/// Identities, instants and versions replaced wherever they stand; columns two blanks apart, however
/// wide an age is.
fn steady(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let head = |n: usize| rest.get(..n).unwrap_or_default();
        let (word, length) = match () {
            () if shaped(head(36), "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx") => ("GUID", 36),
            () if shaped(head(20), "xxxx-xx-xxTxx:xx:xxZ") => ("INSTANT", 20),
            () if shaped(head(27), "xxxx-xx-xxTxx:xx:xx.xxxxxxZ") => ("INSTANT", 27),
            () => (head(first.len_utf8()), first.len_utf8()),
        };
        out.push_str(word);
        rest = &rest[length..];
        if out.ends_with("resourceVersion") {
            let number = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(0);
            out.push_str(&rest[..number]);
            out.push('…');
            rest = rest[number..].trim_start_matches(|c: char| c.is_ascii_digit());
        }
    }
    let lines = plain(&out);
    let lines = lines.lines().map(|line| {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        let words: Vec<&str> = text.split("  ").map(str::trim).collect();
        let words: Vec<&str> = words.into_iter().filter(|w| !w.is_empty()).collect();
        format!("{}{}\n", &line[..indent], words.join("  "))
    });
    lines.collect()
}

fn shaped(text: &str, shape: &str) -> bool {
    let fits = |(c, s): (char, char)| match s {
        'x' => c.is_ascii_hexdigit(),
        s => c == s,
    };
    text.len() == shape.len() && text.chars().zip(shape.chars()).all(fits)
}

/// Runs the lines, each in all forms where it ends with `@`.
fn told(hub: &Hub, lines: &[(&str, i32)]) -> String {
    let mut text = String::new();
    let folder = hub.folder().display().to_string();
    for (line, code) in lines {
        let each = match line.strip_suffix('@') {
            Some(line) => FORMS.map(|form| format!("{line}-o {form}")).to_vec(),
            None => vec![(*line).to_owned()],
        };
        for line in each {
            let done = hub.line(&line.replace("DIR", &folder));
            assert_eq!(done.code, *code, "{line}: {done:#?}");
            let said = (done.out + &done.err).replace(&folder, "DIR");
            text.push_str(&format!("$ fleetdeck {line}\n{}\n", steady(&said)));
        }
    }
    text
}

#[test]
fn members_and_strategies() {
    let hub = Hub::in_folder();
    hub.file(
        "m.yaml",
        &members(&[("m1", "g", "Succeed"), ("m2", "", "Succeed")]),
    );
    hub.file("s.json", STRATEGY);
    let text = told(
        &hub,
        &[
            ("member list @", 0),
            ("strategy list @", 0),
            ("apply -f DIR/m.yaml @", 0),
            ("member list @", 0),
            ("member show m1 @", 0),
            ("get fm @", 0),
            ("get fm m2 @", 0),
            ("get fm -l team=none @", 0),
            ("strategy import DIR/s.json --name rings @", 0),
            ("strategy list @", 0),
            ("strategy show rings @", 0),
            ("delete fm m2 -o name", 0),
            ("delete us rings", 0),
            ("delete fm m2", 1),
        ],
    );
    insta::assert_snapshot!("forms_members", text);
}

#[test]
fn a_run_that_nobody_drives() {
    let hub = Hub::in_folder();
    hub.apply(&members(&[("m1", "g", "Succeed")])).expect(0);
    hub.file("s.json", STRATEGY);
    let text = told(
        &hub,
        &[
            ("run list @", 0),
            (
                "run create a --strategy-file DIR/s.json --kubernetes-version 1.33.4 --dry-run",
                0,
            ),
            (
                "run create a --strategy-file DIR/s.json --kubernetes-version 1.33.4",
                0,
            ),
            (
                "run create b --type node-image --node-images consistent --start",
                0,
            ),
            ("run list @", 0),
            ("run show a @", 0),
            ("gate list @", 0),
            ("gate list --run a --all", 0),
            ("run start a", 0),
            ("run delete b -o name", 0),
            ("run delete a", 0),
        ],
    );
    insta::assert_snapshot!("forms_run", text);
}

#[test]
fn a_run_that_is_driven() {
    let hub = Hub::served();
    hub.apply(&members(&[("m1", "g", "Succeed"), ("m2", "g", "Fail")]))
        .expect(0);
    hub.file("s.json", STRATEGY);
    let begin = told(
        &hub,
        &[
            (
                "run create a --strategy-file DIR/s.json --kubernetes-version 1.33.4 --start",
                0,
            ),
            ("run wait a --until gate --timeout 60s -o wide", 6),
            ("run show a", 0),
            ("gate list", 0),
            ("gate list -o wide", 0),
            ("gate approve --run a --stage s --comment fine", 0),
            ("run wait a --timeout 60s -o name", 4),
            ("run show a", 0),
            ("run list -o wide", 0),
            ("get mu", 0),
            ("get mu -o wide", 0),
            ("gate list --all", 0),
            ("run watch a", 4),
            ("run skip a Member:m2 --comment broken", 0),
            ("run resume a", 0),
            ("run wait a --timeout 60s", 0),
            ("run show a", 0),
            ("run delete a", 0),
        ],
    );
    insta::assert_snapshot!("forms_driven", begin);
}
