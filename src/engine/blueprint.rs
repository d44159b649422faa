//! A run as it is made from its spec, a strategy and the fleet: what both the preview and the tree
//! are made from.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::catalog::Catalog;
use super::identity;
use super::image;
use super::limits::{self, Resolved};
use super::membership::{self, Shape};
use super::refusal::{Refusal, code};
use super::tolerance;
use super::validate;
use super::version::Version;
use super::world::Fleet;
use crate::api::{
    FleetMember, FrozenStrategy, NodeImageSelectionType, NodeImageVersion, Stage, UpdateRunSpec,
    UpgradeType,
};

/// Everything that is frozen when a run is made.
pub(super) struct Blueprint {
    pub strategy: FrozenStrategy,
    /// Whether the run has no strategy: all members one by one.
    pub everyone: bool,
    pub stages: Vec<BlueStage>,
    pub unplaced: Vec<Arc<FleetMember>>,
    pub pinned: Pinned,
}

/// Limits and members of a stage.
pub(super) struct BlueStage {
    pub concurrency: Resolved,
    pub tolerance: i32,
    pub members: usize,
    pub groups: Vec<BlueGroup>,
}

/// Limits and members of a group.
pub(super) struct BlueGroup {
    pub name: String,
    pub concurrency: Resolved,
    pub tolerance: i32,
    pub members: Vec<Arc<FleetMember>>,
}

/// Versions that are fixed when a run is made.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Pinned {
    /// None for node images alone.
    pub version: Option<Version>,
    /// `Consistent` and `Custom`.
    pub images: Vec<NodeImageVersion>,
}

/// Digest of the part of a spec that says along which strategy the run goes.
pub(super) fn strategy_digest(spec: &UpdateRunSpec) -> String {
    let inline = serde_json::to_string(&spec.strategy).unwrap_or_default();
    identity::digest(&[
        "strategy",
        spec.strategy_name.as_deref().unwrap_or(""),
        &inline,
    ])
}

/// Digest of the part of a spec that says what to upgrade to.
pub(super) fn upgrade_digest(spec: &UpdateRunSpec) -> String {
    let upgrade = serde_json::to_string(&spec.upgrade).unwrap_or_default();
    let images = serde_json::to_string(&spec.node_image_selection).unwrap_or_default();
    identity::digest(&["upgrade", &upgrade, &images])
}

/// Makes a run's blueprint, or says why it cannot be made.
pub(super) fn make(spec: &UpdateRunSpec, fleet: &dyn Fleet) -> Result<Blueprint, Vec<Refusal>> {
    // The name is the hub's to judge; here only the spec is.
    let mut violations = validate::run_spec("run", spec);
    let everyone = spec.strategy.is_none() && spec.strategy_name.is_none();
    let (name, stages) = match (&spec.strategy, &spec.strategy_name) {
        (Some(inline), _) => (String::new(), inline.stages.clone()),
        (None, Some(name)) => {
            let strategy = fleet.strategy(name).ok_or_else(|| vec![not_found(name)])?;
            let stages = strategy.spec.stages.clone();
            let found = validate::stages(&stages).into_iter().map(|mut violation| {
                violation.field = format!("strategy {name}, {}", violation.field);
                violation
            });
            violations.extend(found);
            (name.clone(), stages)
        }
        (None, None) => (String::new(), membership::default_stages()),
    };
    if !violations.is_empty() {
        return Err(violations
            .iter()
            .map(validate::Violation::refusal)
            .collect());
    }
    let members = present_members(fleet);
    let placed = membership::resolve(&stages, &members, everyone).map_err(|r| vec![r])?;
    let pinned = pin(
        spec,
        placed.placed.iter().flatten().flatten(),
        fleet,
        &members,
    );
    let resolved = stages
        .iter()
        .zip(placed.placed)
        .map(|(stage, groups)| resolve(stage, groups))
        .collect();
    let written = serde_json::to_string(&stages).unwrap_or_default();
    Ok(Blueprint {
        strategy: FrozenStrategy {
            name,
            hash: identity::digest(&["stages", &written]),
            source_hash: format!("{}-{}", strategy_digest(spec), upgrade_digest(spec)),
            stages,
        },
        everyone,
        stages: resolved,
        unplaced: placed.unplaced,
        pinned,
    })
}

/// Members of the fleet by name, without those that are leaving.
pub(super) fn present_members(fleet: &dyn Fleet) -> Vec<Arc<FleetMember>> {
    let mut members = fleet.members();
    members.retain(|member| member.metadata.deletion_timestamp.is_none());
    members.sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
    members
}

/// Fixes the version and, for `Consistent` and `Custom`, the images of a run over these members.
pub(super) fn pin<'a>(
    spec: &UpdateRunSpec,
    members: impl Iterator<Item = &'a Arc<FleetMember>>,
    fleet: &dyn Fleet,
    everyone: &[Arc<FleetMember>],
) -> Pinned {
    let written = spec
        .upgrade
        .kubernetes_version
        .as_deref()
        .and_then(Version::parse);
    let version = written.filter(|_| spec.upgrade.type_ != UpgradeType::NodeImageOnly);
    let selection = spec.node_image_selection.as_ref();
    let kind = selection
        .map(|selection| selection.type_)
        .unwrap_or_default();
    let needs_catalog = kind == NodeImageSelectionType::Consistent
        || version.is_some_and(|version| version.patch.is_none());
    let catalog = match fleet.catalog() {
        Some(published) => published,
        None if needs_catalog => Arc::new(Catalog::observed(everyone)),
        None => Arc::default(),
    };
    let images = match (kind, selection) {
        (NodeImageSelectionType::Consistent, _) => consistent(members, &catalog),
        (NodeImageSelectionType::Custom, Some(selection)) => {
            selection.custom_node_image_versions.clone()
        }
        _ => Vec::new(),
    };
    Pinned {
        version: version.map(|version| catalog.resolve(version)),
        images,
    }
}

// Per family, the newest version that every region hosting a pool of that family has.
fn consistent<'a>(
    members: impl Iterator<Item = &'a Arc<FleetMember>>,
    catalog: &Catalog,
) -> Vec<NodeImageVersion> {
    let mut families = BTreeMap::<&str, BTreeSet<&str>>::new();
    for member in members {
        let region = member.spec.region.as_deref().unwrap_or_default();
        for pool in member.status.iter().flat_map(|status| &status.node_pools) {
            if let Some(family) = image::family(&pool.node_image) {
                families.entry(family).or_default().insert(region);
            }
        }
    }
    families
        .iter()
        .filter_map(|(family, regions)| {
            let version = catalog.newest_common_image(regions, family)?;
            Some(NodeImageVersion {
                version: format!("{family}-{version}"),
            })
        })
        .collect()
}

fn resolve(stage: &Stage, placed: Vec<Vec<Arc<FleetMember>>>) -> BlueStage {
    let total = placed.iter().map(Vec::len).sum();
    let concurrency = limits::stage(stage.max_concurrency.as_deref(), total);
    let stage_tolerance = tolerance::resolve(stage.max_allowed_failures.as_deref(), total);
    let groups = membership::groups(stage)
        .into_iter()
        .zip(placed)
        .map(|(shape, members)| BlueGroup {
            name: shape.name.to_owned(),
            concurrency: group_concurrency(&shape, members.len(), concurrency.value),
            tolerance: match shape.written {
                Some(group) => {
                    tolerance::resolve(group.max_allowed_failures.as_deref(), members.len())
                }
                None => stage_tolerance,
            },
            members,
        })
        .collect();
    BlueStage {
        concurrency,
        tolerance: stage_tolerance,
        members: total,
        groups,
    }
}

// An implicit group takes the stage's value as its own, so nothing of it is capped by it.
fn group_concurrency(shape: &Shape<'_>, members: usize, ceiling: i32) -> Resolved {
    match shape.written {
        Some(group) => limits::group(group.max_concurrency.as_deref(), members, ceiling),
        None => Resolved {
            value: limits::group(Some("100%"), members, ceiling).value,
            capped_from: None,
            rounding: String::new(),
        },
    }
}

fn not_found(name: &str) -> Refusal {
    Refusal::new(
        code::STRATEGY_NOT_FOUND,
        format!("there is no strategy \"{name}\""),
    )
    .hint("create it, or give another strategyName")
}
