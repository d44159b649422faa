//! All that the console knows and remembers. Only [`super::update`] changes it.

pub mod age;
pub mod asked;
pub mod filter;
pub mod fleet;
pub mod form;
pub mod gates;
pub mod held;
pub mod layers;
pub mod list;
pub mod names;
pub mod notices;
pub mod plan;
pub mod runs;
mod session;
pub mod size;
pub mod store;
pub mod subject;
pub mod tree;
pub mod tree_page;
pub mod update;

pub use session::{Look, Mode, Session};

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::msg::{Driver, Key, Link, Rights};
use age::{Times, Words};
use asked::Asked;
use gates::GatesPage;
use layers::Layer;
use names::Uid;
use notices::Notices;
use plan::PlanPage;
use runs::RunsPage;
use size::Size;
use store::Store;
use tree_page::TreePage;

/// What fills the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// All runs.
    Runs,
    /// All gates.
    Gates,
    /// One run.
    Tree(Uid),
    /// What a run would do.
    Plan,
}

/// The whole state of the console.
#[derive(Debug)]
pub struct Model {
    /// Where we are and as whom; set at the start.
    pub session: Session,
    /// Theme, glyphs and keys.
    pub look: Look,
    /// The instant of the latest message.
    pub now: Timestamp,
    /// Milliseconds on the machine's clock of the latest key.
    pub pressed: u64,
    /// What fits on the terminal.
    pub size: Size,
    /// The connection.
    pub link: Link,
    /// Who drives.
    pub driver: Driver,
    /// What we may do.
    pub rights: Rights,
    /// What we know of the hub.
    pub store: Store,
    /// The page in view, over those that Esc goes back to.
    pub pages: Vec<Page>,
    /// The list of runs.
    pub runs: RunsPage,
    /// The list of gates.
    pub gates: GatesPage,
    /// Trees that were opened.
    pub trees: BTreeMap<Uid, TreePage>,
    /// What a run would do.
    pub plan: Option<PlanPage>,
    /// What lies over the page; the last one is on top.
    pub layers: Vec<Layer>,
    /// Keys of a chord that has begun.
    pub chord: Vec<Key>,
    /// What was told.
    pub notices: Notices,
    /// Writes that are under way.
    pub asked: Vec<Asked>,
    /// How times are shown.
    pub times: Times,
    /// Whether details are shown beside a list.
    pub preview: bool,
    /// Whether header and hints are shown.
    pub header: bool,
    /// Whether movement scrolls the details instead of the list.
    pub in_detail: bool,
    /// First line of the details.
    pub detail_top: usize,
    /// Whether the list has the whole body.
    pub maximised: bool,
    /// YAML on its way that is to be copied.
    pub copying: Option<u64>,
    /// Pages that were left with `history.back`.
    pub forward: Vec<Page>,
    /// Since when the rows are frozen.
    pub frozen: Option<Timestamp>,
    /// Changes that wait for the end of a freeze.
    pub held_back: Vec<super::msg::HubBatch>,
    /// Filters that were kept, the newest last.
    pub used_filters: Vec<String>,
    /// When the selection was last moved.
    pub moved: Option<Timestamp>,
    /// When rows that changed meanwhile may change their places.
    pub rows_due: Option<Timestamp>,
    /// When the run may end whose members are watched, as of the last change.
    pub ends: Option<(Uid, crate::engine::estimate::Estimate)>,
    /// When the watch on a run's members last went to another run.
    pub followed_at: Option<Timestamp>,
    /// When it may go to the selected one.
    pub follow_due: Option<Timestamp>,
    /// When ctrl-c was pressed with nothing going on.
    pub leaving: Option<u64>,
    /// The instant that the shell was last asked to wake us at.
    pub wake: Option<Timestamp>,
    /// The instant of the last wake-up for an age.
    pub woken: Option<Timestamp>,
    next_ticket: u64,
}

impl Model {
    /// A console that has heard nothing yet.
    pub fn new(session: Session, look: Look, now: Timestamp, columns: u16, rows: u16) -> Self {
        Self {
            session,
            look,
            now,
            pressed: 0,
            size: Size::new(columns, rows),
            link: Link::default(),
            driver: Driver::default(),
            rights: Rights::default(),
            store: Store::default(),
            pages: vec![Page::Runs],
            runs: RunsPage::default(),
            gates: GatesPage::default(),
            trees: BTreeMap::new(),
            plan: None,
            layers: Vec::new(),
            chord: Vec::new(),
            notices: Notices::default(),
            asked: Vec::new(),
            times: Times::default(),
            preview: true,
            header: true,
            in_detail: false,
            detail_top: 0,
            maximised: false,
            copying: None,
            forward: Vec::new(),
            frozen: None,
            held_back: Vec::new(),
            used_filters: Vec::new(),
            moved: None,
            rows_due: None,
            ends: None,
            followed_at: None,
            follow_due: None,
            leaving: None,
            wake: None,
            woken: None,
            next_ticket: 1,
        }
    }

    /// The page in view.
    pub fn page(&self) -> Page {
        self.pages.last().copied().unwrap_or(Page::Runs)
    }

    /// A ticket that was not given before.
    pub fn ticket(&mut self) -> u64 {
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        ticket
    }

    /// Words about time.
    pub fn words(&self) -> Words<'_> {
        Words {
            now: self.now,
            times: self.times,
            zone: &self.session.zone,
        }
    }

    /// The tree in view.
    pub fn tree(&self) -> Option<&TreePage> {
        match self.page() {
            Page::Tree(uid) => self.trees.get(&uid),
            Page::Runs | Page::Gates | Page::Plan => None,
        }
    }

    /// Who we are.
    pub fn person(&self) -> &str {
        if self.rights.user.is_empty() {
            &self.session.user
        } else {
            &self.rights.user
        }
    }

    /// A length on the hub's clock as the person lives through it, in seconds.
    pub fn lived(&self, length: jiff::SignedDuration) -> i64 {
        #[allow(clippy::cast_possible_truncation)]
        let seconds = (length.as_secs_f64() / self.session.speed.max(0.001)) as i64;
        seconds.max(0)
    }

    /// Seconds of ours since the hub was last heard; 0 while the link is live.
    pub fn silence(&self) -> i64 {
        match &self.link {
            Link::Lost { since, .. } | Link::SignIn { since, .. } => {
                self.lived(self.now.duration_since(*since))
            }
            Link::Connecting | Link::Live | Link::KindsMissing { .. } => 0,
        }
    }

    /// Whether what we show may be old.
    pub fn is_stale(&self) -> bool {
        matches!(self.link, Link::Lost { .. } | Link::SignIn { .. })
    }
}
