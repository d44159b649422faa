//! The kubeconfig that an embedded hub leaves for kubectl, other consoles and the command line.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use kube::config::Kubeconfig;

/// Where the hub of a folder leaves it.
pub fn of_folder(folder: &Path) -> PathBuf {
    folder.join("kubeconfig")
}

/// Writes it so that only its owner can read it: there is a token inside. A reader sees the old
/// file or the new one, never half of one.
pub fn leave(path: &Path, kubeconfig: &Kubeconfig) -> io::Result<()> {
    let text = serde_saphyr::to_string(kubeconfig).map_err(io::Error::other)?;
    let mut draft = path.as_os_str().to_owned();
    draft.push(".new");
    let draft = PathBuf::from(draft);
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&draft)?;
    file.write_all(text.as_bytes())?;
    drop(file);
    std::fs::rename(&draft, path)
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
        leave(&path, &kubeconfig).unwrap();
        let read = Kubeconfig::read_from(&path).unwrap();
        assert_eq!(read.current_context.as_deref(), Some("demo"));
        #[cfg(unix)]
        {
            let mode = std::fs::metadata(&path).unwrap().permissions();
            let mode = std::os::unix::fs::PermissionsExt::mode(&mode);
            assert_eq!(mode & 0o777, 0o600);
        }
    }
}
