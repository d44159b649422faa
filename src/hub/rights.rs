//! Who the hub takes us for, and what we may do there.

use k8s_openapi::api::authentication::v1::SelfSubjectReview;
use k8s_openapi::api::authorization::v1::{
    ResourceAttributes, SelfSubjectAccessReview, SelfSubjectAccessReviewSpec,
};
use kube::api::PostParams;
use kube::{Api, Client};

use super::error::{Class, Error};

/// Who we are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Person {
    /// User name; empty when the hub does not tell.
    pub name: String,
    /// Groups.
    pub groups: Vec<String>,
}

/// Asks the hub who we are. A hub that does not answer such questions leaves it open.
pub async fn who(client: &Client) -> Result<Person, Error> {
    let api: Api<SelfSubjectReview> = Api::all(client.clone());
    let answer = api
        .create(&PostParams::default(), &SelfSubjectReview::default())
        .await;
    match answer {
        Ok(review) => {
            let info = review.status.and_then(|s| s.user_info).unwrap_or_default();
            Ok(Person {
                name: info.username.unwrap_or_default(),
                groups: info.groups.unwrap_or_default(),
            })
        }
        Err(error) => {
            open(Error::of(&error, "Asking the hub who we are")).map(|()| Person::default())
        }
    }
}

/// Whether we may use a verb on a resource (`gates`, `gates/status`) of a group. A hub that cannot say does not forbid.
pub async fn may(
    client: &Client,
    verb: &str,
    group: &str,
    resource: &str,
    namespace: Option<&str>,
) -> Result<bool, Error> {
    let api: Api<SelfSubjectAccessReview> = Api::all(client.clone());
    let (resource, subresource) = match resource.split_once('/') {
        Some((resource, sub)) => (resource, Some(sub.to_owned())),
        None => (resource, None),
    };
    let review = SelfSubjectAccessReview {
        spec: SelfSubjectAccessReviewSpec {
            resource_attributes: Some(ResourceAttributes {
                verb: Some(verb.to_owned()),
                group: Some(group.to_owned()),
                resource: Some(resource.to_owned()),
                subresource,
                namespace: namespace.map(str::to_owned),
                ..ResourceAttributes::default()
            }),
            ..SelfSubjectAccessReviewSpec::default()
        },
        ..SelfSubjectAccessReview::default()
    };
    match api.create(&PostParams::default(), &review).await {
        Ok(answer) => Ok(answer.status.is_none_or(|s| s.allowed)),
        Err(error) => {
            let tried = format!("Asking whether we may {verb} {resource}");
            open(Error::of(&error, tried)).map(|()| true)
        }
    }
}

/// Turns "the hub does not serve such questions" into an open answer.
fn open(error: Error) -> Result<(), Error> {
    match error.class {
        Class::KindsMissing | Class::NotFound | Class::Denied | Class::Invalid => Ok(()),
        _ => Err(error),
    }
}
