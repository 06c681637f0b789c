//! The part of a request in a report.

use super::signs::Traits;
use crate::saved::numbers::{self, sum};
use crate::simulation::Arriving;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The part of a request in a report.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Sample {
    /// The classification, user and verb.
    pub cell: Cell,
    /// The flow distinguisher; empty if the flow schema has none, or distinguishes namespaces and the request has none.
    pub distinguisher: String,
    /// The time at which the request arrived, in microseconds since 1970.
    #[serde(default, deserialize_with = "numbers::time")]
    pub received_us: Option<i64>,
    /// The begin and the end of its execution, in microseconds since 1970: the time in a queue comes before, where the log has it.
    /// `None` without an end in the log, for a watch, and for a request that was not executed. Partial results have requests without an end.
    #[serde(skip)]
    pub executed_us: Option<(i64, i64)>,
    /// The begin of its execution if its wait was estimated, in microseconds since 1970.
    #[serde(skip)]
    pub(super) began_us: Option<i64>,
    /// What its wait can be estimated from.
    #[serde(skip)]
    pub(super) queued: Option<Queued>,
    /// Whether the log has the wait of the request.
    pub has_wait: bool,
    /// The work.
    pub load: Load,
    /// The client, if the API version of the request is deprecated.
    pub deprecated: Option<Deprecated>,
    /// The parts that tell whether the logs are complete.
    #[serde(flatten)]
    pub(super) traits: Traits,
}

/// The facts that the queues of a server need of a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queued {
    pub(super) arriving: Arriving,
    /// Requests of the same kind execute about equally long.
    pub(super) kind: u64,
    pub(super) took: Duration,
    /// The wait in the log.
    pub(super) waited: Option<Duration>,
    pub(super) rejected: bool,
    /// Whether requests can wait at the level.
    pub(super) has_queues: bool,
}

/// A client of a deprecated API version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Deprecated {
    /// The user.
    pub user: String,
    /// The `User-Agent` header.
    pub user_agent: String,
    /// The group and version, such as `flowcontrol.apiserver.k8s.io/v1beta3`.
    pub api_version: String,
    /// The resource, in plural.
    pub resource: String,
    /// The release that no longer serves the version, if the server knows it.
    pub removed_release: String,
}

/// Requests and the work that they are estimated to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Load {
    /// The number of requests.
    #[serde(deserialize_with = "numbers::count")]
    pub requests: u64,
    /// The sum of their initial seats.
    #[serde(deserialize_with = "numbers::count")]
    pub seats: u64,
    /// The sum of their initial seats, each times the duration of its execution in microseconds, without the time in a queue as far
    /// as the log has it.
    #[serde(deserialize_with = "numbers::count")]
    pub seat_us: u64,
    /// The part of `seat_us` of requests that may have waited without a word in the log.
    #[serde(default, deserialize_with = "numbers::count")]
    pub unsure_us: u64,
    /// The part of `seat_us` that is an estimated wait, or time that the server needs besides flow control.
    #[serde(default, deserialize_with = "numbers::count")]
    pub waited_us: u64,
    /// The requests that flow control rejected.
    #[serde(deserialize_with = "numbers::count")]
    pub rejected: u64,
}

impl Load {
    pub(super) fn add(&mut self, other: Self) {
        self.requests = sum(self.requests, other.requests);
        self.seats = sum(self.seats, other.seats);
        self.seat_us = sum(self.seat_us, other.seat_us);
        self.unsure_us = sum(self.unsure_us, other.unsure_us);
        self.waited_us = sum(self.waited_us, other.waited_us);
        self.rejected = sum(self.rejected, other.rejected);
    }
}

/// A flow schema and its priority level.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Class {
    /// The name of the flow schema.
    pub flow_schema: String,
    /// The name of the priority level.
    pub priority_level: String,
}

/// Requests that have all this in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Cell {
    /// `None` for a request that flow control does not see.
    pub class: Option<Class>,
    /// The class in the proposed configuration.
    pub proposed: Option<Class>,
    /// The user.
    pub user: String,
    /// The verb.
    pub verb: String,
}
