//! What a writing request asks for beside its body.

use crate::embedded::refusal::{Cause, Refusal};

/// What is done about fields that the schema does not know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FieldValidation {
    Ignore,
    #[default]
    Warn,
    Strict,
}

/// Options of create, update and patch.
#[derive(Clone, Debug, Default)]
pub(crate) struct WriteOptions {
    pub dry_run: bool,
    pub fields: FieldValidation,
    /// Duplicate keys that the body had.
    pub duplicates: Vec<String>,
    /// Written by this program itself: a definition's rules are compiled when they are used.
    pub trusted: bool,
}

impl WriteOptions {
    /// Reads the options that a query gives; `kind` is `CreateOptions`, `UpdateOptions` or
    /// `PatchOptions`.
    pub(crate) fn parse<'a>(
        kind: &str,
        dry_run: impl Iterator<Item = &'a str>,
        field_validation: Option<&str>,
        field_manager: Option<&str>,
    ) -> Result<Self, Refusal> {
        let mut options = Self::default();
        let mut causes = Vec::new();
        let asked: Vec<&str> = dry_run.filter(|value| !value.is_empty()).collect();
        if asked.iter().any(|value| *value != "All") {
            causes.push(Cause::new(
                "FieldValueNotSupported",
                "dryRun",
                format!(
                    "Unsupported value: {}: supported values: \"All\"",
                    serde_json::json!(asked)
                ),
            ));
        }
        options.dry_run = !asked.is_empty();
        options.fields = match field_validation.unwrap_or_default() {
            "" | "Warn" => FieldValidation::Warn,
            "Ignore" => FieldValidation::Ignore,
            "Strict" => FieldValidation::Strict,
            other => {
                causes.push(Cause::new(
                    "FieldValueNotSupported",
                    "fieldValidation",
                    format!("Unsupported value: {other:?}: supported values: \"\", \"Ignore\", \"Strict\", \"Warn\""),
                ));
                FieldValidation::Warn
            }
        };
        if field_manager.is_some_and(|manager| manager.len() > 128) {
            causes.push(Cause::new(
                "FieldValueTooLong",
                "fieldManager",
                "Too long: may not be more than 128 bytes",
            ));
        }
        if causes.is_empty() {
            Ok(options)
        } else {
            Err(Refusal::invalid_options(kind, &causes))
        }
    }

    /// The texts about unknown and duplicate fields: duplicates first.
    pub(crate) fn strict_errors(&self, unknown: &[String]) -> Vec<String> {
        if self.fields == FieldValidation::Ignore {
            return Vec::new();
        }
        let duplicates = self
            .duplicates
            .iter()
            .map(|f| format!("duplicate field \"{f}\""));
        let unknown = unknown.iter().map(|f| format!("unknown field \"{f}\""));
        duplicates.chain(unknown).collect()
    }
}

/// What becomes of dependants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Propagation {
    Background,
    Foreground,
    Orphan,
}

/// Options of a deletion.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeleteOptions {
    pub dry_run: bool,
    pub propagation: Option<Propagation>,
    pub uid: Option<String>,
    pub resource_version: Option<String>,
}

impl DeleteOptions {
    /// Checks the texts of a query or a body.
    pub(crate) fn parse(
        dry_run: &[&str],
        propagation: Option<&str>,
        orphan_dependents: Option<bool>,
    ) -> Result<Self, Refusal> {
        let mut causes = Vec::new();
        if dry_run.iter().any(|value| *value != "All") {
            causes.push(Cause::new(
                "FieldValueNotSupported",
                "dryRun",
                format!(
                    "Unsupported value: {}: supported values: \"All\"",
                    serde_json::json!(dry_run)
                ),
            ));
        }
        let propagation = match propagation {
            None => match orphan_dependents {
                Some(true) => Some(Propagation::Orphan),
                Some(false) => Some(Propagation::Background),
                None => None,
            },
            Some("Background") => Some(Propagation::Background),
            Some("Foreground") => Some(Propagation::Foreground),
            Some("Orphan") => Some(Propagation::Orphan),
            Some(other) => {
                causes.push(Cause::new(
                    "FieldValueNotSupported",
                    "propagationPolicy",
                    format!("Unsupported value: {other:?}: supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\""),
                ));
                None
            }
        };
        if !causes.is_empty() {
            return Err(Refusal::invalid_options("DeleteOptions", &causes));
        }
        Ok(Self {
            dry_run: !dry_run.is_empty(),
            propagation,
            uid: None,
            resource_version: None,
        })
    }
}
