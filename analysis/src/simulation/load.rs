//! The requests of a simulation.

use k8s_flowcontrol_rules::matching::{RequestAttributes, User};
use k8s_flowcontrol_rules::queueing::Work;
use std::time::Duration;

/// The load of a server: groups of clients.
#[derive(Clone, Debug, Default)]
pub struct Load {
    /// The time for which clients send requests. The simulation continues until all of them have ended.
    pub duration: Duration,
    /// The groups of clients.
    pub clients: Vec<Client>,
}

/// A group of clients that send the same request.
#[derive(Clone, Debug)]
pub struct Client {
    /// The name, for reports.
    pub name: String,
    /// The request, with its user.
    pub request: RequestAttributes,
    /// Users that take turns instead of the request's user; each can be its own flow. Empty for the request's user.
    pub users: Vec<User>,
    /// The seats of the request.
    pub work: Work,
    /// How long a request executes.
    pub service_time: ServiceTime,
    /// When requests arrive.
    pub arrivals: Arrivals,
    /// The deadline of a request, 60 seconds by default. A request waits in a queue for [a part of
    /// it](k8s_flowcontrol_rules::controller::wait_limit).
    pub deadline: Duration,
    /// How often a request with status 429 is sent again, 10 times by default, as client-go does.
    pub retries: u32,
    /// The time of the first request, from the start.
    pub start: Duration,
    /// The time after which no new request is sent, at most the load's duration.
    pub end: Duration,
}

impl Client {
    /// One client that sends the request once a second, takes one seat and executes for 10 ms on average.
    pub fn new(name: impl Into<String>, request: RequestAttributes) -> Self {
        Self {
            name: name.into(),
            request,
            users: Vec::new(),
            work: Work::seats(1),
            service_time: ServiceTime::Exponential(Duration::from_millis(10)),
            arrivals: Arrivals::Open { per_second: 1.0 },
            deadline: Duration::from_secs(60),
            retries: 10,
            start: Duration::ZERO,
            end: Duration::MAX,
        }
    }
}

/// When requests arrive.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Arrivals {
    /// At random times (a Poisson process), independent of responses.
    Open {
        /// The average number of requests in a second. 0 or less sends no requests.
        per_second: f64,
    },
    /// Each client sends a request, waits for its response and then for some time, and starts again.
    Closed {
        /// The number of clients.
        clients: u32,
        /// The average time from a response to the next request, exponentially distributed.
        think: Duration,
    },
}

/// How long a request executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServiceTime {
    /// Always equally long.
    Constant(Duration),
    /// Exponentially distributed with this average.
    Exponential(Duration),
}
