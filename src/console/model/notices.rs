//! The notice line and its history.

use std::collections::VecDeque;

use jiff::Timestamp;

use crate::console::msg::Rank;

/// One thing that was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// When.
    pub at: Timestamp,
    /// How urgent.
    pub rank: Rank,
    /// In one line.
    pub text: String,
    /// What it is about, for merging; empty for nothing.
    pub about: String,
    /// How many were merged into it.
    pub times: u32,
}

/// All that was told lately.
#[derive(Debug, Default)]
pub struct Notices {
    /// Newest last.
    pub all: VecDeque<Notice>,
    shown: Option<Notice>,
    /// Raised since the person last looked at the list.
    pub unseen: usize,
}

const KEPT: usize = 500;
const MERGE_SECONDS: i64 = 60;

impl Notices {
    /// Tells something.
    pub fn tell(&mut self, at: Timestamp, rank: Rank, about: &str, text: impl Into<String>) {
        let text = text.into();
        if let Some(last) = self.all.back_mut()
            && !about.is_empty()
            && last.about == about
            && at.duration_since(last.at).as_secs() < MERGE_SECONDS
        {
            last.times += 1;
            last.at = at;
            last.text = text;
            last.rank = last.rank.max(rank);
            self.shown = Some(last.clone());
            return;
        }
        let notice = Notice {
            at,
            rank,
            text,
            about: about.to_owned(),
            times: 1,
        };
        // An error stays until it is seen; everything else gives way to its like.
        let holds = self
            .shown
            .as_ref()
            .is_some_and(|s| s.rank == Rank::Error && rank < Rank::Error);
        if !holds {
            self.shown = Some(notice.clone());
        }
        self.all.push_back(notice);
        if self.all.len() > KEPT {
            self.all.pop_front();
        }
        self.unseen += 1;
    }

    /// The one on the line.
    pub fn shown(&self) -> Option<&Notice> {
        self.shown.as_ref()
    }

    /// The person looked at all of them.
    pub fn seen(&mut self) {
        self.unseen = 0;
        self.shown = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_stays_until_it_is_seen_and_the_same_is_merged() {
        let mut notices = Notices::default();
        let at = Timestamp::UNIX_EPOCH;
        notices.tell(at, Rank::Error, "", "refused");
        notices.tell(at, Rank::Done, "r", "completed");
        assert_eq!(notices.shown().unwrap().text, "refused");
        notices.seen();
        notices.tell(at, Rank::Info, "r", "one more");
        assert_eq!(notices.all.len(), 2);
        assert_eq!(notices.shown().unwrap().times, 2);
    }
}
