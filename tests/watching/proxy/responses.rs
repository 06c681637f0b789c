//! The responses of a server, passed on with faults.

use super::super::framing::Framing;
use super::{NetworkFault, Shared};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

/// The way from the server to the client.
pub(super) struct Responses {
    shared: Arc<Shared>,
    from_server: OwnedReadHalf,
    to_client: OwnedWriteHalf,
    framing: Framing,
    passed: usize,
    event: Event,
}

/// How far the first event of a connection has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Event {
    None,
    Begun,
    Passed,
}

impl Responses {
    pub(super) fn new(
        shared: Arc<Shared>,
        from_server: OwnedReadHalf,
        to_client: OwnedWriteHalf,
    ) -> Self {
        Self {
            shared,
            from_server,
            to_client,
            framing: Framing::default(),
            passed: 0,
            event: Event::None,
        }
    }

    pub(super) async fn pass_on(&mut self) -> std::io::Result<()> {
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
                    if self.event != Event::Passed && self.shared.must_progress() {
                        (mischief, after) = self.plan();
                        continue;
                    }
                    if self.strike(mischief, &mut rest).await? {
                        let is_barren = self.event != Event::Passed;
                        self.shared.was_barren.store(is_barren, Ordering::Relaxed);
                        return Ok(());
                    }
                    (mischief, after) = self.plan();
                }
            }
        }
    }

    fn plan(&mut self) -> (NetworkFault, usize) {
        self.passed = 0;
        if self.shared.repertoire.is_empty() {
            return (NetworkFault::Delay, usize::MAX);
        }
        self.shared.plan()
    }

    async fn pass(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.to_client.write_all(bytes).await?;
        self.framing.see(bytes);
        self.passed += bytes.len();
        if self.event == Event::None && is_event(bytes) {
            self.event = Event::Begun;
        }
        if self.event == Event::Begun && self.framing.is_between_chunks() {
            self.event = Event::Passed;
            self.shared.was_barren.store(false, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Causes the fault. Returns whether the connection has ended.
    async fn strike(&mut self, mischief: NetworkFault, rest: &mut &[u8]) -> std::io::Result<bool> {
        self.shared.count(mischief);
        match mischief {
            NetworkFault::Refuse | NetworkFault::Cut => return Ok(true),
            NetworkFault::Delay => tokio::time::sleep(self.shared.pause()).await,
            NetworkFault::Throttle => {
                let (slow, behind) = rest.split_at(rest.len().min(100));
                for byte in slow {
                    self.pass(std::slice::from_ref(byte)).await?;
                    tokio::task::yield_now().await;
                }
                *rest = behind;
            }
            NetworkFault::Outage => {
                self.shared.up.send_replace(false);
                let shared = self.shared.clone();
                let pause = shared.pause();
                // Closes this connection; the server accepts others later.
                crate::spawn(async move {
                    tokio::time::sleep(pause).await;
                    shared.up.send_replace(true);
                });
                return Ok(true);
            }
            NetworkFault::GarbageLine => self.insert("<html>\u{fffd}{\"type\":\n").await?,
            NetworkFault::EndInLine => {
                self.insert("{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{\"na")
                    .await?;
                return self.end().await;
            }
            NetworkFault::EndEarly => return self.end().await,
            NetworkFault::Expired => {
                self.insert(&error_event(410, "Expired")).await?;
                return self.end().await;
            }
            NetworkFault::ServerError => {
                self.insert(&error_event(500, "InternalError")).await?;
                return self.end().await;
            }
            NetworkFault::Throttled => {
                self.insert(&error_event(429, "TooManyRequests")).await?;
                return self.end().await;
            }
            NetworkFault::Stall => {
                // Until the client closes the connection.
                std::future::pending::<()>().await;
            }
        }
        Ok(false)
    }

    /// Sends a chunk that is not from the server.
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

/// Whether a change begins in these bytes. Bookmarks do not count.
fn is_event(bytes: &[u8]) -> bool {
    ["\"ADDED\"", "\"MODIFIED\"", "\"DELETED\""]
        .iter()
        .any(|kind| {
            bytes
                .windows(kind.len())
                .any(|found| found == kind.as_bytes())
        })
}

fn error_event(code: u16, reason: &str) -> String {
    format!(
        "{{\"type\":\"ERROR\",\"object\":{{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{{}},\
         \"status\":\"Failure\",\"message\":\"mischief\",\"reason\":\"{reason}\",\"code\":{code}}}}}\n"
    )
}
