//! `simulate`.

mod audit;
mod loads;
mod order;
mod page;
mod scenarios;
mod sized_server;
mod sizes;
mod unproven;
mod unusual_logs;
mod verifying;

use serde_json::Value;

/// A level of a result.
fn level<'a>(result: &'a Value, name: &str) -> &'a Value {
    let levels = result["levels"].as_array().unwrap();
    levels.iter().find(|level| level["name"] == name).unwrap()
}
