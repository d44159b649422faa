//! What is refused, with which code, text and exit code.

use super::program::{self, Hub, members};

#[test]
fn refusals_have_a_code_a_sentence_and_a_hint() {
    let hub = Hub::in_folder();
    hub.apply(&members(&[("m1", "g", "Succeed")])).expect(0);
    hub.line("run create made --kubernetes-version 1.33.4")
        .expect(0);
    let bad = hub.file(
        "bad.json",
        r#"{"stages": [{"name": "a", "groups": [{"name": "g", "maxConcurrency": "0"}]}, {"name": "a"}]}"#,
    );
    let bad = bad.display().to_string();
    let long = hub.file(
        "long.json",
        r#"{"stages": [{"name": "a", "groups": [{"name": "g"}], "afterStageWaitInSeconds": 99999999999}]}"#,
    );
    let long = long.display().to_string();
    // What only the hub can judge; the file is named all the same.
    let refused = hub.file(
        "refused.yaml",
        &(members(&[("m1", "g", "Succeed")]) + &members(&[("Bad", "g", "Succeed")])),
    );
    let refused = refused.display().to_string();
    let mut text = String::new();
    for (line, code) in [
        (&*format!("strategy import {long} --name a"), 1),
        (&*format!("apply -f {refused}"), 1),
        ("run start nope", 1),
        ("run stop made", 1),
        ("run resume made", 1),
        ("run skip made Member", 1),
        ("run create made --kubernetes-version 1.33.4", 1),
        ("run create x --kubernetes-version soon", 1),
        ("run create x", 1),
        (
            "run create x --type node-image --kubernetes-version 1.33.4",
            1,
        ),
        (
            "run create x --type control-plane --kubernetes-version 1.33.4 --node-images latest",
            1,
        ),
        (
            "run create x --kubernetes-version 1.33.4 --node-images custom",
            1,
        ),
        (
            "run create x --kubernetes-version 1.33.4 --strategy nope",
            1,
        ),
        ("run create Bad --kubernetes-version 1.33.4", 1),
        (&format!("strategy import {bad} --name Bad"), 1),
        ("strategy import /nonexistent --name a", 2),
        ("gate approve 6f0c0000-0000-0000-0000-000000000000", 1),
        ("gate approve --run made --stage g", 1),
        ("gate approve --run nope --stage g", 1),
        ("gate approve", 2),
        ("get pods", 2),
        ("get fm nope", 1),
        ("delete gate x", 1),
        ("run wait made --timeout soon", 2),
        ("run wait made --timeout 1s", 1),
        ("run wait made --timeout 0s", 7),
        ("run wait nope", 1),
        ("gate list --run nope", 1),
        ("keys --keymap bogus", 2),
        ("run watch nope", 1),
        ("--read-only run start made", 8),
        ("--context x run list", 2),
    ] {
        let done = hub.line(line);
        let short = |text: &str| {
            let text = text.replace(&bad, "bad.json");
            let text = text.replace(&long, "long.json");
            let text = text.replace(&refused, "refused.yaml");
            text.replace(&hub.folder().display().to_string(), "@")
        };
        let (shown, said) = (short(line), short(&done.err));
        text.push_str(&format!("$ fleetdeck {shown}\n{said}= {}\n\n", done.code));
        assert_eq!(done.code, code, "{line}: {done:#?}");
        assert!(
            done.out.is_empty() || line.starts_with("apply"),
            "{line}: {done:#?}"
        );
    }
    insta::assert_snapshot!("refusals", text);
}

#[test]
fn programs_get_the_code_in_json() {
    let hub = Hub::in_folder();
    hub.line("run create made --kubernetes-version 1.33.4")
        .expect(0);
    let done = hub.line("run stop made -o json");
    assert_eq!(done.code, 1);
    let told: serde_json::Value = serde_json::from_str(&done.err).unwrap();
    assert_eq!(told["error"]["code"], "InvalidOperation");
    assert_eq!(told["error"]["exit"], 1);
}

#[test]
fn a_hub_that_is_not_there_is_told_apart_from_one_that_refuses() {
    let done = program::run(&["--data-dir", "/nonexistent/hub", "run", "list"]);
    assert_eq!(done.code, 9, "{done:#?}");
    let done = program::run(&["run", "list"]);
    assert_eq!(done.code, 9, "{done:#?}");
    assert!(done.err.contains("fleetdeck demo"), "{}", done.err);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kubeconfig");
    std::fs::write(
        &file,
        "apiVersion: v1\nkind: Config\ncurrent-context: x\n\
         contexts: [{name: x, context: {cluster: x, user: x}}]\n\
         clusters: [{name: x, cluster: {server: 'http://127.0.0.1:1'}}]\nusers: [{name: x, user: {}}]\n",
    )
    .unwrap();
    let done = program::run(&["--kubeconfig", &file.display().to_string(), "run", "list"]);
    assert_eq!(done.code, 9, "{done:#?}");
}

#[test]
fn what_was_asked_for_already_is_not_asked_for_twice() {
    let hub = Hub::in_folder();
    hub.apply(&members(&[("m1", "g", "Succeed")])).expect(0);
    hub.line("run create r --kubernetes-version 1.33.4")
        .expect(0);
    hub.line("run start r").expect(0);
    let again = hub.line("run start r");
    assert_eq!(again.code, 1, "{again:#?}");
    assert!(again.err.contains("asked for already"), "{}", again.err);
    let run = hub.line("get run r -o json").json();
    assert_eq!(run["spec"]["attempt"], 1);
}
