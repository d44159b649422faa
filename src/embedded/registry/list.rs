//! Lists: which objects, of which revision, how many at once.

use std::ops::Bound;
use std::sync::Arc;

use serde_json::json;

use super::Registry;
use super::page::Token;
use crate::embedded::catalog::Resource;
use crate::embedded::refusal::{Cause, Refusal};
use crate::embedded::selector::Selector;
use crate::embedded::store::{Key, Object, Objects, State};

/// How exactly the revision is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Match {
    Exact,
    NotOlderThan,
}

/// What a list asks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct ListOptions {
    /// None: all namespaces.
    pub namespace: Option<String>,
    pub selector: Selector,
    /// 0: no limit.
    pub limit: usize,
    pub token: Option<String>,
    /// As the query has it.
    pub revision: Option<String>,
    pub matching: Option<Match>,
}

/// A page of objects.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    pub objects: Vec<Arc<Object>>,
    /// `metadata.resourceVersion`.
    pub revision: u64,
    /// Token of the next page.
    pub next: Option<String>,
    /// Objects after this page, where that is known.
    pub remaining: Option<usize>,
    /// To wait for before answering.
    pub settle: u64,
}

/// Which state of the table a list shows.
enum Want {
    Newest { not_before: u64 },
    Exactly(u64),
}

impl ListOptions {
    fn want(&self, token: Option<&Token>) -> Result<Want, Refusal> {
        let forbidden = |causes: &[Cause]| Refusal::invalid_options("ListOptions", causes);
        let cause = |text: &str| {
            Cause::new(
                "FieldValueForbidden",
                "resourceVersionMatch",
                format!("Forbidden: {text}"),
            )
        };
        let revision = self.revision.as_deref().unwrap_or_default();
        if let Some(token) = token {
            if self.matching.is_some() {
                let mut causes = vec![cause(
                    "resourceVersionMatch is forbidden when continue is provided",
                )];
                if revision.is_empty() {
                    causes.push(cause(
                        "resourceVersionMatch is forbidden unless resourceVersion is provided",
                    ));
                }
                return Err(forbidden(&causes));
            }
            if !revision.is_empty() && revision != "0" {
                return Err(Refusal::bad_request(
                    "specifying resource version is not allowed when using continue",
                ));
            }
            return Ok(match token.revision {
                Some(revision) => Want::Exactly(revision),
                None => Want::Newest { not_before: 0 },
            });
        }
        if revision.is_empty() {
            if self.matching.is_some() {
                return Err(forbidden(&[cause(
                    "resourceVersionMatch is forbidden unless resourceVersion is provided",
                )]));
            }
            return Ok(Want::Newest { not_before: 0 });
        }
        let number: u64 = revision.parse().map_err(|_| {
            Refusal::bad_request(format!("invalid resource version: resourceVersion: Invalid value: {revision:?}: strconv.ParseUint: parsing {revision:?}: invalid syntax"))
        })?;
        if self.matching == Some(Match::Exact) && number == 0 {
            return Err(forbidden(&[cause(
                "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
            )]));
        }
        let exact = self.matching == Some(Match::Exact)
            || (self.matching.is_none() && self.limit > 0 && number > 0);
        Ok(if exact {
            Want::Exactly(number)
        } else {
            Want::Newest { not_before: number }
        })
    }
}

impl Registry {
    pub(crate) fn list(
        &self,
        resource: &Resource,
        options: &ListOptions,
    ) -> Result<Listed, Refusal> {
        let token = options.token.as_deref().map(Token::decode).transpose()?;
        let want = options.want(token.as_ref())?;
        self.store.read(|state| {
            let current = state
                .visible
                .max(state.table(&resource.table).map_or(0, |t| t.last));
            let earlier;
            let empty = Objects::new();
            let table = state.table(&resource.table);
            let newest = table.map_or(&empty, |table| &table.objects);
            let (objects, revision) = match want {
                Want::Newest { not_before } if not_before > current => {
                    return Err(too_large(not_before, current));
                }
                Want::Newest { .. } => (newest, current),
                Want::Exactly(revision) if revision > current => {
                    return Err(too_large(revision, current));
                }
                Want::Exactly(revision) => match table {
                    Some(table) if table.last > revision => {
                        earlier = table.at(revision).map_err(|_| too_old(token.as_ref()))?;
                        (&earlier, revision)
                    }
                    _ => (newest, revision),
                },
            };
            // `resourceVersion=0` is answered from the newest state as a whole.
            let limit = match options.revision.as_deref() {
                Some("0") if token.is_none() => 0,
                _ => options.limit,
            };
            let mut listed = page(objects, options, token.as_ref(), limit, revision);
            listed.settle = settle(state, resource);
            Ok(listed)
        })
    }
}

/// Revision that must be on disk before the table's state may be shown.
fn settle(state: &State, resource: &Resource) -> u64 {
    state.table(&resource.table).map_or(0, |table| table.last)
}

fn page(
    objects: &Objects,
    options: &ListOptions,
    token: Option<&Token>,
    limit: usize,
    revision: u64,
) -> Listed {
    let low = match token {
        Some(token) => Bound::Excluded(token.after.clone()),
        None => match &options.namespace {
            Some(namespace) => Bound::Included(Key::new(namespace, "")),
            None => Bound::Unbounded,
        },
    };
    let inside = |object: &Arc<Object>| {
        options
            .namespace
            .as_deref()
            .is_none_or(|namespace| &*object.key.namespace == namespace)
    };
    let mut rest = objects
        .range((low, Bound::Unbounded))
        .map(|(_, object)| object)
        .take_while(|object| inside(object));
    let mut listed = Listed {
        revision,
        ..Listed::default()
    };
    if limit == 0 {
        listed.objects = rest
            .filter(|o| options.selector.matches(o))
            .cloned()
            .collect();
        return listed;
    }
    for object in rest.by_ref() {
        if options.selector.matches(object) {
            listed.objects.push(object.clone());
            if listed.objects.len() == limit {
                break;
            }
        }
    }
    let (Some(last), remaining) = (listed.objects.last(), rest.count()) else {
        return listed;
    };
    if listed.objects.len() == limit && remaining > 0 {
        let token = Token {
            revision: Some(revision),
            after: last.key.clone(),
        };
        listed.next = Some(token.encode());
        listed.remaining = options.selector.is_empty().then_some(remaining);
    }
    listed
}

fn too_old(token: Option<&Token>) -> Refusal {
    let Some(token) = token else {
        return Refusal::expired("The resourceVersion for the provided list is too old.");
    };
    let mut refusal = Refusal::expired(
        "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
    );
    let fresh = Token {
        revision: None,
        after: token.after.clone(),
    };
    refusal.metadata = json!({"continue": fresh.encode()});
    refusal
}

/// Checks the revision that a read of one object asks for.
pub(super) fn reached(state: &State, revision: Option<&str>) -> Result<(), Refusal> {
    let Some(text) = revision else {
        return Ok(());
    };
    let asked: u64 = text.parse().map_err(|_| {
        Refusal::internal(format!("resourceVersion: Invalid value: {text:?}: strconv.ParseUint: parsing {text:?}: invalid syntax"))
    })?;
    if asked > state.revision {
        return Err(too_large(asked, state.revision));
    }
    Ok(())
}

/// A revision that has not been reached.
fn too_large(asked: u64, current: u64) -> Refusal {
    let mut refusal = Refusal::new(
        504,
        "Timeout",
        format!("Timeout: Too large resource version: {asked}, current: {current}"),
    );
    refusal.details = Some(json!({
        "causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}],
    }));
    refusal.retry_after = Some(1);
    refusal
}
