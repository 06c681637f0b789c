//! Replays of a recording.
//!
//! A busy server is chaotic: a request that ends a millisecond later lets others overtake it, and after some seconds everything
//! comes in another order. A server's log is one of many that the same clients could have caused, and so is one replay. Its mean
//! is nearer to the server than each of them, and the difference between replays is an error that no simulation avoids.

use super::super::random::Random;
use super::super::report::{FlowReport, Report};
use super::super::run::Progress;
use super::{Habit, Recorded, Recording};

/// The replays of a log of which clients wait for responses.
const REPLAYS: u64 = 9;
/// Logs with more requests are replayed once: chance has little part in their numbers.
const FEW: usize = 1 << 15;
/// The part by which executions differ from replay to replay.
const DIFFERENCE: f64 = 0.01;

impl Recording {
    /// Replays the requests as their clients would send them, and tells `progress` from time to time how far it has come.
    ///
    /// The requests must be sorted by time; a request that is earlier than its predecessor counts as late. A client
    /// that waits for its responses (see [`find_loops`](Self::find_loops)) sends a request as long after the simulated
    /// response as the log has it after the recorded one, unless the pause is longer than five seconds. After a
    /// response with another outcome than in the log (429 or not), the client pauses as it did on average after that
    /// outcome. After a rejection, clients that wait for the end of `Retry-After` in the log do so for the simulated one. All
    /// other requests come at the times of the log.
    ///
    /// Requests that follow responses end with the last request of the log: a client that is slower than in the log sends fewer
    /// requests, and a faster client sends its last requests again.
    ///
    /// The times of the report begin with the first request. A rejected request is not retried: its client's retries are
    /// requests of the log.
    ///
    /// If clients wait for responses, logs of up to 32,768 requests are replayed nine times, with executions that differ by up to
    /// one percent. The report then has the means of all replays, and [how far they differ](FlowReport::spread); its samples over time,
    /// its limits and the most seats in use are from the first one.
    pub fn replay(
        self,
        requests: impl IntoIterator<Item = Recorded>,
        mut progress: impl FnMut(Progress),
    ) -> Report {
        self.replay_all(&mut requests.into_iter(), &mut progress)
    }

    /// One form for all callers, so that simulations are compiled once.
    fn replay_all(
        self,
        requests: &mut dyn Iterator<Item = Recorded>,
        progress: &mut dyn FnMut(Progress),
    ) -> Report {
        let waits = |habit: &Habit| *habit != Habit::Independent;
        if !self.habits.values().any(waits) {
            return self.replay_once(requests, progress);
        }
        let first: Vec<_> = (&mut *requests).take(FEW + 1).collect();
        if first.len() > FEW {
            return self.replay_once(&mut first.into_iter().chain(requests), progress);
        }
        let replays = (0..REPLAYS).map(|replay| {
            let mut random = Random::new(0, replay);
            let mut changed = first.iter().map(move |request| Recorded {
                execution: match replay {
                    0 => request.execution,
                    _ => request
                        .execution
                        .map(|time| time.mul_f64(random.near_one(DIFFERENCE))),
                },
                ..*request
            });
            self.clone().replay_once(&mut changed, progress)
        });
        Report::mean(replays.collect())
    }

    /// Replays the requests as [`replay`](Self::replay) does, once.
    pub(crate) fn replay_once(
        self,
        requests: &mut dyn Iterator<Item = Recorded>,
        progress: &mut dyn FnMut(Progress),
    ) -> Report {
        let flows = self.flows.all.clone();
        let (slowdown, is_slowdown_known) = (self.slowdown(), self.is_slowdown_known());
        let start_delay = self.slowdown.as_ref().map(|slowdown| slowdown.start_delay);
        let mut run = self.prepare(requests, ());
        run.run(progress);
        let observed = std::mem::take(&mut run.source.observed);
        let mut report = run.report();
        (report.slowdown, report.is_slowdown_known) = (slowdown, is_slowdown_known);
        report.start_delay = start_delay.unwrap_or_default();
        report.clients.retain(|(_, counts)| counts.arrived > 0);
        for (flow, observed) in flows.iter().zip(observed) {
            let is_same = |found: &&mut FlowReport| {
                found.flow_schema == flow.flow_schema
                    && found.flow_distinguisher == flow.flow_distinguisher
            };
            let Some(found) = report.flows.iter_mut().find(is_same) else {
                continue;
            };
            let level = &found.priority_level;
            if let Some(level) = report.levels.iter_mut().find(|found| found.name == *level) {
                level.observed.merge(&observed);
            }
            found.observed = observed;
        }
        report
    }
}
