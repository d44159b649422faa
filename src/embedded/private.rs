//! Folders and files that only their owner can look into: there are secrets in them.

use std::fs;
use std::io;
use std::path::Path;

/// Makes the folder, and those that it lies in, for its owner alone. One that is there already is
/// somebody's choice and stays as it is.
pub(super) fn folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Makes the file if it is missing, and takes what others may do with it away.
pub(super) fn file(path: &Path) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    close(&file.metadata()?, path)
}

/// A folder of ours: made, and closed to others.
pub(super) fn own_folder(path: &Path) -> io::Result<()> {
    folder(path)?;
    close(&fs::metadata(path)?, path)
}

#[cfg(unix)]
fn close(now: &fs::Metadata, path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut permissions = now.permissions();
    let mode = permissions.mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    permissions.set_mode(mode & !0o077);
    fs::set_permissions(path, permissions)
}

#[cfg(not(unix))]
fn close(_now: &fs::Metadata, _path: &Path) -> io::Result<()> {
    Ok(())
}
