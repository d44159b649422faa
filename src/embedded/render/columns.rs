//! Columns of each kind and what stands in them.

use jiff::Timestamp;
use jsonpath_rust::JsonPath;
use serde_json::{Value, json};

use super::age::age;
use crate::embedded::catalog::{Builtin, Column, Resource};
use crate::embedded::fields;

/// The columns of one kind.
pub(super) struct Cells {
    columns: Vec<Column>,
    builtin: Option<Builtin>,
    /// The columns' paths, ready for use.
    paths: Vec<Path>,
}

enum Path {
    /// Names alone: the usual case.
    Names(Vec<String>),
    /// Anything else.
    Query(String),
}

const NAME: &str = "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";
const CREATED: &str = "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

fn column(name: &str, kind: &str, format: &str, priority: i64, description: &str) -> Column {
    Column {
        name: name.into(),
        kind: kind.into(),
        format: format.into(),
        description: description.into(),
        priority,
        path: String::new(),
    }
}

pub(super) fn cells_of(resource: &Resource) -> Cells {
    let mut columns = vec![column("Name", "string", "name", 0, NAME)];
    let builtin = resource.builtin();
    match builtin {
        None if resource.columns.is_empty() => {
            let mut age = column("Age", "date", "", 0, CREATED);
            age.path = ".metadata.creationTimestamp".into();
            columns.push(age);
        }
        None => columns.extend(resource.columns.iter().cloned()),
        Some(builtin) => columns = builtin_columns(builtin, columns),
    }
    let paths = columns
        .iter()
        .skip(1)
        .map(|column| path(&column.path))
        .collect();
    Cells {
        columns,
        builtin,
        paths,
    }
}

fn builtin_columns(builtin: Builtin, mut columns: Vec<Column>) -> Vec<Column> {
    let plain = |name, kind, priority| column(name, kind, "", priority, "");
    match builtin {
        Builtin::Namespace => columns.extend([
            plain("Status", "string", 0),
            column("Age", "string", "", 0, CREATED),
        ]),
        Builtin::ConfigMap => columns.extend([
            plain("Data", "string", 0),
            column("Age", "string", "", 0, CREATED),
        ]),
        Builtin::Secret => columns.extend([
            plain("Type", "string", 0),
            plain("Data", "string", 0),
            column("Age", "string", "", 0, CREATED),
        ]),
        Builtin::Lease => columns.extend([
            plain("Holder", "string", 0),
            column("Age", "string", "", 0, CREATED),
        ]),
        Builtin::Definition => columns.push(column("Created At", "date", "", 0, CREATED)),
        Builtin::Event | Builtin::NewEvent => {
            let name = columns
                .first()
                .cloned()
                .map(|c| Column { priority: 1, ..c });
            columns = vec![
                plain("Last Seen", "string", 0),
                plain("Type", "string", 0),
                plain("Reason", "string", 0),
                plain("Object", "string", 0),
                plain("Subobject", "string", 1),
                plain("Source", "string", 1),
                plain("Message", "string", 0),
                plain("First Seen", "string", 1),
                plain("Count", "string", 1),
            ];
            columns.extend(name);
        }
    }
    columns
}

fn path(text: &str) -> Path {
    let names = text.strip_prefix('.').unwrap_or(text);
    let simple = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if names.chars().all(simple) && !names.contains("..") {
        Path::Names(names.split('.').map(str::to_owned).collect())
    } else {
        Path::Query(format!("${text}"))
    }
}

impl Cells {
    pub(super) fn definitions(&self) -> Vec<Value> {
        self.columns
            .iter()
            .map(|c| {
                json!({
                    "name": c.name,
                    "type": c.kind,
                    "format": c.format,
                    "description": c.description,
                    "priority": c.priority,
                })
            })
            .collect()
    }

    /// The cells of one whole object.
    pub(super) fn row(&self, object: &Value, now: Timestamp) -> Vec<Value> {
        let name = Value::from(fields::text(object, &["metadata", "name"]));
        let created = since(
            fields::text(object, &["metadata", "creationTimestamp"]),
            now,
        );
        let text = |path: &[&str]| Value::from(fields::text(object, path));
        let size = |name: &str| {
            let count = object
                .get(name)
                .and_then(Value::as_object)
                .map_or(0, |map| map.len());
            i64::try_from(count).unwrap_or(i64::MAX)
        };
        match self.builtin {
            Some(Builtin::Namespace) => vec![name, text(&["status", "phase"]), created],
            Some(Builtin::ConfigMap) => {
                vec![name, (size("data") + size("binaryData")).into(), created]
            }
            Some(Builtin::Secret) => vec![name, text(&["type"]), size("data").into(), created],
            Some(Builtin::Lease) => vec![name, text(&["spec", "holderIdentity"]), created],
            Some(Builtin::Definition) => {
                vec![name, text(&["metadata", "creationTimestamp"])]
            }
            Some(Builtin::Event | Builtin::NewEvent) => event(object, name, now),
            None => {
                let mut cells = vec![name];
                for (column, path) in self.columns.iter().skip(1).zip(&self.paths) {
                    cells.push(cell(column, path.find(object), now));
                }
                cells
            }
        }
    }
}

impl Path {
    /// The first value that the path leads to.
    fn find(&self, object: &Value) -> Option<Value> {
        match self {
            Path::Names(names) => names
                .iter()
                .try_fold(object, |value, name| value.get(name))
                .cloned(),
            Path::Query(query) => object
                .query(query)
                .ok()
                .and_then(|found| found.first().map(|value| (*value).clone())),
        }
    }
}

fn cell(column: &Column, value: Option<Value>, now: Timestamp) -> Value {
    let Some(value) = value else {
        return Value::Null;
    };
    match (column.kind.as_str(), value) {
        ("date", Value::String(text)) => since(&text, now),
        ("string", Value::String(text)) => text.into(),
        ("string", Value::Null) => Value::Null,
        ("string", other) => other.to_string().into(),
        ("integer", value) if value.is_i64() => value,
        ("number", value) if value.is_number() => value,
        ("boolean", value) if value.is_boolean() => value,
        _ => Value::Null,
    }
}

fn since(instant: &str, now: Timestamp) -> Value {
    match instant.parse() {
        Ok(instant) => age(instant, now).into(),
        Err(_) if instant.is_empty() => "<unknown>".into(),
        Err(_) => "<invalid>".into(),
    }
}

/// Cells of an event in either form.
fn event(object: &Value, name: Value, now: Timestamp) -> Vec<Value> {
    let either = |one: &[&str], other: &[&str]| {
        let found = fields::text(object, one);
        let found = if found.is_empty() {
            fields::text(object, other)
        } else {
            found
        };
        found.to_owned()
    };
    let about = |field: &str| either(&["involvedObject", field], &["regarding", field]);
    let event_time = fields::text(object, &["eventTime"]).to_owned();
    let or = |text: String, other: &str| {
        if text.is_empty() {
            other.to_owned()
        } else {
            text
        }
    };
    let first = or(
        either(&["firstTimestamp"], &["deprecatedFirstTimestamp"]),
        &event_time,
    );
    let mut last = either(&["series", "lastObservedTime"], &["lastTimestamp"]);
    if last.is_empty() {
        last = or(either(&["deprecatedLastTimestamp"], &[]), &first);
    }
    let count = ["/series/count", "/count", "/deprecatedCount"]
        .iter()
        .find_map(|path| object.pointer(path).and_then(Value::as_i64))
        .unwrap_or(1);
    let component = or(
        either(&["reportingComponent"], &["reportingController"]),
        &either(&["source", "component"], &["deprecatedSource", "component"]),
    );
    let instance = or(
        fields::text(object, &["reportingInstance"]).to_owned(),
        &either(&["source", "host"], &["deprecatedSource", "host"]),
    );
    let source = if instance.is_empty() {
        component
    } else {
        format!("{component}, {instance}")
    };
    vec![
        since(&last, now),
        fields::text(object, &["type"]).into(),
        fields::text(object, &["reason"]).into(),
        format!("{}/{}", about("kind").to_lowercase(), about("name")).into(),
        about("fieldPath").into(),
        source.into(),
        either(&["message"], &["note"]).trim().into(),
        since(&first, now),
        count.into(),
        name,
    ]
}
