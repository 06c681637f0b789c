//! The server as clients see it: over HTTP on loopback.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::panic, reason = "a test that cannot go on fails")]

mod support;

mod across;
mod apply;
mod bodies;
mod bootstrap;
mod crowds;
mod crud;
mod deprecation;
mod discovery;
mod faults;
mod forms;
mod http;
mod lists;
mod patches;
mod releases;
mod server;
mod status;
#[cfg(feature = "tls")]
mod tls;
mod tracking;
mod upgrade;
mod users;
mod versions;
mod watches;
