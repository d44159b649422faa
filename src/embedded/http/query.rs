//! Query parameters.

use http::Uri;

use crate::embedded::catalog::Resource;
use crate::embedded::refusal::Cause;
use crate::embedded::refusal::Refusal;
use crate::embedded::registry::{DeleteOptions, ListOptions, Match, WatchOptions, WriteOptions};
use crate::embedded::selector::Selector;

/// The parameters of a request, in order.
pub(super) struct Query(Vec<(String, String)>);

impl Query {
    pub(super) fn of(uri: &Uri) -> Self {
        let parsed = axum::extract::Query::<Vec<(String, String)>>::try_from_uri(uri);
        Self(parsed.map(|query| query.0).unwrap_or_default())
    }

    pub(super) fn get<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        self.all(name).next()
    }

    fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0
            .iter()
            .filter(move |(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// True for `1` and `true`; anything unreadable counts as absent.
    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        match self.get(name)? {
            "1" | "t" | "T" | "true" | "True" | "TRUE" | "" => Some(true),
            "0" | "f" | "F" | "false" | "False" | "FALSE" => Some(false),
            _ => None,
        }
    }

    fn number(&self, name: &str) -> Result<i64, Refusal> {
        let text = self.get(name).unwrap_or_default();
        if text.is_empty() {
            return Ok(0);
        }
        text.parse().map_err(|_| {
            Refusal::bad_request(format!(
                "strconv.ParseInt: parsing {text:?}: invalid syntax"
            ))
        })
    }

    fn matching(&self) -> Result<Option<Match>, Refusal> {
        match self.get("resourceVersionMatch").unwrap_or_default() {
            "" => Ok(None),
            "Exact" => Ok(Some(Match::Exact)),
            "NotOlderThan" => Ok(Some(Match::NotOlderThan)),
            other => {
                let cause = Cause::new(
                    "FieldValueNotSupported",
                    "resourceVersionMatch",
                    format!(
                        "Unsupported value: {other:?}: supported values: \"Exact\", \"NotOlderThan\", \"\""
                    ),
                );
                Err(Refusal::invalid_options("ListOptions", &[cause]))
            }
        }
    }

    fn selector(&self, resource: &Resource) -> Result<Selector, Refusal> {
        Selector::parse(
            resource,
            self.get("labelSelector"),
            self.get("fieldSelector"),
        )
    }

    fn text(&self, name: &str) -> Option<String> {
        self.get(name)
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
    }

    pub(super) fn list(
        &self,
        resource: &Resource,
        namespace: Option<&str>,
    ) -> Result<ListOptions, Refusal> {
        let limit = self.number("limit")?;
        if self.get("sendInitialEvents").is_some() {
            let cause = Cause::new(
                "FieldValueForbidden",
                "sendInitialEvents",
                "Forbidden: sendInitialEvents is forbidden for list",
            );
            return Err(Refusal::invalid_options("ListOptions", &[cause]));
        }
        Ok(ListOptions {
            namespace: namespace.map(str::to_owned),
            selector: self.selector(resource)?,
            limit: usize::try_from(limit).unwrap_or(0),
            token: self.text("continue"),
            revision: self.text("resourceVersion"),
            matching: self.matching()?,
        })
    }

    pub(super) fn watch(
        &self,
        resource: &Resource,
        namespace: Option<&str>,
    ) -> Result<WatchOptions, Refusal> {
        Ok(WatchOptions {
            namespace: namespace.map(str::to_owned),
            selector: self.selector(resource)?,
            revision: self.text("resourceVersion"),
            matching: self.matching()?,
            initial_events: self.flag("sendInitialEvents"),
            bookmarks: self.flag("allowWatchBookmarks") == Some(true),
            has_token: self.text("continue").is_some(),
        })
    }

    /// Seconds after which a watch is to end; 0: never.
    pub(super) fn timeout(&self) -> Result<u64, Refusal> {
        Ok(u64::try_from(self.number("timeoutSeconds")?).unwrap_or(0))
    }

    pub(super) fn write(&self, kind: &str) -> Result<WriteOptions, Refusal> {
        WriteOptions::parse(
            kind,
            self.all("dryRun"),
            self.get("fieldValidation"),
            self.get("fieldManager"),
        )
    }

    pub(super) fn delete(&self) -> Result<DeleteOptions, Refusal> {
        let dry_run: Vec<&str> = self.all("dryRun").filter(|v| !v.is_empty()).collect();
        let propagation = self.get("propagationPolicy").filter(|v| !v.is_empty());
        DeleteOptions::parse(&dry_run, propagation, self.flag("orphanDependents"))
    }
}
