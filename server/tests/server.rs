//! The server over HTTP on loopback: as clients see it, with random requests, and with the real `kubectl`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says what is wrong by ending"
)]

mod api;
mod kubectl;
mod random;
mod scale;

use std::pin::Pin;
use tokio::task::JoinHandle;

/// Like `tokio::spawn`, which the compiler would make for each future.
fn spawn<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
    let future: Pin<Box<dyn Future<Output = T> + Send>> = Box::pin(future);
    tokio::spawn(future)
}
