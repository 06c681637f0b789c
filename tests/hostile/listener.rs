//! A listener that misbehaves in one way.

use super::behaviours::{self, Behaviour, End};
use super::{ATTEMPTS, DRIP, MAX_RESPONSE, PATIENCE, PAUSE, TIMEOUT, http2};
use k8s_flowcontrol::Client;
use k8s_flowcontrol::client::RetryPolicy;
use k8s_flowcontrol::config::Config;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// More than a client reads of a response, and of a line of a watch.
const MAX_BODY: usize = 17 << 20;

/// A listener with one behaviour for all connections.
pub(super) struct Hostile {
    pub(super) url: String,
    /// The authority of the certificate; none without TLS.
    pub(super) authority: Option<String>,
    pub(super) requests: Arc<AtomicUsize>,
    /// The requests over HTTP/1.1 on connections that had one before.
    pub(super) reused: Arc<AtomicUsize>,
    /// The time for a request of a client.
    pub(super) timeout: Duration,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Hostile {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Hostile {
    /// HTTP/1.1 without TLS, and HTTP/2 with it.
    pub(super) async fn start(behaviour: &'static Behaviour) -> Self {
        Self::start_with(behaviour, behaviour.http2).await
    }

    pub(super) async fn start_with(behaviour: &'static Behaviour, is_secure: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (tls, authority) = is_secure.then(|| http2::tls(behaviour.http2)).unzip();
        let scheme = if is_secure { "https" } else { "http" };
        let url = format!("{scheme}://{}", listener.local_addr().unwrap());
        let requests = Arc::new(AtomicUsize::new(0));
        let reused = Arc::new(AtomicUsize::new(0));
        let counts = (requests.clone(), reused.clone());
        let bytes: Arc<[u8]> = (behaviour.sends)().into();
        let task = crate::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (bytes, then, counts) = (bytes.clone(), behaviour.then, counts.clone());
                let is_http2 = behaviour.http2;
                let tls = tls.clone();
                crate::spawn(async move {
                    let Some(tls) = tls else {
                        return play(stream, bytes, then, counts).await;
                    };
                    match tls.accept(stream).await {
                        Ok(stream) if is_http2 => http2::play(stream, bytes, then, counts.0).await,
                        Ok(stream) => play(stream, bytes, then, counts).await,
                        Err(_) => {}
                    }
                });
            }
        });
        Self {
            url,
            authority,
            requests,
            reused,
            timeout: match behaviour.error {
                behaviours::LATE | "" => TIMEOUT,
                _ => PATIENCE,
            },
            task,
        }
    }

    pub(super) fn client(&self) -> Client {
        Client::new(self.config()).unwrap()
    }

    pub(super) fn config(&self) -> Config {
        let policy = RetryPolicy::default()
            .with_max_attempts(ATTEMPTS as u32)
            .with_initial_backoff(PAUSE)
            .with_max_backoff(PAUSE);
        let config = Config::new(&self.url)
            .unwrap()
            .with_retry_policy(policy)
            .with_timeout(self.timeout)
            .with_max_response_size(MAX_RESPONSE);
        match &self.authority {
            None => config,
            Some(authority) => config.with_certificate_authority(authority.as_str()),
        }
    }
}

/// Answers each request on a connection. The client may close it at any time.
async fn play(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    bytes: Arc<[u8]>,
    then: End,
    (requests, reused): (Arc<AtomicUsize>, Arc<AtomicUsize>),
) {
    let mut received = Vec::new();
    let mut is_first = true;
    while stream
        .read_buf(&mut received)
        .await
        .is_ok_and(|read| read > 0)
    {
        // No request here has a body that contains the end of a head.
        let Some(end) = received.windows(4).position(|part| part == b"\r\n\r\n") else {
            continue;
        };
        received.drain(..end + 4);
        requests.fetch_add(1, Ordering::SeqCst);
        if !std::mem::take(&mut is_first) {
            reused.fetch_add(1, Ordering::SeqCst);
        }
        if stream.write_all(&bytes).await.is_err() || then == End::Close {
            let _closed = stream.shutdown().await;
            return;
        }
        match then {
            End::Repeat => return flood(&mut stream, &bytes, MAX_BODY).await,
            End::Drip(last) => return drip(&mut stream, &bytes, last).await,
            End::Close | End::Wait => {}
        }
    }
}

/// Sends the bytes again and again, until the client closes the connection. After so many bytes, which are more than any limit, a
/// quick run pauses between them.
pub(super) async fn flood(
    stream: &mut (impl AsyncWrite + Unpin),
    bytes: &[u8],
    without_pause: usize,
) {
    let mut sent = bytes.len();
    while stream.write_all(bytes).await.is_ok() {
        sent += bytes.len();
        if sent > without_pause && std::env::var_os("FLOWCONTROL_TEST_ALL").is_none() {
            tokio::time::sleep(10 * DRIP).await;
        }
    }
}

/// Sends the last bytes again and again, one at a time, until the client closes the connection.
pub(super) async fn drip(stream: &mut (impl AsyncWrite + Unpin), bytes: &[u8], last: usize) {
    for byte in bytes[bytes.len() - last..].iter().cycle() {
        tokio::time::sleep(DRIP).await;
        if stream.write_all(&[*byte]).await.is_err() || stream.flush().await.is_err() {
            return;
        }
    }
}
