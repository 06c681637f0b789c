//! An entrance of the server: TLS, and connections that fail, hang or break.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt, ReadHalf, WriteHalf};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::server::TlsStream;

/// Forwards TLS connections to an address without TLS. Dropping it closes all connections.
pub(crate) struct Gate {
    shared: Arc<Shared>,
    address: SocketAddr,
    task: JoinHandle<()>,
    /// Keeps the port while nothing listens, so that connections are refused and no other program takes the port.
    _reserved: TcpSocket,
}

struct Shared {
    server: SocketAddr,
    /// For the next connections.
    tls: Mutex<Arc<ServerConfig>>,
    traffic: watch::Sender<Traffic>,
    connections: AtomicU64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Traffic {
    /// Whether new connections are refused.
    refuses: bool,
    /// Whether nothing gets through.
    frozen: bool,
    /// Connections with a smaller number are closed, unless they are dead.
    closed_below: u64,
    /// Connections with a smaller number are dead: they stay silent until the client closes them, as if another machine
    /// on the way had forgotten them.
    dead_below: u64,
}

impl Traffic {
    fn closes(&self, connection: u64) -> bool {
        (self.dead_below..self.closed_below).contains(&connection)
    }

    fn passes(&self, connection: u64) -> bool {
        !self.frozen && connection >= self.dead_below
    }
}

impl Gate {
    pub(crate) fn open(server: SocketAddr, tls: Arc<ServerConfig>) -> Self {
        let reserved = bind(([127, 0, 0, 1], 0).into());
        let address = reserved.local_addr().unwrap();
        let shared = Arc::new(Shared {
            server,
            tls: Mutex::new(tls),
            traffic: watch::Sender::default(),
            connections: AtomicU64::new(0),
        });
        let listener = listen(address);
        Self {
            task: crate::spawn(accept(listener, address, shared.clone())),
            shared,
            address,
            _reserved: reserved,
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("https://{}", self.address)
    }

    /// The TLS configuration of the next connections.
    pub(crate) fn set_tls(&self, tls: Arc<ServerConfig>) {
        *self.shared.tls.lock().unwrap() = tls;
    }

    /// Closes all connections, and does not accept others until [`reopen`](Self::reopen).
    pub(crate) fn close(&self) {
        self.change(|traffic, next| {
            traffic.refuses = true;
            traffic.closed_below = next;
        });
    }

    pub(crate) fn reopen(&self) {
        self.change(|traffic, _| traffic.refuses = false);
    }

    /// Closes all connections.
    pub(crate) fn disconnect(&self) {
        self.change(|traffic, next| traffic.closed_below = next);
    }

    /// Lets nothing through until [`thaw`](Self::thaw).
    pub(crate) fn freeze(&self) {
        self.change(|traffic, _| traffic.frozen = true);
    }

    /// Lets new connections through, and the old ones unless they are `dead`.
    pub(crate) fn thaw(&self, dead: bool) {
        self.change(|traffic, next| {
            traffic.frozen = false;
            if dead {
                traffic.dead_below = next;
            }
        });
    }

    /// The number of connections so far.
    pub(crate) fn connections(&self) -> u64 {
        self.shared.connections.load(Ordering::SeqCst)
    }

    fn change(&self, change: impl FnOnce(&mut Traffic, u64)) {
        let next = self.connections();
        self.shared
            .traffic
            .send_modify(|traffic| change(traffic, next));
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.task.abort();
        self.change(|traffic, _| {
            *traffic = Traffic {
                closed_below: u64::MAX,
                ..Traffic::default()
            };
        });
    }
}

fn bind(address: SocketAddr) -> TcpSocket {
    let socket = TcpSocket::new_v4().unwrap();
    // Both are needed to listen on the port that another socket of this process reserves.
    socket.set_reuseaddr(true).unwrap();
    socket.set_reuseport(true).unwrap();
    socket.bind(address).unwrap();
    socket
}

fn listen(address: SocketAddr) -> TcpListener {
    bind(address).listen(1024).unwrap()
}

async fn accept(mut listener: TcpListener, address: SocketAddr, shared: Arc<Shared>) {
    let mut traffic = shared.traffic.subscribe();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let Ok((client, _)) = accepted else { continue };
                let number = shared.connections.fetch_add(1, Ordering::SeqCst);
                crate::spawn(serve(number, client, shared.clone()));
            }
            () = becomes(&mut traffic, true) => {
                drop(listener);
                becomes(&mut traffic, false).await;
                listener = listen(address);
            }
        }
    }
}

/// Waits until new connections are refused, or no longer refused.
async fn becomes(traffic: &mut watch::Receiver<Traffic>, refuses: bool) {
    let done = traffic.wait_for(|traffic| traffic.refuses == refuses);
    // The gate owns a sender as long as its task runs.
    let _traffic = done.await.unwrap();
}

/// Serves a connection until either side ends it, or the gate closes it.
async fn serve(number: u64, client: TcpStream, shared: Arc<Shared>) {
    let mut traffic = shared.traffic.subscribe();
    tokio::select! {
        // An error ends the connection, and concerns no other.
        _ = forward(number, client, shared) => {}
        _ = traffic.wait_for(|traffic| traffic.closes(number)) => {}
    }
}

async fn forward(number: u64, mut client: TcpStream, shared: Arc<Shared>) -> std::io::Result<()> {
    let mut way = Way {
        number,
        traffic: shared.traffic.subscribe(),
    };
    client.set_nodelay(true)?;
    let mut dead = way.clone();
    tokio::select! {
        () = way.is_free() => {}
        () = dead.is_dead() => {
            // Until the client closes the connection.
            tokio::io::copy(&mut client, &mut tokio::io::sink()).await?;
            return Ok(());
        }
    }
    let tls = TlsAcceptor::from(shared.tls.lock().unwrap().clone());
    let client = tls.accept(client).await?;
    let server = TcpStream::connect(shared.server).await?;
    server.set_nodelay(true)?;
    let (from_client, to_client) = tokio::io::split(client);
    let (from_server, to_server) = server.into_split();
    tokio::select! {
        ended = requests(from_client, to_server, way.clone()) => ended,
        ended = responses(from_server, to_client, way) => ended,
    }
}

/// The state of the traffic for one connection.
#[derive(Clone)]
struct Way {
    number: u64,
    traffic: watch::Receiver<Traffic>,
}

impl Way {
    /// Waits until something gets through, which a dead connection never does.
    async fn is_free(&mut self) {
        let number = self.number;
        let passes = self.traffic.wait_for(|traffic| traffic.passes(number));
        if passes.await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    async fn is_dead(&mut self) {
        let number = self.number;
        let is_dead = |traffic: &Traffic| number < traffic.dead_below;
        if self.traffic.wait_for(is_dead).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

async fn requests(
    mut client: ReadHalf<TlsStream<TcpStream>>,
    mut server: OwnedWriteHalf,
    mut way: Way,
) -> std::io::Result<()> {
    let mut buffer = vec![0; 16 * 1024];
    let mut waiting = Vec::new();
    loop {
        tokio::select! {
            // Also while nothing gets through: a client that waits in vain closes the connection.
            count = client.read(&mut buffer) => {
                let bytes = &buffer[..count?];
                if bytes.is_empty() {
                    return Ok(());
                }
                waiting.extend(bytes);
            }
            () = way.is_free(), if !waiting.is_empty() => {
                server.write_all(&waiting).await?;
                waiting.clear();
            }
        }
    }
}

async fn responses(
    mut server: OwnedReadHalf,
    mut client: WriteHalf<TlsStream<TcpStream>>,
    mut way: Way,
) -> std::io::Result<()> {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let count = server.read(&mut buffer).await?;
        way.is_free().await;
        if count == 0 {
            return client.shutdown().await;
        }
        client.write_all(&buffer[..count]).await?;
        client.flush().await?;
    }
}
