//! Files of kind kubeconfig: reading those that are given, and leaving that of an embedded hub for
//! kubectl, other consoles and the command line.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use kube::config::{Kubeconfig, KubeconfigError};

use super::secret;

/// Where the hub of a folder leaves it.
pub fn of_folder(folder: &Path) -> PathBuf {
    folder.join("kubeconfig")
}

/// Reads one; the error names the file, and tells nothing that stands in it.
pub fn read(path: &Path) -> Result<Kubeconfig, String> {
    let told = |what: String| format!("{}: {what}", path.display());
    // The reader below breaks down at half a character of UTF-16.
    if path.is_file() {
        let bytes = std::fs::read(path).map_err(|e| told(e.to_string()))?;
        if let ([0xff, 0xfe, ..] | [0xfe, 0xff, ..], false) =
            (bytes.as_slice(), bytes.len().is_multiple_of(2))
        {
            return Err(told("is no text: it ends within a character".to_owned()));
        }
    }
    Kubeconfig::read_from(path).map_err(|e| told(secret::of_kubeconfig(&e)))
}

/// Reads those that `KUBECONFIG` names, the first to say something wins; `None` where it names none.
pub fn from_env() -> Result<Option<Kubeconfig>, String> {
    let value = std::env::var_os("KUBECONFIG").unwrap_or_default();
    let paths = std::env::split_paths(&value).filter(|p| !p.as_os_str().is_empty());
    let mut merged = None::<Kubeconfig>;
    for path in paths {
        let next = read(&path)?;
        merged = Some(match merged {
            None => next,
            Some(before) => before.merge(next).map_err(|e: KubeconfigError| {
                format!("{}: {}", path.display(), secret::of_kubeconfig(&e))
            })?,
        });
    }
    Ok(merged)
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
    fn what_stands_in_a_file_that_is_none_is_not_told() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("k");
        std::fs::write(
            &path,
            "kind: Config\nusers: [{name: a, user: {token: SECRET}}\n",
        )
        .unwrap();
        let told = read(&path).unwrap_err();
        assert!(
            told.contains("/k: is no kubeconfig: wrong at line "),
            "{told}"
        );
        assert!(!told.contains("SECRET"), "{told}");
        for bytes in [&b"\xff\xfe\x00"[..], b"\xfe\xff\x00", b"\xff\x00"] {
            std::fs::write(&path, bytes).unwrap();
            assert!(read(&path).is_err(), "{bytes:?}");
        }
    }

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
