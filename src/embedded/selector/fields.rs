//! Field selectors: `path=value`, `path!=value`, joined by commas.

use crate::embedded::catalog::{Nature, Resource};
use crate::embedded::store::Object;

/// What a requirement looks at.
#[derive(Clone, Debug, PartialEq)]
enum Field {
    Name,
    Namespace,
    /// Index into the object's selectable fields.
    Selectable(usize),
}

#[derive(Clone, Debug)]
struct Requirement {
    field: Field,
    equal: bool,
    value: String,
}

/// All must hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields(Vec<Requirement>);

impl Fields {
    pub(super) fn parse(resource: &Resource, text: &str) -> Result<Self, String> {
        let mut requirements = Vec::new();
        for term in split(text) {
            if term.is_empty() {
                continue;
            }
            let (path, equal, value) = operator(&term)
                .ok_or_else(|| format!("invalid selector: '{text}'; can't understand '{term}'"))?;
            requirements.push(Requirement {
                field: field(resource, path)?,
                equal,
                value: unescape(value),
            });
        }
        Ok(Self(requirements))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn matches(&self, object: &Object) -> bool {
        self.0.iter().all(|requirement| {
            let value: &str = match requirement.field {
                Field::Name => &object.key.name,
                Field::Namespace => &object.key.namespace,
                Field::Selectable(index) => object.selectable.get(index).map_or("", |value| value),
            };
            (value == requirement.value) == requirement.equal
        })
    }
}

/// Splits at commas that are not escaped.
fn split(text: &str) -> Vec<String> {
    let mut terms = vec![String::new()];
    let mut escaped = false;
    for letter in text.chars() {
        if letter == ',' && !escaped {
            terms.push(String::new());
            continue;
        }
        escaped = letter == '\\' && !escaped;
        if let Some(term) = terms.last_mut() {
            term.push(letter);
        }
    }
    terms
}

fn operator(term: &str) -> Option<(&str, bool, &str)> {
    let place = term.find(['=', '!'])?;
    let (path, rest) = term.split_at_checked(place)?;
    for (sign, equal) in [("!=", false), ("==", true), ("=", true)] {
        if let Some(value) = rest.strip_prefix(sign) {
            return Some((path, equal, value));
        }
    }
    None
}

fn unescape(value: &str) -> String {
    let mut letters = value.chars();
    let mut text = String::new();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => text.extend(letters.next()),
            other => text.push(other),
        }
    }
    text
}

fn field(resource: &Resource, path: &str) -> Result<Field, String> {
    match path {
        "metadata.name" => return Ok(Field::Name),
        "metadata.namespace" => return Ok(Field::Namespace),
        _ => {}
    }
    let dotted = format!(".{path}");
    let index = resource
        .selectable
        .iter()
        .position(|known| **known == *dotted);
    match (index, &resource.nature) {
        (Some(index), _) => Ok(Field::Selectable(index)),
        (None, Nature::Custom(_)) => Err(format!("field label not supported: {path}")),
        (None, Nature::Builtin(_)) => {
            let known: Vec<String> = ["metadata.name", "metadata.namespace"]
                .into_iter()
                .filter(|name| resource.namespaced || *name == "metadata.name")
                .map(str::to_owned)
                .chain(
                    resource
                        .selectable
                        .iter()
                        .map(|p| p.trim_start_matches('.').to_owned()),
                )
                .map(|name| format!("\"{name}\""))
                .collect();
            Err(format!(
                "{path:?} is not a known field selector: only {}",
                known.join(", ")
            ))
        }
    }
}
