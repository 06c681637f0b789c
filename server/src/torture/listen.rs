//! Accepting connections.

use super::connection::Connection;
use super::mode::Mode;
use super::odd_case::OddCase;
use super::serve::serve;
use super::shared::Shared;
use crate::connection::{HANDSHAKE, HTTP2, MAX_HEADERS};
use crate::tls::Authority;
use hyper::rt::{Read, Write};
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulConnection;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

const MAX_CONNECTIONS: usize = 4096;
/// The time between the decision to break a connection and its end, so that it is in the middle of something.
const BEFORE_BREAK: Duration = Duration::from_millis(15);

/// Accepts connections until the task is aborted.
pub(super) async fn listen(
    listener: TcpListener,
    authority: Option<Authority>,
    shared: Arc<Shared>,
) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept(), if connections.len() < MAX_CONNECTIONS => {
                // Without free file descriptors, accepting fails until one is free.
                let Ok((stream, _)) = accepted else {
                    sleep(Duration::from_millis(50)).await;
                    continue;
                };
                let number = shared.connections.fetch_add(1, Ordering::Relaxed);
                let (authority, shared) = (authority.clone(), shared.clone());
                connections.spawn(accept(stream, authority, shared, number));
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn accept(stream: TcpStream, authority: Option<Authority>, shared: Arc<Shared>, number: u64) {
    let _set = stream.set_nodelay(true);
    let Some(authority) = authority else {
        let mut start = [0; HTTP2.len()];
        let Ok(Ok(_)) = timeout(shared.patience, stream.peek(&mut start)).await else {
            return;
        };
        let http2 = start == HTTP2;
        return run(TokioIo::new(stream), http2, shared, number).await;
    };
    let certificate = match shared.dice.has(Mode::Certificates) {
        true => {
            shared.observer.struck(Mode::Certificates);
            number
        }
        false => 0,
    };
    let only_http1 =
        shared.dice.has(Mode::HeaderCase) || shared.dice.has(Mode::Protocols) && number % 2 == 1;
    let protocols: &[&[u8]] = match only_http1 {
        true => &[b"http/1.1"],
        false => &[b"h2", b"http/1.1"],
    };
    let Ok(acceptor) = authority.acceptor(certificate, protocols) else {
        return;
    };
    match timeout(HANDSHAKE, acceptor.accept(stream)).await {
        Ok(Ok(stream)) => {
            let http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
            if shared.dice.has(Mode::Protocols) {
                shared.observer.struck(Mode::Protocols);
            }
            run(TokioIo::new(stream), http2, shared, number).await;
        }
        _ => shared.observer.handshake_failed(),
    }
}

async fn run<S>(stream: TokioIo<S>, http2: bool, shared: Arc<Shared>, number: u64)
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    if http2 {
        shared.observer.connected("HTTP/2");
        return run_http2(stream, shared, number).await;
    }
    shared.observer.connected("HTTP/1.1");
    match shared.dice.has(Mode::HeaderCase) {
        true => {
            shared.observer.struck(Mode::HeaderCase);
            let stream = TokioIo::new(OddCase::new(stream.into_inner()));
            run_http1(stream, shared, number).await;
        }
        false => run_http1(stream, shared, number).await,
    }
}

async fn run_http2(stream: impl Read + Write + Unpin + 'static, shared: Arc<Shared>, number: u64) {
    let connection = Arc::new(Connection::new(number));
    let served = connection.clone();
    let service = service_fn(move |request| serve(shared.clone(), served.clone(), request));
    let serving = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .max_header_list_size(MAX_HEADERS as u32)
        .serve_connection(stream, service);
    until_ended(serving, &connection).await;
}

async fn run_http1(stream: impl Read + Write + Unpin + 'static, shared: Arc<Shared>, number: u64) {
    let connection = Arc::new(Connection::new(number));
    let patience = shared.patience;
    let served = connection.clone();
    let service = service_fn(move |request| serve(shared.clone(), served.clone(), request));
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .max_buf_size(MAX_HEADERS)
        .serve_connection(stream, service);
    until_ended(serving, &connection).await;
}

/// Serves a connection until it ends, breaks, or was closed and the last response is sent. Its error affects only its client.
async fn until_ended(serving: impl GracefulConnection, connection: &Connection) {
    let mut serving = pin!(serving);
    tokio::select! {
        _ended = serving.as_mut() => return,
        () = broken(connection) => return,
        () = connection.closing.notified() => serving.as_mut().graceful_shutdown(),
    }
    tokio::select! {
        _ended = serving => {}
        () = broken(connection) => {}
    }
}

async fn broken(connection: &Connection) {
    connection.breaking.notified().await;
    sleep(BEFORE_BREAK).await;
}
