//! What happens at a member's turn: the skip and fail rules (update-runs §4.3), in their order.

use jiff::Timestamp;

use super::aim::{Aim, Work};
use super::image;
use super::version::{self, Version};
use super::world::{Fleet, Window};
use crate::api::{FleetMember, FleetMemberStatus, MemberUpdateSpec, UpgradeType};

/// Codes that a member update carries.
pub mod code {
    /// The member has left the fleet.
    pub const MEMBER_GONE: &str = "MemberGone";
    /// The cluster is of a kind that cannot be upgraded.
    pub const UNSUPPORTED_CLUSTER: &str = "UnsupportedCluster";
    /// Nothing is to be done.
    pub const AT_TARGET: &str = "AlreadyAtTarget";
    /// A pool's image family has no version in this run.
    pub const NO_TARGET_IMAGE: &str = "NoTargetImage";
    /// A maintenance window is closed.
    pub const WINDOW_CLOSED: &str = "MaintenanceWindowClosed";
    /// The Kubernetes version is not yet in the member's region.
    pub const VERSION_NOT_AVAILABLE: &str = "KubernetesVersionNotAvailable";
    /// The node image is not yet in the member's region.
    pub const IMAGE_NOT_AVAILABLE: &str = "NodeImageVersionNotAvailable";
    /// Nothing was observed of the cluster yet.
    pub const NOT_OBSERVED: &str = "ClusterNotObserved";
    /// The cluster is switched off.
    pub const STOPPED: &str = "ClusterStopped";
    /// Another operation is in progress on the cluster.
    pub const BUSY: &str = "ClusterBusy";
    /// The cluster does not answer.
    pub const UNREACHABLE: &str = "ClusterUnreachable";
    /// No single upgrade leads from the cluster's version to the target.
    pub const VERSION_PATH: &str = "VersionPathIllegal";
}

/// Window that a run of this type consults (update-runs §4.1).
pub(super) fn window_configuration(type_: UpgradeType) -> &'static str {
    match type_ {
        UpgradeType::Full | UpgradeType::ControlPlaneOnly => "aksManagedAutoUpgradeSchedule",
        UpgradeType::NodeImageOnly => "aksManagedNodeOSUpgradeSchedule",
    }
}

/// The outcome of a turn.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Turn {
    /// Skipped, for this reason.
    Skip(&'static str, String),
    /// Pending, for this reason, until an instant where one is known.
    Wait(&'static str, String, Option<Timestamp>),
    /// Failed at once: counts as a failure.
    Fail(&'static str, String),
    /// Running: the upgrade to issue.
    Go(Work),
}

/// Evaluates the turn of a member update; the first rule that matches decides.
pub(super) fn evaluate(
    aim: &Aim<'_>,
    spec: &MemberUpdateSpec,
    fleet: &dyn Fleet,
    now: Timestamp,
) -> Turn {
    let Some(member) = present(spec, fleet) else {
        return Turn::Skip(
            code::MEMBER_GONE,
            format!(
                "Member {} has left the fleet since the run was made",
                spec.member
            ),
        );
    };
    judge(aim, &member, || {
        let configuration = window_configuration(aim.type_);
        let window = match fleet.has_windows() {
            true => fleet.window(&member, configuration, now),
            false => Window::None,
        };
        let Window::Opens(at) = window else {
            return None;
        };
        let opens = match at {
            Some(at) => format!("opens {at}"),
            None => "does not open again".to_owned(),
        };
        let message = format!("Maintenance window {configuration} is closed; it {opens}");
        Some(Turn::Wait(code::WINDOW_CLOSED, message, at))
    })
}

/// What would become of a member's turn if it came now, whatever its maintenance window says.
pub(super) fn foresee(aim: &Aim<'_>, member: &FleetMember) -> Turn {
    judge(aim, member, || None)
}

fn judge(aim: &Aim<'_>, member: &FleetMember, window: impl FnOnce() -> Option<Turn>) -> Turn {
    let name = member.metadata.name.as_deref().unwrap_or_default();
    if member.spec.provider.simulated.is_none() {
        return Turn::Skip(
            code::UNSUPPORTED_CLUSTER,
            format!("The cluster of {name} is of a kind that cannot be upgraded"),
        );
    }
    let status = match &member.status {
        Some(status) if !status.kubernetes_version.is_empty() => status,
        Some(status) if status.state == "Unreachable" => return unreachable(name),
        _ => {
            let message = format!("Nothing is known of the cluster of {name} yet");
            return Turn::Wait(code::NOT_OBSERVED, message, None);
        }
    };
    let work = aim.work(member, status);
    if let Some(turn) = nothing_to_do(aim, member, &work)
        .or_else(window)
        .or_else(|| unavailable(aim, member, &work))
        .or_else(|| preflight(aim, name, member, status))
    {
        return turn;
    }
    Turn::Go(work)
}

/// The member that is meant, when it is still there: one made anew under the name is another one.
pub(super) fn present(
    spec: &MemberUpdateSpec,
    fleet: &dyn Fleet,
) -> Option<std::sync::Arc<FleetMember>> {
    fleet.member(&spec.member).filter(|member| {
        let leaving = member.metadata.deletion_timestamp.is_some();
        !leaving && is_meant(spec, member)
    })
}

/// Whether an object is the member that the run means.
pub(super) fn is_meant(spec: &MemberUpdateSpec, member: &FleetMember) -> bool {
    spec.member_uid.is_empty() || member.metadata.uid.as_deref() == Some(spec.member_uid.as_str())
}

/// The version of a cluster that has more than the run wants.
pub(super) fn ahead(aim: &Aim<'_>, member: &FleetMember) -> Option<Version> {
    let have = Version::parse(&member.status.as_ref()?.kubernetes_version)?;
    let want = aim.version?;
    let same = match want.patch {
        Some(_) => have == want,
        None => have.same_minor(want),
    };
    (!same && have.at_or_above(want)).then_some(have)
}

fn nothing_to_do(aim: &Aim<'_>, member: &FleetMember, work: &Work) -> Option<Turn> {
    if work.is_nothing() {
        let (name, want) = (member.metadata.name.as_deref(), aim.words());
        let name = name.unwrap_or_default();
        let message = match ahead(aim, member) {
            Some(have) => format!("{name} is at {have}, newer than {want}"),
            None => format!("{name} is at {want} already"),
        };
        return Some(Turn::Skip(code::AT_TARGET, message));
    }
    (!work.without_image.is_empty()).then(|| {
        let pools = work.without_image.join(", ");
        let message = format!("This run has no image for the family of pool {pools}");
        Turn::Skip(code::NO_TARGET_IMAGE, message)
    })
}

fn unavailable(aim: &Aim<'_>, member: &FleetMember, work: &Work) -> Option<Turn> {
    let catalog = aim.images.published()?;
    let region = member.spec.region.as_deref().unwrap_or_default();
    let needs_version = work.control_plane
        || work
            .pools
            .iter()
            .any(|pool| pool.kubernetes_version.is_some());
    if let Some(version) = aim.version.filter(|_| needs_version)
        && catalog.has_version(region, version) == Some(false)
    {
        let message = format!(
            "Kubernetes {version} is not yet in region {region}; see the release catalogue"
        );
        return Some(Turn::Wait(code::VERSION_NOT_AVAILABLE, message, None));
    }
    for pool in &work.pools {
        let Some(image) = &pool.node_image else {
            continue;
        };
        let Some((family, version)) = image::split(image) else {
            continue;
        };
        if catalog.has_image(region, family, version) == Some(false) {
            let message = format!(
                "Node image {image} for pool {} is not yet in region {region}; see the release catalogue",
                pool.name
            );
            return Some(Turn::Wait(code::IMAGE_NOT_AVAILABLE, message, None));
        }
    }
    None
}

fn preflight(
    aim: &Aim<'_>,
    name: &str,
    member: &FleetMember,
    status: &FleetMemberStatus,
) -> Option<Turn> {
    if status.state == "Unreachable" {
        return Some(unreachable(name));
    }
    if status.state == "Stopped" {
        let message = format!("The cluster of {name} is stopped; start it and retry");
        return Some(Turn::Fail(code::STOPPED, message));
    }
    if status.operation.is_some() || matches!(status.state.as_str(), "Busy" | "Upgrading") {
        let by = status
            .operation
            .as_ref()
            .map(|o| o.run.as_str())
            .filter(|run| !run.is_empty());
        let by = by.map(|run| format!(", of run {run}")).unwrap_or_default();
        let message = format!("Another operation is in progress on the cluster of {name}{by}");
        return Some(Turn::Fail(code::BUSY, message));
    }
    let message = format!(
        "{name} cannot go to {}: {}",
        aim.words(),
        illegal_path(aim, member)?
    );
    Some(Turn::Fail(code::VERSION_PATH, message))
}

/// Why no single upgrade leads from where the cluster is to the target.
pub(super) fn illegal_path(aim: &Aim<'_>, member: &FleetMember) -> Option<String> {
    let status = member.status.as_ref()?;
    let (from, to) = (Version::parse(&status.kubernetes_version)?, aim.version?);
    version::control_plane_path(from, to).or_else(|| {
        let only_plane = aim.type_ == UpgradeType::ControlPlaneOnly;
        status
            .node_pools
            .iter()
            .filter(|_| only_plane)
            .find_map(|pool| {
                let version = Version::parse(&pool.kubernetes_version)?;
                version::skew(version, to).map(|why| format!("pool {}: {why}", pool.name))
            })
    })
}

fn unreachable(name: &str) -> Turn {
    let message = format!("The cluster of {name} does not answer");
    Turn::Fail(code::UNREACHABLE, message)
}
