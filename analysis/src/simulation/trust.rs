//! How far a simulation of an audit log is from the log itself.

use super::report::Report;
use super::waits::Waits;
use std::time::Duration;

/// The largest error of the number of rejections that is within the limits, in percent.
const REJECTIONS_PERCENT: u64 = 15;
/// Fewer rejections too many or too few are within the limits.
const REJECTIONS: u64 = 10;
/// The largest error of a wait that is within the limits, in percent.
const WAIT_PERCENT: u32 = 25;
/// A shorter difference of waits is within the limits.
const SHORTEST: Duration = Duration::from_millis(10);
/// Waits are compared from this number of recorded waits on.
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
    /// The median and the 99th percentile of the waits that servers record; none if the log has fewer than 20 of them.
    pub waits: Option<[Compared<Duration>; 2]>,
}

impl Prediction {
    /// Whether the rejections are within 15 % or 10 requests, and the waits within 25 % or 10 ms.
    pub fn is_within_limits(&self) -> bool {
        self.is_rejected_within_limits() && self.waits.iter().flatten().all(is_wait_within_limits)
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

fn is_wait_within_limits(wait: &Compared<Duration>) -> bool {
    let error = wait.observed.abs_diff(wait.predicted);
    error <= SHORTEST || error * 100 <= wait.observed.saturating_mul(WAIT_PERCENT)
}

impl Report {
    /// The predicted numbers beside the numbers of the audit log, for each priority level and each of its flows. Empty for
    /// generated clients.
    ///
    /// They show how far the simulation can be trusted, if it uses the configuration of the server that wrote the log.
    pub fn predictions(&self) -> Vec<Prediction> {
        let mut predictions = Vec::new();
        for level in &self.levels {
            let observed = &level.observed;
            let rejected = level.counts.rejected + level.counts.timed_out;
            let name = &level.name;
            let all = (&observed.waits, &observed.shown);
            predictions.extend(prediction(name, None, observed.rejected, rejected, all));
            for flow in &self.flows {
                if flow.priority_level == *name {
                    let key = (flow.flow_schema.clone(), flow.flow_distinguisher.clone());
                    let rejected = flow.counts.rejected + flow.counts.timed_out;
                    let waits = (&flow.observed, &flow.shown);
                    let key = Some(key);
                    predictions.extend(prediction(
                        name,
                        key,
                        flow.observed_rejected,
                        rejected,
                        waits,
                    ));
                }
            }
        }
        predictions
    }
}

/// A prediction, if there is anything to compare.
fn prediction(
    level: &str,
    flow: Option<(String, String)>,
    observed: u64,
    predicted: u64,
    (waits, shown): (&Waits, &Waits),
) -> Option<Prediction> {
    let compared = |percent| Compared {
        observed: waits.percentile(percent),
        predicted: shown.percentile(percent),
    };
    let waits = (waits.count() >= LEAST_WAITS).then(|| [compared(50.0), compared(99.0)]);
    (waits.is_some() || observed + predicted > 0).then(|| Prediction {
        priority_level: level.to_owned(),
        flow,
        rejected: Compared {
            observed,
            predicted,
        },
        waits,
    })
}
