//! Why a verb did not do what was asked; every error has a code for programs and a hint for people.

use std::fmt;

use kube::core::Status;

use crate::engine::Refusal;
use crate::engine::validate::Violation;
use crate::hub::{self, Class};

/// `Kind name`, as it stands in messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// For example `UpdateRun`.
    pub kind: String,
    /// Name on the hub; empty when the kind as a whole is meant.
    pub name: String,
}

impl Object {
    /// An object by kind and name.
    pub fn new(kind: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            kind: kind.into(),
            name: name.into(),
        }
    }

    /// An update run.
    pub fn run(name: &str) -> Self {
        Self::new("UpdateRun", name)
    }

    /// A gate.
    pub fn gate(name: &str) -> Self {
        Self::new("Gate", name)
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.name.is_empty() {
            return f.write_str(&self.kind);
        }
        write!(f, "{} {}", self.kind, self.name)
    }
}

/// A request that breaks a rule (update-runs §3.1).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refused {
    /// For example `InvalidOperation`.
    pub code: String,
    /// Path of the field that is wrong; empty when it is not about a field.
    pub field: String,
    /// One sentence.
    pub message: String,
    /// What to do; empty when nothing can be said.
    pub hint: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        f.write_str(&self.message)
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self {
            code: refusal.code.to_owned(),
            field: String::new(),
            message: refusal.message,
            hint: refusal.hint,
        }
    }
}

impl From<Violation> for Refused {
    fn from(violation: Violation) -> Self {
        Self {
            code: violation.code.to_owned(),
            field: violation.field,
            message: violation.message,
            hint: violation.hint,
        }
    }
}

/// Why nothing was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The request breaks rules: all of those it breaks, at least one.
    Refused(Object, Vec<Refused>),
    /// There is no such object.
    NotFound(Object),
    /// There is one of this name already.
    Exists(Object),
    /// The object was deleted and made again since it was looked at.
    Replaced(Object),
    /// The object's spec was changed by somebody else since it was looked at.
    Changed(Object),
    /// The object kept changing while we tried to write it.
    Contended(Object),
    /// The hub does not know fleetdeck's kinds.
    NoKinds,
    /// The hub says that this user may not.
    Denied(Object, String),
    /// The hub does not know who we are.
    Unauthorized(String),
    /// The hub does not answer.
    Unreachable(String),
    /// The hub answered something else that we cannot act on.
    Hub(Object, String),
}

impl Error {
    /// One refusal about an object.
    pub fn refused(object: Object, refused: impl Into<Refused>) -> Self {
        Self::Refused(object, vec![refused.into()])
    }

    /// Machine code, stable.
    pub fn code(&self) -> &str {
        match self {
            Error::Refused(_, all) => all.first().map_or("Refused", |r| r.code.as_str()),
            Error::NotFound(_) => "NotFound",
            Error::Exists(_) => "AlreadyExists",
            Error::Replaced(_) | Error::Changed(_) | Error::Contended(_) => "Conflict",
            Error::NoKinds => "KindsMissing",
            Error::Denied(..) => "Forbidden",
            Error::Unauthorized(_) => "Unauthorized",
            Error::Unreachable(_) => "HubUnreachable",
            Error::Hub(..) => "HubError",
        }
    }

    /// What to do about it; empty when nothing can be said.
    pub fn hint(&self) -> &str {
        match self {
            Error::Refused(_, all) => all.first().map_or("", |r| r.hint.as_str()),
            Error::NotFound(_) => "list what there is with `fleetdeck get KIND`",
            Error::Exists(_) => "choose another name",
            Error::Replaced(_) | Error::Changed(_) => "look at it again and decide anew",
            Error::Contended(_) => "try again in a moment",
            Error::NoKinds => "install them with `fleetdeck crds install`",
            Error::Denied(..) => "ask who manages rights on this hub",
            Error::Unauthorized(_) => "check the credentials of this kubeconfig context",
            Error::Unreachable(reason) => hub::error::untrusted(reason).unwrap_or(
                "check --context, --kubeconfig and --data-dir, and that the hub is running",
            ),
            Error::Hub(..) => "",
        }
    }

    /// Reads what kube's client reports about a request on `object`.
    pub fn from_kube(error: kube::Error, object: Object) -> Self {
        if let kube::Error::Api(status) = &error {
            if status.code == 422 {
                let refused = refusals(status);
                if !refused.is_empty() {
                    return Error::Refused(object, refused);
                }
            }
            if status.code == 409 && status.reason == "AlreadyExists" {
                return Error::Exists(object);
            }
        }
        let said = hub::Error::of(&error, "");
        match said.class {
            Class::Unauthenticated => Error::Unauthorized(said.reason),
            Class::Denied => Error::Denied(object, said.reason),
            Class::KindsMissing => Error::NoKinds,
            Class::NotFound => Error::NotFound(object),
            Class::Conflict => Error::Contended(object),
            Class::Unreachable => Error::Unreachable(said.reason),
            Class::NoCluster
            | Class::Config
            | Class::Expired
            | Class::Invalid
            | Class::Throttled
            | Class::Other => Error::Hub(object, said.reason),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Refused(object, all) => {
                write!(f, "{object}: ")?;
                for (index, refused) in all.iter().enumerate() {
                    if index > 0 {
                        f.write_str("; ")?;
                    }
                    write!(f, "{refused}")?;
                }
                Ok(())
            }
            Error::NotFound(object) => write!(f, "{object} does not exist"),
            Error::Exists(object) => write!(f, "{object} exists already"),
            Error::Replaced(object) => write!(
                f,
                "{object} is not the one that was looked at: it was deleted and made again"
            ),
            Error::Changed(object) => write!(f, "{object} was changed by somebody else meanwhile"),
            Error::Contended(object) => {
                write!(f, "{object} kept changing while it was being written")
            }
            Error::NoKinds => f.write_str("the hub does not know fleetdeck's kinds"),
            Error::Denied(_, message) => write!(f, "the hub refuses this user: {message}"),
            Error::Unauthorized(message) => {
                write!(f, "the hub does not accept our credentials: {message}")
            }
            Error::Unreachable(message) => write!(f, "the hub does not answer: {message}"),
            Error::Hub(object, message) => write!(f, "{object}: {message}"),
        }
    }
}

impl std::error::Error for Error {}

/// What admission found wrong: rules of ours begin with their code, other schema rules do not.
fn refusals(status: &Status) -> Vec<Refused> {
    let causes = status.details.iter().flat_map(|d| &d.causes);
    let mut all: Vec<Refused> = Vec::new();
    for cause in causes {
        // Says only that other rules were not looked at.
        if cause
            .message
            .contains("some validation rules were not checked")
        {
            continue;
        }
        let refused = coded(&cause.message, &cause.field).unwrap_or_else(|| Refused {
            code: match cause.field.as_str() {
                "metadata.name" => "InvalidName",
                _ => "InvalidField",
            }
            .to_owned(),
            field: cause.field.clone(),
            message: cause.message.clone(),
            hint: String::new(),
        });
        if !all.contains(&refused) {
            all.push(refused);
        }
    }
    if all.is_empty() {
        all.extend(coded(&status.message, ""));
    }
    all
}

/// `…: CODE: sentence` → code and sentence.
fn coded(message: &str, field: &str) -> Option<Refused> {
    let mut rest = message;
    while let Some((head, tail)) = rest.split_once(": ") {
        if is_code(head) {
            return Some(Refused {
                code: head.to_owned(),
                field: field.trim_matches(['<', '>']).replace("nil", ""),
                message: tail.to_owned(),
                hint: String::new(),
            });
        }
        rest = tail;
    }
    None
}

/// One CamelCase word of two parts or more: `RunNotEditable`.
fn is_code(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.chars().all(|c| c.is_ascii_alphanumeric())
        && text.chars().filter(char::is_ascii_uppercase).count() >= 2
        && text.chars().any(|c| c.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(value: serde_json::Value) -> kube::Error {
        kube::Error::Api(Box::new(serde_json::from_value(value).unwrap()))
    }

    #[test]
    fn the_code_of_an_admission_rule_is_found() {
        let error = status(serde_json::json!({
            "code": 422, "reason": "Invalid",
            "message": "UpdateRun.fleetdeck.io \"w\" is invalid",
            "details": {"name": "w", "causes": [
                {"reason": "FieldValueInvalid", "field": "spec",
                 "message": "Invalid value: StrategyConflict: give strategyName or strategy, not both"},
                {"reason": "FieldValueInvalid", "field": "<nil>",
                 "message": "Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"}
            ]}
        }));
        let error = Error::from_kube(error, Object::run("w"));
        assert_eq!(error.code(), "StrategyConflict");
        assert_eq!(
            error.to_string(),
            "UpdateRun w: spec: give strategyName or strategy, not both"
        );
    }

    #[test]
    fn a_schema_rule_without_code_keeps_its_field() {
        let error = status(serde_json::json!({
            "code": 422, "reason": "Invalid", "message": "invalid",
            "details": {"name": "w", "causes": [
                {"reason": "FieldValueNotSupported", "field": "spec.upgrade.type",
                 "message": "Unsupported value: \"full\": supported values: \"Full\""}
            ]}
        }));
        let error = Error::from_kube(error, Object::run("w"));
        assert_eq!(error.code(), "InvalidField");
        assert!(error.to_string().contains("spec.upgrade.type: Unsupported"));
    }

    #[test]
    fn a_missing_kind_is_not_a_missing_object() {
        let plain = status(
            serde_json::json!({"code": 404, "message": "404 page not found",
            "reason": "Failed to parse error data"}),
        );
        assert_eq!(Error::from_kube(plain, Object::run("w")), Error::NoKinds);
        let absent = status(serde_json::json!({"code": 404, "reason": "NotFound",
            "message": "not found", "details": {"name": "w"}}));
        assert_eq!(
            Error::from_kube(absent, Object::run("w")),
            Error::NotFound(Object::run("w"))
        );
    }
}
