//! Continue tokens of a paged list.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use crate::embedded::fields;
use crate::embedded::refusal::Refusal;
use crate::embedded::store::Key;

/// Where the next page begins, and of which revision it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    /// None: of whatever is newest.
    pub revision: Option<u64>,
    /// Last key of the page before.
    pub after: Key,
}

impl Token {
    pub(crate) fn encode(&self) -> String {
        let revision = self
            .revision
            .and_then(|r| i64::try_from(r).ok())
            .unwrap_or(-1);
        let start = if self.after.namespace.is_empty() {
            format!("{}\0", self.after.name)
        } else {
            format!("{}/{}\0", self.after.namespace, self.after.name)
        };
        let token = json!({"v": "meta.k8s.io/v1", "rv": revision, "start": start});
        URL_SAFE_NO_PAD.encode(token.to_string())
    }

    pub(crate) fn decode(text: &str) -> Result<Self, Refusal> {
        let refuse = |why: &str| {
            Refusal::bad_request(format!(
                "invalid continue token: continue key is not valid: {why}"
            ))
        };
        let bytes = URL_SAFE_NO_PAD
            .decode(text.trim_end_matches('='))
            .map_err(|error| refuse(&error.to_string()))?;
        let token: Value =
            serde_json::from_slice(&bytes).map_err(|error| refuse(&error.to_string()))?;
        if fields::text(&token, &["v"]) != "meta.k8s.io/v1" {
            return Err(refuse("server does not recognize this encoded version"));
        }
        let start = fields::text(&token, &["start"]).trim_end_matches('\0');
        if start.is_empty() {
            return Err(refuse("incorrect encoded start resourceVersion"));
        }
        let (namespace, name) = start.split_once('/').unwrap_or(("", start));
        let revision = token.get("rv").and_then(Value::as_i64).unwrap_or(0);
        if revision == 0 {
            return Err(refuse(
                "incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
            ));
        }
        Ok(Self {
            revision: u64::try_from(revision).ok(),
            after: Key::new(namespace, name),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_comes_back() {
        for (namespace, revision) in [("", Some(7)), ("ns", None)] {
            let token = Token {
                revision,
                after: Key::new(namespace, "a.b"),
            };
            assert_eq!(Token::decode(&token.encode()), Ok(token));
        }
        assert_eq!(Token::decode("!!").unwrap_err().code, 400);
        assert_eq!(Token::decode("e30").unwrap_err().code, 400);
    }
}
