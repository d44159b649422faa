//! What happened on a hub, one entry a change, worked out from object versions.
