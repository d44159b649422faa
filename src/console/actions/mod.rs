//! Everything a person can do here, one file an action, and the registry that lists them.
