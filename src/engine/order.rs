//! In which order the members of a group get their turn (update-runs §6.2 item 5, §11.2).

use jiff::{SignedDuration, Timestamp};

use super::pass::Pass;
use super::tree::{GroupNode, MemberNode};
use super::turn;
use super::world::Window;
use crate::api::{State, UpgradeType};

/// A window that opens within this time comes before members without any.
const SOON: SignedDuration = SignedDuration::from_hours(4);

/// Places of the candidates in the group, best first.
pub(super) fn candidates(
    pass: &Pass<'_>,
    group: &GroupNode<'_>,
    type_: UpgradeType,
) -> std::vec::IntoIter<usize> {
    let open =
        |member: &MemberNode<'_>| matches!(member.state(), State::NotStarted | State::Pending);
    if group.live.not_started + group.live.pending == 0 {
        return Vec::new().into_iter();
    }
    let members = group.members.iter().enumerate();
    let mut places: Vec<usize> = members
        .filter(|(_, member)| open(member))
        .map(|(place, _)| place)
        .collect();
    if pass.fleet.has_windows() {
        let configuration = turn::window_configuration(type_);
        // Members are in order of their names, and a stable sort keeps that inside a tier.
        places.sort_by_cached_key(|place| {
            group
                .members
                .get(*place)
                .map(|member| tier(window(pass, member, configuration), pass.now))
        });
    }
    places.into_iter()
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
