//! Requests on objects: method and path to registry call to answer.

use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::Method;
use http::request::Parts;
use serde_json::Value;

use super::accept::{self, Form};
use super::path::Target;
use super::query::Query;
use super::{answer, body, streams};
use crate::embedded::catalog::{Builtin, Catalog, Nature, Resource};
use crate::embedded::fields;
use crate::embedded::refusal::Refusal;
use crate::embedded::registry::{DeleteOptions, Part, Patch, Registry, Written, whole};
use crate::embedded::render;
use crate::embedded::store::Key;

/// One request that has found its resource.
struct Call<'a> {
    registry: &'a Arc<Registry>,
    resource: &'a Arc<Resource>,
    target: &'a Target<'a>,
    parts: &'a Parts,
    query: Query,
}

pub(super) async fn answer(
    registry: &Arc<Registry>,
    catalog: &Catalog,
    target: &Target<'_>,
    parts: &Parts,
    body: Body,
) -> Result<Response, Refusal> {
    let resource = find(catalog, target)?;
    let call = Call {
        registry,
        resource,
        target,
        parts,
        query: Query::of(&parts.uri),
    };
    let mut response = call.answer(body).await?;
    if let Some(version) = resource.custom()
        && let Some(warning) = &version.deprecation
    {
        answer::warn(&mut response, std::slice::from_ref(warning));
    }
    Ok(response)
}

fn find<'a>(catalog: &'a Catalog, target: &Target<'_>) -> Result<&'a Arc<Resource>, Refusal> {
    let found = catalog.find(target.group, target.version, target.plural);
    let Some(resource) = found else {
        // Groups of this program say so in JSON, others do not exist at all.
        let built_in = catalog
            .resources(target.group, target.version)
            .any(|r| matches!(r.nature, Nature::Builtin(_)));
        return Err(if built_in {
            Refusal::no_such_resource()
        } else {
            Refusal::no_such_path()
        });
    };
    let scope_fits = match (resource.namespaced, target.namespace) {
        (true, None) => target.name.is_none() || target.watch,
        (false, Some(_)) => false,
        _ => true,
    };
    if scope_fits {
        Ok(resource)
    } else {
        Err(Refusal::no_such_path())
    }
}

impl Call<'_> {
    async fn answer(&self, body: Body) -> Result<Response, Refusal> {
        let part = self.part()?;
        let named = self.target.name.is_some();
        match (&self.parts.method, named) {
            (&Method::GET | &Method::HEAD, false) => self.collection(None).await,
            (&Method::GET | &Method::HEAD, true) if self.target.watch => {
                self.collection(self.target.name).await
            }
            (&Method::GET | &Method::HEAD, true) => self.get().await,
            (&Method::POST, false) => self.create(body).await,
            (&Method::POST, true) if part == Part::Whole && self.is_custom() => {
                self.create(body).await
            }
            (&Method::PUT, true) => self.update(part, body).await,
            (&Method::PATCH, true) => self.patch(part, body).await,
            (&Method::PUT | &Method::PATCH, false) if self.is_custom() => {
                Err(Refusal::bad_request("name must be provided"))
            }
            (&Method::DELETE, true) if part == Part::Whole => self.delete(body).await,
            (&Method::DELETE, false) => self.delete_collection(body).await,
            (method, _) => Err(self.wrong_method(method)),
        }
    }

    fn is_custom(&self) -> bool {
        self.resource.custom().is_some()
    }

    fn wrong_method(&self, method: &Method) -> Refusal {
        if !self.is_custom() {
            return Refusal::method_not_allowed();
        }
        let verb = match *method {
            Method::POST => "create",
            Method::DELETE => "delete",
            _ => "",
        };
        Refusal::verb_not_supported(&self.resource.about(""), verb)
    }

    /// Which part of the object the path means.
    fn part(&self) -> Result<Part, Refusal> {
        let Some(subresource) = self.target.subresource else {
            return Ok(Part::Whole);
        };
        match subresource {
            "status" if self.resource.status => Ok(Part::Status),
            "finalize" if self.resource.is(Builtin::Namespace) => Ok(Part::Finalize),
            _ if self.is_custom() => {
                let name = self.target.name.unwrap_or_default();
                Err(Refusal::not_found(&self.resource.about(name)))
            }
            _ => Err(Refusal::no_such_resource()),
        }
    }

    fn key(&self) -> Key {
        Key::new(
            self.target.namespace.unwrap_or_default(),
            self.target.name.unwrap_or_default(),
        )
    }

    async fn get(&self) -> Result<Response, Refusal> {
        let form = accept::form(&self.parts.headers)?;
        let (object, revision) = self.registry.get(
            self.resource,
            &self.key(),
            self.query
                .get("resourceVersion")
                .filter(|text| !text.is_empty()),
        )?;
        self.registry.store.settled(revision).await?;
        self.one(200, whole(self.resource, &object), form)
    }

    /// One object in the form asked for.
    fn one(&self, code: u16, object: Vec<u8>, form: Form) -> Result<Response, Refusal> {
        let now = self.registry.store.clock().now();
        match form {
            Form::Json | Form::Discovery => Ok(answer::json(code, object)),
            Form::Yaml => {
                let value: Value = serde_json::from_slice(&object).unwrap_or_default();
                let text = serde_saphyr::to_string(&value).unwrap_or_default();
                Ok(answer::with_type(code, answer::YAML, text))
            }
            Form::Table(version) => {
                let include = render::Include::parse(self.query.get("includeObject"))?;
                let value: Value = serde_json::from_slice(&object).unwrap_or_default();
                let revision = fields::text(&value, &["metadata", "resourceVersion"]).to_owned();
                let mut table = render::Table::new(self.resource, version, include, now);
                table.add(&value);
                Ok(answer::json(code, table.finish(&revision, None, None)))
            }
            Form::Metadata => {
                let value: Value = serde_json::from_slice(&object).unwrap_or_default();
                Ok(answer::value(code, &render::metadata_of(&value)))
            }
            Form::MetadataList => Err(Refusal::not_acceptable(
                "you requested PartialObjectMetadataList, but the requested object is not a list",
            )),
        }
    }

    async fn collection(&self, name: Option<&str>) -> Result<Response, Refusal> {
        if self.target.watch || self.query.flag("watch") == Some(true) {
            return self.watch(name);
        }
        let form = accept::form(&self.parts.headers)?;
        let options = self.query.list(self.resource, self.target.namespace)?;
        let listed = self.registry.list(self.resource, &options)?;
        self.registry.store.settled(listed.settle).await?;
        let now = self.registry.store.clock().now();
        match form {
            Form::Json | Form::Discovery => {
                Ok(answer::json(200, render::list(self.resource, &listed)))
            }
            Form::Yaml => {
                let value: Value = serde_json::from_slice(&render::list(self.resource, &listed))
                    .unwrap_or_default();
                let text = serde_saphyr::to_string(&value).unwrap_or_default();
                Ok(answer::with_type(200, answer::YAML, text))
            }
            Form::Table(version) => {
                let include = render::Include::parse(self.query.get("includeObject"))?;
                let mut table = render::Table::new(self.resource, version, include, now);
                for object in &listed.objects {
                    let value = serde_json::from_slice(&whole(self.resource, object));
                    table.add(&value.unwrap_or_default());
                }
                let revision = listed.revision.to_string();
                let body = table.finish(&revision, listed.next.as_deref(), listed.remaining);
                Ok(answer::json(200, body))
            }
            Form::MetadataList => Ok(answer::json(200, render::metadata_list(&listed))),
            Form::Metadata => Err(Refusal::not_acceptable(
                "you requested PartialObjectMetadata, but the requested object is a list (*unstructured.UnstructuredList)",
            )),
        }
    }

    fn watch(&self, name: Option<&str>) -> Result<Response, Refusal> {
        let form = accept::stream_form(&self.parts.headers)?;
        let include = render::Include::parse(self.query.get("includeObject"))?;
        let mut options = self.query.watch(self.resource, self.target.namespace)?;
        if let Some(name) = name {
            options.selector = crate::embedded::selector::Selector::parse(
                self.resource,
                self.query.get("labelSelector"),
                Some(&format!("metadata.name={name}")),
            )?;
        }
        let timeout = self.query.timeout()?;
        let watching = self.registry.watch(self.resource, options)?;
        let clock = self.registry.store.clock().clone();
        Ok(streams::response(
            watching,
            self.resource.clone(),
            form,
            include,
            timeout,
            clock,
        ))
    }

    async fn create(&self, request: Body) -> Result<Response, Refusal> {
        let form = accept::form(&self.parts.headers)?;
        let bytes = body::read(request).await?;
        let mut options = self.query.write("CreateOptions")?;
        let object = body::object(&self.parts.headers, &bytes, &self.resource.kind)?;
        options.duplicates = body::duplicates(&bytes, &object);
        let namespace = self.target.namespace.unwrap_or_default();
        let written = self
            .registry
            .create(self.resource, namespace, object, &options)?;
        self.written(written, form).await
    }

    async fn update(&self, part: Part, request: Body) -> Result<Response, Refusal> {
        let form = accept::form(&self.parts.headers)?;
        let bytes = body::read(request).await?;
        let mut options = self.query.write("UpdateOptions")?;
        let object = body::object(&self.parts.headers, &bytes, &self.resource.kind)?;
        options.duplicates = body::duplicates(&bytes, &object);
        let written = self
            .registry
            .update(self.resource, &self.key(), part, object, &options)?;
        self.written(written, form).await
    }

    async fn patch(&self, part: Part, request: Body) -> Result<Response, Refusal> {
        let form = accept::form(&self.parts.headers)?;
        let bytes = body::read(request).await?;
        let options = self.query.write("PatchOptions")?;
        let patch = self.read_patch(&bytes)?;
        if self.query.flag("force").is_some() {
            let cause = crate::embedded::refusal::Cause::new(
                "FieldValueForbidden",
                "force",
                "Forbidden: may not be specified for non-apply patch",
            );
            return Err(Refusal::invalid_options("PatchOptions", &[cause]));
        }
        let written = self
            .registry
            .patch(self.resource, &self.key(), part, &patch, &options)?;
        self.written(written, form).await
    }

    fn read_patch(&self, bytes: &Bytes) -> Result<Patch, Refusal> {
        let custom = self.is_custom();
        match body::media_type(&self.parts.headers) {
            "application/merge-patch+json" => Patch::merge(bytes, false),
            "application/json-patch+json" => Patch::json(bytes),
            "application/strategic-merge-patch+json" if !custom => Patch::merge(bytes, true),
            "application/apply-patch+yaml" => {
                let mut refusal = Refusal::unsupported_media_type("");
                refusal.message = "this hub does not do server-side apply: use `kubectl apply` without --server-side, or a merge patch (application/merge-patch+json)".to_owned();
                Err(refusal)
            }
            _ if custom => Err(Refusal::unsupported_media_type(
                "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
            )),
            _ => Err(Refusal::unsupported_media_type(
                "application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml, application/apply-patch+cbor",
            )),
        }
    }

    async fn written(&self, written: Written, form: Form) -> Result<Response, Refusal> {
        self.registry.store.settled(written.revision).await?;
        let code = if written.created { 201 } else { 200 };
        let mut response = self.one(code, written.object, form)?;
        answer::warn(&mut response, &written.warnings);
        Ok(response)
    }

    async fn delete_options(&self, request: Body) -> Result<DeleteOptions, Refusal> {
        let bytes = body::read(request).await?;
        // A body, even an empty object, takes the place of the query's parameters.
        if bytes.is_empty() {
            return self.query.delete();
        }
        let body = body::object(&self.parts.headers, &bytes, "DeleteOptions")?;
        let kind = fields::text(&body, &["kind"]);
        if !kind.is_empty() && kind != "DeleteOptions" {
            let version = fields::text(&body, &["apiVersion"]);
            return Err(Refusal::bad_request(format!(
                "no kind \"{kind}\" is registered for version \"{version}\" in scheme \"pkg/runtime/scheme.go:111\""
            )));
        }
        let dry_run: Vec<&str> = fields::list(&body, &["dryRun"])
            .filter_map(Value::as_str)
            .collect();
        let propagation = body.get("propagationPolicy").and_then(Value::as_str);
        let orphan = body.get("orphanDependents").and_then(Value::as_bool);
        let mut options = DeleteOptions::parse(&dry_run, propagation, orphan)?;
        let precondition = |name| {
            let value = fields::at(&body, &["preconditions", name]);
            value.and_then(Value::as_str).map(str::to_owned)
        };
        options.uid = precondition("uid");
        options.resource_version = precondition("resourceVersion");
        Ok(options)
    }

    async fn delete(&self, request: Body) -> Result<Response, Refusal> {
        let options = self.delete_options(request).await?;
        let deleted = self.registry.delete(self.resource, &self.key(), &options)?;
        self.registry.store.settled(deleted.revision).await?;
        Ok(answer::json(200, deleted.answer))
    }

    async fn delete_collection(&self, request: Body) -> Result<Response, Refusal> {
        if self.resource.namespaced && self.target.namespace.is_none() {
            return Err(Refusal::no_such_path());
        }
        if self.resource.is(Builtin::Namespace) {
            return Err(Refusal::method_not_allowed());
        }
        let options = self.delete_options(request).await?;
        let which = self.query.list(self.resource, self.target.namespace)?;
        let listed = self.registry.list(self.resource, &which)?;
        let keys: Vec<Key> = listed
            .objects
            .iter()
            .map(|object| object.key.clone())
            .collect();
        let revision = self.registry.delete_all(self.resource, &keys, &options)?;
        self.registry.store.settled(revision).await?;
        Ok(answer::json(200, render::list(self.resource, &listed)))
    }
}
