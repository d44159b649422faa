//! What a cell means; a theme says how that looks.

use crate::api::State;

macro_rules! roles {
    ($($variant:ident $name:literal $parent:expr, $doc:literal;)*) => {
        /// What a cell means.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Role { $(#[doc = $doc] $variant,)* }

        impl Role {
            /// All roles, in the order in which they are documented.
            pub const ALL: &'static [Role] = &[$(Role::$variant,)*];

            /// The name in a theme file.
            pub fn name(self) -> &'static str {
                match self { $(Role::$variant => $name,)* }
            }

            /// The role whose style holds where a theme leaves this one out.
            pub fn parent(self) -> Option<Role> {
                match self { $(Role::$variant => $parent,)* }
            }
        }
    };
}

roles! {
    Bg "bg" None, "Background of everything, with the colour of plain text.";
    Text "text" None, "Plain text.";
    TextDim "text.dim" Some(Role::Text), "Less important text.";
    Head "head" Some(Role::Text), "Column heads.";
    Border "border" Some(Role::TextDim), "Border of a pane without the focus.";
    BorderFocus "border.focus" Some(Role::Border), "Border of the pane with the focus.";
    Select "select" None, "The selected row: background or reverse, put under the other styles.";
    Key "key" Some(Role::Text), "A key in a hint.";
    Done "state.done" Some(Role::Text), "Completed, ready.";
    Running "state.running" Some(Role::Text), "In flight.";
    Pending "state.pending" Some(Role::Text), "Cannot go on now.";
    Gate "state.gate" Some(Role::Text), "Waits for a person or a time.";
    Stopping "state.stopping" Some(Role::Text), "Halted, something is still in flight.";
    Stopped "state.stopped" Some(Role::Text), "Halted and settled.";
    Failed "state.failed" Some(Role::Text), "Failed.";
    Skipped "state.skipped" Some(Role::TextDim), "Skipped.";
    Idle "state.idle" Some(Role::TextDim), "Not started.";
    Warn "warn" Some(Role::Text), "A warning.";
    Error "error" Some(Role::Text), "An error.";
    Stale "stale" Some(Role::TextDim), "A fact that is too old to be trusted.";
    Link "link" Some(Role::Text), "A name that can be opened.";
    DiffAdd "diff.add" Some(Role::Done), "An added line.";
    DiffDel "diff.del" Some(Role::Failed), "A removed line.";
    Match "match" Some(Role::Key), "A filter's hit.";
    EnvProd "env.prod" None, "Tag of a production hub.";
    EnvTest "env.test" None, "Tag of a test hub.";
    EnvLab "env.lab" None, "Tag of a laboratory hub.";
}

impl Role {
    /// The role of a state's glyph and word.
    pub fn of(state: State) -> Role {
        match state {
            State::NotStarted => Role::Idle,
            State::Pending => Role::Pending,
            State::Running => Role::Running,
            State::Stopping => Role::Stopping,
            State::Stopped => Role::Stopped,
            State::Failed => Role::Failed,
            State::Skipped => Role::Skipped,
            State::Completed => Role::Done,
        }
    }

    /// The role of a hub's environment tag, by the environment's name.
    pub fn of_environment(environment: &str) -> Role {
        match environment {
            "prod" | "production" => Role::EnvProd,
            "lab" | "dev" | "demo" => Role::EnvLab,
            _ => Role::EnvTest,
        }
    }

    /// The role with this name in a theme file.
    pub fn named(name: &str) -> Option<Role> {
        Role::ALL.iter().copied().find(|r| r.name() == name)
    }

    /// Whether cells of this role are read as text, and not only seen as lines or areas.
    pub fn is_text(self) -> bool {
        !matches!(self, Role::Bg | Role::Border | Role::Select)
    }

    /// Whether this role brings its own background.
    pub fn is_tag(self) -> bool {
        matches!(self, Role::EnvProd | Role::EnvTest | Role::EnvLab)
    }
}
