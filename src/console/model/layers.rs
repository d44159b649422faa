//! What lies over a page: dialogs, menus, prompts, pages of text. The topmost gets the keys.

use tui_input::Input;

use crate::console::effect::{ObjectRef, Write};
use crate::console::msg::{Refused, Ticket};

use super::form::Form;
use super::names::Uid;

/// Something over the page.
#[derive(Debug)]
pub enum Layer {
    /// A question before a write.
    Dialog(Box<Dialog>),
    /// A form that leads to a plan.
    Form(Box<Form>),
    /// A list to choose an action or an order from.
    Menu(Menu),
    /// A page of text: details, why, YAML, help, notices.
    Text(TextPage),
    /// The filter line or the palette.
    Prompt(Prompt),
    /// The question before leaving while this console drives.
    Leave(Leave),
}

/// The question before leaving while this console drives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leave {
    /// Names of the runs that it drives.
    pub runs: Vec<String>,
    /// Members of them in flight.
    pub in_flight: i32,
    /// Whether "leave" has the focus, and not "stay".
    pub leaves: bool,
    /// Milliseconds on the machine's clock when it opened.
    pub opened: u64,
}

/// A label and what belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// In one word.
    pub label: String,
    /// In words.
    pub text: String,
}

impl Fact {
    /// A label and its text.
    pub fn new(label: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            text: text.into(),
        }
    }
}

/// Where the focus of a dialog is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Focus {
    Reason,
    Name,
    Cancel,
    Confirm,
}

/// How hard an act is to confirm (console guide §8.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Does nothing that could be regretted.
    None,
    /// A question; Cancel has the focus.
    Ask,
    /// And a reason.
    Reason,
    /// And a name to type.
    Name,
}

/// What is known of the effect of an act that the engine must judge first.
#[derive(Clone, Debug, PartialEq)]
pub enum Check {
    /// Nothing to wait for.
    Settled,
    /// Asked, the answer is on its way.
    Waiting(Ticket),
    /// The act would be refused.
    Refused(Refused),
}

/// A question before a write, bound to an object as it was when the person saw it.
#[derive(Clone, Debug)]
pub struct Dialog {
    /// Id of the action that asks.
    pub action: &'static str,
    /// Identity of what it is about.
    pub uid: Uid,
    /// The object and its state.
    pub object: ObjectRef,
    /// What will be written.
    pub write: Write,
    /// The question.
    pub title: String,
    /// The button's word.
    pub confirm: String,
    /// What happens, by name.
    pub facts: Vec<Fact>,
    /// Effect that the engine judged.
    pub effect: Vec<Fact>,
    /// Whether that judgement is there.
    pub check: Check,
    /// How hard it is to confirm.
    pub level: Level,
    /// A reason, where one can be kept.
    pub reason: Option<Input>,
    /// A name to type.
    pub name: Option<(String, Input)>,
    /// The same act as a command.
    pub command: String,
    /// What has the focus.
    pub focus: Focus,
    /// Milliseconds on the machine's clock when it opened.
    pub opened: u64,
    /// Why the hub refused it before.
    pub refused: Option<Refused>,
    /// What has changed since it opened; the act is off until it is read again.
    pub changed: Option<String>,
    /// First line shown of what does not fit.
    pub scroll: u16,
    /// Questions that this one asks together; they are written one by one.
    pub batch: Vec<Dialog>,
    /// Whether it is about the marked rows, whose marks go when it is confirmed.
    pub marked: bool,
}

impl Dialog {
    /// The focus ring.
    pub fn ring(&self) -> Vec<Focus> {
        let mut ring = Vec::new();
        if self.reason.is_some() {
            ring.push(Focus::Reason);
        }
        if self.name.is_some() {
            ring.push(Focus::Name);
        }
        ring.extend([Focus::Cancel, Focus::Confirm]);
        ring
    }

    /// Why the act cannot be confirmed yet, if it cannot.
    pub fn missing(&self) -> Option<String> {
        if let Some(changed) = &self.changed {
            return Some(format!("{changed} r reads it again."));
        }
        match &self.check {
            Check::Waiting(_) => return Some("Reading what this would do.".to_owned()),
            Check::Refused(refused) => return Some(refused.message.clone()),
            Check::Settled => {}
        }
        if self.level >= Level::Reason
            && self
                .reason
                .as_ref()
                .is_some_and(|r| r.value().trim().is_empty())
        {
            return Some("A reason is needed.".to_owned());
        }
        if let Some((name, typed)) = &self.name
            && typed.value() != name
        {
            return Some(format!("Type the name to go on: {name}"));
        }
        None
    }
}

/// A list to choose from.
#[derive(Clone, Debug)]
pub struct Menu {
    /// What it is about.
    pub title: String,
    /// What it offers.
    pub kind: MenuKind,
    /// Chosen entry.
    pub at: usize,
}

/// What a menu offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MenuKind {
    /// Every action for the selection.
    Actions,
    /// Columns to order by.
    Order,
}

/// A page of text.
#[derive(Clone, Debug)]
pub struct TextPage {
    /// What it is about.
    pub title: String,
    /// Where its text comes from.
    pub source: TextSource,
    /// First line shown.
    pub top: usize,
}

/// Where the text of a page comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum TextSource {
    /// Made from the model at each frame.
    Help,
    /// Made from the model at each frame.
    Why,
    /// Made from the model at each frame.
    Detail,
    /// Made from the model at each frame.
    Notices,
    /// On its way.
    Loading(Ticket),
    /// There.
    Lines(Vec<String>),
    /// It could not be read.
    Refused(Refused),
}

/// What a prompt is for.
#[derive(Clone, Debug, PartialEq)]
pub enum PromptKind {
    /// The filter; holds the text to go back to.
    Filter {
        /// The filter before.
        before: String,
    },
    /// The palette.
    Palette,
}

/// One line to type.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// What for.
    pub kind: PromptKind,
    /// The line.
    pub input: Input,
    /// Chosen entry of the list below it.
    pub at: usize,
}
