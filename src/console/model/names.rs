//! Small handles for texts and identities that thousands of records share.

use std::collections::HashMap;
use std::sync::Arc;

/// Handle of an interned text. The default is the empty text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(u32);

/// Interned texts: names of runs, stages, groups, members, versions. Nothing is ever taken out,
/// so only texts that come back again and again belong here.
#[derive(Debug)]
pub struct Names {
    texts: Vec<Arc<str>>,
    known: HashMap<Arc<str>, Name>,
}

impl Default for Names {
    fn default() -> Self {
        let empty: Arc<str> = Arc::from("");
        Self {
            texts: vec![empty.clone()],
            known: HashMap::from([(empty, Name(0))]),
        }
    }
}

impl Names {
    /// The handle of a text; made if it is new.
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(name) = self.known.get(text) {
            return *name;
        }
        let name = Name(u32::try_from(self.texts.len()).unwrap_or(0));
        let text: Arc<str> = Arc::from(text);
        self.texts.push(text.clone());
        self.known.insert(text, name);
        name
    }

    /// The handle of a text that is known.
    pub fn find(&self, text: &str) -> Option<Name> {
        self.known.get(text).copied()
    }

    /// The text of a handle.
    pub fn text(&self, name: Name) -> &str {
        self.texts.get(name.0 as usize).map_or("", |t| t)
    }
}

/// Identity of an object: its uid, in 16 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Uid(u128);

impl Uid {
    /// From a uid's text. A text that is no UUID gets one of its own.
    pub fn of(text: &str) -> Self {
        let uuid = uuid::Uuid::try_parse(text)
            .unwrap_or_else(|_| uuid::Uuid::new_v5(&uuid::Uuid::NAMESPACE_OID, text.as_bytes()));
        Self(uuid.as_u128())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_text_gets_the_same_handle() {
        let mut names = Names::default();
        let a = names.intern("prod");
        assert_eq!(names.intern("prod"), a);
        assert_ne!(names.intern("pilot"), a);
        assert_eq!(names.text(a), "prod");
        assert_eq!(names.intern(""), Name::default());
        assert_eq!(names.text(Name(99)), "");
    }

    #[test]
    fn a_uid_that_is_no_uuid_is_still_one_identity() {
        assert_eq!(Uid::of("x"), Uid::of("x"));
        assert_ne!(Uid::of("x"), Uid::of("y"));
    }
}
