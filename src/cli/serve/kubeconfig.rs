//! The kubeconfig that a hub leaves for kubectl, other consoles and the command line.

use std::io::Write;
use std::path::{Path, PathBuf};

use kube::config::Kubeconfig;

use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output;

/// Where the hub of a folder leaves it.
pub fn of_folder(folder: &Path) -> PathBuf {
    folder.join("kubeconfig")
}

/// Writes it so that only its owner can read it: there is a token inside. A reader sees the old
/// file or the new one, never half of one.
pub fn write(path: &Path, kubeconfig: &Kubeconfig) -> Result<(), Error> {
    let value = serde_json::to_value(kubeconfig)
        .map_err(|e| Error::new(Exit::Other, "OutputFailed", e.to_string()))?;
    let text = output::yaml(&value)?;
    let shown = path.display().to_string();
    let failed = |e: std::io::Error| Error::file(&shown, format!("cannot be written: {e}"));
    let mut draft = path.as_os_str().to_owned();
    draft.push(".new");
    let draft = PathBuf::from(draft);
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&draft).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    drop(file);
    std::fs::rename(&draft, path).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_owner_can_read_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = of_folder(dir.path());
        let kubeconfig = Kubeconfig {
            current_context: Some("demo".into()),
            ..Kubeconfig::default()
        };
        write(&path, &kubeconfig).unwrap();
        let read = Kubeconfig::read_from(&path).unwrap();
        assert_eq!(read.current_context.as_deref(), Some("demo"));
        #[cfg(unix)]
        {
            let mode = std::fs::metadata(&path).unwrap().permissions();
            assert_eq!(
                std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777,
                0o600
            );
        }
    }
}
