//! `strategy import`: the stages file of the Azure CLI, as it is, becomes an `UpdateStrategy`.

use kube::api::DynamicObject;
use serde_json::{Value, json};

use super::apply;
use super::args::{Format, ImportArgs};
use super::columns;
use super::context::Context;
use super::documents::{self, Document};
use super::error::{Error, Fault};
use super::exit::Exit;
use super::kinds::Kind;
use super::schema;
use crate::api::{self, Stage, UpdateStrategySpec};
use crate::engine::refusal::code;
use crate::engine::validate;
use crate::hub::verbs::Refused;

/// `strategy import FILE --name N`: all that is wrong at once, or the whole strategy.
pub async fn import(args: &ImportArgs, ctx: &mut Context) -> Result<Exit, Error> {
    let name = args.name.as_str();
    let tried = format!("import {} as strategy {name}", args.file);
    ctx.may_write().map_err(|e| e.tried(tried.as_str()))?;
    let document = document(args).map_err(|e| e.tried(tried.as_str()))?;
    let written = apply::write(ctx, &document).await;
    let (object, what) = written.map_err(|e| e.tried(tried.as_str()))?;
    let value = columns::value(Kind::Strategy, &object);
    if ctx.out.objects(&[value], args.print.output, true)? {
        return Ok(Exit::Done);
    }
    let said = match what {
        apply::Applied::Created => format!("Strategy {name} was made from {}.", args.file),
        apply::Applied::Configured => format!(
            "Strategy {name} was there and has the stages of {} now; runs that were made keep their copy.",
            args.file
        ),
        apply::Applied::Unchanged => format!("Strategy {name} has these stages already."),
    };
    ctx.out.line(&said)?;
    if args.print.output == Format::Wide {
        super::strategy::print_stages(&object, ctx)?;
    }
    Ok(Exit::Done)
}

/// The stages of a file, checked by the whole rule book.
pub fn stages(path: &str) -> Result<Vec<Stage>, Error> {
    let text = documents::read_file(path)?;
    let spec = check(path, &text)?;
    serde_json::from_value::<UpdateStrategySpec>(spec)
        .map(|spec| spec.stages)
        .map_err(|e| Error::new(Exit::Usage, "InvalidFile", format!("{path}: {e}")))
}

fn document(args: &ImportArgs) -> Result<Document, Error> {
    let name = args.name.as_str();
    let text = documents::read_file(&args.file)?;
    let spec = check(&args.file, &text);
    let mut faults = Vec::new();
    if !validate::name(name) {
        faults.push(Fault {
            code: code::INVALID_NAME.to_owned(),
            field: "--name".to_owned(),
            message: format!("{name:?} is not a name"),
            hint: "1 to 50 lower-case letters, digits and '-', with a letter or digit at both ends"
                .to_owned(),
        });
    }
    let spec = match spec {
        Ok(spec) => spec,
        Err(mut error) => {
            error.faults.splice(0..0, faults);
            return Err(error);
        }
    };
    if !faults.is_empty() {
        return Err(Error::faults(Exit::Other, faults));
    }
    let object = json!({
        "apiVersion": api::API_VERSION,
        "kind": Kind::Strategy.name(),
        "metadata": {"name": name},
        "spec": spec,
    });
    let object: DynamicObject = serde_json::from_value(object)
        .map_err(|e| Error::new(Exit::Usage, "InvalidFile", format!("{}: {e}", args.file)))?;
    Ok(Document {
        kind: Kind::Strategy,
        name: name.to_owned(),
        place: args.file.clone(),
        object,
    })
}

/// The file as a strategy's spec; the error holds every field that is wrong, by its path.
fn check(path: &str, text: &str) -> Result<Value, Error> {
    let values = documents::values(path, text)?;
    let [spec] = values.as_slice() else {
        let message = format!("{path}: must be one document, and is {}", values.len());
        return Err(Error::new(Exit::Usage, "InvalidFile", message));
    };
    if !spec.is_object() {
        let message = format!("{path}: must be an object with the field stages");
        return Err(Error::new(Exit::Usage, "InvalidFile", message)
            .hint("the file looks like {\"stages\": [{\"name\": …, \"groups\": […]}]}"));
    }
    let schema = Kind::Strategy.schema();
    let of_spec = schema.pointer("/properties/spec").unwrap_or(&Value::Null);
    let mut faults = schema::faults(spec, of_spec, "");
    // What the engine finds is told with it wherever the file can be read that far.
    match serde_json::from_value::<UpdateStrategySpec>(spec.clone()) {
        Ok(read) => {
            let found = validate::stages(&read.stages);
            for fault in found.into_iter().map(|v| Fault::from(Refused::from(v))) {
                if !faults.iter().any(|f| f.field == fault.field) {
                    faults.push(fault);
                }
            }
        }
        Err(error) if faults.is_empty() => {
            return Err(Error::new(
                Exit::Usage,
                "InvalidFile",
                format!("{path}: {error}"),
            ));
        }
        Err(_) => {}
    }
    if faults.is_empty() {
        Ok(spec.clone())
    } else {
        Err(Error::faults(Exit::Other, faults))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAGES: &str = include_str!("../../tests/cli/stages.json");

    #[test]
    fn the_azure_file_is_taken_as_it_is() {
        let spec = check("stages.json", STAGES).unwrap();
        let spec: UpdateStrategySpec = serde_json::from_value(spec).unwrap();
        assert_eq!(spec.stages[0].after_stage_wait_in_seconds, Some(3600));
        assert_eq!(spec.stages[0].groups.len(), 2);
    }

    #[test]
    fn a_gate_without_type_is_an_approval() {
        let text = r#"{"stages": [{"name": "a", "groups": [{"name": "g"}],
            "beforeGates": [{"displayName": "go"}]}]}"#;
        let spec: UpdateStrategySpec = serde_json::from_value(check("f", text).unwrap()).unwrap();
        assert_eq!(
            spec.stages[0].before_gates[0].type_,
            api::GateType::Approval
        );
    }

    #[test]
    fn every_wrong_field_is_told_at_once() {
        let text = r#"{"stages": [
            {"name": "Bad", "groups": [{"name": "g", "maxConcurrency": "0"}]},
            {"name": "b", "groups": [{"name": "g", "maxAllowedFailures": "101%"}],
             "afterGates": [{"type": "ScheduledStart"}]},
            {"name": "c"}
        ]}"#;
        let error = check("f", text).unwrap_err();
        let told: Vec<(String, String)> = error
            .faults
            .iter()
            .map(|f| (f.code.clone(), f.field.clone()))
            .collect();
        for (code, field) in [
            ("InvalidName", "stages[0].name"),
            ("InvalidLimit", "stages[0].groups[0].maxConcurrency"),
            ("DuplicateGroup", "stages[1].groups[0].name"),
            ("InvalidLimit", "stages[1].groups[0].maxAllowedFailures"),
        ] {
            let wanted = (code.to_owned(), field.to_owned());
            assert!(told.contains(&wanted), "{wanted:?} is not in {told:?}");
        }
        assert!(told.iter().any(|t| t.0 == "InvalidGate"), "{told:?}");
        assert!(
            told.iter().any(|t| t.0 == "RequiredPropertyMissing"),
            "{told:?}"
        );
        assert!(
            error.faults.iter().all(|f| !f.hint.is_empty()),
            "{:?}",
            error.faults
        );
    }
}
