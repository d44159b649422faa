//! Every file of `rehearsals/` is played and its journal compared with the one beside it.
//! `UPDATE_EXPECT=1` writes them anew.

use std::path::{Path, PathBuf};

use fleetdeck::cli::Lines;
use fleetdeck::rehearse::{self, Options};

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e/rehearsals");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "yaml"))
        .collect();
    files.sort();
    files
}

fn play(file: &Path, options: &Options) -> String {
    let text = std::fs::read_to_string(file).unwrap();
    match rehearse::run(&text, options, &mut Lines) {
        Ok(output) => output.text,
        Err(error) => panic!("{}: {error}", file.display()),
    }
}

/// The first line in which they differ, with its number.
fn difference(expected: &str, got: &str) -> String {
    let (mut expected, mut got) = (expected.lines(), got.lines());
    for number in 1.. {
        match (expected.next(), got.next()) {
            (None, None) => break,
            (expected, got) if expected == got => {}
            (expected, got) => {
                return format!(
                    "line {number}\n  expected {}\n  got      {}",
                    expected.unwrap_or("the end"),
                    got.unwrap_or("the end")
                );
            }
        }
    }
    "line ends".to_owned()
}

#[test]
fn the_journals_are_as_expected() {
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut wrong = Vec::new();
    for file in files() {
        let got = play(&file, &Options::default());
        let journal = file.with_extension("journal");
        if update {
            std::fs::write(&journal, &got).unwrap();
            continue;
        }
        let expected = std::fs::read_to_string(&journal).unwrap_or_default();
        if expected != got {
            let name = file.file_stem().unwrap().to_string_lossy().into_owned();
            wrong.push(format!("{name}: {}", difference(&expected, &got)));
        }
    }
    assert!(
        wrong.is_empty(),
        "journals differ (UPDATE_EXPECT=1 writes them anew):\n{}",
        wrong.join("\n")
    );
}

/// The journals above are the same on every machine; here it is the objects, uids and all.
#[test]
fn the_same_file_and_seed_print_the_same_bytes() {
    let telling = ["gates", "images", "kill", "skip"];
    let is_telling = |file: &PathBuf| {
        telling
            .iter()
            .any(|name| file.file_stem().unwrap() == *name)
    };
    for file in files().into_iter().filter(is_telling) {
        let with = |seed: u64| Options {
            format: rehearse::Format::Yaml,
            seed: Some(seed),
            at: None,
        };
        let (first, second) = (play(&file, &with(7)), play(&file, &with(7)));
        assert!(
            first == second,
            "{}: {}",
            file.display(),
            difference(&first, &second)
        );
        assert!(first != play(&file, &with(8)), "uids come from the seed");
    }
}

#[test]
fn the_objects_are_shown_as_they_stood_at_an_offset() {
    let file = files()
        .into_iter()
        .find(|f| f.ends_with("timeline.yaml"))
        .unwrap();
    let at = |offset: &str| {
        let at = Some(offset.to_owned());
        play(
            &file,
            &Options {
                at,
                ..Options::default()
            },
        )
    };
    let words = |text: &str, word: &str| text.matches(word).count();
    assert_eq!(
        words(&at("12m"), "state: Stopping"),
        3,
        "run, stage and group"
    );
    assert_eq!(words(&at("14m"), "state: Stopping"), 0);
}

#[test]
fn an_object_that_is_refused_is_a_fault_of_the_file() {
    let file = "apiVersion: fleetdeck.io/v1alpha1\nkind: UpdateRun\nmetadata: {name: Bad}\n\
                spec: {upgrade: {type: NodeImageOnly}}\n---\n\
                apiVersion: fleetdeck.io/v1alpha1\nkind: Rehearsal\nmetadata: {name: r}\n\
                spec: {start: \"2026-03-02T09:00:00Z\"}\n";
    let error = rehearse::run(file, &Options::default(), &mut Lines).unwrap_err();
    assert!(
        error
            .0
            .starts_with("document 1: refused: InvalidName: UpdateRun Bad"),
        "{error}"
    );
}
