//! The embedded hub: a small Kubernetes API server in the process, durable on disk.
