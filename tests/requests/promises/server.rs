//! A server that plays acts, one for each attempt, over HTTP/1.1 or HTTP/2.

use super::act::{Act, SUCCESS};
use super::frames::Frames;
use crate::requests::http2::Tls;
use crate::requests::script::read_request;
use crate::requests::support::hasty;
use k8s_flowcontrol::client::Client;
use k8s_flowcontrol::config::Config;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpSocket, TcpStream};

/// An attempt of the client.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt {
    /// `None` if the attempt did not reach the server, because its connection was closing.
    pub(super) act: Option<Act>,
    /// Whether another attempt followed.
    pub(super) is_repeated: bool,
}

#[derive(Clone)]
pub(super) struct Server {
    address: SocketAddr,
    /// Keeps the port while nothing listens.
    _holder: Arc<TcpSocket>,
    /// HTTP/2 needs TLS.
    tls: Option<Tls>,
    state: Arc<Mutex<State>>,
}

struct State {
    acts: VecDeque<Act>,
    /// The act of the current attempt.
    current: Option<Act>,
    /// Whether a connection can be opened, or one is open for further requests.
    is_reachable: bool,
    attempts: Vec<Attempt>,
}

impl State {
    /// Removes the next act, if it is of a kind.
    fn skip(&mut self, is_skipped: impl FnOnce(Act) -> bool) -> Option<Act> {
        let next = self.acts.front().copied();
        next.filter(|act| is_skipped(*act))?;
        self.acts.pop_front()
    }
}

fn socket(address: SocketAddr) -> TcpSocket {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_reuseport(true).unwrap();
    socket.bind(address).unwrap();
    socket
}

impl Server {
    pub(super) fn new(tls: Option<Tls>, acts: Vec<Act>) -> Self {
        let holder = socket("127.0.0.1:0".parse().unwrap());
        let server = Self {
            address: holder.local_addr().unwrap(),
            _holder: Arc::new(holder),
            tls,
            state: Arc::new(Mutex::new(State {
                acts: acts.into(),
                current: None,
                is_reachable: false,
                attempts: Vec::new(),
            })),
        };
        server.listen();
        server
    }

    /// A client that tells the server about its attempts.
    pub(super) fn client(&self, budget: Option<u32>) -> Client {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        let config = Config::new(format!("{scheme}://{}", self.address)).unwrap();
        let config = match &self.tls {
            Some(tls) => config.with_certificate_authority(tls.authority.as_str()),
            None => config,
        };
        let config = config.with_retry_policy(hasty()).with_retry_budget(budget);
        let server = self.clone();
        let client = Client::new(config).unwrap();
        client.on_request(move |attempt| server.note(attempt.retried_after().is_some()))
    }

    pub(super) fn attempts(&self) -> Vec<Attempt> {
        self.state().attempts.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Notes an attempt, and prepares the next one.
    fn note(&self, is_repeated: bool) {
        let mut state = self.state();
        let mut act = state.current.take();
        if act.is_none() && !state.is_reachable {
            act = state.skip(|act| act == Act::Refuse);
        }
        state.attempts.push(Attempt { act, is_repeated });
        drop(state);
        if is_repeated {
            self.listen();
        }
    }

    /// Listens for one connection, unless there is one or the next act is `Refuse`.
    fn listen(&self) {
        let mut state = self.state();
        if state.is_reachable || state.acts.front() == Some(&Act::Refuse) {
            return;
        }
        state.is_reachable = true;
        let listener = socket(self.address).listen(1).unwrap();
        crate::spawn(self.clone().serve(listener));
    }

    async fn serve(self, listener: TcpListener) {
        let (stream, _) = listener.accept().await.unwrap();
        drop(listener);
        stream.set_nodelay(true).unwrap();
        match &self.tls {
            None => self.serve_http1(stream).await,
            Some(tls) => {
                let stream = tls.acceptor.accept(stream).await.unwrap();
                self.serve_http2(Frames::new(stream)).await;
            }
        }
    }

    /// The act of the current attempt.
    fn begin(&self) -> Act {
        let mut state = self.state();
        let act = state.acts.pop_front().unwrap_or(SUCCESS);
        state.current = Some(act);
        state.is_reachable = false;
        act
    }

    async fn serve_http1(self, mut stream: TcpStream) {
        let act = self.begin();
        if act != Act::ResetUnread {
            read_request(&mut stream).await;
        }
        let bytes = match act {
            Act::ResetUnread | Act::Reset => return stream.set_zero_linger().unwrap(),
            Act::CutHead => "HTTP/1.1 200 O".to_owned(),
            Act::CutBody(code) => {
                format!("HTTP/1.1 {code} X\r\nContent-Length: 1000\r\n\r\n{{\"metadata\":")
            }
            Act::Garbage => "\u{0}\u{1}\u{2}\r\n\r\n".to_owned(),
            Act::Answer {
                code,
                retry_after,
                reason,
            } => response(code, retry_after, &body(code, reason)),
            Act::Undecodable => response(200, None, "<html>"),
            Act::Refuse | Act::Close => String::new(),
            Act::RefuseStream | Act::ResetStream | Act::GoAway { .. } => unreachable!(),
        };
        // The client may have closed the connection.
        let _sent = stream.write_all(bytes.as_bytes()).await;
        let _closed = stream.shutdown().await;
    }

    async fn serve_http2(self, mut frames: Frames) {
        if self.state().acts.front() == Some(&Act::ResetUnread) {
            self.begin();
            return frames.reset_connection();
        }
        frames.open().await;
        while let Some(stream) = frames.read_request().await {
            // These acts need a new connection.
            let skipped = |act| matches!(act, Act::Refuse | Act::ResetUnread);
            while self.state().skip(skipped).is_some() {}
            match self.begin() {
                Act::Reset => return frames.reset_connection(),
                Act::Close | Act::Refuse | Act::ResetUnread => return frames.close().await,
                Act::CutHead => return frames.cut_head(stream).await,
                Act::CutBody(code) => {
                    frames.head(stream, code, None).await;
                    frames.data(stream, "{\"metadata\":", false).await;
                    return frames.close().await;
                }
                Act::Garbage => {
                    frames.garbage().await;
                    return frames.close().await;
                }
                Act::GoAway {
                    covers_request,
                    is_error,
                } => {
                    let last = if covers_request { stream } else { 0 };
                    frames.go_away(last, is_error).await;
                    return frames.close().await;
                }
                // The connection stays open.
                act => {
                    self.state().is_reachable = true;
                    match act {
                        Act::Answer {
                            code,
                            retry_after,
                            reason,
                        } => {
                            frames.head(stream, code, retry_after).await;
                            frames.data(stream, &body(code, reason), true).await;
                        }
                        Act::RefuseStream => frames.reset_stream(stream, 7).await,
                        Act::ResetStream => frames.reset_stream(stream, 2).await,
                        _ => {
                            frames.head(stream, 200, None).await;
                            frames.data(stream, "<html>", true).await;
                        }
                    }
                }
            }
        }
    }
}

fn response(code: u16, retry_after: Option<u32>, body: &str) -> String {
    let asks = retry_after.map_or_else(String::new, |wait| format!("Retry-After: {wait}\r\n"));
    let length = body.len();
    format!(
        "HTTP/1.1 {code} X\r\nConnection: close\r\nContent-Length: {length}\r\n{asks}\r\n{body}"
    )
}

/// An object that every request can read, or a `Status`.
fn body(code: u16, reason: &str) -> String {
    match (code, reason) {
        (200, _) => r#"{"metadata":{"name":"mine"},"spec":{},"items":[]}"#.to_owned(),
        // A 404 without details would be about the version of the API.
        (404, _) => {
            r#"{"kind":"Status","code":404,"details":{"name":"mine","kind":"flowschemas"}}"#
                .to_owned()
        }
        (_, "") => String::new(),
        _ => format!(r#"{{"kind":"Status","reason":"{reason}","code":{code}}}"#),
    }
}
