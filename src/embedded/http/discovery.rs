//! Discovery: which groups, versions and resources there are, one by one and aggregated.

use axum::response::Response;
use http::HeaderMap;
use serde_json::{Value, json};

use super::accept::{self, Form};
use super::answer;
use crate::embedded::catalog::{Catalog, Nature, Resource, api_version};
use crate::embedded::refusal::Refusal;

const DISCOVERY: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
/// In the order in which the API names them for custom resources.
const VERBS: &[&str] = &[
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "create",
    "update",
    "watch",
];
const STATUS_VERBS: &[&str] = &["get", "patch", "update"];

/// Groups whose only resources are reviews.
const REVIEWS: &[(&str, &str, &str)] = &[
    (
        "authentication.k8s.io",
        "selfsubjectreviews",
        "SelfSubjectReview",
    ),
    (
        "authorization.k8s.io",
        "selfsubjectaccessreviews",
        "SelfSubjectAccessReview",
    ),
    (
        "authorization.k8s.io",
        "selfsubjectrulesreviews",
        "SelfSubjectRulesReview",
    ),
];

pub(super) fn core_versions(catalog: &Catalog, headers: &HeaderMap) -> Result<Response, Refusal> {
    if accept::form(headers)? == Form::Discovery {
        return Ok(aggregated(vec![aggregate(catalog, "", &["v1"])]));
    }
    Ok(answer::value(
        200,
        &json!({
            "kind": "APIVersions",
            "versions": ["v1"],
            "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": ""}],
        }),
    ))
}

/// Groups in the order of kubectl's listing, with their versions, best first.
fn all(catalog: &Catalog) -> Vec<(String, Vec<String>)> {
    let mut groups: Vec<(String, Vec<String>)> = catalog
        .groups()
        .map(|(group, versions)| {
            (
                group.to_string(),
                versions.into_iter().map(ToString::to_string).collect(),
            )
        })
        .collect();
    for (group, ..) in REVIEWS {
        if !groups.iter().any(|(known, _)| known == group) {
            groups.push(((*group).to_owned(), vec!["v1".to_owned()]));
        }
    }
    groups.sort();
    groups
}

fn group_value(group: &str, versions: &[String]) -> Value {
    let versions: Vec<Value> = versions
        .iter()
        .map(|version| json!({"groupVersion": api_version(group, version), "version": version}))
        .collect();
    json!({"name": group, "versions": versions, "preferredVersion": versions.first()})
}

pub(super) fn groups(catalog: &Catalog, headers: &HeaderMap) -> Result<Response, Refusal> {
    let groups = all(catalog);
    if accept::form(headers)? == Form::Discovery {
        let items = groups.iter().map(|(group, versions)| {
            let versions: Vec<&str> = versions.iter().map(String::as_str).collect();
            aggregate(catalog, group, &versions)
        });
        return Ok(aggregated(items.collect()));
    }
    let groups: Vec<Value> = groups
        .iter()
        .map(|(g, versions)| group_value(g, versions))
        .collect();
    Ok(answer::value(
        200,
        &json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}),
    ))
}

pub(super) fn group(catalog: &Catalog, group: &str) -> Result<Response, Refusal> {
    let groups = all(catalog);
    let Some((_, versions)) = groups.iter().find(|(name, _)| name == group) else {
        return Err(Refusal::no_such_path());
    };
    let mut value = group_value(group, versions);
    crate::embedded::fields::set(&mut value, &["kind"], "APIGroup".into());
    crate::embedded::fields::set(&mut value, &["apiVersion"], "v1".into());
    Ok(answer::value(200, &value))
}

pub(super) fn resources(
    catalog: &Catalog,
    group: &str,
    version: &str,
) -> Result<Response, Refusal> {
    let mut resources: Vec<Value> = Vec::new();
    for resource in catalog.resources(group, version) {
        resources.push(entry(resource, None));
        for subresource in subresources(resource) {
            resources.push(entry(resource, Some(subresource)));
        }
    }
    for (_, plural, kind) in REVIEWS
        .iter()
        .filter(|(g, ..)| *g == group && version == "v1")
    {
        resources.push(json!({
            "name": plural,
            "singularName": kind.to_lowercase(),
            "namespaced": false,
            "kind": kind,
            "verbs": ["create"],
        }));
    }
    if resources.is_empty() {
        return Err(Refusal::no_such_path());
    }
    Ok(answer::value(
        200,
        &json!({
            "kind": "APIResourceList",
            "apiVersion": "v1",
            "groupVersion": api_version(group, version),
            "resources": resources,
        }),
    ))
}

fn subresources(resource: &Resource) -> Vec<&'static str> {
    let mut all = Vec::new();
    if resource.is(crate::embedded::catalog::Builtin::Namespace) {
        all.push("finalize");
    }
    if resource.status {
        all.push("status");
    }
    all
}

fn verbs(resource: &Resource) -> Vec<&'static str> {
    let mut verbs = VERBS.to_vec();
    if matches!(resource.nature, Nature::Builtin(_)) {
        verbs.sort_unstable();
    }
    if resource.is(crate::embedded::catalog::Builtin::Namespace) {
        verbs.retain(|verb| *verb != "deletecollection");
    }
    verbs
}

fn subresource_verbs(subresource: &str) -> &'static [&'static str] {
    if subresource == "finalize" {
        &["update"]
    } else {
        STATUS_VERBS
    }
}

fn entry(resource: &Resource, subresource: Option<&str>) -> Value {
    if let Some(subresource) = subresource {
        return json!({
            "name": format!("{}/{subresource}", resource.plural),
            "singularName": "",
            "namespaced": resource.namespaced,
            "kind": &*resource.kind,
            "verbs": subresource_verbs(subresource),
        });
    }
    let mut entry = json!({
        "name": &*resource.plural,
        "singularName": resource.singular,
        "namespaced": resource.namespaced,
        "kind": &*resource.kind,
        "verbs": verbs(resource),
        "storageVersionHash": hash(resource),
    });
    add_names(&mut entry, resource);
    entry
}

fn add_names(entry: &mut Value, resource: &Resource) {
    for (field, names) in [
        ("shortNames", &resource.short_names),
        ("categories", &resource.categories),
    ] {
        if !names.is_empty() {
            crate::embedded::fields::set(entry, &[field], names.as_slice().into());
        }
    }
}

/// Tells clients that cache by it whether the stored form is another.
fn hash(resource: &Resource) -> String {
    use base64::Engine as _;
    let text = format!("{}/{}/{}", resource.group, resource.version, resource.kind);
    let id = uuid::Uuid::new_v5(&uuid::Uuid::NAMESPACE_URL, text.as_bytes());
    let start = id
        .as_bytes()
        .first_chunk::<8>()
        .copied()
        .unwrap_or_default();
    base64::engine::general_purpose::STANDARD.encode(start)
}

fn aggregate(catalog: &Catalog, group: &str, versions: &[&str]) -> Value {
    let versions: Vec<Value> = versions
        .iter()
        .map(|version| {
            let mut resources: Vec<Value> = catalog
                .resources(group, version)
                .map(|resource| aggregate_resource(resource))
                .collect();
            for (_, plural, kind) in REVIEWS.iter().filter(|(g, ..)| *g == group) {
                resources.push(json!({
                    "resource": plural,
                    "responseKind": {"group": group, "version": version, "kind": kind},
                    "scope": "Cluster",
                    "singularResource": kind.to_lowercase(),
                    "verbs": ["create"],
                }));
            }
            json!({"version": version, "resources": resources, "freshness": "Current"})
        })
        .collect();
    let metadata = if group.is_empty() {
        json!({})
    } else {
        json!({"name": group})
    };
    json!({"metadata": metadata, "versions": versions})
}

fn aggregate_resource(resource: &Resource) -> Value {
    let kind = json!({
        "group": &*resource.group,
        "version": &*resource.version,
        "kind": &*resource.kind,
    });
    let mut entry = json!({
        "resource": &*resource.plural,
        "responseKind": kind,
        "scope": if resource.namespaced { "Namespaced" } else { "Cluster" },
        "singularResource": resource.singular,
        "verbs": verbs(resource),
    });
    add_names(&mut entry, resource);
    let subresources: Vec<Value> = subresources(resource)
        .into_iter()
        .map(|name| {
            json!({
                "subresource": name,
                "responseKind": kind,
                "verbs": subresource_verbs(name),
            })
        })
        .collect();
    if !subresources.is_empty() {
        crate::embedded::fields::set(&mut entry, &["subresources"], subresources.into());
    }
    entry
}

fn aggregated(items: Vec<Value>) -> Response {
    let list = json!({
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": items,
    });
    answer::with_type(200, DISCOVERY, list.to_string())
}
