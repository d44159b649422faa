//! Changes the model by one message and says what the shell is to do. One file a kind of message.

mod answers;
mod dialog;
mod facts;
mod follow;
mod form;
mod keys;
mod leave;
mod menu;
mod prompt;
pub mod refresh;
mod taken;
mod wake;

pub use prompt::{Entry, entries};

use super::effect::Effect;
use super::model::Model;
use super::model::filter::Filter;
use super::model::layers::{Layer, PromptKind};
use super::model::size::Size;
use super::msg::Msg;

/// Handles one message.
pub fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    let mut effects = match msg {
        Msg::Time(now) => {
            model.now = model.now.max(now);
            taken::overdue(model);
            refresh::overdue(model);
            Vec::new()
        }
        Msg::Resize { columns, rows } => {
            model.size = Size::new(columns, rows);
            refresh::page(model);
            Vec::new()
        }
        Msg::Key { key, at } => keys::key(model, key, at),
        Msg::Paste(text) => keys::paste(model, &text),
        Msg::Focus(_) => Vec::new(),
        Msg::Hub(batch) => {
            facts::batch(model, batch);
            Vec::new()
        }
        Msg::Link(link) => {
            model.link = link;
            Vec::new()
        }
        Msg::Rights(rights) => {
            model.rights = rights;
            Vec::new()
        }
        Msg::Driver(driver) => {
            facts::driver(model, driver);
            Vec::new()
        }
        Msg::Answer { ticket, result } => answers::answer(model, ticket, result),
        Msg::Notice { rank, text } => {
            model.notices.tell(model.now, rank, "", text);
            Vec::new()
        }
        Msg::Settings(look) => {
            model.look = *look;
            Vec::new()
        }
    };
    refresh::reveal(model);
    effects.extend(follow::wish(model));
    effects.extend(wake::wish(model));
    effects
}

/// Closes the topmost layer; what it was in the middle of is undone.
pub fn close_layer(model: &mut Model) -> Vec<Effect> {
    if let Some(Layer::Prompt(prompt)) = model.layers.pop()
        && let PromptKind::Filter { before } = prompt.kind
    {
        set_filter(model, &before);
    }
    Vec::new()
}

/// Sets the filter of the page in view.
pub fn set_filter(model: &mut Model, text: &str) {
    use super::model::{Page, gates, runs, tree_page};
    refresh::recall(model);
    match model.page() {
        Page::Runs => model.runs.filter = Filter::parse(text, &runs::SCHEMA),
        Page::Gates => model.gates.filter = Filter::parse(text, &gates::SCHEMA),
        Page::Tree(uid) => {
            if let Some(page) = model.trees.get_mut(&uid) {
                page.filter = Filter::parse(text, &tree_page::SCHEMA);
            }
        }
        Page::Plan => {}
    }
    refresh::page(model);
}
