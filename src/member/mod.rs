//! Member providers: how a run acts on a cluster.
