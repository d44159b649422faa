//! Whether a hub knows our kinds, and making it know them.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, Client, ResourceExt};
use serde_json::json;

use super::error::{Class, Error};
use crate::api::{self, crds::crds};

/// Plural names of our kinds that the hub does not serve.
pub async fn missing(client: &Client) -> Result<Vec<String>, Error> {
    let tried = format!("Asking for the kinds of {}", api::GROUP);
    let served = match client.list_api_group_resources(api::API_VERSION).await {
        Ok(list) => list.resources,
        Err(error) => match Error::of(&error, tried) {
            e if matches!(e.class, Class::KindsMissing | Class::NotFound) => Vec::new(),
            e => return Err(e),
        },
    };
    let is_served = |plural: &str| served.iter().any(|r| r.name == plural);
    let ours = crds().into_iter().map(|c| c.spec.names.plural);
    Ok(ours.filter(|plural| !is_served(plural)).collect())
}

/// Writes our definitions to the hub; returns once it serves them.
pub async fn install(client: &Client) -> Result<Vec<String>, Error> {
    let api: Api<CustomResourceDefinition> = Api::all(client.clone());
    let mut names = Vec::new();
    for crd in crds() {
        let name = crd.name_any();
        let tried = format!("Installing the CustomResourceDefinition {name}");
        write(&api, &crd).await.map_err(|e| Error::of(&e, tried))?;
        names.push(name);
    }
    for name in &names {
        let tried = format!("Waiting for the CustomResourceDefinition {name}");
        let established = kube::runtime::conditions::is_crd_established();
        let wait = kube::runtime::wait::await_condition(api.clone(), name, established);
        let limit = std::time::Duration::from_secs(30);
        match tokio::time::timeout(limit, wait).await {
            Ok(Ok(_)) => {}
            Ok(Err(e)) => {
                return Err(Error::new(Class::Other, tried, super::error::chain(&e), ""));
            }
            Err(_) => {
                let reason = "the hub did not establish it in 30 s";
                let hint = format!("Look at its conditions: kubectl describe crd {name}");
                return Err(Error::new(Class::Other, tried, reason, hint));
            }
        }
    }
    Ok(names)
}

/// Makes a definition, or brings its spec up to date: what every hub can do, also one without
/// server-side apply.
async fn write(
    api: &Api<CustomResourceDefinition>,
    crd: &CustomResourceDefinition,
) -> Result<(), kube::Error> {
    match api.create(&PostParams::default(), crd).await {
        Err(kube::Error::Api(status)) if status.is_already_exists() => {
            let spec = Patch::Merge(json!({"spec": crd.spec}));
            let params = PatchParams::default();
            api.patch(&crd.name_any(), &params, &spec).await.map(|_| ())
        }
        made => made.map(|_| ()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::embedded::{Hub, Options, StoreKind};
    use kube::api::DeleteParams;

    #[tokio::test]
    async fn our_own_hub_takes_them_again() {
        let hub = Hub::open(Options {
            store: StoreKind::Memory,
            clock: Clock::system(),
            seed: Some(1),
        });
        let client = hub.await.unwrap().client();
        let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
        let gone = "gates.fleetdeck.io";
        let params = DeleteParams::default();
        definitions.delete(gone, &params).await.unwrap();
        assert_eq!(missing(&client).await.unwrap(), ["gates"]);
        assert_eq!(install(&client).await.unwrap().len(), crds().len());
        assert!(missing(&client).await.unwrap().is_empty());
    }
}
