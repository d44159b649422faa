//! The `Accept` header: in which form an answer is wanted.

use http::HeaderMap;
use http::header::ACCEPT;

use crate::embedded::refusal::Refusal;

/// Form of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Form {
    #[default]
    Json,
    Yaml,
    /// A table for printing, in this version of its kind.
    Table(&'static str),
    /// Metadata alone.
    Metadata,
    MetadataList,
    /// Aggregated discovery.
    Discovery,
}

const MEDIA_TYPES: &str = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
const STREAM_TYPES: &str =
    "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";

/// The first form that can be given.
pub(super) fn form(headers: &HeaderMap) -> Result<Form, Refusal> {
    let accept: Vec<&str> = headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .collect();
    let accept = accept.join(",");
    if accept.trim().is_empty() {
        return Ok(Form::Json);
    }
    accept
        .split(',')
        .find_map(|item| one(item.trim()))
        .ok_or_else(|| {
            Refusal::not_acceptable(format!(
                "only the following media types are accepted: {MEDIA_TYPES}"
            ))
        })
}

/// Watches are answered in JSON alone.
pub(super) fn stream_form(headers: &HeaderMap) -> Result<Form, Refusal> {
    let refusal = || {
        Refusal::not_acceptable(format!(
            "only the following media types are accepted: {STREAM_TYPES}"
        ))
    };
    match form(headers) {
        Ok(Form::Yaml) | Err(_) => Err(refusal()),
        Ok(form) => Ok(form),
    }
}

fn one(item: &str) -> Option<Form> {
    let mut parts = item.split(';').map(str::trim);
    let media = parts.next()?;
    let parameter = |name: &str| {
        item.split(';')
            .filter_map(|part| part.trim().split_once('='))
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value)
    };
    match (media, parameter("as")) {
        ("application/json" | "*/*" | "application/*", None) => Some(Form::Json),
        ("application/yaml", None) => Some(Form::Yaml),
        ("application/json", Some(kind)) => {
            let (group, version) = (parameter("g")?, parameter("v")?);
            match (kind, group, version) {
                ("Table", "meta.k8s.io", "v1") => Some(Form::Table("v1")),
                ("Table", "meta.k8s.io", "v1beta1") => Some(Form::Table("v1beta1")),
                ("PartialObjectMetadata", "meta.k8s.io", "v1") => Some(Form::Metadata),
                ("PartialObjectMetadataList", "meta.k8s.io", "v1") => Some(Form::MetadataList),
                ("APIGroupDiscoveryList", "apidiscovery.k8s.io", "v2") => Some(Form::Discovery),
                _ => None,
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(accept: &str) -> Result<Form, u16> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, accept.parse().unwrap());
        form(&headers).map_err(|refusal| refusal.code)
    }

    #[test]
    fn forms() {
        assert_eq!(of("*/*"), Ok(Form::Json));
        assert_eq!(
            of("application/vnd.kubernetes.protobuf,application/json"),
            Ok(Form::Json)
        );
        assert_eq!(of("application/xml"), Err(406));
        let kubectl = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";
        assert_eq!(of(kubectl), Ok(Form::Table("v1")));
        let old = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";
        assert_eq!(of(old), Err(406));
        assert_eq!(of(&format!("{old},application/json")), Ok(Form::Json));
    }
}
