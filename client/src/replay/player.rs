//! Answering requests from a recording.

use super::exchange;
use super::exchange::{End, Exchange, Request};
use super::matching;
use crate::config::Config;
use crate::config::auth::cached_file::read_text;
use crate::error::Error;
use crate::send::client::Client;
use crate::transport::TransportError;
use bytes::Bytes;
use http_body::Frame;
use std::collections::VecDeque;
use std::error::Error as StdError;
use std::fmt;
use std::io::ErrorKind;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

/// The address of the replayed server. It never exists in DNS (RFC 6761).
const SERVER: &str = "http://replay.invalid";
/// The maximum size of a recording: 64 MiB, as for other text.
const MAX_RECORDING: u64 = 64 << 20;
const REMEDY: &str = "record fewer requests, or make several recordings";
/// The maximum number of requests that an error names.
const MAX_NAMED: usize = 3;

/// A recording that replaces a server: a client gets the recorded responses. The [module](super) has an example.
///
/// Each exchange is replayed once. By default the requests must come strictly in the recorded order, and
/// [`in_any_order`](Self::in_any_order) changes that. A request equals a recorded one if its method, path, query, `Accept`,
/// `Content-Type` and body are equal; parameters may come in another order, JSON of up to 1,000,000 values is compared by
/// value, and `timeoutSeconds` is ignored because watchers choose it at random.
///
/// A request that was not recorded fails, is not sent again, and the error names the nearest recorded one.
/// [`finish`](Self::finish) reports it again, because a watcher or store survives it. Clones share the recording.
///
/// Pauses between attempts pass in real time, unless the test pauses tokio's clock.
#[derive(Clone)]
pub struct Replay(Arc<Mutex<State>>);

struct State {
    exchanges: Vec<Arc<Exchange>>,
    is_replayed: Vec<bool>,
    in_any_order: bool,
    /// The first request that was not recorded.
    fault: Option<String>,
}

impl Replay {
    /// Reads a recording from a file, which may have 64 MiB.
    ///
    /// # Errors
    /// If the file cannot be read, is longer, or is not a recording. The error names the file and the line.
    pub fn open(file: impl AsRef<Path>) -> Result<Self, ReplayError> {
        let file = file.as_ref();
        let within = |error: &dyn fmt::Display| ReplayError(format!("{}: {error}", file.display()));
        let text = read_text(file, MAX_RECORDING).map_err(|error| match error.kind() {
            ErrorKind::FileTooLarge => within(&format!("{error}; {REMEDY}")),
            _ => within(&error),
        })?;
        Self::parse(&text).map_err(|error| within(&error))
    }

    /// Reads a recording from text.
    ///
    /// # Errors
    /// If the text is not a recording. The error names the line.
    pub fn parse(text: &str) -> Result<Self, ReplayError> {
        let exchanges = exchange::read(text).map_err(ReplayError)?;
        Ok(Self(Arc::new(Mutex::new(State {
            is_replayed: vec![false; exchanges.len()],
            exchanges: exchanges.into_iter().map(Arc::new).collect(),
            in_any_order: false,
            fault: None,
        }))))
    }

    /// Accepts the requests in any order, for programs that send several at a time. Equal requests get their responses in
    /// the recorded order.
    #[must_use]
    pub fn in_any_order(self) -> Self {
        self.state().in_any_order = true;
        self
    }

    /// A client that gets its responses from the recording. It does not send requests.
    ///
    /// # Errors
    /// The same as for [`Client::new`]; a recording does not cause any.
    pub fn client(&self) -> Result<Client, Error> {
        let replay = self.clone();
        let config = Config::new(SERVER)?.without_proxy();
        Ok(Client::with_transport(config, move |request| {
            let exchange = replay.state().exchange(&Request::of("", &request));
            async move { respond(&*exchange.map_err(TransportError::fatal)?).await }
        }))
    }

    /// Checks that all recorded requests were sent, and no others.
    ///
    /// # Errors
    /// Names the first request that was not recorded, or the recorded requests that were not sent.
    pub fn finish(&self) -> Result<(), ReplayError> {
        let state = self.state();
        if let Some(fault) = &state.fault {
            return Err(ReplayError(fault.clone()));
        }
        let left: Vec<_> = state.left().map(named).collect();
        if left.is_empty() {
            return Ok(());
        }
        let (count, shown) = (left.len(), left[..left.len().min(MAX_NAMED)].join("; "));
        let more = if count > MAX_NAMED { "; …" } else { "" };
        Err(ReplayError(format!(
            "{count} recorded requests were not sent: {shown}{more}"
        )))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while the lock is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state();
        f.debug_struct("Replay")
            .field("exchanges", &state.exchanges.len())
            .field("left", &state.left().count())
            .field("in_any_order", &state.in_any_order)
            .finish()
    }
}

impl State {
    fn left(&self) -> impl Iterator<Item = &Exchange> {
        let all = self.exchanges.iter().zip(&self.is_replayed);
        all.filter(|(_, is_replayed)| !**is_replayed)
            .map(|(exchange, _)| &**exchange)
    }

    /// The exchange for a request, or the difference from the recorded ones.
    fn exchange(&mut self, sent: &Request) -> Result<Arc<Exchange>, String> {
        let mut left = (0..self.exchanges.len()).filter(|index| !self.is_replayed[*index]);
        let equals = |index: &usize| {
            let recorded = &self.exchanges[*index].request;
            matching::difference(recorded, sent).is_none()
        };
        let found = match self.in_any_order {
            true => left.find(equals),
            false => left.next().filter(equals),
        };
        match found {
            Some(index) => {
                self.is_replayed[index] = true;
                Ok(self.exchanges[index].clone())
            }
            None => {
                let fault = self.fault_of(sent);
                self.fault.get_or_insert_with(|| fault.clone());
                Err(fault)
            }
        }
    }

    fn fault_of(&self, sent: &Request) -> String {
        let mut fault = format!("the request {} is not the recorded one", sent.line());
        let next = self.left().next().filter(|_| !self.in_any_order);
        match next {
            Some(next) => {
                let difference = matching::difference(&next.request, sent);
                let (difference, _) = difference.unwrap_or_default();
                fault += &format!("; the next one is {}: {difference}", named(next));
            }
            None if self.left().next().is_none() => {
                fault += "; all recorded requests have been replayed";
            }
            None => {}
        }
        // A request that has not been replayed is the better hint.
        let left = matching::nearest(self.left(), sent);
        let all = || matching::nearest(self.exchanges.iter().map(|exchange| &**exchange), sent);
        match left.or_else(all) {
            Some((nearest, _)) if next.is_some_and(|next| next.line == nearest.line) => {}
            Some((nearest, difference)) => {
                fault += &format!("; the nearest one is {}", named(nearest));
                if !difference.is_empty() {
                    fault += &format!(": {difference}");
                }
            }
            None => {}
        }
        fault
    }
}

/// The line and the request of an exchange.
fn named(exchange: &Exchange) -> String {
    format!("line {}, {}", exchange.line, exchange.request.line())
}

async fn respond(exchange: &Exchange) -> Result<http::Response<Replayed>, TransportError> {
    match (&exchange.response, &exchange.end) {
        (Some((status, headers)), end) => {
            let mut response = http::Response::new(Replayed {
                chunks: exchange.chunks.iter().cloned().collect(),
                end: Some(end.clone()),
            });
            *response.status_mut() = *status;
            *response.headers_mut() = headers.clone();
            Ok(response)
        }
        (None, End::Failed(failure)) => Err(failure.to_error()),
        (None, _) => std::future::pending().await,
    }
}

/// A recorded body.
struct Replayed {
    chunks: VecDeque<Bytes>,
    end: Option<End>,
}

impl http_body::Body for Replayed {
    type Data = Bytes;
    type Error = TransportError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
        if let Some(chunk) = self.chunks.pop_front() {
            return Poll::Ready(Some(Ok(Frame::data(chunk))));
        }
        match &self.end {
            Some(End::Open) => Poll::Pending,
            Some(End::Failed(failure)) => {
                let error = failure.to_error();
                self.end = None;
                Poll::Ready(Some(Err(error)))
            }
            Some(End::Complete) | None => Poll::Ready(None),
        }
    }
}

/// A recording that cannot be read, or requests that differ from it.
///
/// The text names the line of the recording, and contains no values of bodies.
#[derive(Clone)]
pub struct ReplayError(String);

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text of the error, which a program prints that returns it from `main`.
impl fmt::Debug for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl StdError for ReplayError {}
