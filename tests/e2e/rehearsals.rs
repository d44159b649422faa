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

#[test]
fn the_same_file_and_seed_print_the_same_bytes() {
    for file in files() {
        for format in [rehearse::Format::Jsonl, rehearse::Format::Yaml] {
            let options = Options {
                format,
                seed: Some(7),
                at: None,
            };
            let (first, second) = (play(&file, &options), play(&file, &options));
            assert!(
                first == second,
                "{}: {}",
                file.display(),
                difference(&first, &second)
            );
        }
    }
}
