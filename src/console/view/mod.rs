//! Draws the model. Reads only: no I/O, no clock, no change to the model.

use ratatui::Frame;

use super::model::Model;

/// Draws one frame.
pub fn draw(model: &Model, frame: &mut Frame<'_>) {
    frame.render_widget(model.session.hub.as_str(), frame.area());
}
