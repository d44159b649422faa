//! The hub over loopback TLS, for `kubectl` and other processes.

mod gate;
mod identity;
mod listener;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use base64::Engine as _;
use kube::config::Kubeconfig;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_util::sync::CancellationToken;

use self::identity::Identity;
use self::listener::Listener;
use super::Error;

/// Name of cluster, user and context in the kubeconfig.
const NAME: &str = "fleetdeck";

/// A hub that listens. It stops when this is shut down or dropped.
pub struct Serving {
    /// Where it listens.
    pub addr: SocketAddr,
    /// Address, certificate authority and token for a client.
    pub kubeconfig: Kubeconfig,
    stop: CancellationToken,
    task: Option<JoinHandle<()>>,
}

impl Serving {
    /// Stops listening and ends every connection.
    pub async fn shutdown(mut self) {
        self.stop.cancel();
        if let Some(task) = self.task.take() {
            let _ = task.await;
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl std::fmt::Debug for Serving {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Serving")
            .field("addr", &self.addr)
            .finish_non_exhaustive()
    }
}

/// Begins to listen; certificate and token come from `dir`, or are new ones.
pub(super) async fn serve(
    router: Router,
    listen: SocketAddr,
    dir: Option<&Path>,
) -> Result<Serving, Error> {
    if !listen.ip().is_loopback() {
        return Err(Error::NotLoopback(listen));
    }
    let identity = match dir {
        Some(dir) => Identity::kept_in(dir)?,
        None => Identity::new()?,
    };
    let failed = |source| Error::Listen {
        address: listen,
        source,
    };
    let tcp = TcpListener::bind(listen).await.map_err(failed)?;
    let addr = tcp.local_addr().map_err(failed)?;
    let stop = CancellationToken::new();
    let listener = Listener::new(tcp, acceptor(&identity)?, &stop).map_err(failed)?;
    let token: Arc<str> = identity.token.as_str().into();
    let router = router.layer(from_fn_with_state(token, gate::check));
    let stopped = stop.clone().cancelled_owned();
    let task = tokio::spawn(async move {
        if let Err(error) = axum::serve(listener, router)
            .with_graceful_shutdown(stopped)
            .await
        {
            tracing::error!(%error, "the hub stopped listening");
        }
    });
    Ok(Serving {
        addr,
        kubeconfig: kubeconfig(addr, &identity)?,
        stop,
        task: Some(task),
    })
}

fn acceptor(identity: &Identity) -> Result<TlsAcceptor, Error> {
    let failed = |error: &dyn std::fmt::Display| Error::Certificate(error.to_string());
    let certificate =
        CertificateDer::from_pem_slice(identity.certificate.as_bytes()).map_err(|e| failed(&e))?;
    let key = PrivateKeyDer::from_pem_slice(identity.key.as_bytes()).map_err(|e| failed(&e))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|e| failed(&e))?
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .map_err(|e| failed(&e))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn kubeconfig(addr: SocketAddr, identity: &Identity) -> Result<Kubeconfig, Error> {
    let authority = base64::engine::general_purpose::STANDARD.encode(&identity.authority);
    let value = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": NAME,
        "contexts": [{"name": NAME, "context": {"cluster": NAME, "user": NAME}}],
        "clusters": [{"name": NAME, "cluster": {
            "server": format!("https://{addr}"),
            "certificate-authority-data": authority,
        }}],
        "users": [{"name": NAME, "user": {"token": identity.token}}],
    });
    serde_json::from_value(value).map_err(|error| Error::Certificate(error.to_string()))
}
