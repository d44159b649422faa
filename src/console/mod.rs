//! The terminal dashboard: model, update, view; and the shell that feeds them.
