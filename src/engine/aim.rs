//! What a run wants of each member: versions and images, and whether a member has them already.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::catalog::Catalog;
use super::image;
use super::version::Version;
use super::world::Fleet;
use crate::api::{
    FleetMember, FleetMemberStatus, NodeImageSelectionType, NodeImageVersion, NodePool, PoolTarget,
    UpdateRunSpec, UpgradeType,
};

/// The target of a run.
pub(super) struct Aim<'a> {
    pub type_: UpgradeType,
    /// `None` for node images alone.
    pub version: Option<Version>,
    pub selection: NodeImageSelectionType,
    /// Images pinned for the run.
    pub selected: &'a [NodeImageVersion],
    pub images: Images<'a>,
}

/// What is still to be done on a member.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Work {
    /// Whether the control plane has to move.
    pub control_plane: bool,
    /// Pools that have to change.
    pub pools: Vec<PoolTarget>,
    /// Pools that stay as they are although the run is about pools.
    pub left_alone: Vec<String>,
    /// Pools whose image family has no version in this run (`Consistent` only).
    pub without_image: Vec<String>,
}

impl Work {
    /// Whether the member is at the target.
    pub fn is_nothing(&self) -> bool {
        !self.control_plane && self.pools.is_empty() && self.without_image.is_empty()
    }
}

impl<'a> Aim<'a> {
    /// The target of a run of that spec; `version` is the resolved one.
    pub fn new(
        spec: &UpdateRunSpec,
        version: Option<Version>,
        selected: &'a [NodeImageVersion],
        fleet: &'a dyn Fleet,
    ) -> Self {
        Self {
            type_: spec.upgrade.type_,
            version: version.filter(|_| spec.upgrade.type_ != UpgradeType::NodeImageOnly),
            selection: spec
                .node_image_selection
                .as_ref()
                .map(|selection| selection.type_)
                .unwrap_or_default(),
            selected,
            images: Images::new(fleet),
        }
    }

    /// In words: a version, or `node image`.
    pub fn words(&self) -> String {
        match self.version {
            Some(version) => version.to_string(),
            None => "node image".into(),
        }
    }

    /// What is still to be done on a member (update-runs §4.1–§4.3).
    pub fn work(&self, member: &FleetMember, status: &FleetMemberStatus) -> Work {
        let plane = Version::parse(&status.kubernetes_version);
        let behind = |have: Option<Version>| match (have, self.version) {
            (Some(have), Some(want)) => !have.at_or_above(want),
            (None, Some(_)) => true,
            (_, None) => false,
        };
        let mut work = Work {
            control_plane: behind(plane),
            ..Work::default()
        };
        if self.type_ == UpgradeType::ControlPlaneOnly {
            return work;
        }
        let region = member.spec.region.as_deref().unwrap_or_default();
        for pool in &status.node_pools {
            let version = Version::parse(&pool.kubernetes_version).or(plane);
            let image = self.image(region, pool);
            let target = PoolTarget {
                name: pool.name.clone(),
                kubernetes_version: self
                    .version
                    .filter(|_| behind(version))
                    .map(|v| v.to_string()),
                node_image: match &image {
                    Target::Image(image) => Some(image.clone()),
                    _ => None,
                },
            };
            if image == Target::Missing {
                work.without_image.push(pool.name.clone());
            } else if target.kubernetes_version.is_some() || target.node_image.is_some() {
                work.pools.push(target);
            } else {
                work.left_alone.push(pool.name.clone());
            }
        }
        work
    }

    fn image(&self, region: &str, pool: &NodePool) -> Target {
        let Some(family) = image::family(&pool.node_image) else {
            return Target::Stays;
        };
        let target = match self.selection {
            NodeImageSelectionType::Latest => self.images.newest(region, family),
            NodeImageSelectionType::Consistent | NodeImageSelectionType::Custom => self
                .selected
                .iter()
                .find(|selected| image::family(&selected.version) == Some(family))
                .map(|selected| selected.version.clone()),
        };
        match target {
            Some(target) if image::at_or_ahead(&pool.node_image, &target) => Target::Stays,
            Some(target) => Target::Image(target),
            None if self.selection == NodeImageSelectionType::Consistent => Target::Missing,
            None => Target::Stays,
        }
    }
}

#[derive(PartialEq)]
enum Target {
    Image(String),
    Stays,
    Missing,
}

/// Which images there are: as published, else as seen on members, looked up only when asked.
pub(super) struct Images<'a> {
    fleet: &'a dyn Fleet,
    published: Option<Arc<Catalog>>,
    newest: RefCell<BTreeMap<(String, String), Option<String>>>,
}

impl<'a> Images<'a> {
    pub fn new(fleet: &'a dyn Fleet) -> Self {
        Self {
            fleet,
            published: fleet.catalog(),
            newest: RefCell::default(),
        }
    }

    /// The publication, where there is one.
    pub fn published(&self) -> Option<&Catalog> {
        self.published.as_deref()
    }

    /// The newest image of a family in a region, with its family.
    pub fn newest(&self, region: &str, family: &str) -> Option<String> {
        let key = (region.to_owned(), family.to_owned());
        if let Some(known) = self.newest.borrow().get(&key) {
            return known.clone();
        }
        let found = match &self.published {
            Some(catalog) => catalog
                .newest_image(region, family)
                .map(|version| format!("{family}-{version}")),
            None => self.fleet.newest_image_seen(region, family),
        };
        self.newest.borrow_mut().insert(key, found.clone());
        found
    }
}
