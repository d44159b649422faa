//! What names, labels, annotations, finalizers and owners may look like, with the API's texts.

use serde_json::Value;

use crate::embedded::fields;
use crate::embedded::refusal::Cause;

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const NAME_PART: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const QUALIFIED: &str = "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
/// Sum of all keys and values of the annotations.
const ANNOTATIONS_MAX: usize = 256 << 10;

fn is_dns_label(text: &str) -> bool {
    let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    let bytes = text.as_bytes();
    let edge = |b: Option<&u8>| b.is_some_and(|b| *b != b'-');
    bytes.iter().all(|b| inner(*b)) && edge(bytes.first()) && edge(bytes.last())
}

/// Errors of a DNS subdomain name.
pub(crate) fn subdomain(name: &str) -> Vec<&'static str> {
    let mut errors = Vec::new();
    if name.len() > 253 {
        errors.push("must be no more than 253 characters");
    }
    if !name.split('.').all(is_dns_label) {
        errors.push(SUBDOMAIN);
    }
    errors
}

/// Errors of a DNS label, as names of namespaces are.
pub(crate) fn dns_label(name: &str) -> Vec<&'static str> {
    let mut errors = Vec::new();
    if name.contains('.') {
        errors.push("must not contain dots");
    }
    if name.len() > 63 {
        errors.push("must be no more than 63 characters");
    }
    if !is_dns_label(name) {
        errors.push(LABEL);
    }
    errors
}

fn is_word(text: &str) -> bool {
    let edge = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    bytes
        .iter()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
        && edge(bytes.first())
        && edge(bytes.last())
}

/// Errors of a label key, annotation key or finalizer.
pub(crate) fn qualified(key: &str) -> Vec<String> {
    let mut errors = Vec::new();
    let parts: Vec<&str> = key.split('/').collect();
    let name = match parts.as_slice() {
        [name] => *name,
        [prefix, name] => {
            if prefix.is_empty() {
                errors.push("prefix part must be non-empty".to_owned());
            } else {
                let prefix = prefix.to_ascii_lowercase();
                errors.extend(
                    subdomain(&prefix)
                        .into_iter()
                        .map(|e| format!("prefix part {e}")),
                );
            }
            *name
        }
        _ => return vec![QUALIFIED.to_owned()],
    };
    if name.is_empty() {
        errors.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        errors.push("name part must be no more than 63 bytes".to_owned());
    }
    if !is_word(name) {
        errors.push(NAME_PART.to_owned());
    }
    errors
}

/// Errors of a label value.
pub(crate) fn label_value(value: &str) -> Vec<&'static str> {
    let mut errors = Vec::new();
    if value.len() > 63 {
        errors.push("must be no more than 63 bytes");
    }
    if !value.is_empty() && !is_word(value) {
        errors.push(LABEL_VALUE);
    }
    errors
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Checks the name of an object.
pub(crate) fn check_name(object: &Value, label: bool, causes: &mut Vec<Cause>) {
    let name = fields::text(object, &["metadata", "name"]);
    let generate = fields::text(object, &["metadata", "generateName"]);
    let errors = |name: &str| {
        if label {
            dns_label(name)
        } else {
            subdomain(name)
        }
    };
    if !generate.is_empty() {
        // A base that ends in a dash becomes a good name with its suffix.
        for error in errors(generate.trim_end_matches('-')) {
            causes.push(Cause::invalid(
                "metadata.generateName",
                quoted(generate),
                error,
            ));
        }
    }
    if name.is_empty() {
        causes.push(Cause::required(
            "metadata.name",
            "name or generateName is required",
        ));
        return;
    }
    for error in errors(name) {
        causes.push(Cause::invalid("metadata.name", quoted(name), error));
    }
}

/// Checks labels, annotations, finalizers and owners.
pub(crate) fn check_metadata(object: &Value, causes: &mut Vec<Cause>, warnings: &mut Vec<String>) {
    for (key, value) in fields::texts(object, &["metadata", "labels"]) {
        for error in qualified(key) {
            causes.push(Cause::invalid("metadata.labels", quoted(key), error));
        }
        for error in label_value(value) {
            causes.push(Cause::invalid("metadata.labels", quoted(value), error));
        }
    }
    let mut size = 0;
    for (key, value) in fields::texts(object, &["metadata", "annotations"]) {
        size += key.len() + value.len();
        for error in qualified(&key.to_ascii_lowercase()) {
            causes.push(Cause::invalid("metadata.annotations", quoted(key), error));
        }
    }
    if size > ANNOTATIONS_MAX {
        causes.push(Cause::new(
            "FieldValueTooLong",
            "metadata.annotations",
            format!("Too long: may not be more than {ANNOTATIONS_MAX} bytes"),
        ));
    }
    check_owners(object, causes);
    let mut both = (false, false);
    for finalizer in super::meta::finalizers(object) {
        let errors = qualified(finalizer);
        match finalizer {
            "orphan" => both.0 = true,
            "foregroundDeletion" => both.1 = true,
            "kubernetes" => {}
            other if errors.is_empty() && !other.contains('/') && !other.contains('.') => {
                warnings.push(format!("metadata.finalizers: {}: prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers", quoted(other)));
            }
            _ => {}
        }
        for error in errors {
            causes.push(Cause::invalid(
                "metadata.finalizers",
                quoted(finalizer),
                error,
            ));
        }
    }
    if both == (true, true) {
        let printed = fields::at(object, &["metadata", "finalizers"])
            .cloned()
            .unwrap_or_default();
        causes.push(Cause::invalid(
            "metadata.finalizers",
            printed,
            "finalizer orphan and foregroundDeletion cannot be both set",
        ));
    }
}

fn check_owners(object: &Value, causes: &mut Vec<Cause>) {
    let mut controller: Option<String> = None;
    for owner in fields::list(object, &["metadata", "ownerReferences"]) {
        let text = |name| fields::text(owner, &[name]);
        for (name, why) in [
            ("apiVersion", "version must not be empty"),
            ("kind", "must not be empty"),
            ("name", "must not be empty"),
            ("uid", "must not be empty"),
        ] {
            if text(name).is_empty() {
                let field = format!("metadata.ownerReferences.{name}");
                causes.push(Cause::invalid(field, "\"\"", why));
            }
        }
        if text("kind") == "Event" && matches!(text("apiVersion"), "v1" | "events.k8s.io/v1") {
            let group = if text("apiVersion") == "v1" {
                ""
            } else {
                "events.k8s.io"
            };
            causes.push(Cause::invalid(
                "metadata.ownerReferences",
                owner,
                format!("{group}/v1, Kind=Event is disallowed from being an owner"),
            ));
        }
        if owner.get("controller") == Some(&Value::Bool(true)) {
            let this = format!("{}/{}", text("kind"), text("name"));
            match &controller {
                None => controller = Some(this),
                Some(first) => causes.push(Cause::invalid(
                    "metadata.ownerReferences",
                    fields::at(object, &["metadata", "ownerReferences"]).cloned().unwrap_or_default(),
                    format!("Only one reference can have Controller set to true. Found \"true\" in references for {first} and {this}"),
                )),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_keys() {
        assert!(subdomain("a.b-1").is_empty());
        assert!(subdomain(&"a".repeat(253)).is_empty());
        assert_eq!(subdomain("Upper"), [SUBDOMAIN]);
        assert_eq!(subdomain(""), [SUBDOMAIN]);
        assert_eq!(dns_label("a.b"), ["must not contain dots", LABEL]);
        assert!(qualified("example.com/Name_1").is_empty());
        assert_eq!(qualified("a b"), [NAME_PART]);
        assert_eq!(qualified("a/b/c"), [QUALIFIED]);
        assert_eq!(label_value("-x"), [LABEL_VALUE]);
        assert!(label_value("").is_empty());
    }
}
