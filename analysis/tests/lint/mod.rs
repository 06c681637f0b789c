//! Lint on recorded and made-up configurations.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot read its own input has failed"
)]

mod advice;
mod faults;
mod levels;
mod objects;
mod properties;
mod resources;
mod rules;
