//! The hub over loopback TLS, for `kubectl` and other processes.

use std::net::SocketAddr;

use kube::config::Kubeconfig;

/// A hub that listens; it stops when this is dropped or shut down.
pub struct Serving {
    /// Where it listens.
    pub addr: SocketAddr,
    /// Address, certificate authority and token for a client.
    pub kubeconfig: Kubeconfig,
}
