//! Address of an API server.

use std::fmt;
use std::str::FromStr;

use http::Uri;

/// Scheme and host of an API server, and what comes before its paths. A client that is given less
/// breaks down at its first request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address(Uri);

impl Address {
    /// Checks an address that was read elsewhere.
    pub fn of(uri: Uri) -> Result<Self, String> {
        let scheme = matches!(uri.scheme_str(), Some("http" | "https"));
        let host = uri.host().is_some_and(|host| !host.is_empty());
        if scheme && host {
            return Ok(Self(uri));
        }
        Err("write it like https://hub.example.com:6443".to_owned())
    }

    /// As the client takes it.
    pub fn uri(&self) -> Uri {
        self.0.clone()
    }

    /// Host and port, for people.
    pub fn host(&self) -> String {
        let authority = self.0.authority();
        authority.map_or_else(String::new, |a| {
            let text = a.as_str();
            // Nobody is to read along what may stand before the host.
            text.rsplit_once('@')
                .map_or(text, |(_, host)| host)
                .to_owned()
        })
    }
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let uri = text.trim().parse().map_err(|e: http::uri::InvalidUri| {
            format!("{e}; write it like https://hub.example.com:6443")
        })?;
        Self::of(uri)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.to_string();
        f.write_str(text.strip_suffix('/').unwrap_or(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_scheme_and_a_host() {
        for text in ["https://hub:6443", "http://127.0.0.1:8001/k8s/clusters/c-1"] {
            let address: Address = text.parse().unwrap();
            assert_eq!(address.to_string(), text);
        }
        for text in [
            "",
            "nonsense",
            "127.0.0.1:1234",
            "ftp://x",
            "https://",
            "http:/x",
            "ftp://x y",
        ] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
        let named: Address = "https://ana:secret@hub:1".parse().unwrap();
        assert_eq!(named.host(), "hub:1");
    }
}
