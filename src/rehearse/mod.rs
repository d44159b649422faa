//! Rehearsal: the whole program in virtual time, from one file.
