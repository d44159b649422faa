//! Draws the model. Reads only: no I/O, no clock, no change to the model.

mod dialog;
pub mod ends;
mod form;
mod head;
mod hints;
pub mod layout;
mod leave;
mod menu;
pub mod pages;
pub mod pen;
mod prompt;
pub mod say;
mod states;
mod table;
mod text_page;
mod wrap;

pub use text_page::count as text_lines;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::console::theme::Role;

use super::model::layers::Layer;
use super::model::size::Class;
use super::model::{Model, Page};
use pen::Pen;

/// What a frame took and where the terminal's cursor belongs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    /// Rows of lists that were built.
    pub rows: usize,
    /// The selected row or the text field.
    pub cursor: Option<Position>,
}

/// Title of the terminal: hub, environment, gates that wait for a person.
pub fn title(model: &Model) -> String {
    let mut title = format!("fleetdeck {}", model.session.hub);
    if !model.session.environment.is_empty() {
        title.push_str(&format!(" {}", model.session.environment.to_uppercase()));
    }
    match model.gates.totals.0 {
        0 => title,
        1 => format!("{title}, 1 gate waits"),
        n => format!("{title}, {n} gates wait"),
    }
}

/// Draws one frame.
pub fn draw(model: &Model, frame: &mut Frame<'_>) {
    let drawn = paint(model, frame.buffer_mut());
    if let Some(cursor) = drawn.cursor {
        frame.set_cursor_position(cursor);
    }
}

/// Draws into cells.
pub fn paint(model: &Model, buffer: &mut Buffer) -> Drawn {
    let area = buffer.area;
    let mut pen = Pen::new(buffer, &model.look);
    pen.clear(area);
    if model.size.class() == Class::TooSmall {
        too_small(model, area, &mut pen);
        return Drawn::default();
    }
    let layout = layout::layout(model);
    head::header(model, layout.header, &mut pen);
    head::crumb(model, layout.crumb, &mut pen);
    head::summary(model, layout.summary, &mut pen);
    if !states::instead(model, layout.body, &mut pen) {
        match model.page() {
            _ if model.size.class() == Class::Tiny => {
                pages::needs::tiny(model, layout.body, &mut pen)
            }
            Page::Runs => pages::runs::draw(model, &mut pen),
            Page::Tree(uid) => pages::tree::draw(model, uid, &mut pen),
            Page::Gates => pages::gates::draw(model, &mut pen),
            Page::Plan => pages::plan::draw(model, &mut pen),
        }
    }
    hints::notice(model, layout.notice, &mut pen);
    hints::hints(model, layout.hints, &mut pen);
    layers(model, area, &mut pen);
    Drawn {
        rows: pen.rows,
        cursor: pen.cursor,
    }
}

fn layers(model: &Model, area: Rect, pen: &mut Pen<'_>) {
    let top = model.layers.len().saturating_sub(1);
    for (i, layer) in model.layers.iter().enumerate() {
        // A prompt stays in view below what opens over it; everything else would only shine through.
        if i < top && !matches!(layer, Layer::Prompt(_)) {
            continue;
        }
        match layer {
            Layer::Dialog(dialog) => dialog::draw(model, dialog, area, pen),
            Layer::Form(form) => form::draw(model, form, area, pen),
            Layer::Menu(menu) => menu::draw(model, menu, area, pen),
            Layer::Text(page) => text_page::draw(model, page, area, pen),
            Layer::Prompt(line) => prompt::draw(model, line, area, pen),
            Layer::Leave(question) => leave::draw(question, area, pen),
        }
    }
    if !model.chord.is_empty() {
        menu::chord(model, area, pen);
    }
}

fn too_small(model: &Model, area: Rect, pen: &mut Pen<'_>) {
    let times = model.look.glyphs.times;
    let (columns, rows) = (model.size.columns, model.size.rows);
    let text = format!("Terminal {columns}{times}{rows} is too small, 40{times}10 is enough");
    for (i, line) in wrap::wrap(&text, usize::from(area.width))
        .iter()
        .enumerate()
    {
        let y = area.y + u16::try_from(i).unwrap_or(u16::MAX);
        pen.put((area.x, y), area.width, line, Role::Text);
    }
}

#[cfg(test)]
mod tests;
