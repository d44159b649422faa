//! Tables: one row an object, cells by the kind's columns.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::columns::{Cells, cells_of};
use super::list::metadata;
use super::metadata::metadata_of;
use crate::embedded::catalog::Resource;
use crate::embedded::refusal::{Cause, Refusal};

/// What a row carries of its object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Include {
    #[default]
    Metadata,
    Object,
    None,
}

impl Include {
    pub(crate) fn parse(text: Option<&str>) -> Result<Self, Refusal> {
        match text.unwrap_or_default() {
            "" | "Metadata" => Ok(Self::Metadata),
            "Object" => Ok(Self::Object),
            "None" => Ok(Self::None),
            other => {
                let cause = Cause::invalid(
                    "includeObject",
                    Value::from(other),
                    "must be 'Metadata', 'Object', 'None', or empty",
                );
                Err(Refusal::bad_request(format!(
                    "Unable to convert to Table as requested: {}: {}",
                    cause.field, cause.message
                )))
            }
        }
    }
}

/// A table in the making.
pub(crate) struct Table {
    cells: Cells,
    version: &'static str,
    include: Include,
    now: Timestamp,
    rows: Vec<Value>,
}

impl Table {
    pub(crate) fn new(
        resource: &Resource,
        version: &'static str,
        include: Include,
        now: Timestamp,
    ) -> Self {
        Self {
            cells: cells_of(resource),
            version,
            include,
            now,
            rows: Vec::new(),
        }
    }

    /// Adds the row of a whole object.
    pub(crate) fn add(&mut self, object: &Value) {
        let shown = match self.include {
            Include::Metadata => metadata_of(object),
            Include::Object => object.clone(),
            Include::None => Value::Null,
        };
        let cells = self.cells.row(object, self.now);
        self.rows.push(json!({"cells": cells, "object": shown}));
    }

    pub(crate) fn value(
        self,
        revision: &str,
        next: Option<&str>,
        remaining: Option<usize>,
    ) -> Value {
        json!({
            "kind": "Table",
            "apiVersion": format!("meta.k8s.io/{}", self.version),
            "metadata": metadata(revision, next, remaining),
            "columnDefinitions": self.cells.definitions(),
            "rows": self.rows,
        })
    }

    /// The table as text.
    pub(crate) fn finish(
        self,
        revision: &str,
        next: Option<&str>,
        remaining: Option<usize>,
    ) -> Vec<u8> {
        self.value(revision, next, remaining)
            .to_string()
            .into_bytes()
    }
}
