//! `run create`: makes a run, and shows what it will do before it is started.

use crate::api::{
    InlineStrategy, NodeImageSelection, NodeImageVersion, RunIntent, UpdateRunSpec, Upgrade,
};
use crate::cli::args::{CreateArgs, ImagesWord};
use crate::cli::columns;
use crate::cli::context::Context;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::import;
use crate::cli::kinds::Kind;
use crate::cli::output::Table;
use crate::cli::time;
use crate::engine::plan::{Plan, PlannedGroup, PlannedStage};
use crate::hub::verbs;

/// `run create NAME …`
pub async fn create(args: &CreateArgs, ctx: &mut Context) -> Result<Exit, Error> {
    let name = args.name.as_str();
    let tried = format!("create run {name}");
    if !args.dry_run {
        ctx.may_write().map_err(|e| e.tried(tried.as_str()))?;
    }
    let spec = spec(args).map_err(|e| e.tried(tried.as_str()))?;
    if args.dry_run {
        let plan = verbs::plan(&ctx.client, name, &spec).await;
        let plan = plan.map_err(|e| Error::from(e).tried(tried.as_str()))?;
        print_plan(&plan, ctx)?;
        return Ok(Exit::Done);
    }
    let created = verbs::create(&ctx.client, name, &spec).await;
    let created = created.map_err(|e| Error::from(e).tried(tried.as_str()))?;
    let value = columns::typed(Kind::Run, &created.run);
    if ctx.out.objects(&[value], args.print.output, true)? {
        return Ok(Exit::Done);
    }
    print_plan(&created.plan, ctx)?;
    let said = if args.start {
        format!("Run {name} was made and asked to start.")
    } else {
        let command = ctx.words.name(&format!("fleetdeck run start {name}"));
        format!("Run {name} was made. It must still be started: {command}")
    };
    ctx.out.line(&said)?;
    Ok(Exit::Done)
}

fn spec(args: &CreateArgs) -> Result<UpdateRunSpec, Error> {
    let strategy = match &args.strategy_file {
        Some(path) => Some(InlineStrategy {
            stages: import::stages(&path.to_string_lossy())?,
        }),
        None => None,
    };
    let images = args
        .node_images
        .or((!args.node_image.is_empty()).then_some(ImagesWord::Custom));
    let version = |version: &String| NodeImageVersion {
        version: version.clone(),
    };
    Ok(UpdateRunSpec {
        strategy_name: args.strategy.clone(),
        strategy,
        upgrade: Upgrade {
            type_: args.type_.into(),
            kubernetes_version: args.kubernetes_version.clone(),
        },
        node_image_selection: images.map(|word| NodeImageSelection {
            type_: word.into(),
            custom_node_image_versions: args.node_image.iter().map(version).collect(),
        }),
        state: if args.start {
            RunIntent::Run
        } else {
            RunIntent::Initialize
        },
        attempt: 1,
        skips: Vec::new(),
    })
}

/// The tree that a run would have, with its limits resolved.
fn print_plan(plan: &Plan, ctx: &mut Context) -> Result<(), Error> {
    let mut table = Table::new(&["STAGE", "GROUP", "MEMBERS", "AT-ONCE", "FAILURES", "NOTE"]);
    for stage in &plan.stages {
        table.row([
            stage.name.as_str().into(),
            "".into(),
            stage.members.to_string().into(),
            stage.max_concurrency.to_string().into(),
            stage.max_allowed_failures.to_string().into(),
            stage_note(stage).into(),
        ]);
        for group in &stage.groups {
            table.row([
                "".into(),
                group.name.as_str().into(),
                group.members.len().to_string().into(),
                group.max_concurrency.to_string().into(),
                group.max_allowed_failures.to_string().into(),
                group_note(group).into(),
            ]);
        }
    }
    ctx.out.table(&table)?;
    if !plan.at_target.is_empty() {
        let names = plan.at_target.join(", ");
        ctx.out
            .line(&format!("At the target already, will be skipped: {names}"))?;
    }
    if !plan.newer.is_empty() {
        let names = plan.newer.join(", ");
        ctx.out
            .line(&format!("Newer than the target, will be skipped: {names}"))?;
    }
    if !plan.unplaced.is_empty() {
        let names = plan.unplaced.join(", ");
        ctx.out
            .line(&format!("In no group, not part of the run: {names}"))?;
    }
    for warning in &plan.warnings {
        ctx.out.line(&format!("Warning: {warning}"))?;
    }
    Ok(())
}

fn gates(before: usize, after: usize) -> Vec<String> {
    let count = |n: usize, when: &str| match n {
        0 => None,
        1 => Some(format!("1 gate {when}")),
        n => Some(format!("{n} gates {when}")),
    };
    [count(before, "before"), count(after, "after")]
        .into_iter()
        .flatten()
        .collect()
}

fn stage_note(stage: &PlannedStage) -> String {
    let mut parts = gates(stage.before_gates.len(), stage.after_gates.len());
    if stage.wait_seconds > 0 {
        parts.push(format!(
            "then waits {}",
            time::length(stage.wait_seconds.into())
        ));
    }
    if !stage.rounding.is_empty() {
        parts.push(stage.rounding.clone());
    }
    parts.join(", ")
}

fn group_note(group: &PlannedGroup) -> String {
    let mut parts = gates(group.before_gates.len(), group.after_gates.len());
    parts.extend(
        [&group.rule, &group.rounding]
            .into_iter()
            .filter(|t| !t.is_empty())
            .cloned(),
    );
    parts.join(", ")
}
