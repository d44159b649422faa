//! What can go wrong when a hub is opened or begins to listen.

use std::path::PathBuf;

/// Why a hub cannot be opened or served.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another process holds the data directory.
    #[error(
        "the data directory {dir} is in use by another process: stop it, reach its hub through its kubeconfig if it serves one, or choose another directory"
    )]
    InUse {
        /// The directory.
        dir: PathBuf,
    },
    /// The data directory cannot be made, read or written.
    #[error("cannot use the data directory {dir}: {source}")]
    Directory {
        /// The directory.
        dir: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The database was written by another version.
    #[error(
        "cannot open the hub's database {file}: it has format {found}, and this program reads format {known}: open it with the version that wrote it"
    )]
    Format {
        /// The file.
        file: PathBuf,
        /// Its format.
        found: u64,
        /// That of this program.
        known: u64,
    },
    /// The database is damaged, or is none.
    #[error(
        "the hub's database {file} is damaged, or none ({message}): put a copy of it back, or move it away to begin with an empty hub"
    )]
    Damaged {
        /// The file.
        file: PathBuf,
        /// What the database said.
        message: String,
    },
    /// The database cannot be opened or written.
    #[error("cannot open the hub's database {file}: {message}")]
    Database {
        /// The file.
        file: PathBuf,
        /// What the database said.
        message: String,
    },
    /// An object in the database is not what this program writes.
    #[error(
        "the hub's database {file} holds an object that cannot be read, {object}: {message}; put a copy of the file back, or move it away to begin with an empty hub"
    )]
    Corrupt {
        /// The file.
        file: PathBuf,
        /// Resource and key.
        object: String,
        /// What is wrong with it.
        message: String,
    },
    /// One of the definitions or namespaces that every hub has could not be made.
    #[error("cannot prepare the hub: {0}")]
    Prepare(String),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// What was asked for.
        address: std::net::SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// Only loopback addresses are served.
    #[error(
        "cannot listen on {0}: the embedded hub serves loopback addresses only, such as 127.0.0.1:0"
    )]
    NotLoopback(std::net::SocketAddr),
    /// Certificate or key could not be made or read.
    #[error("cannot prepare the hub's certificate: {0}")]
    Certificate(String),
}
