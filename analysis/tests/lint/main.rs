//! Lint on recorded and made-up configurations.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot read its own input has failed"
)]

mod advice;
#[path = "../../../rules/tests/runtime/built_in.rs"]
mod built_in;
mod objects;
mod properties;
mod rules;
#[path = "../../../rules/tests/runtime/strategies.rs"]
#[allow(dead_code, reason = "lint needs no requests of its own")]
mod strategies;
