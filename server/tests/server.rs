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
