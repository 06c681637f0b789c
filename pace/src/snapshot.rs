//! The known facts of a level, for metrics.

use crate::level::Level;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The state of a priority level, from [`Pace::snapshot`](crate::Pace::snapshot).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LevelSnapshot {
    /// The UID of the level. Empty for a server without flow control.
    pub priority_level_uid: String,
    /// The number of requests that may be in flight, except during a slowdown. Below 1, requests start with pauses. Without meaning
    /// if the level [is exempt](Self::is_exempt).
    pub limit: f64,
    /// Whether the level has no limit; see [`Pace::exempt`](crate::Pace::exempt).
    pub is_exempt: bool,
    /// The requests in flight, without watches.
    pub in_flight: usize,
    /// The places that rejected requests still occupy.
    pub paused: usize,
    /// The requests that wait for a place in this program.
    pub waiting: usize,
    /// The requests that were sent, in total.
    pub started: u64,
    /// The requests that were rejected, in total.
    pub rejected: u64,
    /// The time that requests have waited in this program, in total.
    pub waited: Duration,
    /// The latency of the last window in multiples of the floor; 1 without congestion.
    pub latency_ratio: f64,
}

impl LevelSnapshot {
    pub(crate) fn of(uid: &Arc<str>, level: &mut Level, now: Instant) -> Self {
        level.occupied(now);
        Self {
            priority_level_uid: uid.to_string(),
            limit: level.limit.target(),
            is_exempt: level.is_exempt,
            in_flight: level.in_flight + level.reading.len(),
            paused: level.pauses.len(),
            waiting: level.queue.len(),
            started: level.started,
            rejected: level.rejected,
            waited: level.waited,
            latency_ratio: level.limit.ratio(),
        }
    }
}
