//! Reading the file: objects, then one document of kind `Rehearsal`.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value};

use super::{Error, words};
use crate::api::API_VERSION;
use crate::journal::offset;

/// Kinds that a file may hold.
const KINDS: [&str; 5] = [
    "FleetMember",
    "UpdateStrategy",
    "UpdateRun",
    "MemberUpdate",
    "Gate",
];

/// A file, understood.
#[derive(Clone, Debug)]
pub struct Script {
    /// Name of the rehearsal.
    pub name: String,
    /// Instant of the beginning.
    pub start: Timestamp,
    /// Where it ends; else when nothing can happen any more.
    pub end: Option<SignedDuration>,
    /// What uids come from.
    pub seed: u64,
    /// Objects there from the beginning, with the number of their document.
    pub objects: Vec<(usize, Value)>,
    /// By offset, those of one offset in the order of the file.
    pub steps: Vec<Step>,
}

/// Something done at an offset.
#[derive(Clone, Debug)]
pub struct Step {
    /// Place in the file, from 1.
    pub number: usize,
    /// When.
    pub at: SignedDuration,
    /// What.
    pub act: Act,
}

/// What a step does.
#[derive(Clone, Debug)]
pub enum Act {
    /// A line of our own command line, and its words.
    Do(String, Vec<String>),
    /// An object made, or its spec replaced.
    Apply(Value),
    /// The controller killed, and started again at once.
    Kill,
}

/// Understands `text`; `seed` overrides that of the file.
pub fn read(text: &str, seed: Option<u64>) -> Result<Script, Error> {
    let documents: Vec<Value> = serde_saphyr::from_multiple(text).map_err(|error| {
        let text = error.to_string();
        let first = text.trim_start_matches("error: ").lines().next();
        let first = first.unwrap_or_default();
        Error(format!("the file is not YAML: {first}"))
    })?;
    let mut objects = Vec::new();
    let mut script = None;
    for (place, document) in documents.into_iter().enumerate() {
        let number = place.saturating_add(1);
        if document.is_null() {
            continue;
        }
        let fail = |what: &str| Err(Error(format!("document {number}: {what}")));
        if script.is_some() {
            return fail("comes after the Rehearsal, which is the last document of the file");
        }
        if document.get("apiVersion").and_then(Value::as_str) != Some(API_VERSION) {
            return fail(&format!("apiVersion: must be {API_VERSION}"));
        }
        match document.get("kind").and_then(Value::as_str) {
            Some("Rehearsal") => script = Some(Reader { number }.script(&document, seed)?),
            Some(kind) if KINDS.contains(&kind) => {
                name(&document).map_err(|what| Error(format!("document {number}: {what}")))?;
                objects.push((number, document));
            }
            Some(kind) => return fail(&format!("kind: {kind:?} is none of {}", KINDS.join(", "))),
            None => return fail("kind: is missing"),
        }
    }
    let Some(script) = script else {
        return Err(Error(
            "the file has no document of kind Rehearsal: add one as its last document".to_owned(),
        ));
    };
    Ok(Script { objects, ..script })
}

/// Name of an object; the message otherwise.
pub fn name(object: &Value) -> Result<&str, String> {
    match object.pointer("/metadata/name").and_then(Value::as_str) {
        Some(name) if !name.is_empty() => Ok(name),
        _ => Err("metadata.name: is missing".to_owned()),
    }
}

/// Reads the `Rehearsal`, naming the document and the field in every fault.
struct Reader {
    number: usize,
}

impl Reader {
    fn fail<T>(&self, field: &str, what: &str) -> Result<T, Error> {
        Err(Error(format!("document {}: {field}: {what}", self.number)))
    }

    fn script(&self, document: &Value, seed: Option<u64>) -> Result<Script, Error> {
        let Some(spec) = document.get("spec").and_then(Value::as_object) else {
            return self.fail("spec", "is missing");
        };
        self.only(spec, "spec", &["start", "end", "seed", "steps"])?;
        let start = self.start(spec)?;
        let end = match spec.get("end") {
            None => None,
            Some(value) => Some(self.offset("spec.end", value)?),
        };
        let given = match spec.get("seed") {
            None => 0,
            Some(value) => match value.as_u64() {
                Some(seed) => seed,
                None => return self.fail("spec.seed", "must be a whole number from 0"),
            },
        };
        let name = match name(document) {
            Ok(name) => name.to_owned(),
            Err(_) => return self.fail("metadata.name", "is missing"),
        };
        Ok(Script {
            name,
            start,
            end,
            seed: seed.unwrap_or(given),
            objects: Vec::new(),
            steps: self.steps(spec, end)?,
        })
    }

    fn start(&self, spec: &Map<String, Value>) -> Result<Timestamp, Error> {
        let Some(text) = spec.get("start").and_then(Value::as_str) else {
            return self.fail(
                "spec.start",
                "is missing: write for example \"2026-03-02T09:00:00Z\"",
            );
        };
        text.parse().or_else(|_| {
            let what =
                format!("{text:?} is not an instant: write for example \"2026-03-02T09:00:00Z\"");
            self.fail("spec.start", &what)
        })
    }

    fn steps(
        &self,
        spec: &Map<String, Value>,
        end: Option<SignedDuration>,
    ) -> Result<Vec<Step>, Error> {
        let list = match spec.get("steps") {
            None => return Ok(Vec::new()),
            Some(Value::Array(list)) => list,
            Some(_) => return self.fail("spec.steps", "must be a list"),
        };
        let mut steps = Vec::new();
        for (place, value) in list.iter().enumerate() {
            let step = self.step(place, value)?;
            if end.is_some_and(|end| step.at > end) {
                let field = format!("spec.steps[{place}].at");
                return self.fail(&field, "is after spec.end: the step would never be done");
            }
            steps.push(step);
        }
        steps.sort_by_key(|step| step.at);
        Ok(steps)
    }

    fn step(&self, place: usize, value: &Value) -> Result<Step, Error> {
        let field = format!("spec.steps[{place}]");
        let Some(step) = value.as_object() else {
            return self.fail(
                &field,
                "must be {at: OFFSET, do: LINE}, {at, apply} or {at, kill}",
            );
        };
        self.only(step, &field, &["at", "do", "apply", "kill"])?;
        let at = match step.get("at") {
            Some(value) => self.offset(&format!("{field}.at"), value)?,
            None => return self.fail(&format!("{field}.at"), "is missing"),
        };
        let acts = (step.get("do"), step.get("apply"), step.get("kill"));
        let act = match acts {
            (Some(line), None, None) => self.line(&format!("{field}.do"), line)?,
            (None, Some(object), None) => self.object(&format!("{field}.apply"), object)?,
            (None, None, Some(what)) if what.as_str() == Some("controller") => Act::Kill,
            (None, None, Some(_)) => {
                return self.fail(&format!("{field}.kill"), "only controller can be killed");
            }
            _ => return self.fail(&field, "needs exactly one of do, apply and kill"),
        };
        let number = place.saturating_add(1);
        Ok(Step { number, at, act })
    }

    fn line(&self, field: &str, line: &Value) -> Result<Act, Error> {
        let Some(line) = line.as_str() else {
            return self.fail(field, "must be a line of the command line, as text");
        };
        let Some(mut words) = words::split(line) else {
            return self.fail(field, "a quote is not closed");
        };
        if words.first().is_some_and(|word| word == "fleetdeck") {
            words.remove(0);
        }
        if words.is_empty() {
            return self.fail(field, "is empty");
        }
        Ok(Act::Do(line.to_owned(), words))
    }

    fn object(&self, field: &str, object: &Value) -> Result<Act, Error> {
        let kind = object.get("kind").and_then(Value::as_str).unwrap_or("");
        if !KINDS.contains(&kind) {
            return self.fail(
                &format!("{field}.kind"),
                &format!("must be one of {}", KINDS.join(", ")),
            );
        }
        if let Err(what) = name(object) {
            return Err(Error(format!("document {}: {field}.{what}", self.number)));
        }
        Ok(Act::Apply(object.clone()))
    }

    fn offset(&self, field: &str, value: &Value) -> Result<SignedDuration, Error> {
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        offset::read(&text).map_or_else(
            || {
                let what =
                    format!("{text:?} is not an offset: write for example 90s, 2h30m or 21d");
                self.fail(field, &what)
            },
            Ok,
        )
    }

    fn only(&self, map: &Map<String, Value>, field: &str, known: &[&str]) -> Result<(), Error> {
        match map.keys().find(|key| !known.contains(&key.as_str())) {
            None => Ok(()),
            Some(key) => self.fail(
                &format!("{field}.{key}"),
                &format!("is not known here: there are {}", known.join(", ")),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(spec: &str) -> String {
        let text = format!(
            "apiVersion: {API_VERSION}\nkind: Rehearsal\nmetadata: {{name: r}}\nspec: {spec}\n"
        );
        read(&text, None).unwrap_err().0
    }

    #[test]
    fn a_fault_names_the_document_and_the_field() {
        let cases = [
            ("{}", "document 1: spec.start: is missing"),
            (
                "{start: soon}",
                "document 1: spec.start: \"soon\" is not an instant",
            ),
            (
                "{start: \"2026-03-02T09:00:00Z\", ends: 1h}",
                "document 1: spec.ends: is not known here",
            ),
            (
                "{start: \"2026-03-02T09:00:00Z\", steps: [{at: 10, kill: controller}]}",
                "document 1: spec.steps[0].at: \"10\" is not an offset",
            ),
            (
                "{start: \"2026-03-02T09:00:00Z\", end: 1h, steps: [{at: 61m, kill: controller}]}",
                "document 1: spec.steps[0].at: is after spec.end",
            ),
            (
                "{start: \"2026-03-02T09:00:00Z\", steps: [{at: 1h}]}",
                "document 1: spec.steps[0]: needs exactly one of do, apply and kill",
            ),
            (
                "{start: \"2026-03-02T09:00:00Z\", steps: [{at: 1h, kill: hub}]}",
                "document 1: spec.steps[0].kill: only controller can be killed",
            ),
            (
                "{start: \"2026-03-02T09:00:00Z\", steps: [{at: 1h, do: \"run start 'x\"}]}",
                "document 1: spec.steps[0].do: a quote is not closed",
            ),
        ];
        for (spec, expected) in cases {
            let got = refused(spec);
            assert!(got.starts_with(expected), "{spec}: {got}");
        }
    }

    #[test]
    fn steps_are_ordered_by_offset_and_keep_the_order_of_the_file_within_one() {
        let text = format!(
            "apiVersion: {API_VERSION}\nkind: Rehearsal\nmetadata: {{name: r}}\nspec:\n  start: \"2026-03-02T09:00:00Z\"\n  steps:\n  - {{at: 1h, do: fleetdeck run start a}}\n  - {{at: 0s, do: run start b}}\n  - {{at: 1h, do: run start c}}\n"
        );
        let script = read(&text, Some(7)).unwrap();
        let order: Vec<_> = script.steps.iter().map(|s| s.number).collect();
        assert_eq!((order, script.seed), (vec![2, 1, 3], 7));
        assert!(
            matches!(&script.steps[1].act, Act::Do(_, words) if words == &["run", "start", "a"])
        );
    }
}
