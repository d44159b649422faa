//! `apply`: creates objects from a file, or brings those there to what the file says.

use kube::Api;
use kube::api::{DynamicObject, PostParams};
use serde_json::{Map, Value};

use super::args::{ApplyArgs, Format};
use super::columns;
use super::context::Context;
use super::documents::{self, Document};
use super::error::Error;
use super::exit::Exit;
use super::kinds::Kind;
use crate::hub::verbs::{Error as HubError, Object};

/// How often an object is read and merged again after a conflict.
const ATTEMPTS: u32 = 8;

/// What became of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// There was none.
    Created,
    /// It was another.
    Configured,
    /// It was like this already.
    Unchanged,
}

impl Applied {
    /// As kubectl says it.
    pub fn word(self) -> &'static str {
        match self {
            Applied::Created => "created",
            Applied::Configured => "configured",
            Applied::Unchanged => "unchanged",
        }
    }
}

/// `apply -f FILE`: all files are read and checked before the first write.
pub async fn apply(args: &ApplyArgs, ctx: &mut Context) -> Result<Exit, Error> {
    ctx.may_write().map_err(|e| e.tried("apply"))?;
    let mut documents = Vec::new();
    for path in &args.file {
        let tried = format!("apply {path}");
        let text = documents::read_file(path).map_err(|e| e.tried(tried.as_str()))?;
        let parsed = documents::parse(path, &text).map_err(|e| e.tried(tried.as_str()))?;
        documents.extend(parsed);
    }
    let mut written = Vec::new();
    for document in &documents {
        let tried = format!(
            "apply {}, {}/{}",
            document.place,
            document.kind.name(),
            document.name
        );
        let (object, what) = write(ctx, document).await.map_err(|e| e.tried(tried))?;
        if matches!(args.print.output, Format::Table | Format::Wide) {
            let line = format!("{} {} {}", document.kind.name(), document.name, what.word());
            ctx.out.line(&line)?;
        }
        written.push(columns::value(document.kind, &object));
    }
    let single = written.len() == 1;
    ctx.out.objects(&written, args.print.output, single)?;
    Ok(Exit::Done)
}

/// Creates the object, or merges the document into the one that is there.
pub async fn write(
    ctx: &mut Context,
    document: &Document,
) -> Result<(DynamicObject, Applied), Error> {
    let api: Api<DynamicObject> = document.kind.api(&ctx.client);
    let what = Object::new(document.kind.name(), document.name.as_str());
    let params = PostParams {
        field_manager: Some("fleetdeck".to_owned()),
        ..PostParams::default()
    };
    let mut tries = 0;
    loop {
        let there = api.get_opt(&document.name).await;
        let there = there.map_err(|e| HubError::from_kube(e, what.clone()))?;
        let answer = match &there {
            None => api
                .create(&params, &document.object)
                .await
                .map(|o| (o, Applied::Created)),
            Some(there) => {
                let merged = merge(document.kind, there, &document.object);
                if merged == *there {
                    return Ok((merged, Applied::Unchanged));
                }
                api.replace(&document.name, &params, &merged)
                    .await
                    .map(|o| (o, Applied::Configured))
            }
        };
        match answer {
            Ok(done) => return Ok(done),
            Err(error) => match HubError::from_kube(error, what.clone()) {
                HubError::Contended(_) | HubError::Exists(_) if tries < ATTEMPTS => tries += 1,
                other => return Err(other.into()),
            },
        }
    }
}

/// The object as it should be: the file's spec, its labels and annotations beside those there.
fn merge(kind: Kind, there: &DynamicObject, wanted: &DynamicObject) -> DynamicObject {
    let mut merged = there.clone();
    for (ours, theirs) in [
        (&mut merged.metadata.labels, &wanted.metadata.labels),
        (
            &mut merged.metadata.annotations,
            &wanted.metadata.annotations,
        ),
    ] {
        if let Some(theirs) = theirs {
            let ours = ours.get_or_insert_default();
            ours.extend(theirs.iter().map(|(k, v)| (k.clone(), v.clone())));
        }
    }
    let mut spec = wanted.data.get("spec").cloned().unwrap_or_default();
    if let (Some(spec), Some(before)) = (spec.as_object_mut(), there.data.get("spec")) {
        keep(kind, spec, before);
    }
    if let Some(fields) = merged.data.as_object_mut() {
        fields.insert("spec".to_owned(), spec);
    }
    merged
}

/// What verbs write stays as it is where the file says nothing of it: a file that describes a run
/// does not take back its start. Values that the hub filled in count as said by nobody, too.
fn keep(kind: Kind, spec: &mut Map<String, Value>, before: &Value) {
    let kept: &[&str] = match kind {
        Kind::Run => &["state", "attempt", "skips"],
        Kind::Gate => &["state", "completedBy", "comment"],
        Kind::Member | Kind::Strategy | Kind::Update => &[],
    };
    for name in kept {
        if let (None, Some(value)) = (spec.get(*name), before.get(*name)) {
            spec.insert((*name).to_owned(), value.clone());
        }
    }
    defaults(
        spec,
        &kind
            .schema()
            .pointer("/properties/spec")
            .cloned()
            .unwrap_or_default(),
    );
}

/// Fills in the schema's defaults, so that an unchanged file is seen to be unchanged.
fn defaults(spec: &mut Map<String, Value>, schema: &Value) {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, schema) in properties.into_iter().flatten() {
        if let Some(default) = schema.get("default")
            && !spec.contains_key(name)
        {
            spec.insert(name.clone(), default.clone());
        }
        match spec.get_mut(name) {
            Some(Value::Object(fields)) => defaults(fields, schema),
            Some(Value::Array(items)) => {
                let of_item = schema.get("items").unwrap_or(&Value::Null);
                for item in items.iter_mut().filter_map(Value::as_object_mut) {
                    defaults(item, of_item);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(value: Value) -> DynamicObject {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_file_does_not_take_back_the_start_of_a_run() {
        let there = object(json!({"metadata": {"name": "w", "labels": {"a": "1"}},
            "spec": {"upgrade": {"type": "NodeImageOnly"}, "state": "Run", "attempt": 2},
            "status": {"state": "Running"}}));
        let wanted = object(json!({"metadata": {"name": "w", "labels": {"b": "2"}},
            "spec": {"upgrade": {"type": "NodeImageOnly"}}}));
        let merged = merge(Kind::Run, &there, &wanted);
        assert_eq!(merged.data["spec"], there.data["spec"]);
        assert_eq!(merged.data["status"], there.data["status"]);
        assert_eq!(merged.metadata.labels.map(|l| l.len()), Some(2));
    }

    #[test]
    fn defaults_are_no_difference() {
        let simulated = json!({"kubernetesVersion": "1.33.4", "upgradeDuration": "10m",
            "outcome": "Succeed", "failures": 0, "powerState": "Running", "busy": false,
            "reachable": true});
        let there = object(json!({"metadata": {"name": "m"},
            "spec": {"provider": {"simulated": simulated}}}));
        let wanted = object(json!({"metadata": {"name": "m"},
            "spec": {"provider": {"simulated": {"kubernetesVersion": "1.33.4"}}}}));
        assert_eq!(merge(Kind::Member, &there, &wanted), there);
    }
}
