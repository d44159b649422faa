//! The program in a pseudo-terminal, and what its process uses.

use std::io::{Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use super::Result;

/// A running console.
pub struct Screen {
    writer: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    state: Arc<Mutex<State>>,
    _master: Box<dyn MasterPty + Send>,
}

struct State {
    parser: vt100::Parser,
    bytes: u64,
    first: Option<Instant>,
    last: Instant,
}

impl Screen {
    /// Starts the console on a hub.
    pub fn start(kubeconfig: &str, columns: u16, rows: u16) -> Result<Self> {
        let size = PtySize {
            rows,
            cols: columns,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system().openpty(size)?;
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_fleetdeck"));
        command.args(["--kubeconfig", kubeconfig, "--driver", "off"]);
        command.env("TERM", "xterm-256color");
        command.env("COLORTERM", "truecolor");
        let child = pair.slave.spawn_command(command)?;
        let mut reader = pair.master.try_clone_reader()?;
        let parser = vt100::Parser::new(rows.try_into()?, columns.try_into()?, 0);
        let state = Arc::new(Mutex::new(State {
            parser,
            bytes: 0,
            first: None,
            last: Instant::now(),
        }));
        let shared = state.clone();
        std::thread::spawn(move || {
            let mut buffer = [0; 65536];
            while let Ok(n @ 1..) = reader.read(&mut buffer) {
                let now = Instant::now();
                let mut state = shared.lock().unwrap_or_else(PoisonError::into_inner);
                state.first.get_or_insert(now);
                state.last = now;
                state.bytes += n as u64;
                state.parser.process(buffer.get(..n).unwrap_or_default());
            }
        });
        Ok(Self {
            writer: pair.master.take_writer()?,
            child,
            state,
            _master: pair.master,
        })
    }

    fn with<T>(&self, read: impl FnOnce(&State) -> T) -> T {
        read(&self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Types.
    pub fn send(&mut self, keys: &[u8]) -> Result<()> {
        self.writer.write_all(keys)?;
        self.writer.flush()?;
        Ok(())
    }

    /// Bytes written by the program so far.
    pub fn bytes(&self) -> u64 {
        self.with(|s| s.bytes)
    }

    /// When the first byte came.
    pub fn wait_bytes(&self, limit: Duration) -> Result<Instant> {
        let end = Instant::now() + limit;
        loop {
            if let Some(first) = self.with(|s| s.first) {
                return Ok(first);
            }
            if Instant::now() > end {
                return Err("the program wrote nothing".into());
            }
            std::thread::sleep(Duration::from_micros(100));
        }
    }

    /// When the screen first was as wanted.
    pub fn wait(&self, limit: Duration, wanted: impl Fn(&str) -> bool) -> Result<Instant> {
        let end = Instant::now() + limit;
        loop {
            let (text, last) = self.with(|s| (s.parser.screen().contents(), s.last));
            if wanted(&text) {
                return Ok(last);
            }
            if Instant::now() > end {
                return Err(format!("not on the screen in time:\n{text}").into());
            }
            std::thread::sleep(Duration::from_micros(500));
        }
    }

    /// Waits until nothing was written for `quiet`.
    pub fn settle(&self, quiet: Duration) {
        let end = Instant::now() + Duration::from_secs(30);
        std::thread::sleep(quiet);
        while self.with(|s| s.last.elapsed() < quiet) && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// From a key to the first byte painted after it.
    pub fn key_to_paint(&mut self, key: &[u8], limit: Duration) -> Option<Duration> {
        let before = self.bytes();
        let start = Instant::now();
        self.send(key).ok()?;
        while start.elapsed() < limit {
            let (bytes, last) = self.with(|s| (s.bytes, s.last));
            if bytes > before {
                return Some(last.duration_since(start));
            }
            std::thread::sleep(Duration::from_micros(50));
        }
        None
    }

    /// The program's process.
    pub fn process(&self) -> Result<Process> {
        Ok(Process {
            pid: self.child.process_id().ok_or("the program has ended")?,
        })
    }

    /// Ends the program.
    pub fn quit(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A process, read from `/proc`.
pub struct Process {
    /// Its id.
    pub pid: u32,
}

/// What it used since it began.
pub struct Used {
    /// User and system time.
    pub cpu_seconds: f64,
    /// Times that a thread of the screen (the one that draws, the one that reads keys) went to sleep
    /// by itself, and so woke up.
    pub screen: u64,
    /// The same of the threads that talk to the hub.
    pub network: u64,
}

impl Process {
    /// Resident memory in 10^6 bytes.
    pub fn resident_mb(&self) -> Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid))?;
        Ok(field(&status, "VmRSS:")? as f64 * 1024.0 / 1e6)
    }

    /// Time and wake-ups of its threads.
    pub fn used(&self) -> Result<Used> {
        let mut used = Used {
            cpu_seconds: 0.0,
            screen: 0,
            network: 0,
        };
        for task in std::fs::read_dir(format!("/proc/{}/task", self.pid))? {
            let task = task?.path();
            let status = std::fs::read_to_string(task.join("status"))?;
            let switches = field(&status, "voluntary_ctxt_switches:")?;
            // The runtime names its own threads; the screen's are the main one and `keys`.
            if std::fs::read_to_string(task.join("comm"))?.starts_with("tokio") {
                used.network += switches;
            } else {
                used.screen += switches;
            }
            let run = std::fs::read_to_string(task.join("schedstat"))?;
            let nanoseconds: f64 = run.split(' ').next().unwrap_or("0").parse()?;
            used.cpu_seconds += nanoseconds / 1e9;
        }
        Ok(used)
    }
}

fn field(text: &str, name: &str) -> Result<u64> {
    let line = text
        .lines()
        .find(|l| l.starts_with(name))
        .ok_or("no such field")?;
    Ok(line.split_whitespace().nth(1).ok_or("no value")?.parse()?)
}
