//! OpenAPI v3: an index and one document a group and version.

use axum::response::Response;
use serde_json::{Map, Value, json};

use super::answer;
use crate::embedded::catalog::Catalog;
use crate::embedded::refusal::Refusal;

pub(super) fn index(catalog: &Catalog) -> Response {
    let _ = catalog;
    let paths: Map<String, Value> = Map::new();
    answer::text(200, json!({"paths": paths}).to_string())
}

pub(super) fn document(catalog: &Catalog, group: &str, version: &str) -> Result<Response, Refusal> {
    let _ = (catalog, group, version);
    Err(Refusal::no_such_path())
}
