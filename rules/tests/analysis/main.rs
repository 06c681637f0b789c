//! Seats, matching and lint on recorded and made-up configurations.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot read its own input has failed"
)]

mod built_in;
mod limits;
mod lint;
mod lint_advice;
mod lint_objects;
mod matching;
mod properties;
