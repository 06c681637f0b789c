//! A receiver of batches over HTTP, with the protection of the API server: TLS, bearer tokens, checked hosts, bounded memory.

mod builder;
mod requests;

pub use builder::ReceiverBuilder;

use crate::connection::Connection;
use crate::http::stopped;
use crate::locks::lock;
use crate::tls::Tls;
use hyper::body::Bytes;
use requests::Requests;
use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;

/// The maximum number of connections at the same time. More wait until one of them ends.
const MAX_CONNECTIONS: usize = 256;
/// The time that a stopping receiver waits for responses.
const GRACE: Duration = Duration::from_secs(2);

/// A request to a [`Receiver`], which the program answers.
///
/// A post that is dropped without an answer gets 503, so that its client sends it again.
#[derive(Debug)]
#[non_exhaustive]
pub struct Post {
    /// The path.
    pub path: String,
    /// The body; `None` for a `GET`.
    pub body: Option<Bytes>,
    /// The place for the answer.
    answer: oneshot::Sender<Answer>,
}

impl Post {
    /// Responds to the request.
    pub fn answer(self, answer: Answer) {
        // The client may have gone.
        let _gone = self.answer.send(answer).is_err();
    }
}

/// The response to a [`Post`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// The HTTP status code.
    pub code: u16,
    /// The content type of the text.
    pub content_type: &'static str,
    /// The text. For an error it is the message of a Kubernetes Status.
    pub text: String,
}

impl Answer {
    /// A response with a text.
    pub fn new(code: u16, content_type: &'static str, text: impl Into<String>) -> Self {
        Self {
            code,
            content_type,
            text: text.into(),
        }
    }

    /// An error with its message.
    pub fn error(code: u16, message: impl Into<String>) -> Self {
        Self::new(code, "application/json", message)
    }
}

/// The number of posts to a [`Receiver`] that were answered with an error, by the receiver or the program. Clones share the counts.
#[derive(Clone, Debug, Default)]
pub struct Rejections(Arc<Mutex<BTreeMap<u16, u64>>>);

impl Rejections {
    /// The posts so far by the code of their response, from 400 on.
    pub fn by_code(&self) -> BTreeMap<u16, u64> {
        lock(&self.0).clone()
    }

    fn add(&self, code: u16) {
        *lock(&self.0).entry(code).or_default() += 1;
    }
}

/// A receiver of batches over HTTP, such as those of the audit webhook of kube-apiserver. Dropping it closes its connections.
///
/// Requests come out of a channel, and the program answers each when its content is safe. The memory for requests without an answer
/// is limited: when it is full, a request gets 429 with `Retry-After: 1` at once.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use k8s_flowcontrol_server::{Answer, Receiver};
///
/// let (receiver, mut requests) = Receiver::builder().start().await?;
/// println!("{}", receiver.url());
/// # drop(receiver);
/// while let Some(request) = requests.recv().await {
///     request.answer(Answer::new(200, "text/plain", "ok\n"));
/// }
/// # Ok(())
/// # }
/// ```
pub struct Receiver {
    address: SocketAddr,
    has_tls: bool,
    rejections: Rejections,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Receiver {
    /// The options of a receiver.
    pub fn builder() -> ReceiverBuilder {
        ReceiverBuilder::default()
    }

    fn launch(
        listener: TcpListener,
        address: SocketAddr,
        tls: Option<Tls>,
        requests: Requests,
        header_timeout: Duration,
    ) -> Self {
        let (stop, stopping) = watch::channel(false);
        let has_tls = tls.is_some();
        let rejections = requests.rejections.clone();
        let requests = Arc::new(requests);
        let connection = Connection {
            respond: Arc::new(move |request| {
                let requests = Arc::clone(&requests);
                Box::pin(async move { requests.respond(request).await })
            }),
            stopping,
            header_timeout,
        };
        Self {
            address,
            has_tls,
            rejections,
            stop,
            task: tokio::spawn(serve(listener, tls, connection)),
        }
    }

    /// The URL, such as `http://127.0.0.1:41234`.
    pub fn url(&self) -> String {
        let scheme = if self.has_tls { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// The counts of rejected posts, also of posts that never come out of the channel.
    pub fn rejections(&self) -> Rejections {
        self.rejections.clone()
    }

    /// Stops accepting, waits at most two seconds for the answers to requests that were received, and closes the connections.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        // It only fails when the task has ended already.
        let _ended = (&mut self.task).await;
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl fmt::Debug for Receiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver")
            .field("url", &self.url())
            .finish_non_exhaustive()
    }
}

async fn serve(listener: TcpListener, tls: Option<Tls>, connection: Connection) {
    let mut stopping = connection.stopping.clone();
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept(), if connections.len() < MAX_CONNECTIONS => {
                // Without free file descriptors, accepting fails until one is free.
                let Ok((stream, _)) = accepted else {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                };
                connections.spawn(connection.clone().accept(stream, tls.clone()));
            }
            Some(_) = connections.join_next() => {}
            () = stopped(&mut stopping) => break,
        }
    }
    drop(listener);
    let finished = async { while connections.join_next().await.is_some() {} };
    let _in_time = timeout(GRACE, finished).await;
    connections.shutdown().await;
}

/// The channel from the requests to the program.
type Channel = mpsc::UnboundedSender<Post>;
