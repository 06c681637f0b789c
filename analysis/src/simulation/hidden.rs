//! The waits that a log does not have.

use super::recorded::Recorded;
use std::collections::HashMap;
use std::time::Duration;

/// The requests of this time are added up, in microseconds of the log. Limits of levels change every ten seconds.
const PERIOD_US: i64 = 5_000_000;

/// The waits and execution times of requests whose waits a log does not have, by client, kind of request and time.
#[derive(Clone, Debug, Default)]
pub(super) struct Estimates {
    times: HashMap<(u32, u32, i64), Times>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Times {
    waits: f64,
    executions: f64,
}

impl Estimates {
    pub(super) fn add(&mut self, request: &Recorded, kind: u32, wait: Duration, time: Duration) {
        let times = self.times.entry(key(request, kind)).or_default();
        times.waits += wait.as_secs_f64();
        times.executions += time.as_secs_f64();
    }

    /// The execution time of a request that took so long with its wait.
    pub(super) fn execution(&self, request: &Recorded, kind: u32, took: Duration) -> Duration {
        match self.times.get(&key(request, kind)) {
            Some(times) if times.waits > 0.0 => {
                took.mul_f64(times.executions / (times.waits + times.executions))
            }
            _ => took,
        }
    }
}

fn key(request: &Recorded, kind: u32) -> (u32, u32, i64) {
    let period = request.received_us.div_euclid(PERIOD_US);
    (request.client, kind, period)
}
