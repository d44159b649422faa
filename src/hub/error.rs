//! What can go wrong between us and a hub, by class: screens and exit codes go by it.

use kube::core::Status;

use super::secret;

/// What kind of trouble it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// There is no kubeconfig, or it names no cluster.
    NoCluster,
    /// The kubeconfig cannot be used as it is.
    Config,
    /// The hub wants other credentials (401), or the sign-in helper failed.
    Unauthenticated,
    /// The hub knows us, and we may not (403).
    Denied,
    /// The hub does not answer, or its answers break off.
    Unreachable,
    /// The hub does not know our kinds (404 on the kind).
    KindsMissing,
    /// There is no such object (404 on the object).
    NotFound,
    /// The object has changed, or exists already (409).
    Conflict,
    /// What we asked from is too old (410).
    Expired,
    /// The hub found the request wrong (400, 422).
    Invalid,
    /// The hub asks us to wait (429).
    Throttled,
    /// Anything else that the hub says.
    Other,
}

/// What was tried, why it failed, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{tried}: {reason}")]
pub struct Error {
    /// What kind of trouble it is.
    pub class: Class,
    /// What was tried, for example `Listing gates`.
    pub tried: String,
    /// What went wrong.
    pub reason: String,
    /// What to do; empty when nothing can be said.
    pub hint: String,
}

impl Error {
    /// An error that did not come from a hub.
    pub fn new(
        class: Class,
        tried: impl Into<String>,
        reason: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self {
            class,
            tried: tried.into(),
            reason: reason.into(),
            hint: hint.into(),
        }
    }

    /// Reads what kube's client reports about something that was tried.
    pub fn of(error: &kube::Error, tried: impl Into<String>) -> Self {
        let (class, reason) = match error {
            kube::Error::Api(status) => (class_of(status), status.message.clone()),
            kube::Error::Auth(error) => (Class::Unauthenticated, secret::of_sign_in(error)),
            kube::Error::InferKubeconfig(error) => {
                (Class::Unreachable, secret::of_kubeconfig(error))
            }
            kube::Error::Service(_)
            | kube::Error::HyperError(_)
            | kube::Error::HttpError(_)
            | kube::Error::ReadEvents(_)
            | kube::Error::InferConfig(_) => (Class::Unreachable, chain(error)),
            _ => (Class::Other, chain(error)),
        };
        let hint = match untrusted(&reason) {
            Some(hint) if class == Class::Unreachable => hint,
            _ => hint(class),
        };
        Self::new(class, tried, reason, hint)
    }

    /// Says what to do instead.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    /// Whether the hub could not be spoken with at all.
    pub fn is_link(&self) -> bool {
        matches!(self.class, Class::Unreachable)
    }
}

fn class_of(status: &Status) -> Class {
    match status.code {
        401 => Class::Unauthenticated,
        403 => Class::Denied,
        // A kind that is not served answers in plain text; an object that is absent does not.
        404 if status.details.is_none() => Class::KindsMissing,
        404 => Class::NotFound,
        409 => Class::Conflict,
        410 => Class::Expired,
        400 | 422 => Class::Invalid,
        429 => Class::Throttled,
        502..=504 => Class::Unreachable,
        _ => Class::Other,
    }
}

/// What to do about a hub whose certificate we do not trust; `None` for any other trouble.
pub(super) fn untrusted(reason: &str) -> Option<&'static str> {
    let certificate = reason.contains("invalid peer certificate");
    certificate.then_some(
        "The hub is there, but its certificate is not trusted: check certificate-authority of this context, and the address",
    )
}

/// What to do about a class of trouble.
fn hint(class: Class) -> &'static str {
    match class {
        Class::NoCluster => "Try `fleetdeck demo`: it needs no cluster",
        Class::Config => "Check --kubeconfig and --context",
        Class::Unauthenticated => "Sign in again as this context needs it, then try again",
        Class::Denied => "Ask who manages rights on this hub",
        Class::Unreachable => "Check --context and --kubeconfig, and that the hub is running",
        Class::KindsMissing => "Install them with `fleetdeck crds install`",
        Class::Conflict => "Look at it again and decide anew",
        Class::Throttled => "Try again in a moment",
        Class::NotFound | Class::Expired | Class::Invalid | Class::Other => "",
    }
}

/// An error and its causes in one line, without saying the same twice.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let said = cause.to_string();
        if !text.contains(&said) {
            text.push_str(": ");
            text.push_str(&said);
        }
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(code: u16, details: bool) -> kube::Error {
        let mut value = serde_json::json!({"code": code, "message": "no", "reason": "x"});
        if details {
            value["details"] = serde_json::json!({"name": "w"});
        }
        kube::Error::Api(Box::new(serde_json::from_value(value).unwrap()))
    }

    #[test]
    fn answers_are_told_apart_by_class() {
        for (code, details, class) in [
            (401, false, Class::Unauthenticated),
            (403, true, Class::Denied),
            (404, true, Class::NotFound),
            (404, false, Class::KindsMissing),
            (409, true, Class::Conflict),
            (410, false, Class::Expired),
            (422, true, Class::Invalid),
            (429, false, Class::Throttled),
            (503, false, Class::Unreachable),
            (500, false, Class::Other),
        ] {
            let error = Error::of(&status(code, details), "Listing gates");
            assert_eq!(error.class, class, "{code}");
            assert_eq!(error.to_string(), "Listing gates: no");
        }
    }
}
