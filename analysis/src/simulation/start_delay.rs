//! How long a request that waited has its seats before it begins.
//!
//! A server dispatches a waiting request when seats become free. The request has the seats at once, and runs when it gets the processor, which
//! takes longer the busier that is. The server counts both as its wait. So the recorded waits of a log are longer than its queues
//! explain.

use super::logged::Recorded;
use super::recorded::Recording;
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
const LONGEST: f64 = 0.05;

/// By how much the waits of a log are longer than its queues explain.
///
/// The queues do not always dispatch the waiting request that the server did. This changes the waits of these
/// requests, and not their sum, so that parts of the log are compared and not requests.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StartDelays {
    /// The number of parts, and sums over their averages in seconds and the squares of these.
    parts: f64,
    sum: f64,
    squares: f64,
    /// The seconds and the requests of the last part.
    last: (f64, u32),
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
            self.add(wait.as_secs_f64(), request.wait().as_secs_f64());
        }
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

    /// Zero if it is not certain.
    pub(super) fn average(self) -> Duration {
        if self.parts < PARTS {
            return Duration::ZERO;
        }
        let average = self.sum / self.parts;
        let variance = (self.squares / self.parts - average * average).max(0.0);
        let error = (variance / (self.parts - 1.0)).sqrt();
        match average >= error * CERTAIN && (0.0..=LONGEST).contains(&average) {
            true => Duration::from_secs_f64(average),
            false => Duration::ZERO,
        }
    }
}
