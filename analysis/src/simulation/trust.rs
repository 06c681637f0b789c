//! How far a simulation of an audit log is from the log itself.

use super::report::{Counts, Observed, Report};
use super::waits::{Spread, Waits};
use std::time::Duration;

/// The largest error of the number of rejections that is within the limits, in percent.
const REJECTIONS_PERCENT: u64 = 15;
/// Fewer rejections too many or too few are within the limits.
const REJECTIONS: u64 = 10;
/// The largest error of a wait that is within the limits, in percent.
const WAIT_PERCENT: u32 = 25;
/// A shorter difference of waits is within the limits.
const SHORTEST: Duration = Duration::from_millis(10);
/// Times are compared from this number of executed requests on.
const LEAST_WAITS: u64 = 20;

/// A number of the log, and the same number of the simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared<T> {
    /// The number of the log.
    pub observed: T,
    /// The number of the simulation.
    pub predicted: T,
}

/// The predicted and the observed numbers of a priority level, or of a flow of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prediction {
    /// The priority level.
    pub priority_level: String,
    /// The flow schema and the flow distinguisher; none for the whole level.
    pub flow: Option<(String, String)>,
    /// The rejected requests, including requests that waited too long.
    pub rejected: Compared<u64>,
    /// The requests of the log that the server executed.
    pub requests: u64,
    /// Those whose wait the server recorded. The waits of the others are estimated.
    pub recorded: u64,
    /// The median and the 99th percentile of the waits of these requests; none for fewer than 20 requests.
    pub waits: Option<[Compared<Duration>; 2]>,
    /// How far the waits of several simulations of the same requests differ; none for one simulation.
    pub spread: Option<Spread>,
    /// The median and the 99th percentile of the times from the arrival to the response; none for fewer than 20 requests.
    pub responses: Option<[Compared<Duration>; 2]>,
}

impl Prediction {
    /// Whether the rejections are within 15 % or 10 requests, and the waits and response times, if they are compared, within 25 % or 10 ms.
    pub fn is_within_limits(&self) -> bool {
        let times = self.waits.iter().chain(&self.responses);
        self.is_rejected_within_limits() && times.flatten().all(Compared::is_within_limits)
    }

    /// Whether the log has enough requests for a verdict: 20 that the server executed, or 20 that it rejected.
    pub fn has_enough_requests(&self) -> bool {
        self.waits.is_some() || self.rejected.observed >= LEAST_WAITS
    }

    /// Whether a wait is outside the limits, and lies between those of several simulations of the same requests: then its error is
    /// chance. The rejections and the other wait are within the limits, or between them too. Response times do not count.
    pub fn is_within_spread(&self) -> bool {
        let (Some(spread), Some([median, p99])) = (self.spread, &self.waits) else {
            return false;
        };
        let is_between = |wait: &Compared<Duration>, [least, most]: [Duration; 2]| {
            wait.is_within_limits() || (least..=most).contains(&wait.observed)
        };
        let is_wrong = [median, p99].iter().any(|wait| !wait.is_within_limits());
        self.is_rejected_within_limits()
            && is_wrong
            && is_between(median, spread.median)
            && is_between(p99, spread.p99)
    }

    /// The requests that a 99th percentile rests on: the slowest hundredth of those in the log.
    pub fn slowest_requests(&self) -> u64 {
        self.requests.div_ceil(100)
    }

    /// Whether the rejections are within 15 % or 10 requests.
    pub fn is_rejected_within_limits(&self) -> bool {
        let Compared {
            observed,
            predicted,
        } = self.rejected;
        let error = observed.abs_diff(predicted);
        error <= REJECTIONS || error.saturating_mul(100) <= observed * REJECTIONS_PERCENT
    }
}

impl Compared<Duration> {
    /// Whether the simulation is within 25 % or 10 ms of the log.
    pub(crate) fn is_within_limits(&self) -> bool {
        let error = self.observed.abs_diff(self.predicted);
        error <= SHORTEST || error * 100 <= self.observed.saturating_mul(WAIT_PERCENT)
    }
}

impl Report {
    /// The predicted numbers beside the numbers of the audit log, for each priority level and each flow of it in which
    /// requests are rejected, or the median or the 99th percentile of the waits is above 10 ms, in the log or in the simulation. Waits
    /// count from 20 executed requests of the log on. Empty for generated clients.
    ///
    /// They show how far the simulation can be trusted, if it uses the configuration of the server that wrote the log.
    pub fn predictions(&self) -> Vec<Prediction> {
        let mut predictions = Vec::new();
        for level in &self.levels {
            let name = &level.name;
            let all = &level.observed;
            let waits = (&level.waits, level.spread, &level.responses);
            predictions.extend(prediction(name, None, &level.counts, waits, all));
            for flow in self
                .flows
                .iter()
                .filter(|flow| flow.priority_level == *name)
            {
                let key = Some((flow.flow_schema.clone(), flow.flow_distinguisher.clone()));
                let waits = (&flow.waits, flow.spread, &flow.responses);
                predictions.extend(prediction(name, key, &flow.counts, waits, &flow.observed));
            }
        }
        predictions
    }
}

/// A prediction, if there is anything to compare.
fn prediction(
    level: &str,
    flow: Option<(String, String)>,
    counts: &Counts,
    (waits, spread, responses): (&Waits, Option<Spread>, &Waits),
    observed: &Observed,
) -> Option<Prediction> {
    let compared = |observed: &Waits, predicted: &Waits| {
        let compared = |percent| Compared {
            observed: observed.percentile(percent),
            predicted: predicted.percentile(percent),
        };
        (observed.count() >= LEAST_WAITS).then(|| [compared(50.0), compared(99.0)])
    };
    let rejected = Compared {
        observed: observed.rejected,
        predicted: counts.rejected + counts.timed_out,
    };
    let times = compared(&observed.waits, waits);
    let waited = |time: &Compared<Duration>| time.observed.max(time.predicted) > SHORTEST;
    let is_busy = times.iter().flatten().any(waited) || rejected != Compared::default();
    is_busy.then(|| Prediction {
        priority_level: level.to_owned(),
        flow,
        rejected,
        requests: observed.waits.count(),
        recorded: observed.recorded,
        waits: times,
        spread,
        responses: compared(&observed.responses, responses),
    })
}
