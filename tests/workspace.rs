//! The client, the embedded server, the generator and the rules together.
//!
//! One test program, because linking costs more than most of the tests. Its parts run alone by their names: `cargo test --test workspace e2e::`.
//! `soak` counts the open files and the memory of its process, so that it is a separate program.

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
mod watching;
