//! In which order the members of a group get their turn (update-runs §6.2 item 5, §11.2).

use jiff::{SignedDuration, Timestamp};

use super::pass::Pass;
use super::tree::{GroupNode, MemberNode};
use super::turn;
use super::world::Window;
use crate::api::{State, UpgradeType};

/// A window that opens within this time comes before members without any.
const SOON: SignedDuration = SignedDuration::from_hours(4);

/// Members of a group whose turn may come, best first. They are looked for as they are asked for:
/// most decisions start a few members of a few groups.
pub(super) struct Candidates {
    left: usize,
    /// Where to look on, while members come in the order of the group.
    from: usize,
    /// The whole order, where windows make one.
    sorted: Option<std::vec::IntoIter<usize>>,
}

impl Candidates {
    /// Those of a group as it is now; there may be fewer than its counts say, which count members that
    /// are stopped as pending. Between two calls of [`Candidates::next`] only members that
    /// were handed out may change.
    pub fn of(group: &GroupNode<'_>) -> Self {
        let left = group.live.not_started + group.live.pending;
        Self {
            left: usize::try_from(left).unwrap_or_default(),
            from: 0,
            sorted: None,
        }
    }

    /// Whether there may be one more.
    pub fn any(&self) -> bool {
        self.left > 0
    }

    /// The place of the next one in the group.
    pub fn next(
        &mut self,
        pass: &Pass<'_>,
        group: &GroupNode<'_>,
        type_: UpgradeType,
    ) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        if pass.fleet.has_windows() {
            let places = self
                .sorted
                .get_or_insert_with(|| by_window(pass, group, type_).into_iter());
            return places.next();
        }
        let mut rest = group.members.iter().enumerate().skip(self.from);
        let place = rest
            .find(|(_, member)| is_open(member))
            .map(|(place, _)| place);
        self.from = place.map_or(group.members.len(), |place| place.saturating_add(1));
        place
    }
}

fn is_open(member: &MemberNode<'_>) -> bool {
    matches!(member.state(), State::NotStarted | State::Pending)
}

// Members are in order of their names, and a stable sort keeps that inside a tier.
fn by_window(pass: &Pass<'_>, group: &GroupNode<'_>, type_: UpgradeType) -> Vec<usize> {
    let members = group.members.iter().enumerate();
    let mut open: Vec<(usize, &MemberNode<'_>)> =
        members.filter(|(_, member)| is_open(member)).collect();
    let configuration = turn::window_configuration(type_);
    open.sort_by_cached_key(|(_, member)| tier(window(pass, member, configuration), pass.now));
    open.into_iter().map(|(place, _)| place).collect()
}

fn window(pass: &Pass<'_>, member: &MemberNode<'_>, configuration: &str) -> Window {
    match pass.fleet.member(&member.spec.member) {
        Some(found) => pass.fleet.window(&found, configuration, pass.now),
        None => Window::None,
    }
}

/// Tier, and the opening instant inside tiers 2 and 4.
fn tier(window: Window, now: Timestamp) -> (u8, Option<Timestamp>) {
    match window {
        Window::Open => (1, None),
        Window::Opens(Some(at)) if at.duration_since(now) <= SOON => (2, Some(at)),
        Window::None => (3, None),
        Window::Opens(Some(at)) => (4, Some(at)),
        Window::Opens(None) => (4, Some(Timestamp::MAX)),
    }
}
