//! A TCP proxy in front of the server, with the faults of networks and of servers.

mod responses;

use super::random::Random;
use responses::Responses;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// A fault of the network or the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NetworkFault {
    /// Closes a connection at once.
    Refuse,
    /// Closes both sides at any byte of the response.
    Cut,
    /// Lets nothing through for some milliseconds.
    Delay,
    /// Lets some bytes through one by one.
    Throttle,
    /// Closes all connections and accepts none for some milliseconds, as during a restart of the server.
    Outage,
    /// Ends the body of a watch properly, between two events.
    EndEarly,
    /// Ends the body of a watch properly, in the middle of an event.
    EndInLine,
    /// Sends a line that is not JSON, between two events.
    GarbageLine,
    /// Sends an ERROR event with code 410, and ends.
    Expired,
    /// Sends an ERROR event with code 500, and ends.
    ServerError,
    /// Sends an ERROR event with code 429, and ends.
    Throttled,
    /// Lets nothing through any more, without closing the connection.
    Stall,
}

impl NetworkFault {
    /// The faults after which a watch continues, if they do not keep it from any progress.
    pub(crate) const PASSING: [Self; 7] = [
        Self::Refuse,
        Self::Cut,
        Self::Delay,
        Self::Throttle,
        Self::EndEarly,
        Self::EndInLine,
        Self::Throttled,
    ];
    /// All faults; after some a list is needed.
    pub(crate) const ALL: [Self; 12] = [
        Self::Refuse,
        Self::Cut,
        Self::Delay,
        Self::Throttle,
        Self::Outage,
        Self::EndEarly,
        Self::EndInLine,
        Self::ServerError,
        Self::Throttled,
        Self::GarbageLine,
        Self::Expired,
        Self::Stall,
    ];

    /// Whether the fault happens at the end of a chunk of a watch.
    fn is_between_chunks(self) -> bool {
        matches!(
            self,
            Self::EndEarly
                | Self::EndInLine
                | Self::GarbageLine
                | Self::Expired
                | Self::ServerError
                | Self::Throttled
        )
    }
}

/// Dropping it closes all connections.
pub(crate) struct Proxy {
    shared: Arc<Shared>,
    address: SocketAddr,
    task: JoinHandle<()>,
}

struct Shared {
    server: SocketAddr,
    repertoire: Vec<NetworkFault>,
    random: Mutex<Random>,
    is_calm: AtomicBool,
    /// Whether a connection that follows a connection without an event delivers an event before its first fault. Only
    /// for a single watcher.
    lets_progress: bool,
    /// The last connection was closed before an event.
    was_barren: AtomicBool,
    done: AtomicUsize,
    counts: Mutex<BTreeMap<NetworkFault, usize>>,
    /// Whether the proxy accepts connections.
    up: watch::Sender<bool>,
}

impl Proxy {
    /// A running proxy.
    pub(crate) async fn start(
        server: SocketAddr,
        repertoire: &[NetworkFault],
        random: Random,
    ) -> Self {
        Self::run(server, repertoire, random, false).await
    }

    /// A proxy of one watcher that never closes two connections in a row before an event.
    pub(crate) async fn start_with_progress(
        server: SocketAddr,
        repertoire: &[NetworkFault],
        random: Random,
    ) -> Self {
        Self::run(server, repertoire, random, true).await
    }

    async fn run(
        server: SocketAddr,
        repertoire: &[NetworkFault],
        random: Random,
        lets_progress: bool,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            server,
            repertoire: repertoire.to_vec(),
            random: Mutex::new(random),
            is_calm: AtomicBool::new(repertoire.is_empty()),
            lets_progress,
            was_barren: AtomicBool::new(false),
            done: AtomicUsize::new(0),
            counts: Mutex::default(),
            up: watch::Sender::new(true),
        });
        let task = crate::spawn(accept(listener, shared.clone()));
        Self {
            shared,
            address,
            task,
        }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address())
    }

    /// The number of faults so far.
    pub(crate) fn done(&self) -> usize {
        self.shared.done.load(Ordering::Relaxed)
    }

    /// The number of faults of each kind.
    pub(crate) fn counts(&self) -> BTreeMap<NetworkFault, usize> {
        self.shared.counts.lock().unwrap().clone()
    }

    /// Ends the faults, or starts them again.
    pub(crate) fn set_calm(&self, calm: bool) {
        self.shared.is_calm.store(calm, Ordering::Relaxed);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // Each connection ends when the sender of `up` is dropped, or with the runtime.
        self.task.abort();
        self.shared.up.send_replace(false);
    }
}

impl Shared {
    fn count(&self, mischief: NetworkFault) {
        *self.counts.lock().unwrap().entry(mischief).or_default() += 1;
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    fn with_random<T>(&self, draw: impl FnOnce(&mut Random) -> T) -> T {
        draw(&mut self.random.lock().unwrap())
    }

    fn is_calm(&self) -> bool {
        self.is_calm.load(Ordering::Relaxed)
    }

    /// Whether the next event must come through.
    fn must_progress(&self) -> bool {
        self.lets_progress && self.was_barren.load(Ordering::Relaxed)
    }

    /// The next fault of a connection, and the number of response bytes before it.
    fn plan(&self) -> (NetworkFault, usize) {
        self.with_random(|random| {
            let mischief = random.choose(&self.repertoire);
            // Most happen early, but some lists must succeed.
            let range = random.choose(&[300, 3000, 30_000]);
            (mischief, usize::try_from(random.below(range)).unwrap())
        })
    }

    fn pause(&self) -> Duration {
        Duration::from_millis(self.with_random(|random| random.below(15) + 1))
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    loop {
        let Ok((client, _)) = listener.accept().await else {
            continue;
        };
        if !*shared.up.borrow() {
            // As the system does while the server is down.
            continue;
        }
        let refuses = shared.repertoire.contains(&NetworkFault::Refuse) && !shared.is_calm();
        let refuses = refuses && !shared.must_progress();
        if refuses && shared.with_random(|random| random.happens(8)) {
            shared.count(NetworkFault::Refuse);
            shared.was_barren.store(true, Ordering::Relaxed);
            continue;
        }
        crate::spawn(serve(client, shared.clone()));
    }
}

async fn serve(client: TcpStream, shared: Arc<Shared>) {
    let Ok(server) = TcpStream::connect(shared.server).await else {
        return;
    };
    // Without this, each hop may wait for a delayed acknowledgement, about 40 ms.
    let _set = (client.set_nodelay(true), server.set_nodelay(true));
    let mut up = shared.up.subscribe();
    let (mut from_client, to_client) = client.into_split();
    let (from_server, mut to_server) = server.into_split();
    let requests = tokio::io::copy(&mut from_client, &mut to_server);
    let mut responses = Responses::new(shared, from_server, to_client);
    // The connection ends with either side, and when the server goes down.
    tokio::select! {
        _ = requests => {}
        _ = responses.pass_on() => {}
        _ = up.wait_for(|up| !up) => {}
    }
}
