//! The next instant at which a text in view changes by itself. At most two a minute are asked for,
//! and none while nothing would change.

use jiff::{SignedDuration, Timestamp};

use crate::console::effect::Effect;
use crate::console::model::age::next_step;
use crate::console::model::tree::{self, Row};
use crate::console::model::{Model, Page, gates, runs};
use crate::console::view::layout::list_rows;

use super::taken;

/// Seconds of the machine between two wake-ups for an age.
const PAUSE: f64 = 30.0;

/// Says when to be woken, if that is another instant than the one said before.
pub fn wish(model: &mut Model) -> Option<Effect> {
    if model.wake.is_some_and(|at| at <= model.now) {
        model.woken = model.wake.take();
    }
    let age = ages(model).map(|at| at.max(soonest(model)));
    let wishes = [age, taken::next(model), model.rows_due, model.follow_due];
    let wish = wishes.into_iter().flatten().min();
    if wish == model.wake {
        return None;
    }
    // A later wish does not replace an earlier one that was asked for: waking is cheap, and asking
    // again at each key is not.
    if let (Some(wish), Some(before)) = (wish, model.wake)
        && before > model.now
        && before <= wish
    {
        return None;
    }
    model.wake = wish;
    Some(wish.map_or(Effect::Sleep, Effect::WakeAt))
}

fn soonest(model: &Model) -> Timestamp {
    let pause = SignedDuration::try_from_secs_f64(PAUSE * model.session.speed.max(0.001))
        .unwrap_or(SignedDuration::from_secs(30));
    let last = model.woken.unwrap_or(model.now);
    last.checked_add(pause)
        .unwrap_or(Timestamp::MAX)
        .max(model.now)
}

/// When the first age in view changes.
fn ages(model: &Model) -> Option<Timestamp> {
    if !model.store.has_any() {
        return None;
    }
    let mut since: Vec<Timestamp> = Vec::new();
    let height = list_rows(model);
    match model.page() {
        Page::Runs => {
            let rows = model
                .runs
                .rows
                .iter()
                .skip(model.runs.cursor.top)
                .take(height);
            let runs = rows.filter_map(|uid| model.store.runs.get(*uid));
            since.extend(runs.filter_map(|h| runs::created(&h.object)));
        }
        Page::Gates => {
            let rows = model
                .gates
                .rows
                .iter()
                .skip(model.gates.cursor.top)
                .take(height);
            since.extend(rows.filter_map(|k| gates::info(&model.store, *k)?.since));
        }
        Page::Tree(uid) => {
            let held = model.store.runs.get(uid)?;
            since.extend(tree_ages(model, &held.object, height));
        }
        Page::Plan => {}
    }
    since
        .into_iter()
        .filter_map(|then| changes(model.now, then))
        .min()
}

fn tree_ages(model: &Model, run: &crate::api::UpdateRun, height: usize) -> Vec<Timestamp> {
    let Some(page) = model.tree() else {
        return Vec::new();
    };
    let open = |start: Option<Timestamp>, end: Option<Timestamp>| start.filter(|_| end.is_none());
    let rows = page
        .tree
        .rows
        .iter()
        .skip(page.tree.cursor.top)
        .take(height);
    rows.filter_map(|row| match *row {
        Row::Stage(s) => {
            let stage = tree::stage(run, s)?;
            open(
                stage.start_time.as_ref().map(|t| t.0),
                stage.completed_time.as_ref().map(|t| t.0),
            )
        }
        Row::Group(s, g) => {
            let group = tree::group(run, s, g)?;
            open(
                group.start_time.as_ref().map(|t| t.0),
                group.completed_time.as_ref().map(|t| t.0),
            )
        }
        Row::Gate(spot) => {
            let gate = tree::gate(run, spot)?;
            open(
                gate.start_time.as_ref().map(|t| t.0),
                gate.completed_time.as_ref().map(|t| t.0),
            )
        }
        Row::Wait(s) => {
            let wait = &tree::stage(run, s)?.after_stage_wait;
            open(
                wait.start_time.as_ref().map(|t| t.0),
                wait.completed_time.as_ref().map(|t| t.0),
            )
        }
        Row::Member(id) => {
            let update = model.store.updates.get(id)?;
            open(update.start, update.end)
        }
        Row::More(..) | Row::Apart => None,
    })
    .collect()
}

fn changes(now: Timestamp, then: Timestamp) -> Option<Timestamp> {
    let seconds = now.duration_since(then).as_secs();
    now.checked_add(SignedDuration::from_secs(next_step(seconds)))
        .ok()
}
