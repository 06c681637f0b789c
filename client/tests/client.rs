//! The client over HTTP on loopback, against a server of a few lines.
//!
//! `cargo test -p k8s-flowcontrol --no-default-features --test client` tests the build without a TLS provider, in which no other part
//! may install one; with `--features ring` besides, the smallest build with TLS.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says what is wrong by ending"
)]

mod copies;
mod credentials;
#[cfg(feature = "ring")]
mod http;
mod negotiated;
mod recovering;
#[cfg(feature = "replay")]
mod replaying;
mod requests;
mod responses;
mod script;
#[cfg(all(
    feature = "ring",
    not(any(feature = "platform-verifier", feature = "socks"))
))]
mod smallest;
mod streams;
#[cfg(feature = "ring")]
mod watching;
#[cfg(not(feature = "ring"))]
mod without_provider;
