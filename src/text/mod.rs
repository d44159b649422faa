//! Text that comes from a cluster, made safe for a terminal.
