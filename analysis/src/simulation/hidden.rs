//! The waits that a log does not have.

use std::collections::HashMap;
use std::time::Duration;

/// The waits and execution times of requests whose waits a log does not have, by client and by kind of request.
#[derive(Clone, Debug, Default)]
pub(super) struct Estimates {
    times: HashMap<(u32, u32), Times>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Times {
    waits: f64,
    executions: f64,
}

impl Estimates {
    pub(super) fn add(&mut self, client: u32, kind: u32, wait: Duration, execution: Duration) {
        let times = self.times.entry((client, kind)).or_default();
        times.waits += wait.as_secs_f64();
        times.executions += execution.as_secs_f64();
    }

    /// The execution time of a request that took so long with its wait.
    pub(super) fn execution(&self, client: u32, kind: u32, took: Duration) -> Duration {
        match self.times.get(&(client, kind)) {
            Some(times) if times.waits > 0.0 => {
                took.mul_f64(times.executions / (times.waits + times.executions))
            }
            _ => took,
        }
    }
}
