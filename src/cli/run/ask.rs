//! `run start`, `stop`, `resume`, `delete`, `skip`: asks, and says what that means now.

use crate::api::UpdateRun;
use crate::cli::args::{Format, NamedRun, SkipArgs};
use crate::cli::columns;
use crate::cli::context::Context;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::kinds::Kind;
use crate::engine::operation::Verb;
use crate::engine::skip::{SkipEffect, Target};
use crate::hub::verbs::{self, Expect, Object};

/// A verb that needs nothing but the name of the run.
pub async fn ask(verb: Verb, args: &NamedRun, ctx: &mut Context) -> Result<Exit, Error> {
    let name = args.name.as_str();
    let tried = format!("{} run {name}", verb.word());
    ctx.may_write().map_err(|e| e.tried(tried.as_str()))?;
    let expect = Expect::default();
    // Looked up before: after the start the run itself would be in the way.
    let begins = matches!(verb, Verb::Start | Verb::Resume);
    let found = match begins && args.print.output.is_for_people() {
        true => verbs::findings(&ctx.client, name).await,
        false => Vec::new(),
    };
    let written = match verb {
        Verb::Stop => verbs::stop(&ctx.client, name, &expect).await,
        Verb::Resume => verbs::resume(&ctx.client, name, &expect).await,
        Verb::Delete => verbs::delete(&ctx.client, name, &expect).await,
        _ => verbs::start(&ctx.client, name, &expect).await,
    };
    let run = written.map_err(|e| Error::from(e).tried(tried.as_str()))?;
    let in_flight = in_flight(&run);
    let said = match verb {
        Verb::Stop => format!("Run {name} was asked to stop{}.", finishing(in_flight)),
        Verb::Resume => format!("Run {name} was asked to go on."),
        Verb::Delete => format!("Run {name} was deleted{}.", untracked(in_flight)),
        _ => format!("Run {name} was asked to start."),
    };
    let done = print(ctx, &run, &said, args.print.output)?;
    for finding in found {
        ctx.out.line(&format!("Warning: {finding}"))?;
    }
    Ok(done)
}

/// `run skip NAME TARGET …`
pub async fn skip(args: &SkipArgs, ctx: &mut Context) -> Result<Exit, Error> {
    let name = args.name.as_str();
    let tried = format!("skip {} of run {name}", args.targets.join(", "));
    ctx.may_write().map_err(|e| e.tried(tried.as_str()))?;
    let targets: Result<Vec<Target>, _> = args.targets.iter().map(|t| t.parse()).collect();
    let refused = |r| Error::from(verbs::Error::refused(Object::run(name), r));
    let targets = targets.map_err(|r| refused(r).tried(tried.as_str()))?;
    let user = ctx.user.clone();
    let asked = verbs::skip(
        &ctx.client,
        name,
        &targets,
        user.as_deref(),
        args.comment.as_deref(),
        &Expect::default(),
    )
    .await
    .map_err(|e| Error::from(e).tried(tried.as_str()))?;
    let said = format!(
        "Run {name} was asked to skip {} (request {}): {}.",
        args.targets.join(", "),
        asked.id,
        effect(&asked.effect)
    );
    print(ctx, &asked.run, &said, args.print.output)
}

fn print(ctx: &mut Context, run: &UpdateRun, said: &str, format: Format) -> Result<Exit, Error> {
    let value = columns::typed(Kind::Run, run);
    if !ctx.out.objects(&[value], format, true)? {
        ctx.out.line(said)?;
    }
    Ok(Exit::Done)
}

fn in_flight(run: &UpdateRun) -> i32 {
    run.status.as_ref().map_or(0, |s| s.counts.running)
}

fn finishing(in_flight: i32) -> String {
    match in_flight {
        0 => String::new(),
        1 => "; 1 member in flight finishes".to_owned(),
        n => format!("; {n} members in flight finish"),
    }
}

fn untracked(in_flight: i32) -> String {
    match in_flight {
        0 => String::new(),
        1 => "; 1 upgrade in flight goes on untracked".to_owned(),
        n => format!("; {n} upgrades in flight go on untracked"),
    }
}

/// `3 members skipped (a, b, c), 1 gate skipped (…), 1 in flight goes on (d)`.
fn effect(effect: &SkipEffect) -> String {
    let mut parts = Vec::new();
    let mut part = |names: &[String], one: &str, many: &str| {
        if !names.is_empty() {
            let word = if names.len() == 1 { one } else { many };
            parts.push(format!("{} {word} ({})", names.len(), names.join(", ")));
        }
    };
    part(&effect.members, "member skipped", "members skipped");
    part(&effect.gates, "gate skipped", "gates skipped");
    part(&effect.waits, "wait skipped", "waits skipped");
    part(
        &effect.in_flight,
        "member in flight goes on",
        "members in flight go on",
    );
    if effect.failures_forgiven > 0 {
        parts.push(match effect.failures_forgiven {
            1 => "1 failure fewer is counted".to_owned(),
            n => format!("{n} failures fewer are counted"),
        });
    }
    if parts.is_empty() {
        return "nothing is left to skip there".to_owned();
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_effect_of_a_skip_is_told_by_name() {
        let told = effect(&SkipEffect {
            members: vec!["a".into(), "b".into()],
            in_flight: vec!["c".into()],
            gates: vec!["before group g: Approve".into()],
            ..SkipEffect::default()
        });
        assert_eq!(
            told,
            "2 members skipped (a, b), 1 gate skipped (before group g: Approve), 1 member in flight goes on (c)"
        );
        assert_eq!(
            effect(&SkipEffect::default()),
            "nothing is left to skip there"
        );
    }
}
