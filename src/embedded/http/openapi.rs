//! OpenAPI v3: an index and one document a group and version, as `kubectl apply` and
//! `kubectl explain` read them.

use axum::response::Response;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Event as CoreEvent, Namespace, Secret};
use k8s_openapi::api::events::v1::Event;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::answer;
use crate::embedded::catalog::{Builtin, Catalog, Nature, Resource, api_version};
use crate::embedded::fields;
use crate::embedded::refusal::Refusal;

pub(super) fn index(catalog: &Catalog) -> Response {
    let mut paths = Map::new();
    let core = std::iter::once(("", "v1"));
    let groups: Vec<(String, String)> = catalog
        .groups()
        .flat_map(|(group, versions)| {
            versions
                .into_iter()
                .map(|version| (group.to_string(), version.to_string()))
        })
        .collect();
    let all = core.chain(
        groups
            .iter()
            .map(|(group, version)| (group.as_str(), version.as_str())),
    );
    for (group, version) in all {
        let place = place(group, version);
        let hash = hash(catalog, group, version);
        let url = format!("/openapi/v3/{place}?hash={hash}");
        paths.insert(place, json!({"serverRelativeURL": url}));
    }
    answer::text(200, json!({"paths": paths}).to_string())
}

fn place(group: &str, version: &str) -> String {
    let prefix = if group.is_empty() { "api" } else { "apis" };
    format!("{prefix}/{}", api_version(group, version))
}

/// Changes whenever the document does.
fn hash(catalog: &Catalog, group: &str, version: &str) -> String {
    let mut text = env!("CARGO_PKG_VERSION").to_owned();
    for resource in catalog.resources(group, version) {
        text.push_str(&resource.plural);
        if let Some(custom) = resource.custom() {
            text.push_str(&custom.open_api().map(Value::to_string).unwrap_or_default());
        }
    }
    uuid::Uuid::new_v5(&uuid::Uuid::NAMESPACE_URL, text.as_bytes())
        .simple()
        .to_string()
}

pub(super) fn document(catalog: &Catalog, group: &str, version: &str) -> Result<Response, Refusal> {
    let resources: Vec<_> = catalog.resources(group, version).collect();
    if resources.is_empty() {
        let mut refusal = Refusal::no_such_path();
        refusal.message = String::new();
        return Err(refusal);
    }
    let mut paths = Map::new();
    let mut generator: SchemaGenerator = SchemaSettings::openapi3().into_generator();
    generator.subschema_for::<ObjectMeta>();
    let mut custom = Map::new();
    for resource in resources {
        add_paths(resource, &mut paths);
        match &resource.nature {
            Nature::Builtin(builtin) => builtin_schema(*builtin, &mut generator),
            Nature::Custom(version) => {
                let schema = version.open_api().cloned().unwrap_or_else(|| json!({}));
                custom.insert(schema_name(resource), custom_schema(resource, schema));
            }
        }
    }
    let mut schemas = generator.take_definitions(true);
    schemas.extend(custom);
    for resource in catalog.resources(group, version) {
        if let Some(schema) = schemas.get_mut(&schema_name(resource)) {
            fields::set(
                schema,
                &["x-kubernetes-group-version-kind"],
                json!([kind(resource)]),
            );
        }
    }
    let document = json!({
        "openapi": "3.0.0",
        "info": {"title": "fleetdeck embedded hub", "version": env!("CARGO_PKG_VERSION")},
        "paths": paths,
        "components": {"schemas": schemas},
    });
    Ok(answer::value(200, &document))
}

fn kind(resource: &Resource) -> Value {
    json!({
        "group": &*resource.group,
        "version": &*resource.version,
        "kind": &*resource.kind,
    })
}

/// The name under which the kind's schema stands in the document.
fn schema_name(resource: &Resource) -> String {
    let module = match resource.builtin() {
        None => {
            let mut parts: Vec<&str> = resource.group.split('.').collect();
            parts.reverse();
            parts.join(".")
        }
        Some(Builtin::Lease) => "io.k8s.api.coordination".to_owned(),
        Some(Builtin::NewEvent) => "io.k8s.api.events".to_owned(),
        Some(Builtin::Definition) => {
            "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions".to_owned()
        }
        Some(_) => "io.k8s.api.core".to_owned(),
    };
    format!("{module}.{}.{}", resource.version, resource.kind)
}

fn builtin_schema(builtin: Builtin, generator: &mut SchemaGenerator) {
    match builtin {
        Builtin::Namespace => generator.subschema_for::<Namespace>(),
        Builtin::ConfigMap => generator.subschema_for::<ConfigMap>(),
        Builtin::Secret => generator.subschema_for::<Secret>(),
        Builtin::Event => generator.subschema_for::<CoreEvent>(),
        Builtin::NewEvent => generator.subschema_for::<Event>(),
        Builtin::Lease => generator.subschema_for::<Lease>(),
        Builtin::Definition => generator.subschema_for::<CustomResourceDefinition>(),
    };
}

/// The definition's schema with the fields that every object has.
fn custom_schema(resource: &Resource, mut schema: Value) -> Value {
    let text = |description: &str| json!({"type": "string", "description": description});
    fields::set(&mut schema, &["type"], "object".into());
    fields::set(
        &mut schema,
        &["properties", "apiVersion"],
        text("APIVersion defines the versioned schema of this representation of an object."),
    );
    fields::set(
        &mut schema,
        &["properties", "kind"],
        text(&format!("Kind is {}.", resource.kind)),
    );
    let meta = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
    fields::set(
        &mut schema,
        &["properties", "metadata"],
        json!({"description": "Standard object's metadata.", "allOf": [{"$ref": meta}]}),
    );
    schema
}

fn add_paths(resource: &Resource, paths: &mut Map<String, Value>) {
    let root = format!("/{}", place(&resource.group, &resource.version));
    let collection = if resource.namespaced {
        paths.insert(
            format!("{root}/{}", resource.plural),
            json!({"get": operation(resource, "list", &[])}),
        );
        format!("{root}/namespaces/{{namespace}}/{}", resource.plural)
    } else {
        format!("{root}/{}", resource.plural)
    };
    const WRITE: &[&str] = &["dryRun", "fieldManager", "fieldValidation"];
    paths.insert(
        collection.clone(),
        json!({
            "get": operation(resource, "list", &["labelSelector", "fieldSelector", "limit", "continue"]),
            "post": operation(resource, "post", WRITE),
            "delete": operation(resource, "deletecollection", &["dryRun", "labelSelector"]),
        }),
    );
    let one = json!({
        "get": operation(resource, "get", &[]),
        "put": operation(resource, "put", WRITE),
        "patch": operation(resource, "patch", WRITE),
        "delete": operation(resource, "delete", &["dryRun", "propagationPolicy"]),
    });
    paths.insert(format!("{collection}/{{name}}"), one);
    if resource.status {
        let status = json!({
            "get": operation(resource, "get", &[]),
            "put": operation(resource, "put", WRITE),
            "patch": operation(resource, "patch", WRITE),
        });
        paths.insert(format!("{collection}/{{name}}/status"), status);
    }
}

fn operation(resource: &Resource, action: &str, parameters: &[&str]) -> Value {
    let parameters: Vec<Value> = parameters
        .iter()
        .map(|name| json!({"name": name, "in": "query", "schema": {"type": "string"}}))
        .collect();
    let schema = json!({"$ref": format!("#/components/schemas/{}", schema_name(resource))});
    let mut operation = json!({
        "parameters": parameters,
        "responses": {"200": {
            "description": "OK",
            "content": {"application/json": {"schema": schema}},
        }},
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": kind(resource),
    });
    if action == "patch" {
        let content = json!({
            "application/json-patch+json": {},
            "application/merge-patch+json": {},
        });
        fields::set(&mut operation, &["requestBody", "content"], content);
    }
    operation
}
