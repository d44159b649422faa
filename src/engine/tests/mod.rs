//! The worked examples and tables of the rules, played on a hub in memory.

mod approvals;
mod cost;
mod failures;
mod findings;
mod gates;
mod laws;
mod operations;
mod queues;
mod scheduling;
mod skips;
mod states;
mod turns;
mod validation;
