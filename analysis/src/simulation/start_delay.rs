//! How long a request that waited has its seats before it begins.
//!
//! A server dispatches a waiting request when seats become free. The request has the seats at once, and runs when it gets the processor, which
//! takes longer the busier that is. The server counts both as its wait. So the recorded waits of a log are longer than its queues
//! explain, and so are the waits that its metrics count.

use super::logged::Recorded;
use super::recorded::Recording;
use crate::metrics::Histograms;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::time::Duration;

/// The number of requests that waited in each part of a log.
const PART: u32 = 100;
/// The least number of parts.
const PARTS: f64 = 4.0;
/// The average is used if it is that many times its standard error.
const CERTAIN: f64 = 2.0;
/// A longer average has another reason, such as the objects of another server, in seconds.
const LONGEST: f64 = 0.1;

/// By how much the waits of a log are longer than its queues explain.
///
/// The queues do not always dispatch the waiting request that the server did. This changes the waits of these
/// requests, and not their sum, so that parts of the log are compared and not requests.
#[derive(Clone, Debug, Default)]
pub(super) struct StartDelays {
    /// The number of parts, and sums over their averages in seconds and the squares of these.
    parts: f64,
    sum: f64,
    squares: f64,
    /// The seconds and the requests of the last part.
    last: (f64, u32),
    /// By index of the level.
    levels: Vec<Explained>,
}

/// The executed requests of a priority level, and their waits in the queues alone.
#[derive(Clone, Copy, Debug, Default)]
struct Explained {
    executed: u64,
    /// The requests that waited, and the sum of their waits in seconds.
    waited: u64,
    seconds: f64,
}

impl StartDelays {
    /// Whether a log with so many recorded waits can show a delay.
    pub(super) fn are_shown_by(recorded_waits: u64) -> bool {
        recorded_waits >= PART.into()
    }

    /// Compares the waits of requests whose waits are separated with the waits in the queues alone.
    pub(super) fn compare(
        &mut self,
        recording: &Recording,
        requests: impl Iterator<Item = Recorded>,
    ) {
        let waits = RefCell::new(VecDeque::new());
        let without_waits = requests.map(|request| {
            waits.borrow_mut().push_back(request.wait());
            Recorded {
                observed: None,
                ..request
            }
        });
        for request in recording.separate_waits(without_waits) {
            let wait = waits.borrow_mut().pop_front().unwrap_or_default();
            let of_queues = request.wait().as_secs_f64();
            self.add(wait.as_secs_f64(), of_queues);
            if let Some(level) = recording.level_of(request.class)
                && !request.rejected
            {
                self.explain(level, of_queues);
            }
        }
    }

    fn explain(&mut self, level: usize, of_queues: f64) {
        let levels = self.levels.len().max(level + 1);
        self.levels.resize(levels, Explained::default());
        let explained = &mut self.levels[level];
        explained.executed += 1;
        explained.waited += u64::from(of_queues > 0.0);
        explained.seconds += of_queues;
    }

    fn add(&mut self, wait: f64, of_queues: f64) {
        let (seconds, requests) = &mut self.last;
        *seconds += wait - of_queues;
        *requests += u32::from(of_queues > 0.0);
        if *requests == PART {
            let average = *seconds / f64::from(PART);
            self.parts += 1.0;
            self.sum += average;
            self.squares += average * average;
            self.last = Default::default();
        }
    }

    /// The average delay of a request that waited, from the recorded waits of the log, if it is certain.
    pub(super) fn of_log(&self) -> Option<Duration> {
        if self.parts < PARTS {
            return None;
        }
        let average = self.sum / self.parts;
        let variance = (self.squares / self.parts - average * average).max(0.0);
        certain(average, (variance / (self.parts - 1.0)).sqrt())
    }

    /// The same from the waits that the server counted over the time of the log.
    pub(super) fn of_server(
        &self,
        recording: &Recording,
        counted: &Histograms,
    ) -> Option<Duration> {
        let (mut waited, mut seconds, mut unsure) = (0, 0.0, 0.0);
        for (level, explained) in recording.server.levels().zip(&self.levels) {
            let Some(counted) = counted.of(level.name).filter(|_| explained.waited > 0) else {
                continue;
            };
            // A request that the log or the metrics lack waited as long as the others.
            let missing = counted.count().abs_diff(explained.executed) as f64;
            unsure += missing * counted.sum() / explained.waited as f64;
            seconds += counted.sum() - explained.seconds;
            waited += explained.waited;
        }
        let of_each = |sum: f64| sum / waited as f64;
        certain(of_each(seconds), of_each(unsure)).filter(|_| waited >= PART.into())
    }
}

/// An average in seconds with its standard error, if it is certain.
fn certain(average: f64, error: f64) -> Option<Duration> {
    let is_certain = average > error * CERTAIN && (0.0..=LONGEST).contains(&average);
    is_certain.then(|| Duration::from_secs_f64(average))
}
