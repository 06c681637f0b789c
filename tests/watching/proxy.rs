//! A TCP proxy in front of the server that does to connections what networks do, and to watches what servers do.

use crate::framing::Framing;
use crate::random::Random;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// What the proxy may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mischief {
    /// Closes a connection as soon as it comes.
    Refuse,
    /// Closes both sides at any byte of the answer.
    Cut,
    /// Lets nothing through for some milliseconds.
    Delay,
    /// Lets some bytes through one by one.
    Throttle,
    /// Closes everything and takes no connection for some milliseconds: what a restart looks like.
    Outage,
    /// Ends the body of a watch in good order, between two events.
    EndEarly,
    /// Ends the body of a watch in good order, in the middle of an event.
    EndInLine,
    /// A line that is no JSON, between two events.
    GarbageLine,
    /// An event ERROR of code 410, and the end.
    Expired,
    /// An event ERROR of code 500, and the end.
    ServerError,
    /// Lets nothing through any more, but closes nothing.
    Stall,
}

impl Mischief {
    /// After these a watch goes on from where it was.
    pub(crate) const PASSING: [Self; 8] = [
        Self::Refuse,
        Self::Cut,
        Self::Delay,
        Self::Throttle,
        Self::Outage,
        Self::EndEarly,
        Self::EndInLine,
        Self::ServerError,
    ];
    /// After these it may have to begin anew.
    pub(crate) const ALL: [Self; 11] = [
        Self::Refuse,
        Self::Cut,
        Self::Delay,
        Self::Throttle,
        Self::Outage,
        Self::EndEarly,
        Self::EndInLine,
        Self::ServerError,
        Self::GarbageLine,
        Self::Expired,
        Self::Stall,
    ];

    /// Whether it is done where a chunk of a watch ends.
    fn is_between_chunks(self) -> bool {
        matches!(
            self,
            Self::EndEarly
                | Self::EndInLine
                | Self::GarbageLine
                | Self::Expired
                | Self::ServerError
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
    repertoire: Vec<Mischief>,
    random: Mutex<Random>,
    is_calm: AtomicBool,
    done: AtomicUsize,
    counts: Mutex<BTreeMap<Mischief, usize>>,
    /// Whether the server seems to be up.
    up: watch::Sender<bool>,
}

impl Proxy {
    /// A proxy that does nothing yet but pass on.
    pub(crate) async fn start(server: SocketAddr, repertoire: &[Mischief], random: Random) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            server,
            repertoire: repertoire.to_vec(),
            random: Mutex::new(random),
            is_calm: AtomicBool::new(repertoire.is_empty()),
            done: AtomicUsize::new(0),
            counts: Mutex::default(),
            up: watch::Sender::new(true),
        });
        let task = tokio::spawn(accept(listener, shared.clone()));
        Self {
            shared,
            address,
            task,
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// How much mischief was done.
    pub(crate) fn done(&self) -> usize {
        self.shared.done.load(Ordering::Relaxed)
    }

    /// How often each kind was done.
    pub(crate) fn counts(&self) -> BTreeMap<Mischief, usize> {
        self.shared.counts.lock().unwrap().clone()
    }

    /// From now on everything is passed on.
    pub(crate) fn calm(&self) {
        self.shared.is_calm.store(true, Ordering::Relaxed);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // The connections notice that the sender of `up` is gone with the last of them; what they wait for is cut by
        // the runtime's end at the latest.
        self.task.abort();
        self.shared.up.send_replace(false);
    }
}

impl Shared {
    fn count(&self, mischief: Mischief) {
        *self.counts.lock().unwrap().entry(mischief).or_default() += 1;
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    fn with_random<T>(&self, draw: impl FnOnce(&mut Random) -> T) -> T {
        draw(&mut self.random.lock().unwrap())
    }

    fn is_calm(&self) -> bool {
        self.is_calm.load(Ordering::Relaxed)
    }

    /// What to do next on a connection, and after how many bytes of the answer.
    fn plan(&self) -> (Mischief, usize) {
        self.with_random(|random| {
            let mischief = random.choose(&self.repertoire);
            // Most strike early, but lists must have a chance to come through.
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
            // What a server that is down does.
            continue;
        }
        let refuses = shared.repertoire.contains(&Mischief::Refuse) && !shared.is_calm();
        if refuses && shared.with_random(|random| random.happens(8)) {
            shared.count(Mischief::Refuse);
            continue;
        }
        tokio::spawn(serve(client, shared.clone()));
    }
}

async fn serve(client: TcpStream, shared: Arc<Shared>) {
    let Ok(server) = TcpStream::connect(shared.server).await else {
        return;
    };
    let mut up = shared.up.subscribe();
    let (mut from_client, to_client) = client.into_split();
    let (from_server, mut to_server) = server.into_split();
    let requests = tokio::io::copy(&mut from_client, &mut to_server);
    let mut answers = Answers {
        shared,
        from_server,
        to_client,
        framing: Framing::default(),
        passed: 0,
    };
    // When one side ends or the server goes down, the connection does.
    tokio::select! {
        _ = requests => {}
        _ = answers.pass_on() => {}
        _ = up.wait_for(|up| !up) => {}
    }
}

/// The way from the server to the client.
struct Answers {
    shared: Arc<Shared>,
    from_server: tokio::net::tcp::OwnedReadHalf,
    to_client: tokio::net::tcp::OwnedWriteHalf,
    framing: Framing,
    passed: usize,
}

impl Answers {
    async fn pass_on(&mut self) -> std::io::Result<()> {
        let mut buffer = vec![0; 16 * 1024];
        let (mut mischief, mut after) = self.plan();
        loop {
            let count = self.from_server.read(&mut buffer).await?;
            if count == 0 {
                return Ok(());
            }
            let mut rest = &buffer[..count];
            while !rest.is_empty() {
                if self.shared.is_calm() {
                    self.pass(rest).await?;
                    break;
                }
                let wait = after.saturating_sub(self.passed);
                let now = if mischief.is_between_chunks() {
                    self.framing.next_boundary(wait, rest)
                } else {
                    Some(wait).filter(|wait| *wait < rest.len())
                };
                let (before, behind) = rest.split_at(now.unwrap_or(rest.len()));
                self.pass(before).await?;
                rest = behind;
                if now.is_some() {
                    if self.strike(mischief, &mut rest).await? {
                        return Ok(());
                    }
                    (mischief, after) = self.plan();
                }
            }
        }
    }

    fn plan(&mut self) -> (Mischief, usize) {
        self.passed = 0;
        if self.shared.repertoire.is_empty() {
            return (Mischief::Delay, usize::MAX);
        }
        self.shared.plan()
    }

    async fn pass(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.to_client.write_all(bytes).await?;
        self.framing.see(bytes);
        self.passed += bytes.len();
        Ok(())
    }

    /// Does it; whether the connection is over.
    async fn strike(&mut self, mischief: Mischief, rest: &mut &[u8]) -> std::io::Result<bool> {
        self.shared.count(mischief);
        match mischief {
            Mischief::Refuse | Mischief::Cut => return Ok(true),
            Mischief::Delay => tokio::time::sleep(self.shared.pause()).await,
            Mischief::Throttle => {
                let (slow, behind) = rest.split_at(rest.len().min(100));
                for byte in slow {
                    self.pass(std::slice::from_ref(byte)).await?;
                    tokio::task::yield_now().await;
                }
                *rest = behind;
            }
            Mischief::Outage => {
                self.shared.up.send_replace(false);
                let shared = self.shared.clone();
                let pause = shared.pause();
                // The connection is closed by that, but the server comes back.
                tokio::spawn(async move {
                    tokio::time::sleep(pause).await;
                    shared.up.send_replace(true);
                });
                return Ok(true);
            }
            Mischief::GarbageLine => self.insert("<html>\u{fffd}{\"type\":\n").await?,
            Mischief::EndInLine => {
                self.insert("{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{\"na")
                    .await?;
                return self.end().await;
            }
            Mischief::EndEarly => return self.end().await,
            Mischief::Expired => {
                self.insert(&error_event(410, "Expired")).await?;
                return self.end().await;
            }
            Mischief::ServerError => {
                self.insert(&error_event(500, "InternalError")).await?;
                return self.end().await;
            }
            Mischief::Stall => {
                // Till the client gives up.
                std::future::pending::<()>().await;
            }
        }
        Ok(false)
    }

    /// A chunk of our own.
    async fn insert(&mut self, text: &str) -> std::io::Result<()> {
        let chunk = format!("{:x}\r\n{text}\r\n", text.len());
        self.to_client.write_all(chunk.as_bytes()).await
    }

    async fn end(&mut self) -> std::io::Result<bool> {
        self.to_client.write_all(b"0\r\n\r\n").await?;
        self.to_client.shutdown().await?;
        Ok(true)
    }
}

fn error_event(code: u16, reason: &str) -> String {
    format!(
        "{{\"type\":\"ERROR\",\"object\":{{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{{}},\
         \"status\":\"Failure\",\"message\":\"mischief\",\"reason\":\"{reason}\",\"code\":{code}}}}}\n"
    )
}
