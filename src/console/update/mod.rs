//! Changes the model by one message and says what the shell is to do.

use super::effect::Effect;
use super::model::Model;
use super::msg::Msg;

/// Handles one message.
pub fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Time(now) => model.now = model.now.max(now),
        Msg::Resize { columns, rows } => model.size = (columns, rows),
        Msg::Link(link) => model.link = link,
        Msg::Rights(rights) => model.rights = rights,
        Msg::Driver(driver) => model.driver = driver,
        Msg::Settings(look) => model.look = *look,
        Msg::Key { .. }
        | Msg::Paste(_)
        | Msg::Focus(_)
        | Msg::Hub(_)
        | Msg::Answer { .. }
        | Msg::Notice { .. } => {}
    }
    Vec::new()
}
