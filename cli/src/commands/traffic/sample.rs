//! The part of a request in a report.

use serde::{Deserialize, Serialize};

/// The part of a request in a report.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Sample {
    pub(super) cell: Cell,
    pub(super) distinguisher: String,
    pub(super) received_us: Option<i64>,
    pub(super) load: Load,
    pub(super) deprecated: Option<Deprecated>,
}

/// A client of a deprecated API version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Deprecated {
    pub(super) user: String,
    pub(super) user_agent: String,
    pub(super) api_version: String,
    pub(super) resource: String,
    /// The release that no longer serves the version, if the server knows it.
    pub(super) removed_release: String,
}

/// Requests and the work that they are estimated to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Load {
    /// The number of requests.
    pub(super) requests: u64,
    /// The sum of their initial seats.
    pub(super) seats: u64,
    /// The sum of their initial seats, each times the duration of its request in microseconds.
    pub(super) seat_us: u64,
    /// The requests that flow control rejected.
    pub(super) rejected: u64,
}

impl Load {
    pub(super) fn add(&mut self, other: Self) {
        self.requests += other.requests;
        self.seats += other.seats;
        self.seat_us = self.seat_us.saturating_add(other.seat_us);
        self.rejected += other.rejected;
    }
}

/// A flow schema and its priority level.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Class {
    pub(super) flow_schema: String,
    pub(super) priority_level: String,
}

/// Requests that have all this in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Cell {
    /// `None` for a request that flow control does not see.
    pub(super) class: Option<Class>,
    /// The class in the proposed configuration.
    pub(super) proposed: Option<Class>,
    pub(super) user: String,
    pub(super) verb: String,
}
