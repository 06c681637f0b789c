//! Fair queuing in one priority level.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

mod behavior;
mod last_dispatch;
mod properties;
