//! The work of a request.

use std::time::Duration;

/// The least seats of every request.
pub(super) const MINIMUM: u64 = 1;
/// The work of a request, except for the duration of its execution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// The seats while the request executes, at least 1.
    pub initial_seats: u64,
    /// The seats after the execution, during the additional latency.
    pub final_seats: u64,
    /// The duration for which the final seats stay occupied; the client does not wait for it.
    pub additional_latency: Duration,
}

impl Estimate {
    /// The seats that must be free before the request executes.
    pub const fn max_seats(&self) -> u64 {
        if self.initial_seats > self.final_seats {
            self.initial_seats
        } else {
            self.final_seats
        }
    }
}
