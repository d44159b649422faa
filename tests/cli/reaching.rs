//! Which hub is meant, and what is said where it cannot be reached: the whole text each time.

use super::program::{self, Done, Hub, members};

/// A kubeconfig for this server; the rest of it is never said.
fn kubeconfig(server: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: x\n\
         contexts: [{{name: x, context: {{cluster: x, user: x}}}}]\n\
         clusters: [{{name: x, cluster: {{server: '{server}'}}}}]\n\
         users: [{{name: x, user: {{token: SECRET}}}}]\n"
    )
}

/// The words and all that came of them, without the number of an error that each system has its own of.
fn told(line: &str, done: &Done) -> String {
    let said = done.err.replace(" (os error 111)", "");
    format!("$ fleetdeck {line}\n{}{said}= {}\n\n", done.out, done.code)
}

#[test]
fn a_hub_that_cannot_be_reached_is_told_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().display().to_string();
    for (name, bytes) in [
        (
            "unclosed",
            kubeconfig("http://127.0.0.1:1")
                .replace("SECRET}}", "SECRET}")
                .into_bytes(),
        ),
        ("half", b"\xff\xfe\x00".to_vec()),
        ("binary", b"\x80\x81".to_vec()),
        ("no-scheme", kubeconfig("127.0.0.1:1").into_bytes()),
        ("other-scheme", kubeconfig("ftp://127.0.0.1").into_bytes()),
        ("nobody", kubeconfig("http://127.0.0.1:1").into_bytes()),
        ("empty", Vec::new()),
    ] {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let mut text = String::new();
    for (line, code) in [
        ("run list", 9),
        ("--hub nonsense run list", 2),
        ("--hub 127.0.0.1:1234 run list", 2),
        ("--hub ftp://x run list", 2),
        ("--hub= run list", 2),
        ("--hub http://127.0.0.1:1 run list", 9),
        ("--hub http://127.0.0.1:1 --context eu run list", 2),
        ("--kubeconfig @/none run list", 2),
        ("--kubeconfig @/unclosed run list", 2),
        ("--kubeconfig @/half run list", 2),
        ("--kubeconfig @/binary run list", 2),
        ("--kubeconfig @/empty run list", 9),
        ("--kubeconfig @/no-scheme run list", 2),
        ("--kubeconfig @/other-scheme run list", 2),
        ("--kubeconfig @/nobody --context y run list", 2),
        ("--kubeconfig @/nobody run list", 9),
        ("--kubeconfig @/nobody run list -o json", 9),
        ("--data-dir @/none run list", 9),
        ("--data-dir @ --hub http://x run list", 2),
    ] {
        let words = line.replace('@', &at);
        let words: Vec<&str> = words.split_whitespace().collect();
        let done = program::run(&words);
        assert_eq!(done.code, code, "{line}: {done:#?}");
        text.push_str(&told(line, &done).replace(&at, "@"));
    }
    assert!(!text.contains("SECRET"), "{text}");
    insta::assert_snapshot!("reaching", text);
}

#[test]
fn a_kubeconfig_of_the_environment_that_is_none_tells_nothing_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k");
    std::fs::write(&path, "users: [{token: SECRET}\n").unwrap();
    let mut command = program::command();
    let output = command
        .env("KUBECONFIG", &path)
        .args(["run", "list"])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("/k: is no kubeconfig") && said.contains("$KUBECONFIG"),
        "{said}"
    );
    assert!(!said.contains("SECRET"), "{said}");
}

#[test]
fn an_address_alone_reaches_a_hub_that_asks_nobody_to_sign_in() {
    // Nobody listens, but it was tried, and nobody is sent to a demo.
    let done = program::run(&["--hub", "http://127.0.0.1:1", "run", "list"]);
    assert!(done.err.contains("Connection refused"), "{}", done.err);
    assert!(!done.err.contains("demo"), "{}", done.err);
}

#[test]
fn a_certificate_that_is_not_trusted_is_told_as_that() {
    let (one, other) = (Hub::served(), Hub::served());
    let read = |hub: &Hub| std::fs::read_to_string(hub.folder().join("kubeconfig")).unwrap();
    let server = |text: &str| {
        let line = text.lines().find(|l| l.contains("server: "));
        line.unwrap().to_owned()
    };
    let (text, others) = (read(&one), read(&other));
    let mixed = others.replace(&server(&others), &server(&text));
    assert_ne!(mixed, others);
    let file = one.file("mixed", &mixed).display().to_string();
    let done = program::run(&["--kubeconfig", &file, "run", "list"]);
    assert_eq!(done.code, 9, "{done:#?}");
    assert!(
        done.err
            .contains("hint: The hub is there, but its certificate"),
        "{}",
        done.err
    );
}

#[test]
fn commands_that_are_suggested_name_the_hub_in_use() {
    let hub = Hub::in_folder();
    let at = hub.folder().display().to_string();
    hub.apply(&members(&[("m1", "g", "Succeed")])).expect(0);
    let mut text = String::new();
    for (line, code) in [
        ("run create r --kubernetes-version 1.33.4", 0),
        ("run wait r --timeout 0s", 7),
        ("run watch nope", 1),
        ("get run nope", 1),
        ("gate approve 6f0c0000-0000-0000-0000-000000000000", 1),
    ] {
        let done = hub.line(line);
        assert_eq!(done.code, code, "{line}: {done:#?}");
        text.push_str(&told(line, &done).replace(&at, "@"));
    }
    insta::assert_snapshot!("suggested", text);
}

#[test]
fn nothing_is_served_for_writing_by_a_session_that_is_read_only() {
    let folder = tempfile::tempdir().unwrap();
    let hub = folder.path().join("hub").display().to_string();
    for words in [&["hub"][..], &["demo", "--headless"], &["controller"]] {
        let done = program::run(&[&["--read-only", "--data-dir", &hub], words].concat());
        let code = if words == ["controller"] { 9 } else { 8 };
        assert_eq!(done.code, code, "{words:?}: {done:#?}");
        assert!(!folder.path().join("hub").exists(), "{words:?}");
    }
}
