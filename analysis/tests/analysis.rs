//! Conclusions from configurations, logs, dumps and metrics: of recorded servers, made-up servers and at random.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot read its own input has failed"
)]

mod audit;
mod diagnosis;
mod dumps;
mod evidence;
mod lint;
mod loaded;
mod memory;
mod monitoring;
mod numbers;
mod preview;
mod recipes;
mod scan;
mod simulation;
mod size;
mod traffic;

/// Whether the tests with many cases try them all, as in the gate, and not only a part of them, as `cargo test` does.
fn tries_all() -> bool {
    std::env::var_os("FLOWCONTROL_TEST_ALL").is_some()
}

// Objects that the tests of matching use too.
#[path = "../../rules/tests/runtime/built_in.rs"]
mod built_in;
#[path = "../../rules/tests/runtime/strategies.rs"]
mod strategies;
