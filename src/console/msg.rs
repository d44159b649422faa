//! What reaches the console: keys, facts from the hub, answers to effects.
//!
//! Every message is handled at once. The shell sends [`Msg::Time`] before each batch of others, so
//! that the model knows the instant without reading a clock; there is no tick.

use std::sync::Arc;

use jiff::Timestamp;

use crate::api::{FleetMember, Gate, MemberUpdate, UpdateRun, UpdateStrategy};
use crate::engine::approval::ApprovalEffect;
use crate::engine::plan::Plan;
use crate::engine::skip::SkipEffect;

/// One thing that happened.
#[derive(Clone, Debug)]
pub enum Msg {
    /// A key, and when it was pressed.
    Key {
        /// The key.
        key: Key,
        /// Milliseconds on the machine's steady clock, from any fixed origin.
        at: u64,
    },
    /// Text from a bracketed paste: never keys.
    Paste(String),
    /// The terminal's size.
    Resize {
        /// Cells in a line.
        columns: u16,
        /// Lines.
        rows: u16,
    },
    /// Whether the terminal's window has the focus.
    Focus(bool),
    /// The instant it is, by the hub's clock.
    Time(Timestamp),
    /// Changes on the hub.
    Hub(HubBatch),
    /// How the connection is.
    Link(Link),
    /// What this person may do.
    Rights(Rights),
    /// Who drives the runs.
    Driver(Driver),
    /// What became of an effect that carried a ticket.
    Answer {
        /// Of the effect.
        ticket: Ticket,
        /// Its outcome.
        result: Result<Answer, Refused>,
    },
    /// Something to tell, from the shell (a keymap with a faulty line, a copied text).
    Notice {
        /// How urgent it is.
        rank: Rank,
        /// One line.
        text: String,
    },
    /// A user's keymap or theme was read again.
    Settings(Box<super::model::Look>),
}

/// Ties an answer to the effect that asked.
pub type Ticket = u64;

/// A key with its modifiers, as far as terminals tell them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// Which key. A capital letter is the capital character, without `shift`.
    pub code: KeyCode,
    /// With control.
    pub ctrl: bool,
    /// With alt (meta).
    pub alt: bool,
    /// With shift; for keys that are no characters.
    pub shift: bool,
}

impl Key {
    /// A key without modifiers.
    pub const fn plain(code: KeyCode) -> Self {
        Self {
            code,
            ctrl: false,
            alt: false,
            shift: false,
        }
    }

    /// A character without modifiers.
    pub const fn char(c: char) -> Self {
        Self::plain(KeyCode::Char(c))
    }

    /// The character this key writes in a text field.
    pub fn text(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if !self.ctrl && !self.alt => Some(c),
            _ => None,
        }
    }
}

/// Which key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum KeyCode {
    Char(char),
    Enter,
    Esc,
    Tab,
    BackTab,
    Backspace,
    Delete,
    Insert,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    Menu,
    Pause,
    F(u8),
}

/// Changes of one source, in order.
#[derive(Clone, Debug, Default)]
pub struct HubBatch {
    /// Grows with each connection; batches of an older one are dropped.
    pub generation: u64,
    /// The watch on a run's members that it comes from ([`super::effect::Effect::Follow`]);
    /// batches of an older one are dropped.
    pub follow: Option<Ticket>,
    /// What changed.
    pub changes: Vec<Change>,
}

/// One change on the hub.
#[derive(Clone, Debug)]
pub enum Change {
    /// A list of this kind begins anew: what it does not bring is gone at [`Change::Synced`].
    Relist(Kind),
    /// The list of this kind is complete.
    Synced(Kind),
    /// Listing this kind is refused.
    Denied(Kind),
    /// Made or changed.
    Run(Arc<UpdateRun>),
    /// Made or changed.
    Gate(Arc<Gate>),
    /// Made or changed.
    Strategy(Arc<UpdateStrategy>),
    /// Made or changed.
    Member(Arc<FleetMember>),
    /// Made or changed.
    Update(Arc<MemberUpdate>),
    /// Deleted.
    Gone {
        /// Of which kind.
        kind: Kind,
        /// The object's uid.
        uid: String,
    },
}

/// Kinds that the console watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Kind {
    Run,
    Gate,
    Strategy,
    Member,
    Update,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 5] = [
        Kind::Run,
        Kind::Gate,
        Kind::Strategy,
        Kind::Member,
        Kind::Update,
    ];

    /// As in a manifest.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Run => "UpdateRun",
            Kind::Gate => "Gate",
            Kind::Strategy => "UpdateStrategy",
            Kind::Member => "FleetMember",
            Kind::Update => "MemberUpdate",
        }
    }

    /// As in a URL or an access rule.
    pub fn plural(self) -> &'static str {
        match self {
            Kind::Run => "updateruns",
            Kind::Gate => "gates",
            Kind::Strategy => "updatestrategies",
            Kind::Member => "fleetmembers",
            Kind::Update => "memberupdates",
        }
    }
}

/// How the connection to the hub is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Link {
    /// Nothing has answered yet.
    #[default]
    Connecting,
    /// Watches are open.
    Live,
    /// No word from the hub.
    Lost {
        /// Since when.
        since: Timestamp,
        /// Why, in words.
        reason: String,
        /// When it is tried again.
        next_try: Option<Timestamp>,
    },
    /// The hub wants fresh credentials.
    SignIn {
        /// When it was refused.
        since: Timestamp,
        /// The helper's or the hub's words.
        reason: String,
        /// The exact command of the helper, if there is one.
        command: Option<String>,
    },
    /// The hub does not know our kinds.
    KindsMissing {
        /// Which.
        missing: Vec<String>,
    },
}

/// What this person may do; what is not named is taken as allowed until the hub refuses it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rights {
    /// Who the hub takes us for.
    pub user: String,
    /// With these groups.
    pub groups: Vec<String>,
    /// Refused verbs: `("patch", Kind::Gate)`.
    pub denied: Vec<(String, Kind)>,
}

/// Who drives the runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Driver {
    /// Not known yet.
    #[default]
    Unknown,
    /// This process.
    Here {
        /// Since when it holds the lease.
        since: Timestamp,
    },
    /// This process waits until the holder is gone.
    StandingBy {
        /// Who drives.
        holder: String,
    },
    /// This process does not take part.
    Elsewhere {
        /// Who drives, if the lease says so.
        holder: Option<String>,
    },
    /// The loop here has ended.
    Stopped {
        /// Why.
        reason: String,
    },
}

/// What an effect brought.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A write was taken by the hub.
    Written {
        /// Generation of the object after it; 0 for a deleted one.
        generation: i64,
        /// Name of the request in the run's status, where it has one (a skip's id).
        request: String,
    },
    /// What a skip would do.
    Skip(Box<SkipEffect>),
    /// What passing gates would do, for each run by its name.
    Approval(Vec<(String, ApprovalEffect)>),
    /// What a run would do.
    Plan(Box<Plan>),
    /// An object as text.
    Yaml(String),
    /// The effect is done and there is nothing to tell beyond it.
    Done,
}

/// Why an effect was refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refused {
    /// Which kind of refusal.
    pub class: RefusedClass,
    /// Machine code, for example `InvalidOperation`.
    pub code: String,
    /// What was tried on which object, and what is wrong.
    pub message: String,
    /// What to do.
    pub hint: String,
}

/// Which kind of refusal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RefusedClass {
    /// By a rule.
    #[default]
    Rule,
    /// The object has changed since it was read.
    Conflict,
    /// No right to do it.
    Denied,
    /// The object is gone.
    Gone,
    /// The hub could not be reached, or did not answer.
    Link,
}

/// How urgent a notice is; later ones are more so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Rank {
    Info,
    Done,
    Warning,
    NeedsYou,
    Error,
}
