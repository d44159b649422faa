//! A program in a pseudo-terminal, with the screen as a person sees it.

use std::io::{Read, Write};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};

/// The program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_fleetdeck");

/// How long anything may take; only a failing test waits that long.
const LIMIT: Duration = Duration::from_secs(60);

struct Seen {
    parser: vt100::Parser,
    bytes: usize,
    last: Instant,
}

/// A pseudo-terminal with a program in it.
pub struct Terminal {
    master: Box<dyn MasterPty + Send>,
    writer: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    seen: Arc<Mutex<Seen>>,
    modes: String,
    _home: tempfile::TempDir,
}

impl Terminal {
    /// Starts a program with these words in a terminal of 120 columns and 40 rows.
    pub fn start(program: &str, words: &[&str]) -> Self {
        Self::with(program, words, &[])
    }

    /// The same with more of the environment. Nothing of the user's own settings is seen.
    pub fn with(program: &str, words: &[&str], env: &[(&str, &str)]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let pair = native_pty_system().openpty(size(120, 40)).unwrap();
        let modes = modes(pair.master.as_ref());
        let mut command = CommandBuilder::new(program);
        command.args(words);
        command.env_clear();
        command.env("PATH", std::env::var("PATH").unwrap_or_default());
        command.env("HOME", home.path());
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        command.env("USER", "ana");
        for (name, value) in env {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let seen = Arc::new(Mutex::new(Seen {
            parser: vt100::Parser::new(rows(40), rows(120), 0),
            bytes: 0,
            last: Instant::now(),
        }));
        let mut reader = pair.master.try_clone_reader().unwrap();
        let shared = seen.clone();
        std::thread::spawn(move || {
            let mut buffer = [0; 65536];
            while let Ok(n @ 1..) = reader.read(&mut buffer) {
                let mut seen = shared.lock().unwrap();
                seen.parser.process(&buffer[..n]);
                seen.bytes += n;
                seen.last = Instant::now();
            }
        });
        let writer = pair.master.take_writer().unwrap();
        Self {
            master: pair.master,
            writer,
            child,
            seen,
            modes,
            _home: home,
        }
    }

    /// What a person sees now.
    pub fn text(&self) -> String {
        self.look(|screen| screen.contents())
    }

    fn look<T>(&self, what: impl FnOnce(&vt100::Screen) -> T) -> T {
        what(self.seen.lock().unwrap().parser.screen())
    }

    /// Bytes written to the terminal so far.
    pub fn bytes(&self) -> usize {
        self.seen.lock().unwrap().bytes
    }

    /// Waits until the screen is as wanted.
    pub fn until(&self, what: &str, wanted: impl Fn(&str) -> bool) -> String {
        let begun = Instant::now();
        loop {
            let text = self.text();
            if wanted(&text) {
                return text;
            }
            assert!(begun.elapsed() < LIMIT, "no {what} on the screen:\n{text}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until a text is on the screen.
    pub fn wait(&self, text: &str) -> String {
        self.until(&format!("\"{text}\""), |screen| screen.contains(text))
    }

    /// Waits until nothing was written for a while.
    pub fn quiet(&self, length: Duration) {
        let begun = Instant::now();
        while self.seen.lock().unwrap().last.elapsed() < length {
            assert!(begun.elapsed() < LIMIT, "never quiet:\n{}", self.text());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until the program has taken the screen over.
    pub fn taken(&self) {
        let begun = Instant::now();
        while !self.look(vt100::Screen::alternate_screen) {
            assert!(
                begun.elapsed() < LIMIT,
                "never taken over:\n{}",
                self.text()
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Types.
    pub fn keys(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).unwrap();
        self.writer.flush().unwrap();
    }

    /// Changes the size.
    pub fn resize(&self, columns: u16, lines: u16) {
        let mut seen = self.seen.lock().unwrap();
        seen.parser
            .screen_mut()
            .set_size(rows(lines), rows(columns));
        drop(seen);
        self.master.resize(size(columns, lines)).unwrap();
    }

    /// Sends a signal, by name.
    pub fn signal(&self, name: &str) {
        let pid = self.child.process_id().unwrap().to_string();
        let sent = Command::new("kill")
            .args([&format!("-{name}"), &pid])
            .status();
        assert!(sent.unwrap().success());
    }

    /// Process id of the program.
    pub fn pid(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// Waits for the end of the program.
    pub fn end(&mut self) -> ExitStatus {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                // What it wrote last is on its way through the terminal.
                std::thread::sleep(Duration::from_millis(100));
                return status;
            }
            assert!(begun.elapsed() < LIMIT, "it does not end:\n{}", self.text());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Everything that was changed about the terminal is as it was.
    pub fn assert_given_back(&self) {
        self.look(|screen| {
            assert!(
                !screen.alternate_screen(),
                "the alternate screen is left on"
            );
            assert!(!screen.bracketed_paste(), "bracketed paste is left on");
            assert!(!screen.hide_cursor(), "the cursor is left hidden");
            let mouse = screen.mouse_protocol_mode();
            assert_eq!(
                mouse,
                vt100::MouseProtocolMode::None,
                "the mouse is left on"
            );
        });
        assert_eq!(
            modes(self.master.as_ref()),
            self.modes,
            "raw mode is left on"
        );
    }

    /// Whether any cell has a colour of its own.
    pub fn is_coloured(&self) -> bool {
        self.look(|screen| {
            let (rows, columns) = screen.size();
            (0..rows.get()).any(|row| {
                (0..columns.get()).any(|column| {
                    screen.cell(row, column).is_some_and(|cell| {
                        let plain = vt100::Color::Default;
                        cell.fgcolor() != plain || cell.bgcolor() != plain
                    })
                })
            })
        })
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

/// A kubeconfig with one context, `nowhere`, that points at a port where nobody listens.
pub fn kubeconfig_of_nobody(folder: &Path) -> String {
    let path = folder.join("kubeconfig");
    let text = "apiVersion: v1\nkind: Config\ncurrent-context: nowhere\n\
                clusters: [{name: c, cluster: {server: 'https://127.0.0.1:9'}}]\n\
                users: [{name: ana, user: {token: none}}]\n\
                contexts: [{name: nowhere, context: {cluster: c, user: ana}}]\n";
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

fn size(cols: u16, rows: u16) -> PtySize {
    PtySize {
        rows,
        cols,
        pixel_width: 0,
        pixel_height: 0,
    }
}

fn rows(n: u16) -> std::num::NonZeroU16 {
    std::num::NonZeroU16::new(n).unwrap()
}

fn modes(master: &dyn MasterPty) -> String {
    format!("{:?}", master.get_termios())
}
