//! The worked examples and tables of the rules, played on a hub in memory.

mod scheduling;
