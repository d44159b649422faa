//! The built program, run as a script runs it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// What the program printed, and how it ended.
#[derive(Debug)]
pub struct Done {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Done {
    /// Standard output, if it ended with `code`.
    pub fn expect(self, code: i32) -> String {
        assert_eq!(self.code, code, "{self:#?}");
        self.out
    }

    /// Standard output as JSON.
    pub fn json(self) -> Value {
        assert_eq!(self.code, 0, "{self:#?}");
        serde_json::from_str(&self.out).unwrap()
    }
}

/// The program, without colours, as `ana`, knowing no kubeconfig of the machine.
pub fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fleetdeck"));
    command
        .env("USER", "ana")
        .env("HOME", "/nonexistent")
        .env_remove("KUBECONFIG")
        .env_remove("KUBERNETES_SERVICE_HOST")
        .env("COLUMNS", "100")
        .stdin(Stdio::null());
    command
}

/// Runs it to its end.
pub fn run(words: &[&str]) -> Done {
    let output = command().args(words).output().unwrap();
    Done {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A hub that the program's words go to.
pub struct Hub {
    words: Vec<String>,
    serving: Option<Child>,
    folder: tempfile::TempDir,
}

impl Hub {
    /// An embedded hub in a folder; each call opens it. Nobody drives.
    pub fn in_folder() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let words = vec!["--data-dir".to_owned(), folder.path().display().to_string()];
        Self {
            words,
            serving: None,
            folder,
        }
    }

    /// An embedded hub served and driven by a process of its own, which jumps from event to event.
    pub fn served() -> Self {
        let mut hub = Self::in_folder();
        let words = ["hub", "--speed", "max", "--seed", "1"];
        let mut child = command()
            .args(&hub.words)
            .args(words)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        assert!(
            first.starts_with("Serving on https://127.0.0.1:"),
            "{first}"
        );
        let second = lines.next().unwrap().unwrap();
        assert!(second.starts_with("Kubeconfig "), "{second}");
        hub.serving = Some(child);
        hub
    }

    /// Any API server, driven by a `controller` of its own, which acts as `driver`.
    pub fn real(kubeconfig: &str, driver: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("kubeconfig");
        std::fs::write(&file, kubeconfig).unwrap();
        let words = vec!["--kubeconfig".to_owned(), file.display().to_string()];
        let mut hub = Self {
            words,
            serving: None,
            folder,
        };
        hub.run(&["crds", "install"]).expect(0);
        let child = command()
            .args(&hub.words)
            .args(["controller", "--as", driver])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        hub.serving = Some(child);
        hub
    }

    /// Runs words on this hub.
    pub fn run(&self, words: &[&str]) -> Done {
        let own: Vec<&str> = self.words.iter().map(String::as_str).collect();
        run(&[own, words.to_vec()].concat())
    }

    /// Runs words given in one line.
    pub fn line(&self, line: &str) -> Done {
        let words: Vec<&str> = line.split_whitespace().collect();
        self.run(&words)
    }

    /// Folder for files.
    #[allow(dead_code)]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A file with this text.
    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Applies manifests.
    pub fn apply(&self, text: &str) -> Done {
        let path = self.file("apply.yaml", text);
        self.run(&["apply", "-f", &path.display().to_string()])
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        if let Some(child) = &mut self.serving {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Manifests of simulated members: `name group outcome`.
pub fn members(of: &[(&str, &str, &str)]) -> String {
    of.iter()
        .map(|(name, group, outcome)| {
            format!(
                "---\napiVersion: fleetdeck.io/v1alpha1\nkind: FleetMember\n\
                 metadata: {{name: {name}, labels: {{team: fleet}}}}\n\
                 spec:\n  group: {group}\n  region: westeurope\n  provider:\n    simulated:\n      \
                 kubernetesVersion: 1.32.9\n      upgradeDuration: 1s\n      outcome: {outcome}\n      \
                 failureMessage: no quota\n      \
                 nodePools: [{{name: np1, count: 3, kubernetesVersion: 1.32.9, nodeImage: AKSUbuntu-2204gen2containerd-202507.06.0}}]\n"
            )
        })
        .collect()
}

/// Instants, ages and generated names replaced, so that texts can be compared.
pub fn plain(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let words = line.split_inclusive(' ').map(|piece| {
            let word = piece.trim_end_matches(' ');
            let blanks = piece.len() - word.len();
            let (core, tail) = match word.strip_suffix([',', ')', '.']) {
                Some(core) => (core, word.get(core.len()..).unwrap()),
                None => (word, ""),
            };
            let (head, core) = match core.rsplit_once(['/', '(']) {
                Some((head, core)) if is_guid(core) => (word.get(..=head.len()).unwrap(), core),
                _ => ("", core),
            };
            let shown = if is_guid(core) {
                "GUID"
            } else if is_date(core) {
                "DATE"
            } else if is_time(core) {
                "TIME"
            } else if is_age(core) {
                "AGE"
            } else {
                core
            };
            format!("{head}{shown}{tail}{}", " ".repeat(blanks.min(2)))
        });
        out.push_str(words.collect::<String>().trim_end());
        out.push('\n');
    }
    out
}

fn is_guid(word: &str) -> bool {
    word.len() == 36 && word.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
}

fn is_date(word: &str) -> bool {
    word.len() == 10 && word.starts_with("20") && word.matches('-').count() == 2
}

fn is_time(word: &str) -> bool {
    word.len() == 9 && word.ends_with('Z') && word.matches(':').count() == 2
}

fn is_age(word: &str) -> bool {
    word.ends_with(['s', 'm', 'h', 'd'])
        && word.starts_with(|c: char| c.is_ascii_digit())
        && word
            .chars()
            .all(|c| c.is_ascii_digit() || "smhd".contains(c))
}
