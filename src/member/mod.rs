//! Member providers: how a run acts on a cluster, and the simulator that plays simulated ones.

pub mod simulated;
