//! A refused request, and the `Status` object that says so.

use serde_json::{Map, Value, json};

/// One cause inside the details of a refusal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cause {
    pub reason: &'static str,
    pub message: String,
    pub field: String,
}

impl Cause {
    pub(crate) fn new(
        reason: &'static str,
        field: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            reason,
            message: message.into(),
            field: field.into(),
        }
    }

    /// A value that is not acceptable, already printed as JSON or as a type name.
    pub(crate) fn invalid(
        field: impl Into<String>,
        value: impl std::fmt::Display,
        why: impl std::fmt::Display,
    ) -> Self {
        Self::new(
            "FieldValueInvalid",
            field,
            format!("Invalid value: {value}: {why}"),
        )
    }

    /// A value that must be there.
    pub(crate) fn required(field: impl Into<String>, why: &str) -> Self {
        let message = if why.is_empty() {
            "Required value".to_owned()
        } else {
            format!("Required value: {why}")
        };
        Self::new("FieldValueRequired", field, message)
    }

    fn text(&self) -> String {
        format!("{}: {}", self.field, self.message)
    }
}

/// Why a request was not carried out, as the client will read it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refusal {
    pub code: u16,
    /// Machine word; empty where the API has none.
    pub reason: &'static str,
    pub message: String,
    /// Contents of `details`; `None` leaves the field out.
    pub details: Option<Value>,
    /// Seconds after which another try makes sense.
    pub retry_after: Option<u32>,
    /// Contents of `metadata`.
    pub metadata: Value,
    /// Path does not exist at all: answered in plain text.
    pub plain: bool,
}

/// Names the object that a message speaks of.
#[derive(Clone, Debug, Default)]
pub(crate) struct About<'a> {
    pub group: &'a str,
    /// Plural or kind, as the message needs it.
    pub kind: &'a str,
    pub name: &'a str,
}

impl About<'_> {
    /// `plural.group` or `plural`.
    fn qualified(&self) -> String {
        if self.group.is_empty() {
            self.kind.to_owned()
        } else {
            format!("{}.{}", self.kind, self.group)
        }
    }

    fn details(&self) -> Map<String, Value> {
        let mut details = Map::new();
        for (key, value) in [
            ("name", self.name),
            ("group", self.group),
            ("kind", self.kind),
        ] {
            if !value.is_empty() {
                details.insert(key.into(), value.into());
            }
        }
        details
    }
}

impl Refusal {
    pub(crate) fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            reason,
            message: message.into(),
            details: None,
            retry_after: None,
            metadata: json!({}),
            plain: false,
        }
    }

    fn with_details(mut self, details: Map<String, Value>) -> Self {
        self.details = Some(Value::Object(details));
        self
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// A failure without a reason, as the API has for a few oddities.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(500, "", message)
    }

    /// The path leads nowhere: plain text.
    pub(crate) fn no_such_path() -> Self {
        Self {
            plain: true,
            ..Self::new(404, "NotFound", "404 page not found\n")
        }
    }

    /// A built-in group has no such resource.
    pub(crate) fn no_such_resource() -> Self {
        Self::new(
            404,
            "NotFound",
            "the server could not find the requested resource",
        )
        .with_details(Map::new())
    }

    pub(crate) fn not_found(about: &About<'_>) -> Self {
        let message = format!("{} \"{}\" not found", about.qualified(), about.name);
        Self::new(404, "NotFound", message).with_details(about.details())
    }

    pub(crate) fn already_exists(about: &About<'_>, terminating: bool) -> Self {
        let prefix = if terminating {
            "object is being deleted: "
        } else {
            ""
        };
        let message = format!(
            "{prefix}{} \"{}\" already exists",
            about.qualified(),
            about.name
        );
        Self::new(409, "AlreadyExists", message).with_details(about.details())
    }

    /// `why` completes "Operation cannot be fulfilled on …: ".
    pub(crate) fn conflict(about: &About<'_>, why: &str) -> Self {
        let message = format!(
            "Operation cannot be fulfilled on {} \"{}\": {why}",
            about.qualified(),
            about.name
        );
        Self::new(409, "Conflict", message).with_details(about.details())
    }

    /// The object was written since it was read.
    pub(crate) fn modified(about: &About<'_>) -> Self {
        Self::conflict(
            about,
            "the object has been modified; please apply your changes to the latest version and try again",
        )
    }

    pub(crate) fn forbidden(about: &About<'_>, why: &str) -> Self {
        let message = if about.name.is_empty() {
            format!("{} is forbidden: {why}", about.qualified())
        } else {
            format!(
                "{} \"{}\" is forbidden: {why}",
                about.qualified(),
                about.name
            )
        };
        Self::new(403, "Forbidden", message).with_details(about.details())
    }

    /// 422 with its causes; `about.kind` is the kind, or the plural where the API says so.
    pub(crate) fn invalid(about: &About<'_>, causes: &[Cause]) -> Self {
        let texts: Vec<String> = causes.iter().map(Cause::text).collect();
        let texts = match texts.as_slice() {
            [one] => one.clone(),
            several => format!("[{}]", several.join(", ")),
        };
        let message = format!(
            "{} \"{}\" is invalid: {texts}",
            about.qualified(),
            about.name
        );
        let mut details = about.details();
        let causes: Vec<Value> = causes
            .iter()
            .map(|c| json!({"reason": c.reason, "message": c.message, "field": c.field}))
            .collect();
        details.insert("causes".into(), causes.into());
        Self::new(422, "Invalid", message).with_details(details)
    }

    /// 422 on the options of a request, such as `ListOptions`.
    pub(crate) fn invalid_options(kind: &str, causes: &[Cause]) -> Self {
        let about = About {
            group: "meta.k8s.io",
            kind,
            name: "",
        };
        Self::invalid(&about, causes)
    }

    pub(crate) fn method_not_allowed() -> Self {
        Self::new(
            405,
            "MethodNotAllowed",
            "the server does not allow this method on the requested resource",
        )
        .with_details(Map::new())
    }

    /// The verb that a custom resource does not know at this place.
    pub(crate) fn verb_not_supported(about: &About<'_>, verb: &str) -> Self {
        let message = format!(
            "{verb} is not supported on resources of kind \"{}\"",
            about.qualified()
        );
        let details = About {
            name: "",
            ..about.clone()
        };
        Self::new(405, "MethodNotAllowed", message).with_details(details.details())
    }

    pub(crate) fn not_acceptable(message: impl Into<String>) -> Self {
        Self::new(406, "NotAcceptable", message)
    }

    pub(crate) fn unsupported_media_type(accepted: &str) -> Self {
        Self::new(
            415,
            "UnsupportedMediaType",
            format!(
                "the body of the request was in an unknown format - accepted media types include: {accepted}"
            ),
        )
    }

    /// A revision that is no longer kept.
    pub(crate) fn expired(message: impl Into<String>) -> Self {
        Self::new(410, "Expired", message)
    }

    /// The `Status` object.
    pub(crate) fn status(&self) -> Value {
        let mut status = json!({
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": self.metadata,
            "status": "Failure",
            "message": self.message,
            "code": self.code,
        });
        if let Value::Object(map) = &mut status {
            if !self.reason.is_empty() {
                map.insert("reason".into(), self.reason.into());
            }
            if let Some(details) = &self.details {
                map.insert("details".into(), details.clone());
            }
            if let Some(seconds) = self.retry_after {
                let details = map.entry("details").or_insert_with(|| json!({}));
                if let Some(details) = details.as_object_mut() {
                    details.insert("retryAfterSeconds".into(), seconds.into());
                }
            }
        }
        status
    }
}
