//! Wire types: what fleetdeck stores on a hub, one file a kind.
//!
//! Nothing here decides anything. The schema generated from these types (see [`crds`]) refuses
//! what can be refused from the object alone; everything else is the engine's.

mod common;
pub mod crds;
mod gate;
mod member;
mod member_update;
mod run;
mod strategy;

pub use common::*;
pub use gate::*;
pub use member::*;
pub use member_update::*;
pub use run::*;
pub use strategy::*;

/// API group of all kinds in this module.
pub const GROUP: &str = "fleetdeck.io";
/// The one version served.
pub const VERSION: &str = "v1alpha1";
/// `GROUP/VERSION`, as it stands in `apiVersion`.
pub const API_VERSION: &str = "fleetdeck.io/v1alpha1";

/// Label keys on the objects that a run makes.
pub mod labels {
    /// Name of the run.
    pub const RUN: &str = "fleetdeck.io/run";
    /// Name of the stage.
    pub const STAGE: &str = "fleetdeck.io/stage";
    /// Name of the group.
    pub const GROUP: &str = "fleetdeck.io/group";
    /// Name of the member.
    pub const MEMBER: &str = "fleetdeck.io/member";
}
