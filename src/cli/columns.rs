//! Lists of objects: the definition's own columns, so that `kubectl get` shows the same.

use jiff::Timestamp;
use kube::api::{DynamicObject, ListParams};
use kube::{Api, ResourceExt};
use serde_json::Value;

use super::args::Format;
use super::context::Context;
use super::error::Error;
use super::kinds::Kind;
use super::output::{Cell, Table, Tint};
use super::time;
use crate::api::State;
use crate::hub::verbs::{Error as HubError, Object};

/// All objects of a kind, with these labels if any are given, by name.
pub async fn list(
    ctx: &mut Context,
    kind: Kind,
    selector: Option<&str>,
) -> Result<Vec<DynamicObject>, Error> {
    let mut params = ListParams::default();
    if let Some(selector) = selector {
        params = params.labels(selector);
    }
    let api: Api<DynamicObject> = kind.api(&ctx.client);
    let listed = api.list(&params).await;
    let mut items = listed
        .map_err(|e| HubError::from_kube(e, Object::new(kind.name(), "")))?
        .items;
    items.sort_by_key(ResourceExt::name_any);
    Ok(items)
}

/// Prints objects in the form that was asked for.
pub fn print(
    ctx: &mut Context,
    kind: Kind,
    objects: &[DynamicObject],
    format: Format,
    single: bool,
) -> Result<(), Error> {
    let values: Vec<Value> = objects.iter().map(|o| value(kind, o)).collect();
    if ctx.out.objects(&values, format, single)? {
        return Ok(());
    }
    if values.is_empty() {
        return ctx.out.line(&format!("There is no {}.", kind.name()));
    }
    let table = table(kind, &values, format == Format::Wide, ctx.clock.now());
    ctx.out.table(&table)
}

/// An object as JSON, `kind` and `apiVersion` in it (list items come without).
pub fn value(kind: Kind, object: &DynamicObject) -> Value {
    typed(kind, object)
}

/// The same for an object of a type of ours.
pub fn typed(kind: Kind, object: &impl serde::Serialize) -> Value {
    let mut value = serde_json::to_value(object).unwrap_or_default();
    if let Some(fields) = value.as_object_mut() {
        fields.insert("apiVersion".to_owned(), crate::api::API_VERSION.into());
        fields.insert("kind".to_owned(), kind.name().into());
        if let Some(meta) = fields.get_mut("metadata").and_then(Value::as_object_mut) {
            // Bookkeeping of the server that nobody reads.
            meta.remove("managedFields");
        }
    }
    value
}

fn table(kind: Kind, values: &[Value], wide: bool, now: Timestamp) -> Table {
    let mut columns = kind.columns();
    columns.retain(|c| wide || !c.wide);
    let titles: Vec<String> = std::iter::once("NAME".to_owned())
        .chain(columns.iter().map(|c| c.title.clone()))
        .collect();
    let mut table = Table::with_titles(titles);
    for object in values {
        let name = object.pointer("/metadata/name").and_then(Value::as_str);
        let cells = columns.iter().map(|column| match column.of(object) {
            None => Cell::default(),
            Some(value) if column.date => age(value, now),
            Some(value) if column.title == "STATE" => state(kind, object, value),
            Some(value) => Cell::new(plain(value)),
        });
        table.row(std::iter::once(Cell::new(name.unwrap_or_default())).chain(cells));
    }
    table
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn age(value: &Value, now: Timestamp) -> Cell {
    let since: Option<Timestamp> = value.as_str().and_then(|t| t.parse().ok());
    since.map_or_else(Cell::default, |since| Cell::new(time::age(since, now)))
}

/// A state in its colour. That a run completed although members failed is a verdict of its own.
fn state(kind: Kind, object: &Value, value: &Value) -> Cell {
    let text = plain(value);
    let known = serde_json::from_value::<State>(value.clone()).ok();
    let failures = object
        .pointer("/status/failureCount")
        .and_then(Value::as_i64);
    if kind == Kind::Run && known == Some(State::Completed) && failures.unwrap_or(0) > 0 {
        return Cell::tinted("Completed with failures", Tint::Bad);
    }
    Cell::tinted(text, known.map_or(Tint::Plain, Tint::of_state))
}
