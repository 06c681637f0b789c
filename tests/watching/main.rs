//! Watchers and stores against an embedded server, on good days and on bad ones.
//!
//! - `behaviour`: what a watcher tells, in each situation
//! - `stores`: copies, their readiness, queries and subscribers
//! - `selections`: several selectors as one
//! - `faults`: random faults between client and server, and what the consumers saw of it

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod behaviour;
mod faults;
mod framing;
mod model;
mod proxy;
mod random;
mod selections;
mod stores;
mod support;
mod world;
