//! Holds the layers of ARCHITECTURE.md: which part may mention what, and how long a file may be.
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

#[path = "architecture/source.rs"]
mod source;

use std::fs;
use std::path::{Path, PathBuf};

use source::Mentions;

/// One thing that part of the program must not mention.
struct Rule {
    /// What it is for, as the message says it.
    why: &'static str,
    /// Path prefixes of files (below `src/`) that it holds for; `""` is all of them.
    inside: &'static [&'static str],
    /// Path prefixes of files that it does not hold for.
    except: &'static [&'static str],
    /// Paths that must not be mentioned: `tokio` stands for all below it, `*::HashMap` for a name
    /// anywhere.
    forbidden: &'static [&'static str],
}

const SHELL: &[&str] = &[
    "crate::cli",
    "crate::clock",
    "crate::console",
    "crate::controller",
    "crate::embedded",
    "crate::hub",
    "crate::journal",
    "crate::member",
    "crate::rehearse",
];

const RULES: &[Rule] = &[
    Rule {
        why: "the engine is pure: it is given the world and the time, and returns a decision",
        inside: &["engine"],
        except: &[],
        forbidden: &[
            "tokio",
            "futures",
            "kube",
            "ratatui",
            "crossterm",
            "tracing",
            "rand",
            "fastrand",
            "std::time",
            "std::fs",
            "std::io",
            "std::net",
            "std::env",
            "std::process",
            "std::thread",
            "*::SystemTime",
            "*::HashMap",
            "*::HashSet",
        ],
    },
    Rule {
        why: "the engine knows the wire types and nothing above itself",
        inside: &["engine"],
        except: &[],
        forbidden: SHELL,
    },
    Rule {
        why: "wire types decide nothing and know nobody",
        inside: &["api"],
        except: &[],
        forbidden: &[
            "crate::engine",
            "crate::text",
            "tokio",
            "ratatui",
            "crossterm",
            "tracing",
        ],
    },
    Rule {
        why: "wire types decide nothing and know nobody",
        inside: &["api"],
        except: &[],
        forbidden: SHELL,
    },
    Rule {
        why: "model, update and view of the console do no I/O, read no clock and never block",
        inside: &[
            "console/model",
            "console/update",
            "console/view",
            "console/actions",
            "console/msg.rs",
            "console/effect.rs",
        ],
        except: &[],
        forbidden: &[
            "kube",
            "tokio",
            "futures",
            "std::time::Instant",
            "std::time::SystemTime",
            "std::fs",
            "std::io",
            "std::net",
            "std::env",
            "std::process",
            "std::thread",
            "*::SystemTime",
            "crate::clock",
            "crate::hub",
            "crate::controller",
            "crate::embedded",
            "crate::member",
            "crate::rehearse",
            "crate::cli",
        ],
    },
    Rule {
        why: "only cli::output prints, so that the screen of the console is never written over",
        inside: &[""],
        except: &["cli/output"],
        forbidden: &[
            "println::!",
            "eprintln::!",
            "print::!",
            "eprint::!",
            "std::println::!",
            "std::eprintln::!",
            "std::print::!",
            "std::eprint::!",
            "dbg::!",
        ],
    },
    Rule {
        why: "only cli::output and the console's terminal hold the standard streams",
        inside: &[""],
        except: &["cli/output", "console/term", "console/run.rs"],
        forbidden: &[
            "std::io::stdout",
            "std::io::stderr",
            "io::stdout",
            "io::stderr",
        ],
    },
    Rule {
        why: "only clock reads the time, so that the whole program can run in virtual time",
        inside: &[""],
        except: &["clock.rs"],
        forbidden: &[
            "std::time::SystemTime",
            "std::time::Instant",
            "*::SystemTime",
            "jiff::Timestamp::now",
            "Timestamp::now",
            "jiff::Zoned::now",
            "Zoned::now",
        ],
    },
    Rule {
        why: "the store stands behind the embedded hub",
        inside: &[""],
        except: &["embedded"],
        forbidden: &["redb"],
    },
    Rule {
        why: "a hub is reached through kube's client, whichever hub it is",
        inside: &["controller", "member", "journal", "hub", "console"],
        except: &["console/demo.rs", "console/demo"],
        forbidden: &["crate::embedded"],
    },
];

/// Longest file of code.
const LONGEST: usize = 600;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else {
        return all;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            all.extend(files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            all.push(path);
        }
    }
    all.sort();
    all
}

/// `engine/plan/mod.rs` → `["engine", "plan"]`.
fn module(file: &str) -> Vec<String> {
    let stem = file.trim_end_matches(".rs");
    let stem = stem.strip_suffix("/mod").unwrap_or(stem);
    if stem == "lib" || stem == "main" || stem == "mod" {
        return Vec::new();
    }
    stem.split('/').map(str::to_owned).collect()
}

fn within(file: &str, part: &str) -> bool {
    part.is_empty()
        || file == part
        || file.starts_with(&format!("{part}/"))
        || file == format!("{part}.rs")
}

fn hits(mentioned: &[String], forbidden: &str) -> bool {
    if let Some(name) = forbidden.strip_prefix("*::") {
        return mentioned.iter().any(|segment| segment == name);
    }
    let forbidden: Vec<&str> = forbidden.split("::").collect();
    mentioned.len() >= forbidden.len() && mentioned.iter().zip(&forbidden).all(|(a, b)| a == b)
}

/// What is wrong with `file` (its path below `src/`), one sentence each.
fn violations(file: &str, mentions: &Mentions) -> Vec<String> {
    let mut wrong = Vec::new();
    for rule in RULES {
        let held = rule.inside.iter().any(|part| within(file, part))
            && !rule.except.iter().any(|part| within(file, part));
        if !held {
            continue;
        }
        for (path, line) in mentions {
            if let Some(word) = rule.forbidden.iter().find(|word| hits(path, word)) {
                let path = path.join("::").replace("::!", "!");
                wrong.push(format!(
                    "src/{file}:{line}: mentions `{path}`, but `{}` must not be used here: {}",
                    word.replace("::!", "!"),
                    rule.why
                ));
            }
        }
    }
    wrong
}

fn check(file: &str, text: &str) -> Vec<String> {
    violations(file, &source::mentions(text, &module(file)))
}

#[test]
fn every_layer_mentions_only_what_it_may() {
    let source = root().join("src");
    let texts: Vec<(String, String)> = files(&source)
        .iter()
        .map(|path| {
            let file = path.strip_prefix(&source).unwrap().to_string_lossy();
            let text = fs::read_to_string(path).unwrap();
            (file.replace('\\', "/"), text)
        })
        .collect();
    let tests: Vec<String> = texts
        .iter()
        .flat_map(|(file, text)| source::test_modules(text, &module(file)))
        .collect();
    let is_test = |file: &str| tests.iter().any(|part| within(file, part));
    let mut wrong = Vec::new();
    for (file, text) in texts.iter().filter(|(file, _)| !is_test(file)) {
        wrong.extend(check(file, text));
    }
    assert!(wrong.is_empty(), "layers are broken:\n{}", wrong.join("\n"));
}

#[test]
fn files_are_short_and_say_what_they_own() {
    let mut wrong = Vec::new();
    for folder in ["src", "tests", "benches"] {
        for path in files(&root().join(folder)) {
            let text = fs::read_to_string(&path).unwrap();
            let name = path.strip_prefix(root()).unwrap().display().to_string();
            let lines = text.lines().count();
            if lines > LONGEST {
                wrong.push(format!(
                    "{name}: {lines} lines, at most {LONGEST}: split it by the nouns it owns"
                ));
            }
            let documented = text.lines().any(|l| l.starts_with("//!"));
            if !documented {
                wrong.push(format!(
                    "{name}: has no `//!` text on top that says what the file owns"
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "files out of shape:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn a_breach_is_caught_however_it_is_written() {
    let breaches = [
        ("engine/plan.rs", "use tokio::sync::Notify;"),
        (
            "engine/plan.rs",
            "use std::{fmt, collections::{BTreeMap, HashMap}};",
        ),
        ("engine/plan.rs", "fn f() -> std::time::Duration { todo() }"),
        ("engine/plan.rs", "use super::super::hub::verbs;"),
        ("engine/mod.rs", "use crate::controller as c;"),
        ("engine/plan.rs", "fn f() { kube::Client::clone(x) }"),
        ("api/run.rs", "use crate::engine::plan;"),
        ("console/view/tree.rs", "use crate::clock::Clock;"),
        ("console/update/mod.rs", "fn f() { std::fs::read(\"x\"); }"),
        ("controller/lead.rs", "fn f() { println!(\"x\"); }"),
        ("hub/connect.rs", "let t = Timestamp::now();"),
        ("hub/connect.rs", "use std::io;\nfn f() { io::stdout(); }"),
        ("controller/mod.rs", "use redb::Database;"),
    ];
    for (file, text) in breaches {
        assert!(
            !check(file, text).is_empty(),
            "not caught in {file}: {text}"
        );
    }
}

#[test]
fn what_is_only_said_or_tested_is_no_breach() {
    let fine = [
        (
            "engine/plan.rs",
            "// tokio is not used\nconst A: &str = \"tokio::spawn\";",
        ),
        (
            "engine/plan.rs",
            "/* kube::Client */ const B: &str = r#\"use kube\"#;",
        ),
        (
            "engine/plan.rs",
            "fn f() {}\n#[cfg(test)]\nmod tests { use std::collections::HashMap; }",
        ),
        (
            "engine/plan.rs",
            "use crate::api::UpdateRun;\nuse super::limits;",
        ),
        ("embedded/store.rs", "use redb::Database;"),
        ("cli/output/mod.rs", "fn f() { println!(\"x\"); }"),
        ("clock.rs", "fn f() { Timestamp::now(); }"),
        ("engine/plan.rs", "fn f<'a>(x: &'a str) -> char { '\"' }"),
    ];
    for (file, text) in fine {
        assert_eq!(check(file, text), Vec::<String>::new(), "{file}: {text}");
    }
}
