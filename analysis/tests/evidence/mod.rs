//! Metrics, and the owners of objects.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot read its own input has failed"
)]

mod metrics;
mod ownership;
