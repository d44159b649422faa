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
    Ok(Object::new(&value, revision, &[]))
}

fn broken(file: &Path, error: impl std::fmt::Display) -> Error {
    Error::Database {
        file: PathBuf::from(file),
        message: error.to_string(),
    }
}
