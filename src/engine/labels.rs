//! The labels that selectors see: those of the member and the service-defined ones (update-runs §2.2).

use std::collections::BTreeMap;

use crate::api::FleetMember;

/// Region of the cluster.
pub const LOCATION: &str = "fleet.azure.com/location";
/// Resource group of the cluster.
pub const RESOURCE_GROUP: &str = "fleet.azure.com/resource-group";
/// Subscription of the cluster.
pub const SUBSCRIPTION_ID: &str = "fleet.azure.com/subscription-id";
/// Name of the cluster.
pub const CLUSTER_NAME: &str = "fleet.azure.com/cluster-name";
/// Name of the member.
pub const MEMBER_NAME: &str = "fleet.azure.com/member-name";

/// All labels of a member. The service-defined ones cannot be overridden.
pub fn of(member: &FleetMember) -> BTreeMap<String, String> {
    let mut labels = member.metadata.labels.clone().unwrap_or_default();
    let mut define = |key: &str, value: Option<&str>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            labels.insert(key.to_owned(), value.to_owned());
        } else {
            labels.remove(key);
        }
    };
    let id = cluster_resource_id(member);
    define(LOCATION, member.spec.region.as_deref());
    define(RESOURCE_GROUP, segment_after(&id, "resourceGroups"));
    define(SUBSCRIPTION_ID, segment_after(&id, "subscriptions"));
    define(CLUSTER_NAME, id.rsplit('/').next());
    define(MEMBER_NAME, member.metadata.name.as_deref());
    labels
}

/// Identity of the member's cluster; of a simulated one without any, `/simulated/NAME`.
pub fn cluster_resource_id(member: &FleetMember) -> String {
    match &member.spec.cluster_resource_id {
        Some(id) => id.clone(),
        None => format!(
            "/simulated/{}",
            member.metadata.name.as_deref().unwrap_or_default()
        ),
    }
}

fn segment_after<'a>(id: &'a str, key: &str) -> Option<&'a str> {
    let mut segments = id.split('/');
    segments.find(|segment| segment.eq_ignore_ascii_case(key))?;
    segments.next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::FleetMemberSpec;

    #[test]
    fn service_defined_labels_come_from_the_identity_and_win() {
        let mut member = FleetMember::new(
            "weu-1",
            FleetMemberSpec {
                region: Some("westeurope".into()),
                cluster_resource_id: Some(
                    "/subscriptions/s1/resourceGroups/rg1/providers/Microsoft.ContainerService/managedClusters/c1".into(),
                ),
                ..FleetMemberSpec::default()
            },
        );
        member.metadata.labels = Some(BTreeMap::from([
            ("env".to_owned(), "prod".to_owned()),
            (MEMBER_NAME.to_owned(), "other".to_owned()),
        ]));
        let labels = of(&member);
        let get = |key: &str| labels.get(key).map(String::as_str);
        assert_eq!(get("env"), Some("prod"));
        assert_eq!(get(LOCATION), Some("westeurope"));
        assert_eq!(get(RESOURCE_GROUP), Some("rg1"));
        assert_eq!(get(SUBSCRIPTION_ID), Some("s1"));
        assert_eq!(get(CLUSTER_NAME), Some("c1"));
        assert_eq!(get(MEMBER_NAME), Some("weu-1"));
    }

    #[test]
    fn a_simulated_member_has_an_identity_of_its_own() {
        let member = FleetMember::new("sim", FleetMemberSpec::default());
        assert_eq!(cluster_resource_id(&member), "/simulated/sim");
        let labels = of(&member);
        assert_eq!(labels.get(CLUSTER_NAME).map(String::as_str), Some("sim"));
        assert_eq!(labels.get(LOCATION), None);
    }
}
