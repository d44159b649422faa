//! Which versions and images there are, per region: as published, or as seen on the members.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::image;
use super::version::Version;
use crate::api::FleetMember;

/// Versions and images per region.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalog {
    /// Whether this is a publication. What was only observed proves that something exists, never
    /// that it does not.
    pub published: bool,
    /// By region; members without a region are under the empty name.
    pub regions: BTreeMap<String, Region>,
}

/// What one region has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Region {
    /// Kubernetes versions.
    pub versions: BTreeSet<Version>,
    /// Image versions by family.
    pub images: BTreeMap<String, BTreeSet<String>>,
}

impl Catalog {
    /// What is seen on members, by region.
    pub fn observed<'a>(members: impl IntoIterator<Item = &'a Arc<FleetMember>>) -> Self {
        let mut regions = BTreeMap::<String, Region>::new();
        for member in members {
            let Some(status) = &member.status else {
                continue;
            };
            let name = member.spec.region.as_deref().unwrap_or_default();
            if !regions.contains_key(name) {
                regions.insert(name.to_owned(), Region::default());
            }
            let Some(region) = regions.get_mut(name) else {
                continue;
            };
            region
                .versions
                .extend(Version::parse(&status.kubernetes_version));
            for pool in &status.node_pools {
                region
                    .versions
                    .extend(Version::parse(&pool.kubernetes_version));
                if let Some((family, version)) = image::split(&pool.node_image) {
                    region.add_image(family, version);
                }
            }
        }
        Self {
            published: false,
            regions,
        }
    }

    /// The newest image version of a family in a region.
    pub fn newest_image(&self, region: &str, family: &str) -> Option<&str> {
        self.images(region, family)?
            .iter()
            .map(String::as_str)
            .max_by(|a, b| image::compare(a, b))
    }

    /// The newest image version of a family that every one of these regions has.
    pub fn newest_common_image<'a>(
        &'a self,
        regions: &BTreeSet<&str>,
        family: &str,
    ) -> Option<&'a str> {
        let mut sets = regions.iter().map(|region| self.images(region, family));
        let first = sets.next()??;
        let others: Vec<_> = sets.collect::<Option<_>>()?;
        first
            .iter()
            .filter(|version| others.iter().all(|set| set.contains(*version)))
            .map(String::as_str)
            .max_by(|a, b| image::compare(a, b))
    }

    /// Whether a region has an image; `None` when that is not known.
    pub fn has_image(&self, region: &str, family: &str, version: &str) -> Option<bool> {
        let seen = self
            .images(region, family)
            .is_some_and(|set| set.iter().any(|v| image::compare(v, version).is_eq()));
        (seen || self.published).then_some(seen)
    }

    /// Whether a region has a Kubernetes version; `None` when that is not known.
    pub fn has_version(&self, region: &str, version: Version) -> Option<bool> {
        let seen = self.regions.get(region).is_some_and(|region| {
            region.versions.iter().any(|v| match version.patch {
                Some(_) => *v == version,
                None => v.same_minor(version),
            })
        });
        (seen || self.published).then_some(seen)
    }

    /// The newest patch of an `X.Y` alias that is known anywhere; other versions stay as they are.
    pub fn resolve(&self, version: Version) -> Version {
        if version.patch.is_some() {
            return version;
        }
        self.regions
            .values()
            .flat_map(|region| &region.versions)
            .filter(|v| v.patch.is_some() && v.same_minor(version))
            .max()
            .copied()
            .unwrap_or(version)
    }

    fn images(&self, region: &str, family: &str) -> Option<&BTreeSet<String>> {
        self.regions.get(region)?.images.get(family)
    }
}

/// The newest image of a family seen on members of a region, with its family.
pub fn newest_seen(members: &[Arc<FleetMember>], region: &str, family: &str) -> Option<String> {
    let mut newest: Option<(&str, &str)> = None;
    for member in members {
        if member.spec.region.as_deref().unwrap_or_default() != region {
            continue;
        }
        for pool in member.status.iter().flat_map(|status| &status.node_pools) {
            // Most pools of a fleet have the same few images: those need no second look.
            if newest.is_some_and(|(image, _)| image == pool.node_image) {
                continue;
            }
            let Some(version) = image::version_in(&pool.node_image, family) else {
                continue;
            };
            if newest.is_none_or(|(_, best)| image::compare(version, best).is_gt()) {
                newest = Some((&pool.node_image, version));
            }
        }
    }
    newest.map(|(image, _)| image.to_owned())
}

/// How many pools of each image are seen, by region: kept as members come, change and go, so that no
/// decision looks at every member of the fleet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenImages {
    regions: BTreeMap<String, BTreeMap<String, usize>>,
}

impl SeenImages {
    /// Whether a member counts the same before and after a change, as it does after nearly every one.
    pub fn same(old: Option<&FleetMember>, new: Option<&FleetMember>) -> bool {
        let region = |member: Option<&FleetMember>| member.map(|m| m.spec.region.clone());
        region(old) == region(new) && images(old).eq(images(new))
    }

    /// Counts the images of a member.
    pub fn add(&mut self, member: &FleetMember) {
        for image in images(Some(member)) {
            let region = member.spec.region.as_deref().unwrap_or_default();
            let region = self.regions.entry(region.to_owned()).or_default();
            *region.entry(image.to_owned()).or_default() += 1;
        }
    }

    /// Takes the images of a member back that were counted.
    pub fn remove(&mut self, member: &FleetMember) {
        let name = member.spec.region.as_deref().unwrap_or_default();
        let Some(region) = self.regions.get_mut(name) else {
            return;
        };
        for image in images(Some(member)) {
            if let Some(count) = region.get_mut(image) {
                *count = count.saturating_sub(1);
                if *count == 0 {
                    region.remove(image);
                }
            }
        }
        if region.is_empty() {
            self.regions.remove(name);
        }
    }

    /// The newest image of a family seen on members of a region, with its family.
    pub fn newest(&self, region: &str, family: &str) -> Option<String> {
        let images = self.regions.get(region)?;
        let of_family = images
            .keys()
            .filter_map(|image| Some((image, image::version_in(image, family)?)));
        let newest = of_family.max_by(|(_, a), (_, b)| image::compare(a, b));
        newest.map(|(image, _)| image.clone())
    }
}

fn images(member: Option<&FleetMember>) -> impl Iterator<Item = &str> {
    let pools = member
        .and_then(|member| member.status.as_ref())
        .map(|status| status.node_pools.as_slice());
    let images = pools.unwrap_or_default().iter();
    images.map(|pool| pool.node_image.as_str())
}

impl Region {
    /// Adds an image version of a family.
    pub fn add_image(&mut self, family: &str, version: &str) {
        match self.images.get_mut(family) {
            Some(versions) if versions.contains(version) => {}
            Some(versions) => {
                versions.insert(version.to_owned());
            }
            None => {
                let versions = BTreeSet::from([version.to_owned()]);
                self.images.insert(family.to_owned(), versions);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{FleetMemberSpec, FleetMemberStatus, NodePool};

    fn catalog(regions: &[(&str, &[&str])]) -> Catalog {
        let mut catalog = Catalog::default();
        for (name, versions) in regions {
            let region = catalog.regions.entry((*name).to_owned()).or_default();
            for version in *versions {
                region.add_image("F", version);
            }
        }
        catalog
    }

    #[test]
    fn consistent_takes_the_newest_common_version() {
        let published = catalog(&[
            ("east", &["0801", "0808", "0815"]),
            ("west", &["0801", "0808"]),
            ("north", &["0808", "0815"]),
        ]);
        for (regions, want) in [
            (&["east", "north"][..], Some("0815")),
            (&["east", "west"], Some("0808")),
            (&["east", "west", "north"], Some("0808")),
            (&["west"], Some("0808")),
        ] {
            let regions = regions.iter().copied().collect();
            assert_eq!(
                published.newest_common_image(&regions, "F"),
                want,
                "{regions:?}"
            );
        }
        let apart = catalog(&[("east", &["0815"]), ("west", &["0801"])]);
        let both = BTreeSet::from(["east", "west"]);
        assert_eq!(apart.newest_common_image(&both, "F"), None);
        assert_eq!(apart.newest_common_image(&both, "G"), None);
    }

    #[test]
    fn an_observation_never_proves_absence() {
        let mut catalog = catalog(&[("east", &["0815"])]);
        assert_eq!(catalog.has_image("east", "F", "0815"), Some(true));
        assert_eq!(catalog.has_image("east", "F", "0822"), None);
        catalog.published = true;
        assert_eq!(catalog.has_image("east", "F", "0822"), Some(false));
        assert_eq!(
            catalog.has_version("east", Version::parse("1.33.1").unwrap()),
            Some(false)
        );
    }

    #[test]
    fn images_counted_as_members_come_and_go_are_those_seen_on_all_of_them() {
        let member = |region: &str, images: &[&str]| {
            let pools = images.iter().map(|image| NodePool {
                node_image: (*image).to_owned(),
                ..NodePool::default()
            });
            let mut member = FleetMember::new("m", FleetMemberSpec::default());
            member.spec.region = Some(region.to_owned());
            member.status = Some(FleetMemberStatus {
                node_pools: pools.collect(),
                ..FleetMemberStatus::default()
            });
            Arc::new(member)
        };
        let all = [
            member("east", &["F-9", "G-1"]),
            member("east", &["F-10"]),
            member("west", &["F-11", ""]),
            member("east", &["F-10", "nothing"]),
        ];
        let mut seen = SeenImages::default();
        for (count, one) in all.iter().enumerate() {
            seen.add(one);
            for (region, family) in [("east", "F"), ("east", "G"), ("west", "F"), ("west", "G")] {
                assert_eq!(
                    seen.newest(region, family),
                    newest_seen(&all[..=count], region, family),
                    "{region} {family}"
                );
            }
        }
        for (count, one) in all.iter().enumerate() {
            seen.remove(one);
            let left = all.get(count + 1..).unwrap_or_default();
            assert_eq!(seen.newest("east", "F"), newest_seen(left, "east", "F"));
        }
        assert_eq!(seen, SeenImages::default());
        let [first, second, ..] = &all;
        assert!(SeenImages::same(Some(first), Some(first)));
        assert!(!SeenImages::same(Some(first), Some(second)));
        assert!(!SeenImages::same(None, Some(second)));
    }

    #[test]
    fn an_alias_becomes_the_newest_known_patch() {
        let mut catalog = Catalog::default();
        let region = catalog.regions.entry("east".into()).or_default();
        for text in ["1.33.1", "1.33.10", "1.33.9", "1.34.0"] {
            region.versions.extend(Version::parse(text));
        }
        let resolve = |text: &str| catalog.resolve(Version::parse(text).unwrap()).to_string();
        assert_eq!(resolve("1.33"), "1.33.10");
        assert_eq!(resolve("1.35"), "1.35");
        assert_eq!(resolve("1.33.2"), "1.33.2");
    }
}
