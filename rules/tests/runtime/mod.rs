//! Seats and matching on recorded and made-up configurations.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot read its own input has failed"
)]

mod built_in;
mod changing_levels;
mod changing_limits;
mod extremes;
mod limits;
mod matching;
mod properties;
mod retry_after;
mod sharding;
mod strategies;
