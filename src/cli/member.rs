//! `fleetdeck member …`

use super::args::{Format, MemberCommand};
use super::context::Context;
use super::error::Error;
use super::exit::Exit;
use super::kinds::Kind;
use super::output::{Cell, Table, Tint};
use super::{columns, objects, time};
use crate::api::{FleetMember, MemberUpdate, labels};
use crate::engine;

/// Runs one of the words below `member`.
pub async fn run(command: &MemberCommand, ctx: &mut Context) -> Result<Exit, Error> {
    match command {
        MemberCommand::List { selector, print } => {
            let listed = columns::list(ctx, Kind::Member, selector.as_deref()).await;
            let listed = listed.map_err(|e| e.tried("list members"))?;
            columns::print(ctx, Kind::Member, &listed, print.output, false)?;
        }
        MemberCommand::Show { name, print } => {
            let found = objects::read(ctx, Kind::Member, name).await?;
            if !matches!(print.output, Format::Table | Format::Wide) {
                columns::print(ctx, Kind::Member, &[found], print.output, true)?;
                return Ok(Exit::Done);
            }
            let member: FleetMember = found.try_parse().map_err(|e| {
                Error::new(Exit::Other, "InvalidObject", e.to_string())
                    .tried(format!("show member {name}"))
            })?;
            show(&member, ctx)?;
            runs(name, ctx).await?;
        }
    }
    Ok(Exit::Done)
}

fn show(member: &FleetMember, ctx: &mut Context) -> Result<(), Error> {
    let status = member.status.clone().unwrap_or_default();
    let mut table = Table::new(&[]);
    let mut row = |title: &str, text: String| {
        if !text.is_empty() {
            table.row([title.into(), text.into()]);
        }
    };
    row("Member", member.metadata.name.clone().unwrap_or_default());
    row("Group", member.spec.group.clone().unwrap_or_default());
    row("Region", member.spec.region.clone().unwrap_or_default());
    row("State", status.state.clone());
    row("Version", status.kubernetes_version.clone());
    let labels: Vec<String> = engine::labels::of(member)
        .iter()
        .map(|(k, v)| format!("{k}={v}"))
        .collect();
    row("Labels", labels.join(", "));
    if let Some(operation) = &status.operation {
        let since = time::instant(operation.start_time.0);
        row(
            "Upgrade",
            format!("in progress since {since}, for run {}", operation.run),
        );
    }
    if let Some(last) = &status.last_operation {
        let at = time::instant(last.completed_time.0);
        let mut text = format!("{:?} at {at}, for run {}", last.outcome, last.run);
        if let Some(error) = &last.error {
            text.push_str(&format!(": {}: {}", error.code, error.message));
        }
        row("Last", text);
    }
    for pool in &status.node_pools {
        row(
            "Pool",
            format!(
                "{}: {} nodes, {} {}",
                pool.name, pool.count, pool.kubernetes_version, pool.node_image
            ),
        );
    }
    ctx.out.table(&table)
}

/// Its part in every run.
async fn runs(name: &str, ctx: &mut Context) -> Result<(), Error> {
    let selector = format!("{}={name}", labels::MEMBER);
    let updates = columns::list(ctx, Kind::Update, Some(&selector)).await?;
    if updates.is_empty() {
        return Ok(());
    }
    ctx.out.line("")?;
    let mut table = Table::new(&["RUN", "STAGE", "GROUP", "STATE", "ATTEMPT", "NOTE"]);
    for update in updates {
        let Ok(update) = update.try_parse::<MemberUpdate>() else {
            continue;
        };
        let status = update.status.clone().unwrap_or_default();
        let note = match (&status.error, status.waiting_for.first()) {
            (Some(error), _) => format!("{}: {}", error.code, error.message),
            (None, Some(waits)) => waits.message.clone(),
            (None, None) => status.message.clone(),
        };
        table.row([
            update.spec.run.as_str().into(),
            update.spec.stage.as_str().into(),
            update.spec.group.as_str().into(),
            Cell::tinted(status.state.as_str(), Tint::of_state(status.state)),
            status.attempt.to_string().into(),
            note.into(),
        ]);
    }
    ctx.out.table(&table)
}
