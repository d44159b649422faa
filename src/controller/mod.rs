//! The loop that drives runs: reads the world, calls the engine, writes the result.
