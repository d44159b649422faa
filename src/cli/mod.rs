//! The command line: parses, calls, prints; every verb of the console for scripts.
