//! The CustomResourceDefinitions of this group, generated from the types.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, JSONSchemaProps, JSONSchemaPropsOrArray, ValidationRule,
};
use kube::CustomResourceExt;

use super::{FleetMember, Gate, MemberUpdate, UpdateRun, UpdateStrategy};

/// All definitions, in the order in which they are shown.
pub fn crds() -> Vec<CustomResourceDefinition> {
    let mut run = UpdateRun::crd();
    freeze_selection(&mut run);
    trust_status(&mut run);
    vec![
        FleetMember::crd(),
        UpdateStrategy::crd(),
        run,
        MemberUpdate::crd(),
        Gate::crd(),
    ]
}

/// The controller alone writes a status, from what was validated in a spec: rules on the frozen
/// copy would only use up the API server's cost budget.
fn trust_status(crd: &mut CustomResourceDefinition) {
    for version in &mut crd.spec.versions {
        let status = version
            .schema
            .as_mut()
            .and_then(|s| s.open_api_v3_schema.as_mut())
            .and_then(|s| s.properties.as_mut())
            .and_then(|p| p.get_mut("status"));
        if let Some(status) = status {
            drop_rules(status);
        }
    }
}

fn drop_rules(schema: &mut JSONSchemaProps) {
    schema.x_kubernetes_validations = None;
    for property in schema.properties.iter_mut().flat_map(|p| p.values_mut()) {
        drop_rules(property);
    }
    if let Some(JSONSchemaPropsOrArray::Schema(items)) = schema.items.as_mut() {
        drop_rules(items);
    }
}

/// In a run, selectors and scheduled starts are create-only; in a strategy, which shares the type,
/// they may be edited (update-runs §3.2). So the rule is added to the run's schema alone.
fn freeze_selection(crd: &mut CustomResourceDefinition) {
    for version in &mut crd.spec.versions {
        let strategy = version
            .schema
            .as_mut()
            .and_then(|s| s.open_api_v3_schema.as_mut())
            .and_then(|s| s.properties.as_mut())
            .and_then(|p| p.get_mut("spec"))
            .and_then(|s| s.properties.as_mut())
            .and_then(|p| p.get_mut("strategy"));
        if let Some(strategy) = strategy {
            freeze_in(strategy);
        }
    }
}

fn freeze_in(schema: &mut JSONSchemaProps) {
    for (name, property) in schema.properties.iter_mut().flatten() {
        if name == "memberSelector" {
            property
                .x_kubernetes_validations
                .get_or_insert_default()
                .push(ValidationRule {
                    rule: "self == oldSelf".into(),
                    message: Some(
                        "RunNotEditable: a memberSelector can only be set when the run is created"
                            .into(),
                    ),
                    ..Default::default()
                });
        } else {
            freeze_in(property);
        }
    }
    if let Some(JSONSchemaPropsOrArray::Schema(items)) = schema.items.as_mut() {
        freeze_in(items);
    }
}
