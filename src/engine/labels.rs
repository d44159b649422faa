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

/// Longest value of a label.
const LONGEST: usize = 63;

/// All labels of a member. The service-defined ones cannot be overridden; one whose value no label
/// may have is left out, and [`left_out`] tells which.
pub fn of(member: &FleetMember) -> BTreeMap<String, String> {
    let mut labels = member.metadata.labels.clone().unwrap_or_default();
    for (key, value) in defined(member) {
        match value.filter(|value| !value.is_empty() && is_legal(value)) {
            Some(value) => labels.insert(key.to_owned(), value),
            None => labels.remove(key),
        };
    }
    labels
}

/// Says which service-defined labels the member cannot have, and why; `None` when it has all.
pub fn left_out(member: &FleetMember) -> Option<String> {
    let told: Vec<String> = defined(member)
        .into_iter()
        .filter_map(|(key, value)| Some((key, value?)))
        .filter(|(_, value)| !value.is_empty() && !is_legal(value))
        .map(|(key, value)| format!("{key} cannot be \"{value}\""))
        .collect();
    (!told.is_empty()).then(|| {
        format!(
            "{}: a label has at most {LONGEST} letters, digits, '-', '_' and '.', and begins and ends with a letter or digit. Selectors do not see what is left out.",
            told.join("; ")
        )
    })
}

/// The service-defined labels, as the member's identity has them.
fn defined(member: &FleetMember) -> [(&'static str, Option<String>); 5] {
    let id = cluster_resource_id(member);
    let owned = |text: Option<&str>| text.map(str::to_owned);
    [
        (LOCATION, member.spec.region.clone()),
        (RESOURCE_GROUP, owned(segment_after(&id, "resourceGroups"))),
        (SUBSCRIPTION_ID, owned(segment_after(&id, "subscriptions"))),
        (CLUSTER_NAME, owned(id.rsplit('/').next())),
        (MEMBER_NAME, member.metadata.name.clone()),
    ]
}

/// Whether a label may have this value.
fn is_legal(value: &str) -> bool {
    let alphanumeric = |c: char| c.is_ascii_alphanumeric();
    value.len() <= LONGEST
        && value.starts_with(alphanumeric)
        && value.ends_with(alphanumeric)
        && value
            .chars()
            .all(|c| alphanumeric(c) || matches!(c, '-' | '_' | '.'))
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

    #[test]
    fn a_value_that_no_label_may_have_costs_that_label_alone() {
        let mut member = FleetMember::new("m", FleetMemberSpec::default());
        for region in ["West Europe", "-west", "west-", "wést", &"w".repeat(64)] {
            member.spec.region = Some(region.to_owned());
            let labels = of(&member);
            assert_eq!(labels.get(LOCATION), None, "{region}");
            assert_eq!(labels.get(MEMBER_NAME).map(String::as_str), Some("m"));
            let told = left_out(&member).unwrap();
            assert!(told.starts_with(&format!("{LOCATION} cannot be \"{region}\"")));
        }
        for region in ["westeurope", "West_Europe.1", "", &"w".repeat(63)] {
            member.spec.region = Some(region.to_owned());
            assert_eq!(left_out(&member), None, "{region}");
        }
    }
}
