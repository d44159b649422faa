//! Refusals: the codes of update-runs §3.1 and what a refusal tells a person.

use crate::api::{ErrorCause, ErrorDetail};

/// A request or an object that is refused: nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct Refusal {
    /// Machine code, CamelCase; one of [`code`].
    pub code: &'static str,
    /// What was tried, on which object and field, and what is wrong.
    pub message: String,
    /// What to do instead; may be empty.
    pub hint: String,
}

impl Refusal {
    /// A refusal without a hint.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: String::new(),
        }
    }

    /// The same refusal, with a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    /// Message and hint in one text.
    pub fn text(&self) -> String {
        if self.hint.is_empty() {
            self.message.clone()
        } else {
            format!("{}; {}", self.message, self.hint)
        }
    }

    /// As it stands in a status.
    pub fn detail(&self, target: impl Into<String>) -> ErrorDetail {
        ErrorDetail {
            code: self.code.to_owned(),
            message: self.text(),
            target: target.into(),
            details: Vec::new(),
        }
    }

    /// As one of several reasons in a status.
    pub fn cause(&self) -> ErrorCause {
        ErrorCause {
            code: self.code.to_owned(),
            message: self.text(),
            target: String::new(),
        }
    }
}

/// Every refusal code.
#[allow(missing_docs)]
pub mod code {
    pub const INVALID_NAME: &str = "InvalidName";
    pub const REQUIRED_PROPERTY_MISSING: &str = "RequiredPropertyMissing";
    pub const DUPLICATE_STAGE: &str = "DuplicateStage";
    pub const DUPLICATE_GROUP: &str = "DuplicateGroup";
    pub const TOO_MANY_GROUPS: &str = "TooManyGroups";
    pub const TOO_MANY_STAGES: &str = "TooManyStages";
    pub const INVALID_LIMIT: &str = "InvalidLimit";
    pub const INVALID_SELECTOR: &str = "InvalidSelector";
    pub const INVALID_GATE: &str = "InvalidGate";
    pub const STRATEGY_CONFLICT: &str = "StrategyConflict";
    pub const STRATEGY_NOT_FOUND: &str = "StrategyNotFound";
    pub const VERSION_REQUIRED: &str = "VersionRequired";
    pub const VERSION_FORBIDDEN: &str = "VersionForbidden";
    pub const INVALID_VERSION: &str = "InvalidVersion";
    pub const IMAGE_SELECTION_FORBIDDEN: &str = "ImageSelectionForbidden";
    pub const INVALID_CUSTOM_IMAGES: &str = "InvalidCustomImages";
    pub const AMBIGUOUS_MEMBERSHIP: &str = "AmbiguousMembership";
    pub const RUN_NOT_EDITABLE: &str = "RunNotEditable";
    pub const INVALID_OPERATION: &str = "InvalidOperation";
    pub const TARGET_NOT_FOUND: &str = "TargetNotFound";
    pub const TARGET_IN_PROGRESS: &str = "TargetInProgress";
    pub const TARGET_FINISHED: &str = "TargetFinished";
    pub const GATE_NOT_PENDING: &str = "GateNotPending";
    pub const GATE_NOT_FOUND: &str = "GateNotFound";
    pub const INVALID_TARGET: &str = "InvalidTarget";
}
