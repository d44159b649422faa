//! What can be refused from an object alone (update-runs §3.1), each with the path of the field.

use std::collections::BTreeSet;

use super::image;
use super::limits::{Limit, STAGE_CEILING};
use super::refusal::{Refusal, code};
use super::scheduled_start;
use super::selector::Selector;
use super::version::Version;
use crate::api::{
    GateConfig, GateType, Group, MemberSelector, NodeImageSelectionType, Stage, UpdateRunSpec,
    UpgradeType,
};

/// Most stages of a strategy.
pub const MAX_STAGES: usize = 31;
/// Most groups of a stage.
pub const MAX_GROUPS: usize = 50;
/// Most gates of one list.
pub const MAX_GATES: usize = 10;
/// Longest display name of a gate.
pub const MAX_DISPLAY_NAME: usize = 100;

/// A field that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Machine code of update-runs §3.1.
    pub code: &'static str,
    /// Path of the field, for example `stages[0].groups[1].maxConcurrency`.
    pub field: String,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub hint: String,
}

impl Violation {
    /// As a refusal; the message begins with the path.
    pub fn refusal(&self) -> Refusal {
        Refusal::new(self.code, format!("{}: {}", self.field, self.message)).hint(&self.hint)
    }
}

/// Whether a text is a name (update-runs §2.1): 1 to 50 lower-case letters, digits and `-`, with a
/// letter or digit at both ends.
pub fn name(text: &str) -> bool {
    named(text, b"-")
}

/// Whether a text is the name of a run: as other names, and `.` is allowed inside.
pub fn run_name(text: &str) -> bool {
    named(text, b"-.")
}

fn named(text: &str, inside: &[u8]) -> bool {
    let bytes = text.as_bytes();
    let plain = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    (1..=50).contains(&bytes.len())
        && bytes.first().is_some_and(plain)
        && bytes.last().is_some_and(plain)
        && bytes.iter().all(|b| plain(b) || inside.contains(b))
}

/// All violations of a strategy's stages, in the order of the fields.
pub fn stages(stages: &[Stage]) -> Vec<Violation> {
    let mut check = Check::default();
    if stages.is_empty() {
        check.add(
            code::REQUIRED_PROPERTY_MISSING,
            "stages",
            "a strategy needs at least one stage",
            "add a stage",
        );
    }
    if stages.len() > MAX_STAGES {
        check.add(
            code::TOO_MANY_STAGES,
            "stages",
            format!("{} stages are too many", stages.len()),
            format!("use at most {MAX_STAGES}"),
        );
    }
    for (index, stage) in stages.iter().enumerate() {
        check.stage(&format!("stages[{index}]"), stage);
    }
    check.found
}

/// All violations of a run that is to be created.
pub fn run_spec(name: &str, spec: &UpdateRunSpec) -> Vec<Violation> {
    let mut check = Check::default();
    if !run_name(name) {
        check.add(
            code::INVALID_NAME,
            "metadata.name",
            format!("\"{name}\" is no name for a run"),
            "use 1 to 50 lower-case letters, digits, '-' and '.', with a letter or digit at both ends",
        );
    }
    if spec.strategy_name.is_some() && spec.strategy.is_some() {
        check.add(
            code::STRATEGY_CONFLICT,
            "spec.strategy",
            "strategyName and strategy are both given",
            "give one of them, or neither to upgrade all members one by one",
        );
    }
    if let Some(strategy) = &spec.strategy {
        let inner = stages(&strategy.stages).into_iter().map(|mut violation| {
            violation.field = format!("spec.strategy.{}", violation.field);
            violation
        });
        check.found.extend(inner);
    }
    check.upgrade(spec);
    check.images(spec);
    check.found
}

#[derive(Default)]
struct Check {
    found: Vec<Violation>,
    stage_names: BTreeSet<String>,
    group_names: BTreeSet<String>,
}

impl Check {
    fn add(
        &mut self,
        code: &'static str,
        field: impl Into<String>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.found.push(Violation {
            code,
            field: field.into(),
            message: message.into(),
            hint: hint.into(),
        });
    }

    fn stage(&mut self, path: &str, stage: &Stage) {
        self.name(path, &stage.name);
        if !self.stage_names.insert(stage.name.clone()) {
            self.add(
                code::DUPLICATE_STAGE,
                format!("{path}.name"),
                format!("stage \"{}\" is there twice", stage.name),
                "give each stage a name of its own",
            );
        }
        if stage.groups.is_empty() && stage.member_selector.is_none() {
            self.add(
                code::REQUIRED_PROPERTY_MISSING,
                format!("{path}.groups"),
                format!(
                    "stage \"{}\" has neither groups nor a memberSelector",
                    stage.name
                ),
                "add groups, or a memberSelector that says which members belong to the stage",
            );
        }
        if stage.groups.len() > MAX_GROUPS {
            self.add(
                code::TOO_MANY_GROUPS,
                format!("{path}.groups"),
                format!("{} groups are too many", stage.groups.len()),
                format!("use at most {MAX_GROUPS} in a stage"),
            );
        }
        if stage.groups.is_empty() {
            self.group_name(&format!("{path}.name"), &stage.name);
        }
        self.selector(path, stage.member_selector.as_ref());
        self.concurrency(path, stage.max_concurrency.as_deref(), Some(STAGE_CEILING));
        self.tolerance(path, stage.max_allowed_failures.as_deref());
        if stage
            .after_stage_wait_in_seconds
            .is_some_and(|seconds| seconds < 0)
        {
            self.add(
                code::INVALID_LIMIT,
                format!("{path}.afterStageWaitInSeconds"),
                "a wait cannot be negative",
                "use 0 for none",
            );
        }
        self.gates(path, &stage.before_gates, &stage.after_gates);
        for (index, group) in stage.groups.iter().enumerate() {
            self.group(&format!("{path}.groups[{index}]"), group);
        }
    }

    fn group(&mut self, path: &str, group: &Group) {
        self.name(path, &group.name);
        self.group_name(&format!("{path}.name"), &group.name);
        self.selector(path, group.member_selector.as_ref());
        self.concurrency(path, group.max_concurrency.as_deref(), None);
        self.tolerance(path, group.max_allowed_failures.as_deref());
        self.gates(path, &group.before_gates, &group.after_gates);
    }

    fn name(&mut self, path: &str, text: &str) {
        if !name(text) {
            self.add(
                code::INVALID_NAME,
                format!("{path}.name"),
                format!("\"{text}\" is no name"),
                "use 1 to 50 lower-case letters, digits and '-', with a letter or digit at both ends",
            );
        }
    }

    fn group_name(&mut self, field: &str, text: &str) {
        if !self.group_names.insert(text.to_owned()) {
            self.add(
                code::DUPLICATE_GROUP,
                field,
                format!("group \"{text}\" is there twice"),
                "give each group a name of its own in the whole strategy; a stage without groups makes one of its own name",
            );
        }
    }

    fn selector(&mut self, path: &str, selector: Option<&MemberSelector>) {
        let Some(selector) = selector else { return };
        if let Err(why) = Selector::parse(&selector.by_label) {
            self.add(
                code::INVALID_SELECTOR,
                format!("{path}.memberSelector.byLabel"),
                format!(
                    "\"{}\" is no label selector: {why}",
                    shown(&selector.by_label)
                ),
                "use k=v, k!=v, k in (a,b), k notin (a,b), k or !k, separated by commas",
            );
        }
    }

    fn concurrency(&mut self, path: &str, text: Option<&str>, ceiling: Option<i32>) {
        let Some(text) = text else { return };
        let field = format!("{path}.maxConcurrency");
        match (Limit::concurrency(text), ceiling) {
            (None, _) => self.add(
                code::INVALID_LIMIT,
                field,
                format!("\"{text}\" is no number of members at once"),
                "use a positive whole number without leading zero, or 1% to 100%",
            ),
            (Some(Limit::Count(n)), Some(most)) if n > most => self.add(
                code::INVALID_LIMIT,
                field,
                format!("{n} is more than a stage can have at once"),
                format!("use at most {most}, or a percentage"),
            ),
            _ => {}
        }
    }

    fn tolerance(&mut self, path: &str, text: Option<&str>) {
        if let Some(text) = text.filter(|text| Limit::tolerance(text).is_none()) {
            self.add(
                code::INVALID_LIMIT,
                format!("{path}.maxAllowedFailures"),
                format!("\"{text}\" is no number of failures"),
                "use a whole number from 0 without leading zero, or 0% to 100%",
            );
        }
    }

    fn gates(&mut self, path: &str, before: &[GateConfig], after: &[GateConfig]) {
        for (list, gates) in [("beforeGates", before), ("afterGates", after)] {
            if gates.len() > MAX_GATES {
                self.add(
                    code::INVALID_GATE,
                    format!("{path}.{list}"),
                    format!("{} gates are too many", gates.len()),
                    format!("use at most {MAX_GATES} in one list"),
                );
            }
            for (index, gate) in gates.iter().enumerate() {
                self.gate(
                    &format!("{path}.{list}[{index}]"),
                    gate,
                    list == "afterGates",
                );
            }
        }
    }

    fn gate(&mut self, path: &str, gate: &GateConfig, after: bool) {
        let length = gate.display_name.as_ref().map(|name| name.chars().count());
        if length.is_some_and(|length| !(1..=MAX_DISPLAY_NAME).contains(&length)) {
            self.add(
                code::INVALID_GATE,
                format!("{path}.displayName"),
                "a display name has 1 to 100 characters",
                "shorten it, or leave it out",
            );
        }
        let scheduled = gate.type_ == GateType::ScheduledStart;
        if scheduled && after {
            self.add(
                code::INVALID_GATE,
                format!("{path}.type"),
                "a ScheduledStart gate cannot stand after a stage or group",
                "use an Approval gate, or put it before the next stage or group",
            );
        }
        let field = format!("{path}.scheduledStartConfiguration");
        match (&gate.scheduled_start_configuration, scheduled) {
            (None, true) => self.add(
                code::INVALID_GATE,
                field,
                "a ScheduledStart gate needs scheduledStartConfiguration",
                "give startDay, startTime and utcOffset",
            ),
            (Some(_), false) => self.add(
                code::INVALID_GATE,
                field,
                "an Approval gate takes no scheduledStartConfiguration",
                "remove it, or use type ScheduledStart",
            ),
            (Some(start), true) => {
                if scheduled_start::time_of_day(&start.start_time).is_none() {
                    self.add(
                        code::INVALID_GATE,
                        format!("{field}.startTime"),
                        format!("\"{}\" is no time of day", start.start_time),
                        "use HH:MM from 00:00 to 23:59",
                    );
                }
                if scheduled_start::offset(&start.utc_offset).is_none() {
                    self.add(
                        code::INVALID_GATE,
                        format!("{field}.utcOffset"),
                        format!("\"{}\" is no offset", start.utc_offset),
                        "use +HH:MM or -HH:MM from -14:00 to +14:00",
                    );
                }
            }
            (None, false) => {}
        }
    }

    fn upgrade(&mut self, spec: &UpdateRunSpec) {
        let field = "spec.upgrade.kubernetesVersion";
        match (
            spec.upgrade.type_,
            spec.upgrade.kubernetes_version.as_deref(),
        ) {
            (UpgradeType::NodeImageOnly, Some(_)) => self.add(
                code::VERSION_FORBIDDEN,
                field,
                "a NodeImageOnly upgrade takes no Kubernetes version",
                "remove it, or use type Full",
            ),
            (UpgradeType::NodeImageOnly, None) => {}
            (type_, None) => self.add(
                code::VERSION_REQUIRED,
                field,
                format!("a {type_} upgrade needs a Kubernetes version"),
                "give X.Y.Z or X.Y",
            ),
            (_, Some(version)) => {
                if Version::parse(version).is_none() {
                    self.add(
                        code::INVALID_VERSION,
                        field,
                        format!("\"{}\" is no Kubernetes version", shown(version)),
                        "give X.Y.Z or X.Y, with or without a leading v",
                    );
                }
            }
        }
    }

    fn images(&mut self, spec: &UpdateRunSpec) {
        let Some(selection) = &spec.node_image_selection else {
            return;
        };
        if spec.upgrade.type_ == UpgradeType::ControlPlaneOnly {
            self.add(
                code::IMAGE_SELECTION_FORBIDDEN,
                "spec.nodeImageSelection",
                "a ControlPlaneOnly upgrade changes no node image",
                "remove nodeImageSelection, or use type Full",
            );
        }
        let field = "spec.nodeImageSelection.customNodeImageVersions";
        let custom = selection.type_ == NodeImageSelectionType::Custom;
        let versions = &selection.custom_node_image_versions;
        if custom == versions.is_empty() {
            let (message, hint) = match custom {
                true => ("Custom needs image versions", "list one per image family"),
                false => (
                    "image versions are for Custom only",
                    "remove them, or use type Custom",
                ),
            };
            self.add(code::INVALID_CUSTOM_IMAGES, field, message, hint);
        }
        let mut families = BTreeSet::new();
        for (index, image) in versions.iter().enumerate() {
            let field = format!("{field}[{index}].version");
            match image::family(&image.version) {
                None => self.add(
                    code::INVALID_CUSTOM_IMAGES,
                    field,
                    format!("\"{}\" is no node image version", shown(&image.version)),
                    "write FAMILY-VERSION, for example AKSUbuntu-2204gen2containerd-202507.06.0",
                ),
                Some(family) if !families.insert(family.to_owned()) => self.add(
                    code::INVALID_CUSTOM_IMAGES,
                    field,
                    format!("image family {family} has two versions"),
                    "keep one of them",
                ),
                Some(_) => {}
            }
        }
    }
}

fn shown(text: &str) -> String {
    const MOST: usize = 60;
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(MOST).collect();
    cut.push('…');
    cut
}
