//! Where on the screen a binding holds.

macro_rules! places {
    ($($variant:ident $name:literal $doc:literal;)*) => {
        /// Where on the screen a binding holds. A view asks with its places in order, the most
        /// special one first: `[RunTree, List, All]`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Place { $(#[doc = $doc] $variant,)* }

        impl Place {
            /// All places.
            pub const ALL: &'static [Place] = &[$(Place::$variant,)*];

            /// The name in a key file.
            pub fn name(self) -> &'static str {
                match self { $(Place::$variant => $name,)* }
            }
        }
    };
}

places! {
    All "all" "Everywhere but in text fields and dialogs.";
    List "list" "Every list and tree.";
    Runs "runs" "The list of runs.";
    RunTree "run-tree" "The tree of one run.";
    Gates "gates" "The list of gates.";
    Detail "detail" "Pages that are read and scrolled: details, YAML, help.";
    Dialog "dialog" "Dialogs, menus and forms.";
    Text "text" "Text fields; only keys that type nothing can be bound here.";
}

impl Place {
    /// The place with this name in a key file.
    pub fn named(name: &str) -> Option<Place> {
        Place::ALL.iter().copied().find(|p| p.name() == name)
    }
}
