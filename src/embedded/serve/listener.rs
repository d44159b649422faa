//! TLS connections for the HTTP server, all of which end when the hub stops listening.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// How long a client may take for its handshake.
const HANDSHAKE: std::time::Duration = std::time::Duration::from_secs(10);
/// Connections that have shaken hands and wait for the server.
const BACKLOG: usize = 64;

/// Accepts connections; handshakes run beside each other.
pub(super) struct Listener {
    ready: mpsc::Receiver<(Connection, SocketAddr)>,
    local: SocketAddr,
}

impl Listener {
    pub(super) fn new(
        tcp: TcpListener,
        acceptor: TlsAcceptor,
        stop: &CancellationToken,
    ) -> io::Result<Self> {
        let local = tcp.local_addr()?;
        let (sender, ready) = mpsc::channel(BACKLOG);
        tokio::spawn(accept(tcp, acceptor, sender, stop.clone()));
        Ok(Self { ready, local })
    }
}

async fn accept(
    tcp: TcpListener,
    acceptor: TlsAcceptor,
    ready: mpsc::Sender<(Connection, SocketAddr)>,
    stop: CancellationToken,
) {
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => return,
            accepted = tcp.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                let (acceptor, ready, stop) = (acceptor.clone(), ready.clone(), stop.clone());
                tokio::spawn(async move {
                    let _ = stream.set_nodelay(true);
                    let handshake = tokio::time::timeout(HANDSHAKE, acceptor.accept(stream));
                    if let Ok(Ok(stream)) = handshake.await {
                        let connection = Connection {
                            stream,
                            stopped: Box::pin(stop.cancelled_owned()),
                        };
                        let _ = ready.send((connection, peer)).await;
                    }
                });
            }
            // Out of file descriptors and the like: some will be given back.
            Err(error) => {
                tracing::warn!(%error, "the hub cannot accept a connection");
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            }
        }
    }
}

impl axum::serve::Listener for Listener {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        match self.ready.recv().await {
            Some(accepted) => accepted,
            // Stopped: the server is about to be dropped.
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.local)
    }
}

/// A connection that reads as ended once the hub has stopped listening.
pub(super) struct Connection {
    stream: TlsStream<TcpStream>,
    stopped: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.stopped.as_mut().poll(context).is_ready() {
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
