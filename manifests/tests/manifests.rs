//! Texts and folders of manifests, as a program migrates them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says what is wrong by ending"
)]

#[cfg(feature = "files")]
mod corpus;
#[cfg(feature = "files")]
mod files;
mod migrate;
mod reading;
