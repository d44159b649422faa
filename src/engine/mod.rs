//! Pure decisions about runs: no clock, no I/O, no randomness.
