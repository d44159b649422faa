//! The tree of one run (console guide §4.2). Only rows in view are built.

use ratatui::layout::Rect;

use crate::api::{Counts, State, Timing, UpdateRun};
use crate::console::model::Model;
use crate::console::model::age::length;
use crate::console::model::gates::{config, kind_word};
use crate::console::model::names::{Name, Uid};
use crate::console::model::size::Class;
use crate::console::model::tree::{self, GateSpot, Row, Tree};
use crate::console::model::tree_page::TreePage;
use crate::console::model::update::Update;
use crate::console::theme::Role;
use crate::console::view::layout::parts;
use crate::console::view::pen::{Pen, Shown, shown};
use crate::console::view::table::{heads, left, place, right};
use crate::console::view::{say, states};
use crate::engine::queue;
use crate::text::counted;

use super::tree_gate::{gate_note, gate_word};
use super::{tree_detail, tree_side};

/// Columns of a tree that are in view, with their places.
#[derive(Clone, Copy, Debug, Default)]
struct Columns {
    name: (u16, u16),
    state: (u16, u16),
    done: (u16, u16),
    bar: Option<(u16, u16)>,
    fail: Option<(u16, u16)>,
    version: Option<(u16, u16)>,
    took: Option<(u16, u16)>,
    note: (u16, u16),
}

/// Draws the page.
pub fn draw(model: &Model, uid: Uid, pen: &mut Pen<'_>) {
    let parts = parts(model);
    let (Some(page), Some(held)) = (model.trees.get(&uid), model.store.runs.get(uid)) else {
        return;
    };
    let run = held.object.as_ref();
    list(model, run, page, parts.list, pen);
    if parts.side.width > 0 {
        tree_side::draw(model, run, parts.side, pen);
    }
    if parts.detail.height > 0 {
        tree_detail::draw(model, run, page, parts.detail, pen);
    }
}

fn columns(class: Class, doubt: u16, area: Rect, pen: &mut Pen<'_>) -> Columns {
    let x = area.x + 2;
    let inner = area.width.saturating_sub(2);
    match class {
        Class::L => {
            let cols = [
                left("STAGE / GROUP / MEMBER", 26 - doubt, 1),
                left("STATE", 14 + doubt, 0),
                right("DONE", 7),
                left("PROGRESS", 20, 0),
                right("FAIL", 4),
                left("VERSION", 15, 0),
                right("TOOK", 5),
                left("NOTE", 38, 2),
            ];
            let at = place(&cols, x, inner.saturating_sub(1));
            heads(pen, &cols, &at, area.y);
            let [name, state, done, bar, fail, version, took, note] = at;
            Columns {
                name,
                state,
                done,
                bar: Some(bar),
                fail: Some(fail),
                version: Some(version),
                took: Some(took),
                note,
            }
        }
        Class::M | Class::S => {
            let (bar, note) = if class == Class::M {
                (12, 14)
            } else {
                (10, 17)
            };
            let cols = [
                left("STAGE / GROUP / MEMBER", 22 - doubt, 1),
                left("STATE", 13 + doubt, 0),
                right("DONE", 7),
                left("PROGRESS", bar, 0),
                right("FAIL", 4),
                left("NOTE", note, 2),
            ];
            let cells = if class == Class::M {
                inner.saturating_sub(1)
            } else {
                inner
            };
            let at = place(&cols, x, cells);
            heads(pen, &cols, &at, area.y);
            let [name, state, done, bar, fail, note] = at;
            Columns {
                name,
                state,
                done,
                bar: Some(bar),
                fail: Some(fail),
                note,
                ..Columns::default()
            }
        }
        Class::Compact | Class::Tiny | Class::TooSmall => {
            let cols = [
                left("", 24 - doubt, 2),
                left("STATE", 13 + doubt, 0),
                right("DONE", 6),
                left("NOTE", 12, 1),
            ];
            let at = place(&cols, x, inner);
            heads(pen, &cols, &at, area.y);
            let [name, state, done, note] = at;
            Columns {
                name,
                state,
                done,
                note,
                ..Columns::default()
            }
        }
    }
}

fn list(model: &Model, run: &UpdateRun, page: &TreePage, area: Rect, pen: &mut Pen<'_>) {
    if area.height == 0 {
        return;
    }
    // The mark of doubt takes a cell more, and a state is never cut.
    let doubt = u16::from(model.is_stale());
    let columns = columns(model.size.class(), doubt, area, pen);
    let body = Rect {
        y: area.y + 1,
        height: area.height - 1,
        ..area
    };
    if page.tree.rows.is_empty() {
        states::no_rows(model, run, page, body, pen);
        return;
    }
    let view = View {
        model,
        run,
        page,
        columns,
    };
    let visible = page.tree.rows.iter().enumerate().skip(page.tree.cursor.top);
    for ((i, row), y) in visible.zip(body.top()..body.bottom()) {
        pen.rows += 1;
        view.row(*row, y, pen);
        if !page.marks.is_empty() && page.marks.contains(&Tree::key(&model.store, *row)) {
            pen.put((body.x + 1, y), 1, pen.glyphs.mark, Role::Key);
        }
        if i == page.tree.cursor.at {
            pen.select(Rect {
                y,
                height: 1,
                ..body
            });
        }
    }
}

struct View<'a> {
    model: &'a Model,
    run: &'a UpdateRun,
    page: &'a TreePage,
    columns: Columns,
}

/// What a row says, column by column.
#[derive(Default)]
struct Texts<'a> {
    indent: u16,
    sign: &'static str,
    sign_role: Option<Role>,
    name: String,
    state: Option<Shown>,
    word: String,
    word_role: Option<Role>,
    counts: Option<Counts>,
    done: String,
    fail: String,
    version: String,
    took: String,
    note: std::borrow::Cow<'a, str>,
}

impl View<'_> {
    fn row(&self, row: Row, y: u16, pen: &mut Pen<'_>) {
        let texts = match row {
            Row::Stage(s) => self.stage(s),
            Row::Group(s, g) => self.group(s, g),
            Row::Gate(spot) => self.gate(spot),
            Row::Wait(s) => self.wait(s),
            Row::Member(id) => self.model.store.updates.get(id).map(|u| self.member(u)),
            Row::More(s, g, hidden) => self.more(s, g, hidden),
            Row::Apart => Some(self.apart()),
        };
        if let Some(texts) = texts {
            self.write(&texts, y, pen);
        }
    }

    fn write(&self, t: &Texts<'_>, y: u16, pen: &mut Pen<'_>) {
        let c = self.columns;
        let (x, width) = c.name;
        let x = x + t.indent;
        let width = width.saturating_sub(t.indent);
        let mut used = 0;
        if !t.sign.is_empty() {
            pen.put((x, y), 1, t.sign, t.sign_role.unwrap_or(Role::TextDim));
            used = 2;
        }
        pen.name(
            (x + used, y),
            width.saturating_sub(used),
            &t.name,
            Role::Text,
        );
        if let Some(state) = &t.state {
            pen.state((c.state.0, y), c.state.1, state);
        } else if !t.word.is_empty() {
            // A gate's state has no counts beside it and may be longer.
            let room = c.done.0 + c.done.1 - c.state.0;
            pen.note(
                (c.state.0, y),
                room,
                &t.word,
                t.word_role.unwrap_or(Role::Text),
            );
        }
        pen.right((c.done.0, y), c.done.1, &t.done, Role::Text);
        if let (Some((x, width)), Some(counts)) = (c.bar, &t.counts) {
            pen.bar((x, y), width, counts);
        }
        if let Some((x, width)) = c.fail {
            pen.right((x, y), width, &t.fail, Role::Text);
        }
        if let Some((x, width)) = c.version {
            pen.name((x, y), width, &t.version, Role::Text);
        }
        if let Some((x, width)) = c.took {
            pen.right((x, y), width, &t.took, Role::TextDim);
        }
        pen.note((c.note.0, y), c.note.1, &t.note, Role::Text);
    }

    fn shown(&self, state: State, failures: i32) -> Shown {
        shown(
            &self.model.look.glyphs,
            state,
            failures,
            self.model.is_stale(),
        )
    }

    fn fold_sign(&self, spot: tree::Spot) -> &'static str {
        let g = self.model.look.glyphs;
        let filtered = self.page.faults || !self.page.filter.is_empty();
        match (self.page.tree.is_open(spot) || filtered, g.ascii) {
            (true, false) => g.open,
            (true, true) => "-",
            (false, false) => g.closed,
            (false, true) => "+",
        }
    }

    fn stage(&self, s: u16) -> Option<Texts<'_>> {
        let stage = tree::stage(self.run, s)?;
        let gates: Vec<_> = stage
            .before_gates
            .iter()
            .chain(&stage.after_gates)
            .collect();
        let ahead = gates
            .iter()
            .filter(|g| g.state == State::NotStarted)
            .count();
        let passed = gates.iter().filter(|g| g.state == State::Completed).count();
        let failures = stage.failure_count;
        let note = if let Some(error) = &stage.error {
            error.message.clone()
        } else if stage.state == State::NotStarted && ahead > 0 {
            format!("{} ahead", counted(ahead, "gate"))
        } else if stage.state == State::Completed && failures > 0 {
            let full = self.columns.note.1 > 24;
            let word = if full { "allowed by the limit" } else { "ok" };
            format!("{failures} failed, {word}")
        } else if stage.state == State::Completed && passed > 0 {
            format!("{} passed", counted(passed, "gate"))
        } else if say::at_work(stage.state) {
            format!("{} at once", stage.max_concurrency)
        } else {
            String::new()
        };
        Some(Texts {
            sign: self.fold_sign((s, None)),
            name: format!("{} {}", s + 1, stage.name),
            state: Some(self.shown(stage.state, failures)),
            counts: Some(stage.counts),
            done: done(&stage.counts),
            fail: format!("{failures}/{}", stage.max_allowed_failures),
            took: self.took(stage.start_time.as_ref(), stage.completed_time.as_ref()),
            note: self.asked(&[("Stage", &stage.name)], note).into(),
            ..Texts::default()
        })
    }

    fn group(&self, s: u16, g: u16) -> Option<Texts<'_>> {
        let group = tree::group(self.run, s, g)?;
        let rest = group.max_allowed_failures - group.failure_count;
        let gate = group
            .before_gates
            .iter()
            .chain(&group.after_gates)
            .any(|g| g.state == State::Pending);
        let long = self.columns.note.1 > 24;
        let note = if let Some(error) = &group.error {
            error.message.clone()
        } else if gate && long {
            "waits for its gate".to_owned()
        } else if gate {
            "gate".to_owned()
        } else if say::at_work(group.state) {
            match rest {
                n if n < 0 => "over the limit".to_owned(),
                0 if long => "limit used up: 0 left".to_owned(),
                n => format!("{n} left"),
            }
        } else {
            format!("{} at once", group.max_concurrency)
        };
        Some(Texts {
            indent: 2,
            sign: self.fold_sign((s, Some(g))),
            name: group.name.clone(),
            state: Some(self.shown(group.state, group.failure_count)),
            counts: Some(group.counts),
            done: done(&group.counts),
            fail: format!("{}/{}", group.failure_count, group.max_allowed_failures),
            took: self.took(group.start_time.as_ref(), group.completed_time.as_ref()),
            note: self.asked(&[("Group", &group.name)], note).into(),
            ..Texts::default()
        })
    }

    fn gate(&self, spot: GateSpot) -> Option<Texts<'_>> {
        let entry = tree::gate(self.run, spot)?;
        let (s, group) = spot.of;
        let stage = &tree::stage(self.run, s)?.name;
        let group = group.and_then(|g| tree::group(self.run, s, g));
        let asked = config(
            self.run.status.as_ref(),
            stage,
            group.map(|g| g.name.as_str()),
            spot,
        );
        let type_ = asked.map(|c| c.type_).unwrap_or_default();
        let timing = match spot.timing {
            Timing::Before => "before",
            Timing::After => "after",
        };
        let name = kind_word(self.run, spot, type_, entry.display_name.as_deref());
        let object = entry
            .gate_name
            .as_deref()
            .and_then(|n| self.model.store.gate_named(n));
        let (word, role) = gate_word(self.model, entry, object.map(|(_, g)| g.as_ref()));
        Some(Texts {
            indent: if group.is_some() { 4 } else { 2 },
            sign: self.model.look.glyphs.gate,
            sign_role: Some(if entry.state == State::Pending {
                Role::Gate
            } else {
                Role::TextDim
            }),
            name: format!("{timing} {name}"),
            word,
            word_role: Some(role),
            note: gate_note(self.model, entry.state, object, asked).into(),
            ..Texts::default()
        })
    }

    fn wait(&self, s: u16) -> Option<Texts<'_>> {
        let stage = tree::stage(self.run, s)?;
        let wait = &stage.after_stage_wait;
        let words = self.model.words();
        let total = i64::from(wait.duration_seconds);
        let ends = wait
            .start_time
            .as_ref()
            .and_then(|t| t.0.checked_add(jiff::SignedDuration::from_secs(total)).ok());
        let g = self.model.look.glyphs;
        let (word, role) = match (wait.state, ends) {
            (State::NotStarted, _) => (format!("{} not reached", g.idle), Role::Idle),
            (State::Running, Some(ends)) => (
                format!("{} {} left", g.running, words.until(ends)),
                Role::Running,
            ),
            (State::Completed, _) => (format!("{} passed", g.done), Role::Done),
            (state, _) => {
                let shown = self.shown(state, 0);
                (format!("{} {}", shown.sign, shown.word), shown.role)
            }
        };
        let note = match (wait.state, &wait.completed_time, ends) {
            (_, Some(at), _) => words.clock(at.0),
            (State::Running | State::Stopped, None, Some(ends)) => {
                format!("until {}", words.clock(ends))
            }
            _ => String::new(),
        };
        Some(Texts {
            indent: 2,
            sign: g.gate,
            name: format!("after Wait {}", length(total)),
            word,
            word_role: Some(role),
            took: self.took(wait.start_time.as_ref(), wait.completed_time.as_ref()),
            note: self.asked(&[("AfterStageWait", &stage.name)], note).into(),
            ..Texts::default()
        })
    }

    fn member<'a>(&'a self, update: &'a Update) -> Texts<'a> {
        let store = &self.model.store;
        let name = store.names.text(update.member);
        let now = match store.members.named(update.member) {
            Some(member) => store.names.text(member.version),
            None => "",
        };
        let from = store.names.text(update.from);
        let arrow = self.model.look.glyphs.arrow;
        let version = match update.state {
            State::Running if !from.is_empty() => {
                let target = self.run.spec.upgrade.kubernetes_version.as_deref();
                format!("{from} {arrow} {}", target.unwrap_or("new image"))
            }
            _ => now.to_owned(),
        };
        let took = match (update.start, update.end) {
            (Some(start), end) if update.state != State::Pending => {
                let end = end.unwrap_or(self.model.now);
                length(end.duration_since(start).as_secs())
            }
            _ => String::new(),
        };
        let slot = self.slot(update);
        let remark = slot.as_deref().unwrap_or(update.remark());
        let note = match &update.gone {
            Some(at) => format!("gone {}", self.model.words().clock(*at)).into(),
            None if remark.is_empty() && self.columns.took.is_none() => took.clone().into(),
            None if slot.is_some() => slot.unwrap_or_default().into(),
            None => update.remark().into(),
        };
        let note = match self.asked(&[("Member", name)], String::new()) {
            asked if asked.is_empty() => note,
            asked => asked.into(),
        };
        let mut state = self.shown(update.state, 0);
        if update.gone.is_some() {
            state.sign = self.model.look.glyphs.gone;
            state.role = Role::Stale;
        }
        Texts {
            indent: 4,
            name: name.to_owned(),
            state: Some(state),
            counts: Some(one(update.state)),
            version,
            took,
            note,
            ..Texts::default()
        }
    }

    /// Whose end a member in line waits for.
    fn slot(&self, update: &Update) -> Option<String> {
        if update.state != State::NotStarted || !update.remark().is_empty() {
            return None;
        }
        let wait = tree_detail::turn(self.model, self.run, update)?;
        (wait.code == queue::code::NO_SLOT).then_some(wait.message)
    }

    fn more(&self, s: u16, g: u16, hidden: u32) -> Option<Texts<'_>> {
        let group = tree::group(self.run, s, g)?;
        let untouched = group.counts.not_started == group.counts.total;
        let key = crate::console::actions::keys(self.model, "open");
        let (name, state) = if untouched {
            (
                format!("+ {}", counted(hidden, "member")),
                Some(self.shown(State::NotStarted, 0)),
            )
        } else {
            (format!("+ {hidden} more"), None)
        };
        Some(Texts {
            indent: 4,
            name,
            state,
            note: format!("{key} shows").into(),
            ..Texts::default()
        })
    }

    fn apart(&self) -> Texts<'_> {
        let tree = &self.page.tree;
        let store = &self.model.store;
        let text = |n: &Name| store.names.text(*n);
        let names: Vec<&str> = tree.joined.iter().take(5).map(text).collect();
        Texts {
            sign: if self.model.look.glyphs.ascii {
                "+"
            } else {
                self.model.look.glyphs.closed
            },
            name: "not in this plan".to_owned(),
            word: format!("{} joined, {} gone", tree.joined.len(), tree.left),
            note: names.join(", ").into(),
            ..Texts::default()
        }
    }

    fn took(
        &self,
        start: Option<&k8s_openapi::apimachinery::pkg::apis::meta::v1::Time>,
        end: Option<&k8s_openapi::apimachinery::pkg::apis::meta::v1::Time>,
    ) -> String {
        start.map_or(String::new(), |start| {
            let end = end.map_or(self.model.now, |e| e.0);
            length(end.duration_since(start.0).as_secs())
        })
    }

    /// The note, unless a skip of this row is under way.
    fn asked(&self, target: &[(&str, &str)], note: String) -> String {
        use crate::console::effect::Write;
        let of_row = |asked: &&crate::console::model::asked::Asked| match &asked.dialog.write {
            Write::Skip { targets, .. } => target
                .iter()
                .any(|(kind, name)| targets.iter().any(|t| *t == format!("{kind}:{name}"))),
            _ => false,
        };
        match self.model.asked.iter().find(of_row) {
            Some(asked) => say::asked_note(self.model, asked.at),
            None => note,
        }
    }
}

fn done(counts: &Counts) -> String {
    let done = counts.completed + counts.failed + counts.skipped;
    format!("{done}/{}", counts.total)
}

/// A member as a bar of its own.
fn one(state: State) -> Counts {
    let mut counts = Counts {
        total: 1,
        ..Counts::default()
    };
    let class = match state {
        State::NotStarted => &mut counts.not_started,
        State::Pending | State::Stopped => &mut counts.pending,
        State::Running | State::Stopping => &mut counts.running,
        State::Completed => &mut counts.completed,
        State::Failed => &mut counts.failed,
        State::Skipped => &mut counts.skipped,
    };
    *class = 1;
    counts
}
