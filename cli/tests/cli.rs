//! The program, as people and scripts run it: a process for each command, so that its tests share one test program.
//!
//! `output` has what it prints, word for word. Its parts run alone by their names: `cargo test -p kubectl-flowcontrol --test cli traffic`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says what is wrong by ending"
)]

mod audit_logs;
mod cluster;
mod common;
mod input;
mod migrate;
mod monitoring;
mod output;
#[cfg(unix)]
mod packaging;
mod serve;
mod simulate;
mod tour;
mod traffic;
