//! A hub that listens: on this runtime, or on one of its own where this one's time is jumped over,
//! so that a connection keeps its real time-outs.

use std::net::SocketAddr;

use kube::config::Kubeconfig;
use tokio::sync::oneshot;

use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::embedded::{self, Hub, Serving};

/// A hub that listens.
pub struct Listening {
    /// Where.
    pub addr: SocketAddr,
    /// How others reach it.
    pub kubeconfig: Kubeconfig,
    how: How,
}

enum How {
    Here(Box<Serving>),
    Apart {
        stop: oneshot::Sender<()>,
        thread: std::thread::JoinHandle<()>,
    },
}

/// Listens on this runtime.
pub async fn here(hub: &Hub, listen: SocketAddr) -> Result<Listening, Error> {
    let serving = hub.serve(listen).await?;
    Ok(Listening {
        addr: serving.addr,
        kubeconfig: serving.kubeconfig.clone(),
        how: How::Here(Box::new(serving)),
    })
}

/// Listens on a thread with a runtime of its own.
pub async fn apart(hub: &Hub, listen: SocketAddr) -> Result<Listening, Error> {
    let (stop, stopped) = oneshot::channel();
    let (began, begins) = oneshot::channel();
    let hub = hub.clone();
    let thread = std::thread::spawn(move || serve(&hub, listen, began, stopped));
    let lost = || Error::new(Exit::Other, "HubFailed", "the listener's thread has ended");
    let (addr, kubeconfig) = begins.await.map_err(|_| lost())??;
    Ok(Listening {
        addr,
        kubeconfig,
        how: How::Apart { stop, thread },
    })
}

type Began = Result<(SocketAddr, Kubeconfig), embedded::Error>;

fn serve(
    hub: &Hub,
    listen: SocketAddr,
    began: oneshot::Sender<Began>,
    stopped: oneshot::Receiver<()>,
) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            let _ = began.send(Err(embedded::Error::Prepare(error.to_string())));
            return;
        }
    };
    runtime.block_on(async {
        match hub.serve(listen).await {
            Ok(serving) => {
                let _ = began.send(Ok((serving.addr, serving.kubeconfig.clone())));
                let _ = stopped.await;
                serving.shutdown().await;
            }
            Err(error) => {
                let _ = began.send(Err(error));
            }
        }
    });
}

impl Listening {
    /// Ends every connection.
    pub async fn shutdown(self) {
        match self.how {
            How::Here(serving) => serving.shutdown().await,
            How::Apart { stop, thread } => {
                let _ = stop.send(());
                let _ = tokio::task::spawn_blocking(move || thread.join()).await;
            }
        }
    }
}
