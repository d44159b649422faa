//! The database file: objects and the revision counter, written in one transaction.
//!
//! All calls to the database are in this file.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use jiff::Timestamp;
use redb::{Database, DatabaseError, ReadableDatabase, ReadableTable, TableDefinition};

use super::object::{Key, Object};
use crate::embedded::{Error, fields, private};

/// Name of the file in the hub's directory; whoever has the hub open holds its lock.
const DATABASE: &str = "hub.redb";

/// Whether a process has the hub of this directory open.
pub fn is_taken(dir: &Path) -> bool {
    let opened = Database::open(dir.join(DATABASE));
    matches!(opened, Err(DatabaseError::DatabaseAlreadyOpen))
}

const OBJECTS: TableDefinition<'static, &str, &[u8]> = TableDefinition::new("objects");
const COUNTERS: TableDefinition<'static, &str, u64> = TableDefinition::new("counters");
const REVISION: &str = "revision";
const FORMAT: &str = "format";
/// The hub's time at the last commit, in microseconds since 1970.
const INSTANT: &str = "instant";
/// Raised when the layout of the file changes.
const CURRENT_FORMAT: u64 = 1;
/// Between table, namespace and name: cannot be part of any of them.
const SEPARATOR: char = '\0';

/// One change for the disk.
#[derive(Debug)]
pub(crate) struct Row {
    pub table: Arc<str>,
    pub key: Key,
    /// None takes the object away.
    pub body: Option<Bytes>,
}

/// What a file held when it was opened.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    pub revision: u64,
    /// The latest instant that this hub is known to have had.
    pub instant: Timestamp,
    pub objects: Vec<(Arc<str>, Object)>,
}

/// The open file.
pub(crate) struct Disk {
    database: Database,
}

impl Disk {
    /// Opens or makes `hub.redb` in `dir` and reads all of it.
    pub(crate) fn open(dir: &Path) -> Result<(Self, Contents), Error> {
        let file = dir.join(DATABASE);
        private::folder(dir)
            .and_then(|()| private::file(&file))
            .map_err(|source| Error::Directory {
                dir: dir.to_owned(),
                source,
            })?;
        let database = Database::create(&file).map_err(|error| match error {
            DatabaseError::DatabaseAlreadyOpen => Error::InUse {
                dir: dir.to_owned(),
            },
            other => broken(&file, other.into()),
        })?;
        Self::read(database, &file)
    }

    fn read(database: Database, file: &Path) -> Result<(Self, Contents), Error> {
        let disk = Self { database };
        let contents = disk.contents(file)?;
        Ok((disk, contents))
    }

    fn contents(&self, file: &Path) -> Result<Contents, Error> {
        let broken = |error: redb::Error| broken(file, error);
        self.prepare().map_err(broken)?;
        let read = self.database.begin_read().map_err(|e| broken(e.into()))?;
        let counters = read.open_table(COUNTERS).map_err(|e| broken(e.into()))?;
        let counter = |name| -> Result<u64, redb::Error> {
            Ok(counters.get(name)?.map_or(0, |value| value.value()))
        };
        let format = counter(FORMAT).map_err(broken)?;
        if format != CURRENT_FORMAT {
            return Err(Error::Format {
                file: file.to_owned(),
                found: format,
                known: CURRENT_FORMAT,
            });
        }
        let mut contents = Contents {
            revision: counter(REVISION).map_err(broken)?,
            instant: instant(counter(INSTANT).map_err(broken)?),
            objects: Vec::new(),
        };
        let objects = read.open_table(OBJECTS).map_err(|e| broken(e.into()))?;
        let mut table: Arc<str> = "".into();
        for row in objects.iter().map_err(|e| broken(e.into()))? {
            let (key, body) = row.map_err(|e| broken(e.into()))?;
            let name = key.value().split(SEPARATOR).next().unwrap_or_default();
            if *table != *name {
                table = name.into();
            }
            let (object, created) = object(body.value()).map_err(|message| Error::Corrupt {
                file: file.to_owned(),
                object: key.value().replace(SEPARATOR, "/"),
                message,
            })?;
            // A file of a version that did not keep the time.
            contents.instant = contents.instant.max(created);
            contents.objects.push((table.clone(), object));
        }
        Ok(contents)
    }

    /// Makes the tables of a new file.
    fn prepare(&self) -> Result<(), redb::Error> {
        let write = self.database.begin_write()?;
        {
            write.open_table(OBJECTS)?;
            let mut counters = write.open_table(COUNTERS)?;
            if counters.get(FORMAT)?.is_none() {
                counters.insert(FORMAT, CURRENT_FORMAT)?;
            }
        }
        write.commit()?;
        Ok(())
    }

    /// Commits `rows`, the revision they lead to and the hub's time; durable when this returns.
    pub(crate) fn write(
        &self,
        rows: &[Row],
        revision: u64,
        now: Timestamp,
    ) -> Result<(), redb::Error> {
        let mut write = self.database.begin_write()?;
        // Keeps opening after a crash instant, whatever the size of the file.
        write.set_quick_repair(true);
        {
            let mut objects = write.open_table(OBJECTS)?;
            for row in rows {
                let key = row_key(row);
                match &row.body {
                    Some(body) => objects.insert(key.as_str(), body.as_ref())?,
                    None => objects.remove(key.as_str())?,
                };
            }
            let mut counters = write.open_table(COUNTERS)?;
            counters.insert(REVISION, revision)?;
            let now = u64::try_from(now.as_microsecond()).unwrap_or_default();
            counters.insert(INSTANT, now)?;
        }
        write.commit()?;
        Ok(())
    }
}

fn instant(microseconds: u64) -> Timestamp {
    let microseconds = i64::try_from(microseconds).unwrap_or(i64::MAX);
    Timestamp::from_microsecond(microseconds).unwrap_or(Timestamp::MAX)
}

fn row_key(row: &Row) -> String {
    let Key { namespace, name } = &row.key;
    format!("{}{SEPARATOR}{namespace}{SEPARATOR}{name}", row.table)
}

/// The object of a row, and when it was created.
fn object(body: &[u8]) -> Result<(Object, Timestamp), String> {
    let value: serde_json::Value = serde_json::from_slice(body).map_err(|e| e.to_string())?;
    let revision = fields::text(&value, &["metadata", "resourceVersion"]);
    let revision = revision
        .parse()
        .map_err(|_| format!("its resourceVersion is {revision:?}"))?;
    let created = fields::text(&value, &["metadata", "creationTimestamp"]).parse();
    let body = Bytes::copy_from_slice(body);
    let object = Object::with_body(&value, body, revision, &[]);
    Ok((object, created.unwrap_or_default()))
}

fn broken(file: &Path, error: redb::Error) -> Error {
    let (file, message) = (PathBuf::from(file), error.to_string());
    let damaged = match &error {
        redb::Error::Corrupted(_) | redb::Error::UpgradeRequired(_) => true,
        redb::Error::Io(io) => {
            matches!(io.kind(), ErrorKind::InvalidData | ErrorKind::UnexpectedEof)
        }
        redb::Error::TableTypeMismatch { .. } | redb::Error::TableIsMultimap(_) => true,
        _ => false,
    };
    if damaged {
        Error::Damaged { file, message }
    } else {
        Error::Database { file, message }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io;
    use std::sync::{Arc, Mutex};

    use redb::{Builder, StorageBackend};
    use serde_json::json;

    use super::*;

    const SECTOR: usize = 512;

    /// A disk that loses its power: what was not synced may be there, or not, sector by sector.
    #[derive(Debug, Clone)]
    struct Power(Arc<Mutex<State>>);

    #[derive(Debug)]
    struct State {
        synced: Vec<u8>,
        /// Length and sectors since the last sync.
        len: usize,
        pending: BTreeMap<usize, Vec<u8>>,
        writes_left: usize,
    }

    impl Power {
        fn new(synced: Vec<u8>, writes_left: usize) -> Self {
            let len = synced.len();
            Self(Arc::new(Mutex::new(State {
                synced,
                len,
                pending: BTreeMap::new(),
                writes_left,
            })))
        }

        /// What the disk holds after the cut.
        fn remains(&self, random: &mut fastrand::Rng) -> Vec<u8> {
            let state = self.0.lock().unwrap();
            let mut bytes = state.synced.clone();
            if random.bool() || bytes.len() < state.len {
                bytes.resize(state.len, 0);
            }
            for (sector, data) in &state.pending {
                let start = sector * SECTOR;
                if random.bool() && start + data.len() <= bytes.len() {
                    bytes[start..start + data.len()].copy_from_slice(data);
                }
            }
            bytes
        }
    }

    impl State {
        fn sector(&self, sector: usize) -> Vec<u8> {
            self.pending.get(&sector).cloned().unwrap_or_else(|| {
                let mut data = vec![0; SECTOR];
                let start = (sector * SECTOR).min(self.synced.len());
                let end = (start + SECTOR).min(self.synced.len());
                data[..end - start].copy_from_slice(&self.synced[start..end]);
                data
            })
        }

        fn spend(&mut self) -> io::Result<()> {
            match self.writes_left.checked_sub(1) {
                Some(left) => {
                    self.writes_left = left;
                    Ok(())
                }
                None => Err(io::Error::other("power cut")),
            }
        }
    }

    impl StorageBackend for Power {
        fn len(&self) -> Result<u64, io::Error> {
            Ok(self.0.lock().unwrap().len as u64)
        }

        fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), io::Error> {
            let state = self.0.lock().unwrap();
            let mut place = offset as usize;
            let mut left = out;
            while !left.is_empty() {
                let begin = place % SECTOR;
                let length = left.len().min(SECTOR - begin);
                let (now, later) = left.split_at_mut(length);
                now.copy_from_slice(&state.sector(place / SECTOR)[begin..begin + length]);
                place += length;
                left = later;
            }
            Ok(())
        }

        fn set_len(&self, len: u64) -> Result<(), io::Error> {
            let mut state = self.0.lock().unwrap();
            state.spend()?;
            state.len = len as usize;
            Ok(())
        }

        fn sync_data(&self) -> Result<(), io::Error> {
            let mut state = self.0.lock().unwrap();
            state.spend()?;
            let len = state.len;
            state.synced.resize(len, 0);
            for (sector, data) in std::mem::take(&mut state.pending) {
                let start = sector * SECTOR;
                let end = (start + SECTOR).min(len);
                if start < end {
                    state.synced[start..end].copy_from_slice(&data[..end - start]);
                }
            }
            Ok(())
        }

        fn write(&self, offset: u64, data: &[u8]) -> Result<(), io::Error> {
            let mut state = self.0.lock().unwrap();
            state.spend()?;
            let mut place = offset as usize;
            let mut left = data;
            while !left.is_empty() {
                let begin = place % SECTOR;
                let (now, later) = left.split_at(left.len().min(SECTOR - begin));
                let mut sector = state.sector(place / SECTOR);
                sector[begin..begin + now.len()].copy_from_slice(now);
                state.pending.insert(place / SECTOR, sector);
                place += now.len();
                left = later;
            }
            Ok(())
        }
    }

    fn row(name: &str, revision: u64) -> Row {
        let body = json!({"metadata": {"name": name, "uid": name, "resourceVersion": revision.to_string()}, "data": "x".repeat(300)});
        Row {
            table: "things".into(),
            key: Key::new("", name),
            body: Some(Bytes::from(body.to_string())),
        }
    }

    fn open(power: &Power) -> Option<(Disk, Contents)> {
        let database = Builder::new().create_with_backend(power.clone()).ok()?;
        Disk::read(database, Path::new("torn")).ok()
    }

    #[test]
    fn no_acknowledged_revision_is_lost_in_a_power_cut() {
        for seed in 0..40 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut bytes = Vec::new();
            let mut acknowledged = 0;
            for _ in 0..3 {
                let power = Power::new(bytes, random.usize(20..400));
                if let Some((disk, contents)) = open(&power) {
                    assert!(contents.revision >= acknowledged, "seed {seed}");
                    assert_eq!(
                        contents.objects.len() as u64,
                        contents.revision,
                        "seed {seed}"
                    );
                    let mut revision = contents.revision;
                    loop {
                        revision += 1;
                        let rows = [row(&format!("n{revision}"), revision)];
                        if disk.write(&rows, revision, Timestamp::UNIX_EPOCH).is_err() {
                            break;
                        }
                        acknowledged = revision;
                    }
                }
                bytes = power.remains(&mut random);
            }
            let power = Power::new(bytes, usize::MAX);
            let (_disk, contents) = open(&power).expect("the file opens after a cut");
            assert!(contents.revision >= acknowledged, "seed {seed}");
            assert_eq!(
                contents.objects.len() as u64,
                contents.revision,
                "seed {seed}"
            );
        }
    }

    #[test]
    fn another_format_is_refused_in_words() {
        let dir = tempfile::tempdir().unwrap();
        let (disk, _) = Disk::open(dir.path()).unwrap();
        let write = disk.database.begin_write().unwrap();
        write
            .open_table(COUNTERS)
            .unwrap()
            .insert(FORMAT, 9)
            .unwrap();
        write.commit().unwrap();
        drop(disk);
        let text = Disk::open(dir.path()).err().unwrap().to_string();
        assert!(
            text.contains("it has format 9, and this program reads format 1"),
            "{text}"
        );
    }

    #[test]
    fn a_file_that_is_no_database_says_what_to_do() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(DATABASE), "x".repeat(5000)).unwrap();
        let text = Disk::open(dir.path()).err().unwrap().to_string();
        assert!(text.contains("put a copy of it back"), "{text}");
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_can_read_what_is_stored() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let hub = dir.path().join("a/hub");
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        drop(Disk::open(&hub).unwrap());
        assert_eq!(mode(&hub), 0o700);
        let file = hub.join(DATABASE);
        assert_eq!(mode(&file), 0o600);
        // One that an earlier version left open to all.
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        drop(Disk::open(&hub).unwrap());
        assert_eq!(mode(&file), 0o600);
    }
}
