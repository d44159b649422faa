//! Simulated members: their upgrade lives in `FleetMember.status.operation`, on the hub alone, so
//! that it goes on whoever plays it next.

mod observe;
mod play;
mod provider;
mod script;

pub use play::play;
pub use provider::Simulated;
