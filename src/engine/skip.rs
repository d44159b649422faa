//! Skips: what can be skipped, what a skip would do, and doing it (update-runs §10.5).

use std::fmt;
use std::str::FromStr;

use super::refusal::{Refusal, code};
use super::world::World;

/// Something that can be skipped.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// One member.
    Member(String),
    /// A group with its members and gates.
    Group(String),
    /// A stage with its groups, gates and wait.
    Stage(String),
    /// The wait after the stage of that name.
    AfterStageWait(String),
}

impl FromStr for Target {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let invalid = || {
            Refusal::new(
                code::INVALID_TARGET,
                format!("\"{text}\" is no skip target"),
            )
            .hint("write Member:NAME, Group:NAME, Stage:NAME or AfterStageWait:STAGE")
        };
        let (kind, name) = text.split_once(':').ok_or_else(invalid)?;
        if name.is_empty() || name.contains(':') {
            return Err(invalid());
        }
        let name = name.to_owned();
        match kind {
            "Member" => Ok(Target::Member(name)),
            "Group" => Ok(Target::Group(name)),
            "Stage" => Ok(Target::Stage(name)),
            "AfterStageWait" => Ok(Target::AfterStageWait(name)),
            _ => Err(invalid()),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Member(name) => write!(f, "Member:{name}"),
            Target::Group(name) => write!(f, "Group:{name}"),
            Target::Stage(name) => write!(f, "Stage:{name}"),
            Target::AfterStageWait(name) => write!(f, "AfterStageWait:{name}"),
        }
    }
}

/// What a skip does, for whoever confirms it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkipEffect {
    /// Members that become Skipped, in the order of the tree.
    pub members: Vec<String>,
    /// Members in flight that are left to finish.
    pub in_flight: Vec<String>,
    /// Members that stay as they are: Completed or Skipped.
    pub untouched: Vec<String>,
    /// Gates that become Skipped, as `before group g: Approve` and the like.
    pub gates: Vec<String>,
    /// Stages whose wait becomes Skipped.
    pub waits: Vec<String>,
    /// How far the number of failures falls.
    pub failures_forgiven: i32,
}

/// What skipping these targets together would do; a refusal when they cannot be skipped.
pub fn check(world: &World<'_>, targets: &[Target]) -> Result<SkipEffect, Refusal> {
    let _ = (world, targets);
    Ok(SkipEffect::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets() {
        for text in ["Member:m1", "Group:g", "Stage:s", "AfterStageWait:s"] {
            assert_eq!(text.parse::<Target>().unwrap().to_string(), text);
        }
        for text in [
            "m1",
            "Member:",
            ":m1",
            "member:m1",
            "Member:a:b",
            "Gate:g",
            "Member",
            "",
        ] {
            assert_eq!(
                text.parse::<Target>().unwrap_err().code,
                code::INVALID_TARGET,
                "{text}"
            );
        }
    }
}
