//! What a run would do, before anything starts (console guide §4.10).

use ratatui::layout::Rect;

use crate::api::{GateConfig, GateType};
use crate::console::actions;
use crate::console::model::Model;
use crate::console::model::age::length;
use crate::console::model::plan::{PlanPage, PlanRow, PlanState};
use crate::console::model::size::Class;
use crate::console::theme::Role;
use crate::console::view::layout::parts;
use crate::console::view::pen::{Pen, span};
use crate::console::view::table::{Places, heads, left, place, right};
use crate::console::view::wrap::wrap;
use crate::engine::plan::{Plan, PlannedGroup, PlannedStage};

/// Draws the page.
pub fn draw(model: &Model, pen: &mut Pen<'_>) {
    let Some(page) = &model.plan else {
        return;
    };
    let parts = parts(model);
    let text = match &page.state {
        PlanState::Ready(plan) => {
            list(model, page, plan, parts.list, pen);
            if parts.detail.height > 0 {
                detail(model, page, plan, parts.detail, pen);
            }
            return;
        }
        PlanState::Loading(_) => {
            format!("Working out what run {} would do.", page.name)
        }
        PlanState::Refused(refused) => {
            format!("{}: {}\n\n{}", refused.code, refused.message, refused.hint)
        }
    };
    let body = parts.list;
    let mut y = body.y + 1;
    for paragraph in text.split('\n') {
        for line in wrap(paragraph, usize::from(body.width.saturating_sub(6))) {
            pen.put((body.x + 3, y), body.width, &line, Role::Text);
            y += 1;
        }
    }
}

fn list(model: &Model, page: &PlanPage, plan: &Plan, area: Rect, pen: &mut Pen<'_>) {
    let wide = model.size.class() >= Class::M;
    let cols = [
        left("STAGE / GROUP", 20, 1),
        right("MEMBERS", 7),
        left("AT ONCE", 7, 0),
        left("LIMIT", if wide { 14 } else { 9 }, 0),
        left("GATES", if wide { 30 } else { 15 }, 1),
        left("RULE", if wide { 33 } else { 13 }, 1),
    ];
    let at = place(&cols, area.x + 2, area.width.saturating_sub(2));
    heads(pen, &cols, &at, area.y);
    let rows = page.rows();
    let body = Rect {
        y: area.y + 1,
        height: area.height.saturating_sub(1),
        ..area
    };
    let visible = rows.iter().enumerate().skip(page.top);
    for ((i, row), y) in visible.zip(body.top()..body.bottom()) {
        pen.rows += 1;
        draw_row(page, plan, *row, y, &at, pen);
        if i == page.at {
            pen.select(Rect {
                y,
                height: 1,
                ..body
            });
        }
    }
}

fn draw_row(page: &PlanPage, plan: &Plan, row: PlanRow, y: u16, at: &Places<6>, pen: &mut Pen<'_>) {
    let [name, members, at_once, limit, gates, rule] = *at;
    let open = |spot: (usize, Option<usize>), pen: &Pen<'_>| match (
        page.open.contains(&spot),
        pen.glyphs.ascii,
    ) {
        (true, false) => pen.glyphs.open,
        (true, true) => "-",
        (false, false) => pen.glyphs.closed,
        (false, true) => "+",
    };
    let label = |pen: &mut Pen<'_>, indent: u16, text: &str| {
        pen.name(
            (name.0 + indent, y),
            name.1.saturating_sub(indent),
            text,
            Role::Text,
        );
    };
    match row {
        PlanRow::Stage(s) => {
            let Some(stage) = plan.stages.get(s) else {
                return;
            };
            let sign = open((s, None), pen);
            label(pen, 0, &format!("{sign} {} {}", s + 1, stage.name));
            pen.right(
                (members.0, y),
                members.1,
                &stage.members.to_string(),
                Role::Text,
            );
            pen.put(
                (at_once.0, y),
                at_once.1,
                &stage.max_concurrency.to_string(),
                Role::Text,
            );
            let text = tolerance(stage.max_allowed_failures, stage.members, limit.1);
            pen.note((limit.0, y), limit.1, &text, Role::Text);
            pen.note((gates.0, y), gates.1, &stage_gates(stage), Role::Text);
            pen.note((rule.0, y), rule.1, &stage.rounding, Role::TextDim);
        }
        PlanRow::Group(s, g) => {
            let Some(group) = plan.stages.get(s).and_then(|s| s.groups.get(g)) else {
                return;
            };
            let sign = open((s, Some(g)), pen);
            label(pen, 2, &format!("{sign} {}", group.name));
            let n = group.members.len();
            pen.right((members.0, y), members.1, &n.to_string(), Role::Text);
            pen.put(
                (at_once.0, y),
                at_once.1,
                &group.max_concurrency.to_string(),
                Role::Text,
            );
            let text = tolerance(group.max_allowed_failures, n, limit.1);
            pen.note((limit.0, y), limit.1, &text, Role::Text);
            pen.note((gates.0, y), gates.1, &group_gates(group), Role::Text);
            pen.note((rule.0, y), rule.1, &group.rule, Role::TextDim);
        }
        PlanRow::Member(s, g, m) => {
            let group = plan.stages.get(s).and_then(|s| s.groups.get(g));
            let Some(member) = group.and_then(|g| g.members.get(m)) else {
                return;
            };
            label(pen, 6, member);
            let says = if plan.at_target.contains(member) {
                "at target: will be skipped"
            } else if plan.newer.contains(member) {
                "newer: will be skipped"
            } else {
                ""
            };
            pen.note((gates.0, y), gates.1, says, Role::Skipped);
        }
        PlanRow::Unplaced => {
            let sign = open((usize::MAX, None), pen);
            label(pen, 0, &format!("{sign} in no stage"));
            pen.right(
                (members.0, y),
                members.1,
                &plan.unplaced.len().to_string(),
                Role::Warn,
            );
            pen.note((rule.0, y), rule.1, "no group takes them", Role::TextDim);
        }
        PlanRow::Left(i) => {
            label(pen, 4, plan.unplaced.get(i).map_or("", String::as_str));
        }
    }
}

fn tolerance(allowed: i32, members: usize, cells: u16) -> String {
    match allowed {
        n if cells < 14 => n.to_string(),
        0 => "0: first stops".to_owned(),
        n if usize::try_from(n).is_ok_and(|n| n >= members) => format!("{n}: never stops"),
        n => n.to_string(),
    }
}

fn stage_gates(stage: &PlannedStage) -> String {
    let mut parts = gates(&stage.before_gates, &stage.after_gates);
    if stage.wait_seconds > 0 {
        parts.push(format!(
            "wait {} after",
            length(i64::from(stage.wait_seconds))
        ));
    }
    parts.join(", ")
}

fn group_gates(group: &PlannedGroup) -> String {
    gates(&group.before_gates, &group.after_gates).join(", ")
}

fn gates(before: &[GateConfig], after: &[GateConfig]) -> Vec<String> {
    let word = |config: &GateConfig| match (&config.scheduled_start_configuration, config.type_) {
        (Some(at), GateType::ScheduledStart) => {
            format!(
                "Start {:?} {} {}",
                at.start_day, at.start_time, at.utc_offset
            )
        }
        _ => config
            .display_name
            .clone()
            .unwrap_or_else(|| "Approval".to_owned()),
    };
    let before = before.iter().map(|c| format!("{} before", word(c)));
    let after = after.iter().map(|c| format!("{} after", word(c)));
    before.chain(after).collect()
}

fn detail(model: &Model, page: &PlanPage, plan: &Plan, area: Rect, pen: &mut Pen<'_>) {
    if model.size.class() == Class::S {
        pen.rule((area.x, area.y), area.width, "Findings");
        let lines = findings(model, page, plan);
        write(pen, area.x + 1, area.y + 1, area, &lines);
        return;
    }
    let half = Rect {
        width: area.width / 2,
        ..area
    };
    let other = Rect {
        x: area.x + half.width,
        width: area.width - half.width,
        ..area
    };
    let title = format!("Findings {}", plan.warnings.len());
    let inner = pen.frame(half, &[span(title, Role::Head)], "", false);
    let lines = findings(model, page, plan);
    write(pen, inner.x + 1, inner.y, inner, &lines);
    let title = [span("Members in no stage, at target", Role::Head)];
    let hint = format!("{} list", actions::keys(model, "open"));
    let inner = pen.frame(other, &title, &hint, false);
    let mut lines = vec![
        format!(
            "in no stage  {}  {}",
            plan.unplaced.len(),
            plan.unplaced.join(", ")
        ),
        format!(
            "at target    {}  {}",
            plan.at_target.len(),
            plan.at_target.join(", ")
        ),
        String::new(),
        "Members at the target are skipped at their turn.".to_owned(),
    ];
    if !plan.newer.is_empty() {
        let newer = plan.newer.join(", ");
        lines.insert(2, format!("newer        {}  {newer}", plan.newer.len()));
    }
    if !plan.selected_images.is_empty() {
        let images: Vec<&str> = plan
            .selected_images
            .iter()
            .map(|i| i.version.as_str())
            .collect();
        lines.push(format!("images       {}", images.join(", ")));
    }
    if let Some(version) = &plan.kubernetes_version {
        lines.push(format!("version      {version}"));
    }
    write(pen, inner.x + 1, inner.y, inner, &lines);
}

fn findings(model: &Model, page: &PlanPage, plan: &Plan) -> Vec<String> {
    let sign = model.look.glyphs.stuck;
    let mut lines: Vec<String> = plan
        .warnings
        .iter()
        .map(|w| format!("{sign} {w}"))
        .collect();
    if plan.warnings.is_empty() {
        lines.push(format!("{} nothing to warn of", model.look.glyphs.done));
    }
    lines.push(String::new());
    lines.push("ends: no estimate before upgrades of this run have ended".to_owned());
    lines.push(match page.run {
        Some(_) => "The run is made and does not run. Nothing starts from here without a question."
            .to_owned(),
        None => "Nothing is made yet. Nothing starts from here without a question.".to_owned(),
    });
    lines
}

fn write(pen: &mut Pen<'_>, x: u16, y: u16, area: Rect, lines: &[String]) {
    let width = area.right().saturating_sub(x + 1);
    let mut y = y;
    for line in lines {
        for part in wrap(line, usize::from(width)) {
            if y >= area.bottom() {
                return;
            }
            pen.put((x, y), width, &part, Role::Text);
            y += 1;
        }
    }
}
