//! The client, the embedded server, the generator and the rules together.
//!
//! One test program, because linking costs more than most of the tests. Its parts run alone by their names: `cargo test --test workspace e2e::`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says what is wrong by ending"
)]

mod config;
mod controller;
mod e2e;
mod fuzz;
mod generation;
mod hostile;
mod lossless;
mod requests;
// An entrance reserves its port, which works on Unix.
#[cfg(unix)]
mod soak;
mod watching;

use k8s_flowcontrol::client::BoxFuture;
use std::process::Command;
use tokio::task::JoinHandle;

/// Like `tokio::spawn`, which the compiler would make for each future.
fn spawn<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
    let future: BoxFuture<T> = Box::pin(future);
    tokio::spawn(future)
}

/// This program again, for one ignored test: another environment, or files and memory of its own.
fn child(test: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--ignored", "--nocapture"]);
    command
}
