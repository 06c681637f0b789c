//! Loads and configurations that cannot be used.

use crate::recipes::RecipeError;
use std::fmt;

/// The reason why nothing can be sized.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SizeError {
    /// The logs contain no request that flow control sees.
    NoRequests,
    /// Requests end before they begin.
    BackwardTimes {
        /// How many.
        requests: u64,
        /// The audit ID of the first one.
        first: String,
    },
    /// The requests are more than 31 days apart.
    TooLong {
        /// The time in days.
        days: u64,
    },
    /// An intent is about the requests of logs, which are missing.
    NoLog {
        /// The name of the intent.
        intent: String,
        /// Its line in the file.
        line: usize,
    },
    /// No request of the logs belongs to an intent.
    NoMatch {
        /// The name of the intent.
        intent: String,
        /// Its line in the file.
        line: usize,
        /// Its client or level.
        target: String,
    },
    /// The simulated load lacks requests of an intent.
    NoArrivals {
        /// The name of the intent.
        intent: String,
        /// Its line in the file.
        line: usize,
    },
    /// An intent is about a priority level that the configuration lacks.
    UnknownLevel {
        /// The name of the intent.
        intent: String,
        /// Its line in the file.
        line: usize,
        /// The level.
        level: String,
    },
    /// No objects can separate the requests of a client.
    Recipe {
        /// The name of the intent.
        intent: String,
        /// Its line in the file.
        line: usize,
        /// The reason.
        error: RecipeError,
    },
    /// The queues of a level cannot be dealt, which validation excludes.
    InvalidLevel(String),
}

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRequests => f.write_str(
                "the audit logs contain no request that flow control sees: failed authentications, long-running requests, such as exec, and events without requestReceivedTimestamp do not count; give logs with other requests",
            ),
            Self::BackwardTimes { requests, first } => write!(
                f,
                "{requests} requests end before they begin, the first with the audit ID {first}: the clock of the server was wrong; remove these events"
            ),
            Self::TooLong { days } => write!(
                f,
                "the requests of the audit logs are {days} days apart, and at most 31 are possible; remove events whose requestReceivedTimestamp is wrong, or use a part of the log"
            ),
            Self::NoLog { intent, line } => write!(
                f,
                "line {line}: the intent {intent} is about the requests of audit logs, and there are none; give logs, or atLoad with concurrent or perSecond"
            ),
            Self::NoMatch {
                intent,
                line,
                target,
            } => write!(
                f,
                "line {line}: the intent {intent}: no request of the audit logs is one of {target}; give a client as the logs name it, or atLoad with concurrent or perSecond"
            ),
            Self::NoArrivals { intent, line } => write!(
                f,
                "line {line}: the intent {intent}: its load has no request within the simulated time; give a longer duration, or more requests"
            ),
            Self::UnknownLevel {
                intent,
                line,
                level,
            } => write!(
                f,
                "line {line}: the intent {intent}: the configuration has no priority level {level} that queues or rejects requests"
            ),
            Self::Recipe {
                intent,
                line,
                error,
            } => write!(f, "line {line}: the intent {intent}: {error}"),
            Self::InvalidLevel(problem) => write!(f, "a priority level is invalid: {problem}"),
        }
    }
}

impl std::error::Error for SizeError {}
