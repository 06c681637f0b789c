//! The layer against the queues of a server, on a paused clock.
//!
//! - `apf`: a server with one level, which queues and rejects as kube-apiserver does
//! - `load`: greedy and small clients, and what they get
//! - `sharing`: many programs and one program on ten seats
//! - `limits`: limits that change, servers that reject, servers that become slower
//! - `behaviour`: levels, callers, watches, metrics, cancellation
//! - `endings`: every request ends
//! - `queues`: the order of waiting requests
//! - `shapes`: requests that belong to the same level, and requests that stay open
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod apf;
mod behaviour;
mod endings;
mod limits;
mod load;
mod queues;
mod shapes;
mod sharing;
