//! Access to a hub: finding it, connecting, asking what it has and what we may do.
