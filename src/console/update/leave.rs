//! Keys in the question before leaving. "Stay" has the focus.

use crate::console::effect::Effect;
use crate::console::model::Model;
use crate::console::model::layers::Layer;
use crate::console::msg::{Key, KeyCode};

use super::close_layer;

/// Handles a key.
pub fn key(model: &mut Model, key: Key) -> Vec<Effect> {
    let Some(Layer::Leave(leave)) = model.layers.last_mut() else {
        return Vec::new();
    };
    match key.code {
        KeyCode::Tab | KeyCode::BackTab | KeyCode::Left | KeyCode::Right => {
            leave.leaves = !leave.leaves;
            Vec::new()
        }
        KeyCode::Enter if leave.leaves => vec![Effect::Quit],
        KeyCode::Char('y') if key.text().is_some() => vec![Effect::Quit],
        KeyCode::Enter | KeyCode::Esc => close_layer(model),
        _ => Vec::new(),
    }
}
