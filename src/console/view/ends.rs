//! When a run may end, in words.

use super::say;
use crate::api::{State, UpdateRun};
use crate::console::model::names::Uid;
use crate::console::model::{Model, runs};
use crate::engine::estimate::{Estimate, SAMPLES};
use crate::text::counted;

/// `Sat 05:10–07:40 (p50–p90, 16 upgrades), if 2 gates are passed at once`, or why nothing can be said.
pub fn long(model: &Model, uid: Uid, run: &UpdateRun) -> String {
    let Some(ends) = estimate(model, uid) else {
        return format!("no estimate: {}", why_not(model, run));
    };
    let mut text = format!(
        "{} (p50–p90, {})",
        range(model, uid),
        counted(ends.samples, "upgrade")
    );
    match ends.gates {
        0 => {}
        1 => text.push_str(", if 1 gate is passed at once"),
        n => text.push_str(&format!(", if {n} gates are passed at once")),
    }
    text
}

/// `ends Sat 05:10–07:40`, or `no estimate`; empty for a run that is not at work.
pub fn short(model: &Model, uid: Uid, run: &UpdateRun) -> String {
    match estimate(model, uid) {
        Some(_) => format!("ends {}", range(model, uid)),
        None if say::at_work(runs::state(run)) => "no estimate".to_owned(),
        None => String::new(),
    }
}

fn estimate(model: &Model, uid: Uid) -> Option<Estimate> {
    model
        .ends
        .filter(|(of, _)| *of == uid)
        .map(|(_, estimate)| estimate)
}

fn range(model: &Model, uid: Uid) -> String {
    let Some(ends) = estimate(model, uid) else {
        return String::new();
    };
    let words = model.words();
    let (early, late) = (words.clock(ends.early), words.clock(ends.late));
    // The day is said once.
    let day = |text: &str| text.rsplit_once(' ').map(|(day, _)| day.to_owned());
    let hour = |text: &str| {
        text.rsplit_once(' ')
            .map_or(text.to_owned(), |(_, h)| h.to_owned())
    };
    if early == late {
        early
    } else if day(&early) == day(&late) {
        format!("{early}–{}", hour(&late))
    } else {
        format!("{early}–{late}")
    }
}

fn why_not(model: &Model, run: &UpdateRun) -> String {
    match runs::state(run) {
        State::Running | State::Pending => match say::unnamed(model, run) {
            Some(why) => why.to_owned(),
            None => format!("fewer than {} have ended", counted(SAMPLES, "upgrade")),
        },
        State::Completed | State::Skipped => "it has ended".to_owned(),
        State::NotStarted => "it is not started".to_owned(),
        State::Stopping | State::Stopped | State::Failed => "it is halted".to_owned(),
    }
}
