//! A transport that answers from a script, without sockets: a test may stop the clock.

use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body::Frame;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use k8s_flowcontrol::client::{BoxFuture, TransportError};
use k8s_flowcontrol::config::Config;
use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep};

/// A request that was sent.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    /// From 0.
    pub(crate) number: usize,
    pub(crate) url: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) at: Instant,
}

impl Sent {
    /// The path, with the query.
    pub(crate) fn target(&self) -> &str {
        &self.url[self.url.match_indices('/').nth(2).unwrap().0..]
    }

    pub(crate) fn query(&self) -> &str {
        self.target().split_once('?').unwrap_or_default().1
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// A part of a body.
enum Part {
    Data(Bytes),
    Pause(Duration),
    Broken,
    Open,
}

/// The reaction to a request.
pub(crate) struct Reply {
    response: Result<http::response::Builder, TransportError>,
    parts: VecDeque<Part>,
}

impl Reply {
    pub(crate) fn new(code: u16, body: impl Into<Bytes>) -> Self {
        let head = Response::builder().status(code);
        let reply = Self {
            response: Ok(head.header("content-type", "application/json")),
            parts: VecDeque::new(),
        };
        reply.data(body)
    }

    pub(crate) fn ok(body: impl Into<Bytes>) -> Self {
        Self::new(200, body)
    }

    /// A body in chunks.
    pub(crate) fn chunks<T: Into<Bytes>>(chunks: impl IntoIterator<Item = T>) -> Self {
        chunks.into_iter().fold(Self::ok(""), Self::data)
    }

    /// No response.
    pub(crate) fn fails(error: TransportError) -> Self {
        Self {
            response: Err(error),
            parts: VecDeque::new(),
        }
    }

    /// No response: the connection is closed.
    pub(crate) fn closes() -> Self {
        Self::fails(TransportError::new(lost()))
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.response = self.response.map(|head| head.header(name, value));
        self
    }

    /// Without the content type that JSON has.
    pub(crate) fn of_type(mut self, content_type: Option<&str>) -> Self {
        self.response = self.response.map(|mut head| {
            let headers = head.headers_mut().unwrap();
            headers.remove("content-type");
            headers.extend(
                content_type.map(|text| (http::header::CONTENT_TYPE, text.parse().unwrap())),
            );
            head
        });
        self
    }

    /// The body goes on.
    pub(crate) fn data(self, data: impl Into<Bytes>) -> Self {
        self.then(Part::Data(data.into()))
    }

    pub(crate) fn pause(self, time: Duration) -> Self {
        self.then(Part::Pause(time))
    }

    /// The connection breaks before the end of the body.
    pub(crate) fn breaks(self) -> Self {
        self.then(Part::Broken)
    }

    /// The body does not end.
    pub(crate) fn stays_open(self) -> Self {
        self.then(Part::Open)
    }

    /// The time from the request to the end of the response; `open` if the client ends it.
    pub(crate) fn lasts(&self, open: Duration) -> Duration {
        let time = |part: &Part| match part {
            Part::Pause(time) => *time,
            Part::Open => open,
            _ => Duration::ZERO,
        };
        self.parts.iter().map(time).sum()
    }

    fn then(mut self, part: Part) -> Self {
        self.parts.push_back(part);
        self
    }
}

/// The error of a connection that nobody accepts.
pub(crate) async fn unreachable() -> TransportError {
    let client = Client::builder(TokioExecutor::new()).build_http::<String>();
    let uri = "http://127.0.0.1:1".parse().unwrap();
    TransportError::new(client.get(uri).await.unwrap_err())
}

fn lost() -> io::Error {
    io::ErrorKind::ConnectionReset.into()
}

/// A body, part by part.
pub(crate) struct Parts {
    parts: VecDeque<Part>,
    timer: Option<Pin<Box<Sleep>>>,
}

impl http_body::Body for Parts {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        loop {
            if let Some(timer) = &mut self.timer {
                ready!(timer.as_mut().poll(cx));
                self.timer = None;
            }
            return match self.parts.pop_front() {
                None => Poll::Ready(None),
                Some(Part::Data(data)) => Poll::Ready(Some(Ok(Frame::data(data)))),
                Some(Part::Broken) => Poll::Ready(Some(Err(lost()))),
                Some(Part::Open) => {
                    self.parts.push_front(Part::Open);
                    Poll::Pending
                }
                Some(Part::Pause(time)) => {
                    self.timer = Some(Box::pin(sleep(time)));
                    continue;
                }
            };
        }
    }
}

type React = dyn FnMut(&Sent) -> Reply + Send;

/// The transport, and the requests that were sent through it.
#[derive(Clone)]
pub(crate) struct Script {
    reply: Arc<Mutex<React>>,
    sent: Arc<Mutex<Vec<Sent>>>,
}

impl Script {
    pub(crate) fn new(reply: impl FnMut(&Sent) -> Reply + Send + 'static) -> Self {
        Self {
            reply: Arc::new(Mutex::new(reply)),
            sent: Arc::default(),
        }
    }

    /// One reply after the other; further requests get no response.
    pub(crate) fn of(replies: impl IntoIterator<Item = Reply>) -> Self {
        let mut replies: VecDeque<Reply> = replies.into_iter().collect();
        let none = || Reply::fails(TransportError::fatal("the script is at its end"));
        Self::new(move |_| replies.pop_front().unwrap_or_else(none))
    }

    /// A client without credentials and TLS.
    pub(crate) fn client(&self) -> k8s_flowcontrol::Client {
        self.client_of(Config::new("http://127.0.0.1:1").unwrap())
    }

    pub(crate) fn client_of(&self, config: Config) -> k8s_flowcontrol::Client {
        let script = self.clone();
        k8s_flowcontrol::Client::with_transport(config, move |request| script.answer(request))
    }

    fn answer(
        &self,
        request: Request<Bytes>,
    ) -> BoxFuture<Result<Response<Parts>, TransportError>> {
        let (head, body) = request.into_parts();
        let mut all = self.sent.lock().unwrap();
        let sent = Sent {
            number: all.len(),
            url: head.uri.to_string(),
            headers: head.headers,
            body,
            at: Instant::now(),
        };
        all.push(sent.clone());
        drop(all);
        let Reply { response, parts } = (self.reply.lock().unwrap())(&sent);
        let parts = Parts { parts, timer: None };
        let response = response.map(|head| head.body(parts).unwrap());
        Box::pin(async move { response })
    }

    pub(crate) fn sent(&self) -> Vec<Sent> {
        self.sent.lock().unwrap().clone()
    }

    /// The only request.
    pub(crate) fn only(&self) -> Sent {
        let mut sent = self.sent();
        assert_eq!(sent.len(), 1, "{sent:?}");
        sent.remove(0)
    }
}
