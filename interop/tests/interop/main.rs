//! `k8s-flowcontrol` and kube in one program.
//!
//! - `objects`: the metadata of `Kube`, seen by both libraries
//! - `openapi`: conversion from and to the types of k8s-openapi
//! - `formats`: the types in serde's formats of other crates
//! - `config`: configurations, and the servers they reach
//! - `api`: kube's `Api`, watcher and reflector with our kinds
//! - `compression`: reqwest with all its decompression turned on by another crate
//! - `shared`: one client that both libraries use
//! - `pacing`: adaptive concurrency in kube's client
//! - `controller`: the program `examples/shares.rs`
//! - `opentelemetry`: the recipe for spans and metrics of `examples/opentelemetry`

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod api;
mod compression;
mod config;
mod controller;
mod formats;
mod objects;
mod openapi;
mod opentelemetry;
mod pacing;
mod shared;
