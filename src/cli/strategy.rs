//! `fleetdeck strategy list` and `show`.

use kube::api::DynamicObject;

use super::args::{Format, StrategyCommand};
use super::context::Context;
use super::error::Error;
use super::exit::Exit;
use super::kinds::Kind;
use super::output::{Cell, Table};
use super::{columns, import, objects, time};
use crate::api::{GateConfig, GateType, Group, MemberSelector, Stage, UpdateStrategy};

/// Runs one of the words below `strategy`.
pub async fn run(command: &StrategyCommand, ctx: &mut Context) -> Result<Exit, Error> {
    match command {
        StrategyCommand::List { print } => {
            let listed = columns::list(ctx, Kind::Strategy, None).await;
            let listed = listed.map_err(|e| e.tried("list strategies"))?;
            columns::print(ctx, Kind::Strategy, &listed, print.output, false)?;
        }
        StrategyCommand::Show { name, print } => {
            let found = objects::read(ctx, Kind::Strategy, name).await?;
            if matches!(print.output, Format::Table | Format::Wide) {
                print_stages(&found, ctx)?;
            } else {
                columns::print(ctx, Kind::Strategy, &[found], print.output, true)?;
            }
        }
        StrategyCommand::Import(args) => return import::import(args, ctx).await,
    }
    Ok(Exit::Done)
}

/// Stages and groups as a table.
pub fn print_stages(object: &DynamicObject, ctx: &mut Context) -> Result<(), Error> {
    let strategy: UpdateStrategy = object.clone().try_parse().map_err(|e| {
        Error::new(Exit::Other, "InvalidObject", e.to_string()).tried("read the strategy")
    })?;
    let mut table = Table::new(&["PART", "MEMBERS", "AT-ONCE", "FAILURES", "GATES", "THEN"]);
    for stage in &strategy.spec.stages {
        table.row(stage_row(stage));
        for group in &stage.groups {
            table.row(group_row(group));
        }
    }
    ctx.out.table(&table)
}

fn stage_row(stage: &Stage) -> [Cell; 6] {
    let wait = stage.after_stage_wait_in_seconds.unwrap_or(0);
    [
        Cell::new(format!("stage {}", stage.name)),
        Cell::new(selector(stage.member_selector.as_ref(), "")),
        Cell::new(stage.max_concurrency.as_deref().unwrap_or("no limit")),
        Cell::new(stage.max_allowed_failures.as_deref().unwrap_or("0")),
        Cell::new(gates(&stage.before_gates, &stage.after_gates)),
        Cell::new(if wait > 0 {
            format!("waits {}", time::length(wait.into()))
        } else {
            String::new()
        }),
    ]
}

fn group_row(group: &Group) -> [Cell; 6] {
    let by_name = format!("of group {}", group.name);
    [
        Cell::new(format!("  group {}", group.name)),
        Cell::new(selector(group.member_selector.as_ref(), &by_name)),
        Cell::new(group.max_concurrency.as_deref().unwrap_or("1")),
        Cell::new(group.max_allowed_failures.as_deref().unwrap_or("0")),
        Cell::new(gates(&group.before_gates, &group.after_gates)),
        Cell::default(),
    ]
}

fn selector(selector: Option<&MemberSelector>, otherwise: &str) -> String {
    selector.map_or_else(|| otherwise.to_owned(), |s| s.by_label.clone())
}

fn gates(before: &[GateConfig], after: &[GateConfig]) -> String {
    let of = |gates: &[GateConfig], when: &str| -> Vec<String> {
        gates
            .iter()
            .map(|g| format!("{when} {}", gate(g)))
            .collect()
    };
    [of(before, "before"), of(after, "after")]
        .concat()
        .join(", ")
}

fn gate(gate: &GateConfig) -> String {
    let name = gate.display_name.as_deref();
    let name = name.map_or_else(|| "approval".to_owned(), |n| format!("{n:?}"));
    match (gate.type_, &gate.scheduled_start_configuration) {
        (GateType::ScheduledStart, Some(at)) => format!(
            "{name} ({:?} {} {})",
            at.start_day, at.start_time, at.utc_offset
        ),
        _ => name,
    }
}
