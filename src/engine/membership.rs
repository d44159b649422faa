//! Which member is in which group (update-runs §5).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::labels;
use super::refusal::{Refusal, code};
use super::selector::Selector;
use crate::api::{FleetMember, GateConfig, Group, Stage};

/// Name of the stage and of the group of a run without a strategy.
pub const DEFAULT: &str = "default";

/// How many ambiguous members a refusal names.
const NAMED: usize = 10;

/// A group of a stage, be it written or implicit.
#[derive(Clone, Debug)]
pub(super) struct Shape<'a> {
    /// Name of the group.
    pub name: &'a str,
    /// As written; `None` for an implicit group, which takes the stage's limits as its own.
    pub written: Option<&'a Group>,
}

impl<'a> Shape<'a> {
    /// Gates before the group.
    pub fn before_gates(&self) -> &'a [GateConfig] {
        self.written
            .map(|group| group.before_gates.as_slice())
            .unwrap_or_default()
    }

    /// Gates after the group.
    pub fn after_gates(&self) -> &'a [GateConfig] {
        self.written
            .map(|group| group.after_gates.as_slice())
            .unwrap_or_default()
    }
}

/// The groups of a stage; without any written there is one implicit group of the stage's name.
pub(super) fn groups(stage: &Stage) -> Vec<Shape<'_>> {
    if stage.groups.is_empty() {
        return vec![Shape {
            name: &stage.name,
            written: None,
        }];
    }
    stage
        .groups
        .iter()
        .map(|group| Shape {
            name: &group.name,
            written: Some(group),
        })
        .collect()
}

/// The strategy of a run without any: all members, one by one.
pub(super) fn default_stages() -> Vec<Stage> {
    vec![Stage {
        name: DEFAULT.to_owned(),
        groups: vec![Group {
            name: DEFAULT.to_owned(),
            ..Group::default()
        }],
        ..Stage::default()
    }]
}

/// Which members a group takes, in words.
pub(super) fn rule(stage: &Stage, shape: &Shape<'_>, everyone: bool) -> String {
    if everyone {
        return "every member".into();
    }
    let own = shape.written.map(|group| match &group.member_selector {
        Some(selector) => selector.by_label.clone(),
        None => format!("group {}", group.name),
    });
    let outer = stage.member_selector.as_ref().map(|s| s.by_label.as_str());
    match (outer, own) {
        (Some(outer), Some(own)) => format!("{own}, of those with {outer}"),
        (Some(outer), None) => outer.to_owned(),
        (None, Some(own)) => own,
        (None, None) => String::new(),
    }
}

/// Members of each group of each stage, by name; and those that no group takes.
#[derive(Clone, Debug, Default)]
pub(super) struct Membership {
    /// By stage, then by group.
    pub placed: Vec<Vec<Vec<Arc<FleetMember>>>>,
    /// In no group.
    pub unplaced: Vec<Arc<FleetMember>>,
}

struct Rule<'a> {
    stage: usize,
    group: usize,
    name: &'a str,
    outer: Option<Selector>,
    own: Own<'a>,
}

enum Own<'a> {
    All,
    Name(&'a str),
    Labels(Selector),
}

/// Places members, sorted by name. `everyone` puts them all into the first group. Refused when a
/// member falls into more than one group.
pub(super) fn resolve(
    stages: &[Stage],
    members: &[Arc<FleetMember>],
    everyone: bool,
) -> Result<Membership, Refusal> {
    let rules = rules(stages, everyone)?;
    let any_labels = rules
        .iter()
        .any(|rule| rule.outer.is_some() || matches!(rule.own, Own::Labels(_)));
    let mut membership = Membership {
        placed: stages
            .iter()
            .map(|stage| groups(stage).iter().map(|_| Vec::new()).collect())
            .collect(),
        unplaced: Vec::new(),
    };
    let mut ambiguous = Vec::new();
    for member in members {
        let labels = match any_labels {
            true => labels::of(member),
            false => BTreeMap::new(),
        };
        let mut hits = rules.iter().filter(|rule| rule.takes(member, &labels));
        let Some(first) = hits.next() else {
            membership.unplaced.push(Arc::clone(member));
            continue;
        };
        let more: Vec<_> = hits.map(|rule| rule.name).collect();
        if !more.is_empty() {
            let name = member.metadata.name.as_deref().unwrap_or_default();
            ambiguous.push(format!("{name} ({}, {})", first.name, more.join(", ")));
        }
        let group = membership
            .placed
            .get_mut(first.stage)
            .and_then(|stage| stage.get_mut(first.group));
        if let Some(group) = group {
            group.push(Arc::clone(member));
        }
    }
    if ambiguous.is_empty() {
        return Ok(membership);
    }
    let named = ambiguous
        .iter()
        .take(NAMED)
        .cloned()
        .collect::<Vec<_>>()
        .join("; ");
    let more = match ambiguous.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    Err(Refusal::new(
        code::AMBIGUOUS_MEMBERSHIP,
        format!(
            "{} selected by more than one group: {named}{more}",
            match ambiguous.len() {
                1 => "1 member is".to_owned(),
                n => format!("{n} members are"),
            }
        ),
    )
    .hint(
        "change the selectors or the members' labels so that each member is in at most one group",
    ))
}

impl Rule<'_> {
    fn takes(&self, member: &FleetMember, labels: &BTreeMap<String, String>) -> bool {
        let own = match &self.own {
            Own::All => true,
            Own::Name(name) => member.spec.group.as_deref() == Some(name),
            Own::Labels(selector) => selector.matches(labels),
        };
        own && self
            .outer
            .as_ref()
            .is_none_or(|selector| selector.matches(labels))
    }
}

fn rules(stages: &[Stage], everyone: bool) -> Result<Vec<Rule<'_>>, Refusal> {
    let mut rules = Vec::new();
    for (s, stage) in stages.iter().enumerate() {
        for (g, shape) in groups(stage).into_iter().enumerate() {
            let selector = shape
                .written
                .and_then(|group| group.member_selector.as_ref());
            let own = match (everyone, shape.written, selector) {
                (true, _, _) | (_, None, _) => Own::All,
                (_, Some(_), Some(selector)) => Own::Labels(parse(&selector.by_label)?),
                (_, Some(group), None) => Own::Name(&group.name),
            };
            let outer = match &stage.member_selector {
                Some(selector) => Some(parse(&selector.by_label)?),
                None => None,
            };
            rules.push(Rule {
                stage: s,
                group: g,
                name: shape.name,
                outer,
                own,
            });
        }
    }
    Ok(rules)
}

fn parse(text: &str) -> Result<Selector, Refusal> {
    Selector::parse(text).map_err(|why| {
        Refusal::new(
            code::INVALID_SELECTOR,
            format!("\"{text}\" is no label selector: {why}"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{FleetMemberSpec, MemberSelector};

    fn member(name: &str, group: &str, labels: &[(&str, &str)]) -> Arc<FleetMember> {
        let mut member = FleetMember::new(
            name,
            FleetMemberSpec {
                group: (!group.is_empty()).then(|| group.to_owned()),
                ..FleetMemberSpec::default()
            },
        );
        let labels = labels
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
        member.metadata.labels = Some(labels.collect());
        Arc::new(member)
    }

    fn fleet() -> Vec<Arc<FleetMember>> {
        vec![
            member("c1", "blue", &[("env", "prod"), ("tier", "web")]),
            member("c2", "blue", &[("env", "dev"), ("tier", "web")]),
            member("c3", "green", &[("env", "prod"), ("tier", "db")]),
            member("c4", "", &[("env", "prod")]),
            member("c5", "", &[]),
        ]
    }

    fn select(text: &str) -> Option<MemberSelector> {
        (!text.is_empty()).then(|| MemberSelector {
            by_label: text.to_owned(),
        })
    }

    fn stage(name: &str, selector: &str, groups: &[(&str, &str)]) -> Stage {
        Stage {
            name: name.into(),
            member_selector: select(selector),
            groups: groups
                .iter()
                .map(|(name, selector)| Group {
                    name: (*name).to_owned(),
                    member_selector: select(selector),
                    ..Group::default()
                })
                .collect(),
            ..Stage::default()
        }
    }

    fn names(members: &[Arc<FleetMember>]) -> String {
        let names: Vec<_> = members
            .iter()
            .filter_map(|m| m.metadata.name.clone())
            .collect();
        names.join(",")
    }

    #[test]
    fn the_example_fleet() {
        for (selector, groups, want, rest) in [
            ("", &[("blue", "")][..], "c1,c2", "c3,c4,c5"),
            ("env=prod", &[], "c1,c3,c4", "c2,c5"),
            ("env=prod", &[("blue", "")], "c1", "c2,c3,c4,c5"),
            ("env=prod", &[("g", "tier=db")], "c3", "c1,c2,c4,c5"),
            ("", &[("g", "tier!=db")], "c1,c2,c4,c5", "c3"),
            ("", &[("g", "!env")], "c5", "c1,c2,c3,c4"),
            (
                "env in (prod,dev)",
                &[("g", "tier notin (web)")],
                "c3,c4",
                "c1,c2,c5",
            ),
            ("", &[("nobody", "")], "", "c1,c2,c3,c4,c5"),
        ] {
            let stages = [stage("s", selector, groups)];
            let membership = resolve(&stages, &fleet(), false).unwrap();
            assert_eq!(
                names(&membership.placed[0][0]),
                want,
                "{selector} {groups:?}"
            );
            assert_eq!(names(&membership.unplaced), rest, "{selector} {groups:?}");
        }
    }

    #[test]
    fn a_member_in_two_groups_is_refused_with_both() {
        let stages = [
            stage("s", "", &[("blue", "")]),
            stage("t", "", &[("web", "tier=web"), ("dev", "env=dev")]),
        ];
        let refusal = resolve(&stages, &fleet(), false).unwrap_err();
        assert_eq!(refusal.code, code::AMBIGUOUS_MEMBERSHIP);
        assert!(
            refusal
                .message
                .contains("c1 (blue, web); c2 (blue, web, dev)"),
            "{refusal}"
        );
        let many: Vec<_> = (0..12)
            .map(|i| member(&format!("m{i:02}"), "", &[("a", "b")]))
            .collect();
        let stages = [stage("s", "", &[("x", "a"), ("y", "a=b")])];
        let refusal = resolve(&stages, &many, false).unwrap_err();
        assert!(refusal.message.starts_with("12 members"), "{refusal}");
        assert!(
            refusal.message.contains("m09 (x, y); and 2 more"),
            "{refusal}"
        );
    }

    #[test]
    fn without_a_strategy_everyone_is_in_the_default_group() {
        let stages = default_stages();
        let membership = resolve(&stages, &fleet(), true).unwrap();
        assert_eq!(names(&membership.placed[0][0]), "c1,c2,c3,c4,c5");
        assert!(membership.unplaced.is_empty());
    }

    #[test]
    fn rules_in_words() {
        let in_words = |selector, groups| {
            let stage = stage("s", selector, groups);
            rule(&stage, &groups_first(&stage), false)
        };
        assert_eq!(in_words("", &[("blue", "")]), "group blue");
        assert_eq!(in_words("env=prod", &[]), "env=prod");
        assert_eq!(
            in_words("env=prod", &[("g", "tier=db")]),
            "tier=db, of those with env=prod"
        );
    }

    fn groups_first(stage: &Stage) -> Shape<'_> {
        groups(stage).remove(0)
    }
}
