//! Telling a hub's refusals apart.

/// What an error says about the object concerned.
pub trait Answer {
    /// There is no such object.
    fn is_not_found(&self) -> bool;
    /// The object has moved on.
    fn is_conflict(&self) -> bool;
    /// There is such an object already.
    fn is_already_exists(&self) -> bool;
    /// Whoever asks may not do this.
    fn is_forbidden(&self) -> bool;
}

impl Answer for kube::Error {
    fn is_not_found(&self) -> bool {
        matches!(self, Self::Api(status) if status.is_not_found())
    }

    fn is_conflict(&self) -> bool {
        matches!(self, Self::Api(status) if status.is_conflict())
    }

    fn is_already_exists(&self) -> bool {
        matches!(self, Self::Api(status) if status.is_already_exists())
    }

    fn is_forbidden(&self) -> bool {
        matches!(self, Self::Api(status) if status.is_forbidden())
    }
}
