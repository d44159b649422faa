//! The database file: objects and the revision counter, written in one transaction.
//!
//! All calls to the database are in this file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use redb::{Database, DatabaseError, ReadableDatabase, ReadableTable, TableDefinition};

use super::object::{Key, Object};
use crate::embedded::Error;

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
    pub objects: Vec<(Arc<str>, Object)>,
}

/// The open file.
pub(crate) struct Disk {
    database: Database,
}

impl Disk {
    /// Opens or makes `hub.redb` in `dir` and reads all of it.
    pub(crate) fn open(dir: &Path) -> Result<(Self, Contents), Error> {
        std::fs::create_dir_all(dir).map_err(|source| Error::Directory {
            dir: dir.to_owned(),
            source,
        })?;
        let file = dir.join(DATABASE);
        let database = Database::create(&file).map_err(|error| match error {
            DatabaseError::DatabaseAlreadyOpen => Error::InUse {
                dir: dir.to_owned(),
            },
            other => broken(&file, other),
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
            return Err(Error::Database {
                file: file.to_owned(),
                message: format!(
                    "it has format {format}, and this program reads format {CURRENT_FORMAT}: open it with the version that wrote it"
                ),
            });
        }
        let mut contents = Contents {
            revision: counter(REVISION).map_err(broken)?,
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
            let object = object(body.value()).map_err(|message| Error::Corrupt {
                file: file.to_owned(),
                object: key.value().replace(SEPARATOR, "/"),
                message,
            })?;
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

    /// Commits `rows` and the revision they lead to; durable when this returns.
    pub(crate) fn write(&self, rows: &[Row], revision: u64) -> Result<(), redb::Error> {
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
            write.open_table(COUNTERS)?.insert(REVISION, revision)?;
        }
        write.commit()?;
        Ok(())
    }
}

fn row_key(row: &Row) -> String {
    let Key { namespace, name } = &row.key;
    format!("{}{SEPARATOR}{namespace}{SEPARATOR}{name}", row.table)
}

fn object(body: &[u8]) -> Result<Object, String> {
    let value: serde_json::Value = serde_json::from_slice(body).map_err(|e| e.to_string())?;
    let revision = crate::embedded::fields::text(&value, &["metadata", "resourceVersion"]);
    let revision = revision
        .parse()
        .map_err(|_| format!("its resourceVersion is {revision:?}"))?;
    let body = Bytes::copy_from_slice(body);
    Ok(Object::with_body(&value, body, revision, &[]))
}

fn broken(file: &Path, error: impl std::fmt::Display) -> Error {
    Error::Database {
        file: PathBuf::from(file),
        message: error.to_string(),
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
                        if disk.write(&rows, revision).is_err() {
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
}
