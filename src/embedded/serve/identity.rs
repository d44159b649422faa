//! Certificate and token of a hub that listens: made once, kept in the data directory.

use std::path::Path;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose};

use crate::embedded::{Error, private};

/// What clients trust and show.
#[derive(Clone)]
pub(super) struct Identity {
    /// Certificate of the authority, PEM.
    pub authority: String,
    /// Certificate for loopback addresses, PEM.
    pub certificate: String,
    /// Its private key, PEM.
    pub key: String,
    /// What a client sends to be let in.
    pub token: String,
}

const FILES: [&str; 4] = ["ca.pem", "cert.pem", "key.pem", "token"];

impl Identity {
    /// A new one that nobody keeps.
    pub(super) fn new() -> Result<Self, Error> {
        let failed = |error: rcgen::Error| Error::Certificate(error.to_string());
        let mut ca = CertificateParams::default();
        ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        ca.key_usages = vec![
            KeyUsagePurpose::KeyCertSign,
            KeyUsagePurpose::DigitalSignature,
        ];
        ca.distinguished_name
            .push(DnType::CommonName, "fleetdeck embedded hub CA");
        let ca_key = KeyPair::generate().map_err(failed)?;
        let authority = ca.self_signed(&ca_key).map_err(failed)?.pem();
        let names = ["localhost", "127.0.0.1", "::1"]
            .map(str::to_owned)
            .to_vec();
        let mut leaf = CertificateParams::new(names).map_err(failed)?;
        leaf.distinguished_name
            .push(DnType::CommonName, "fleetdeck embedded hub");
        leaf.use_authority_key_identifier_extension = true;
        let key = KeyPair::generate().map_err(failed)?;
        let certificate = leaf
            .signed_by(&key, &Issuer::new(ca, ca_key))
            .map_err(failed)?;
        Ok(Self {
            authority,
            certificate: certificate.pem(),
            key: key.serialize_pem(),
            // Random enough for a secret: the operating system's generator behind it.
            token: format!(
                "{}{}",
                uuid::Uuid::new_v4().simple(),
                uuid::Uuid::new_v4().simple()
            ),
        })
    }

    /// The one in `dir`, made there if it is missing, so that an old kubeconfig stays good.
    pub(super) fn kept_in(dir: &Path) -> Result<Self, Error> {
        let dir = dir.join("tls");
        let failed = |source| Error::Directory {
            dir: dir.clone(),
            source,
        };
        if dir.exists() {
            private::own_folder(&dir).map_err(failed)?;
        }
        let read = |name: &str| std::fs::read_to_string(dir.join(name));
        if let [Ok(authority), Ok(certificate), Ok(key), Ok(token)] = FILES.map(read) {
            return Ok(Self {
                authority,
                certificate,
                key,
                token,
            });
        }
        private::own_folder(&dir).map_err(failed)?;
        let new = Self::new()?;
        let texts = [&new.authority, &new.certificate, &new.key, &new.token];
        for (name, text) in FILES.iter().zip(texts) {
            write_private(&dir.join(name), text).map_err(failed)?;
        }
        Ok(new)
    }
}

/// Writes a file that only its owner can read.
fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_keeps_its_identity_to_itself() {
        let dir = tempfile::tempdir().unwrap();
        let first = Identity::kept_in(dir.path()).unwrap();
        let second = Identity::kept_in(dir.path()).unwrap();
        assert_eq!(first.token, second.token);
        assert_eq!(first.certificate, second.certificate);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let file = std::fs::metadata(dir.path().join("tls/token")).unwrap();
            assert_eq!(file.permissions().mode() & 0o777, 0o600);
            let folder = std::fs::metadata(dir.path().join("tls")).unwrap();
            assert_eq!(folder.permissions().mode() & 0o777, 0o700);
        }
    }
}
