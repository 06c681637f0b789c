//! End-to-end tests over real HTTP.
//!
//! The suite takes its server from one place, [`support::Cluster`]: an embedded server, or the cluster that
//! FLOWCONTROL_TEST_KUBECONFIG names. Tests of what only some release does, of faults and of what arrived at
//! the server always use an embedded one.
//!
//! - `objects`, `patches`, `watching`, `paging`: the verbs and their failures
//! - `versions`: one object in several versions, per release
//! - `wire`: every documented operation and query parameter arrives at the server
//! - `references`: what the public reference pages of the API describe
//! - `secured`: TLS, users and faults
//! - `answers`: response codes and bodies that only odd servers send
//! - `raw`: paths that no verb is for
//! - `openapi`: what the server publishes of itself is read by the generator
//! - `dumps`: the server's tables of flow control, read by the client
//! - `examples`: the programs in `examples/`

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod answers;
mod documents;
mod dumps;
mod examples;
mod objects;
mod openapi;
mod paging;
mod patches;
mod raw;
mod references;
mod secured;
mod support;
mod versions;
mod watching;
mod wire;
