//! Where things stand, for each class of sizes. Update asks it how many rows are in view.

use ratatui::layout::Rect;

use crate::console::model::size::Class;
use crate::console::model::{Model, Page};

/// The fixed lines and the body between them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Hub, link, mode, driver, person.
    pub header: Rect,
    /// Tabs or the way to here.
    pub crumb: Rect,
    /// Filter or summary.
    pub summary: Rect,
    /// Everything else.
    pub body: Rect,
    /// The last notice.
    pub notice: Rect,
    /// Keys.
    pub hints: Rect,
}

/// Parts of the body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// List or tree with its heads.
    pub list: Rect,
    /// Panes at the right.
    pub side: Rect,
    /// Details below, or at the right in the list of runs.
    pub detail: Rect,
    /// What needs the person, or what was decided lately.
    pub extra: Rect,
}

/// The fixed lines.
pub fn layout(model: &Model) -> Layout {
    let (columns, rows) = (model.size.columns, model.size.rows);
    let class = model.size.class();
    let line = |y: u16| Rect::new(0, y, columns, 1);
    let mut layout = Layout::default();
    let mut top = 0;
    if model.header && class > Class::Tiny {
        layout.header = line(0);
        top = 1;
    }
    if class > Class::Compact {
        layout.crumb = line(top);
        top += 1;
    }
    layout.summary = line(top);
    top += 1;
    let mut bottom = rows;
    if model.header {
        bottom = bottom.saturating_sub(1);
        layout.hints = line(bottom);
    }
    bottom = bottom.saturating_sub(1);
    layout.notice = line(bottom);
    layout.body = Rect::new(0, top, columns, bottom.saturating_sub(top));
    layout
}

/// Parts of the body of the page in view.
pub fn parts(model: &Model) -> Parts {
    let body = layout(model).body;
    let class = model.size.class();
    if model.maximised && class > Class::Tiny {
        return Parts {
            list: body,
            ..Parts::default()
        };
    }
    match model.page() {
        Page::Runs => runs(body, class, model.preview),
        Page::Tree(_) => tree(body, class, model.preview),
        Page::Gates => gates(body, class, model.preview, model.gates.rows.len()),
        Page::Plan => plan(body, class, model.preview),
    }
}

/// Rows of the list in view, without its heads.
pub fn list_rows(model: &Model) -> usize {
    usize::from(parts(model).list.height.saturating_sub(1))
}

fn below(body: Rect, height: u16) -> (Rect, Rect) {
    let height = height.min(body.height);
    let top = Rect {
        height: body.height - height,
        ..body
    };
    let bottom = Rect {
        y: body.y + top.height,
        height,
        ..body
    };
    (top, bottom)
}

fn beside(area: Rect, width: u16) -> (Rect, Rect) {
    let width = width.min(area.width);
    let left = Rect {
        width: area.width - width,
        ..area
    };
    let right = Rect {
        x: area.x + left.width,
        width,
        ..area
    };
    (left, right)
}

fn runs(body: Rect, class: Class, preview: bool) -> Parts {
    let mut parts = Parts::default();
    match class {
        Class::TooSmall | Class::Tiny => parts.extra = body,
        Class::Compact => (parts.list, parts.detail) = below(body, u16::from(preview)),
        Class::S => (parts.list, parts.detail) = below(body, if preview { 6 } else { 0 }),
        Class::M => (parts.list, parts.detail) = below(body, if preview { 11 } else { 0 }),
        Class::L => {
            let (top, extra) = below(body, 13);
            parts.extra = Rect {
                height: 11,
                ..extra
            };
            (parts.list, parts.detail) = beside(top, if preview { 74 } else { 0 });
        }
    }
    parts
}

fn tree(body: Rect, class: Class, preview: bool) -> Parts {
    let mut parts = Parts::default();
    match class {
        Class::TooSmall | Class::Tiny => parts.extra = body,
        Class::Compact => (parts.list, parts.detail) = below(body, u16::from(preview)),
        Class::S => (parts.list, parts.detail) = below(body, if preview { 5 } else { 0 }),
        Class::M => {
            let (top, detail) = below(body, if preview { 11 } else { 0 });
            parts.detail = detail;
            (parts.list, parts.side) = beside(top, 40);
        }
        Class::L => {
            let (top, detail) = below(body, if preview { 14 } else { 0 });
            parts.detail = detail;
            (parts.list, parts.side) = beside(top, 60);
        }
    }
    parts
}

fn gates(body: Rect, class: Class, preview: bool, rows: usize) -> Parts {
    let mut parts = Parts::default();
    let rows = u16::try_from(rows).unwrap_or(u16::MAX);
    match class {
        Class::TooSmall | Class::Tiny => parts.extra = body,
        Class::Compact => (parts.list, parts.detail) = below(body, u16::from(preview)),
        Class::S => {
            let least = body.height / 3;
            let list = rows.saturating_add(1).clamp(least.min(5), least.max(5));
            let detail = if preview {
                body.height.saturating_sub(list)
            } else {
                0
            };
            (parts.list, parts.detail) = below(body, detail);
        }
        Class::M => (parts.list, parts.detail) = below(body, if preview { 24 } else { 0 }),
        Class::L => {
            let (top, extra) = below(body, 11);
            parts.extra = extra;
            (parts.list, parts.detail) = below(top, if preview { 23 } else { 0 });
        }
    }
    parts
}

fn plan(body: Rect, class: Class, preview: bool) -> Parts {
    let mut parts = Parts::default();
    match class {
        Class::TooSmall | Class::Tiny | Class::Compact => parts.list = body,
        Class::S => (parts.list, parts.detail) = below(body, if preview { 8 } else { 0 }),
        Class::M | Class::L => {
            (parts.list, parts.detail) = below(body, if preview { 14 } else { 0 })
        }
    }
    parts
}
