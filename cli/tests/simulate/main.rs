//! `simulate`.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test")]

mod audit;
#[allow(dead_code, reason = "each test file uses its part")]
#[path = "../common/mod.rs"]
mod common;
mod loads;
mod page;
mod scenarios;
mod sizes;
mod verifying;

use serde_json::Value;

/// A level of a result.
fn level<'a>(result: &'a Value, name: &str) -> &'a Value {
    let levels = result["levels"].as_array().unwrap();
    levels.iter().find(|level| level["name"] == name).unwrap()
}
